package tou

import (
	"github.com/allot-opt/allot/model"
)

// Solution is the schedule of a result; jobs of no time start when the horizon begins.
func (p *Problem) Solution(in *model.Instance, starts []int) *model.Solution {
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: make([]model.Placement, 0, len(starts))}
	processor := model.Processors(0)
	for j := range in.Jobs() {
		start := p.From + float64(starts[j])*p.Unit
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: in.Clusters()[0].ID, Processors: processor, Start: start,
			End: model.End(start, in.Duration(j, 0, processor))})
	}
	return sol
}
