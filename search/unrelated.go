package search

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// unrelated minimises the makespan of jobs that run on one processor each, for a time that depends on the cluster alone: the
// order on a processor does not matter, so a schedule is a processor for each job.
//
// It anneals on the loads weighted by prices: see unrelatedChain.
type unrelated struct {
	problem *unrelatedProblem
	runs    []*unrelatedChain
}

// unrelatedChains is the number of chains.
const unrelatedChains = 4

// newUnrelated makes the engine; nil for an instance in which anything else matters.
func newUnrelated(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine, error) {
	weight := makespanWeight(in)
	if weight <= 0 || in.Features()&^(model.UnrelatedTimes|model.RestrictedTimes) != 0 || len(in.Jobs()) == 0 {
		return nil, nil
	}
	at, err := machinesOf(in, start)
	if err != nil {
		return nil, err
	}
	p := newUnrelatedProblem(ctx, in, start)
	if ctx.Err() != nil {
		return nil, nil
	}
	p.weight = weight
	u := &unrelated{problem: p}
	at = p.settle(at)
	if len(p.pairs) > 0 {
		opening, scratch := p.open(ctx), make([]float64, len(p.clusterOf))
		if opening == nil {
			return nil, nil
		}
		if p.makespan(opening, scratch) < p.makespan(at, scratch) {
			at = opening
		}
	}
	for k := range unrelatedChains {
		if ctx.Err() != nil {
			return nil, nil
		}
		u.runs = append(u.runs, newUnrelatedChain(p, at, seed, k))
	}
	return u, nil
}

// makespanWeight is the weight of the makespan where no other metric has one; else 0.
func makespanWeight(in *model.Instance) float64 {
	weight := 0.0
	for _, term := range in.Objective() {
		switch {
		case term.Metric == "makespan":
			weight = term.Weight
		case term.Weight != 0:
			return 0
		}
	}
	return weight
}

// machinesOf is the processor of each job in a schedule, all processors of the grid numbered through; −1: left out.
func machinesOf(in *model.Instance, s *model.Solution) ([]int32, error) {
	first := firstMachines(in)
	at := make([]int32, len(in.Jobs()))
	for j := range at {
		at[j] = -1
	}
	for k := range s.Jobs {
		j, ok := in.JobIndex(s.Jobs[k].Job)
		if !ok {
			return nil, fmt.Errorf("search: the instance has no job %q", s.Jobs[k].Job)
		}
		s.Jobs[k].Parts(1, func(piece model.Piece) {
			if c, known := in.ClusterIndex(piece.Cluster); known && len(piece.Processors) > 0 {
				at[j] = int32(first[c] + piece.Processors[0].First)
			}
		})
	}
	return at, nil
}

// firstMachines is the number of each cluster's first processor, and of all of them at the end.
func firstMachines(in *model.Instance) []int {
	first := make([]int, len(in.Clusters())+1)
	for c := range in.Clusters() {
		first[c+1] = first[c] + in.Clusters()[c].Processors
	}
	return first
}

func (u *unrelated) chains() int { return len(u.runs) }

func (u *unrelated) round() int64 { return 1 << 18 }

func (u *unrelated) pace() int64 { return 20_000_000 }

func (u *unrelated) advance(k int, evaluations int64, stop func() bool) int64 {
	return u.runs[k].advance(evaluations, stop)
}

func (u *unrelated) best(k int) model.Rank { return model.NewRank(0, u.problem.weight*u.runs[k].best) }

// meet tells the chains the least makespan of all, which sets their aims and temperatures. A chain far behind goes on from the
// leader's schedule.
func (u *unrelated) meet() {
	leader := u.runs[0]
	for _, c := range u.runs[1:] {
		if c.best < leader.best {
			leader = c
		}
	}
	for _, c := range u.runs {
		c.learn(leader)
	}
}

// solution runs the jobs of each processor one after another, in the order of the instance.
func (u *unrelated) solution(k int) (*model.Solution, error) {
	p := u.problem
	s := &model.Solution{Jobs: make([]model.Placement, 0, len(p.in.Jobs())), Unscheduled: p.left}
	end := make([]float64, len(p.clusterOf))
	for i := range end {
		end[i] = p.in.FirstArrival()
	}
	for k, i := range u.runs[k].bestAt {
		job, c := p.jobs[k], p.clusterOf[i]
		from, to := end[i], end[i]+p.time(job, int(c))
		end[i] = to
		processor := int(i) - p.first[c]
		s.Jobs = append(s.Jobs, model.Placement{Job: p.in.Jobs()[job].ID, Cluster: p.in.Clusters()[c].ID,
			Processors: model.NewProcessorSet(model.Range{First: processor, Last: processor}), Start: from, End: to})
	}
	return s, nil
}

// makespan is that of a processor for each job, as added up by processor; load is scratch.
func (p *unrelatedProblem) makespan(at []int32, load []float64) float64 {
	clear(load)
	for k, i := range at {
		load[i] += p.time(p.jobs[k], int(p.clusterOf[i]))
	}
	most := 0.0
	for _, l := range load {
		most = math.Max(most, l)
	}
	return most
}
