package serial

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Solution implements [engine.Engine].
func (e *Engine) Solution(k int) (*model.Solution, error) {
	return e.problem.write(e.islands[k].found), nil
}

// write turns a member into a schedule with processors. At no time are more processors in use than the cluster has. So the jobs, taken in the
// order of their starts, always find enough free ones. A job that takes no time holds nothing: it gets the first processors, whatever runs
// there.
func (p *problem) write(m *member) *model.Solution {
	order := slices.Clone(m.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(m.start[a], m.start[b]) })
	free := make([]*plan.UniformProcessors, len(p.Clusters))
	s := &model.Solution{}
	for _, j := range order {
		at := &p.places[j][m.at[j]]
		c, size := int(at.cluster), int(p.Clusters[at.cluster].Jobs[j].Size)
		cluster := &p.In.Clusters()[c]
		if free[c] == nil {
			free[c] = plan.NewUniformProcessors(p.In, c, 0, cluster.Processors)
		}
		start, end := p.origin+p.unit*m.start[j], p.origin+p.unit*(m.start[j]+at.length)
		set := model.NewProcessorSet(model.Range{First: 0, Last: size - 1})
		if end > start {
			set = free[c].Take(size, start, end)
		}
		s.Jobs = append(s.Jobs, model.Placement{Job: p.In.Jobs()[j].ID, Cluster: cluster.ID, Processors: set, Start: start, End: end})
	}
	return s
}
