package muscle

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// replace packs an instance that asks for more than the paper's model, and lets package plan place the jobs anew, in the order of their starts in the packing
// and on their clusters, with the choice of machines and times. So the packing decides, and the schedule honours the rest.
func (run *packing) replace(ctx context.Context, opt solve.Options, machines list.Machines) (solve.Result, error) {
	if opt.Trace != nil {
		run.trace = func(step solve.Step) { // the steps of the schedule follow
			for _, p := range step.Placed {
				step.Jobs = append(step.Jobs, p.Job)
			}
			step.Placed = nil
			opt.Trace(step)
		}
	}
	order := run.order()
	for _, batch := range run.byDepth(order) {
		run.packAll(batch)
	}
	if run.poll.Ended() {
		return solve.Stopped(ctx), nil
	}
	on := make([]int, len(run.placed))
	for j := range run.placed {
		if p := &run.placed[j]; p.Job != "" {
			on[j], _ = run.in.ClusterIndex(p.Cluster)
		} else {
			p.Start = math.Inf(-1) // it must spread, or can run nowhere
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(run.placed[a].Start, run.placed[b].Start) })
	rule := list.Rule{Name: "packed", Text: "it is packed there, or ends first there as the cluster on which it is packed cannot take it", Score: "end"}
	return list.InOrder(ctx, run.in, plan.Topological(run.in, order), opt, rule.By(machines), list.OnCluster(run.in, func(job int) int { return on[job] }))
}

// byDepth groups the jobs that fit a cluster by the length of the longest chain of jobs before them, each group in the given order.
func (run *packing) byDepth(order []int) [][]int {
	depth := make([]int, len(order))
	var groups [][]int
	for _, j := range plan.Topological(run.in, order) {
		for _, before := range run.in.Jobs()[j].After {
			depth[j] = max(depth[j], depth[before]+1)
		}
		if depth[j] == len(groups) {
			groups = append(groups, nil)
		}
	}
	for _, j := range order {
		if slices.ContainsFunc(run.clusters, func(c cluster) bool { s := run.sizes[c.kind][j]; return 0 < s && s <= c.processors }) {
			groups[depth[j]] = append(groups[depth[j]], j)
		}
	}
	return groups
}

// time is how long the job takes on size processors of the cluster; where its machines differ, on processors of their mean speed with the slowest link.
func (run *packing) time(c *cluster, job, size int) float64 {
	cluster := &run.in.Clusters()[c.index]
	if cluster.Uniform {
		return run.in.DurationOn(job, c.index, size)
	}
	speeds, processors, link := 0.0, 0, math.Inf(1)
	for g := range cluster.Machines {
		m := &cluster.Machines[g]
		speeds, processors, link = speeds+m.Speed*float64(m.Count*m.Units), processors+m.Count*m.Units, min(link, m.Bandwidth)
	}
	return run.in.Busy(job, c.index, speeds/float64(processors), (run.in.Jobs()[job].Tasks+size-1)/size) + run.in.Transfer(job, link)
}

// work estimates the work: the table of compositions, and the list schedule where that follows. A table that is too large for memory is too much work as well.
func work(in *model.Instance, s *solve.Size) float64 {
	sum := 0.0
	for j := range in.Jobs() {
		sum += float64(in.Jobs()[j].Min)
	}
	w := 20*s.Jobs*s.Jobs + 7.4*(s.Jobs+1)*min(sum, s.Processors)
	if !plain(in, s.Binding) {
		w += s.List()
	}
	return w
}
