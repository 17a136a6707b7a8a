// Package unrelated is the search engine for the makespan of jobs that run on one processor each, for a time that depends on
// the cluster alone. The order on a processor then does not matter, so a schedule is a processor for each job.
package unrelated

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// Engine anneals the loads of the processors, weighted by prices: see chain. Between the cycles of annealing it runs beam searches: see beam.
type Engine struct {
	problem *problem
	runs    []*chain
}

// chains is the number of chains.
const chains = 4

// New makes the engine; nil for an instance in which anything else matters.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	weight := makespanWeight(in)
	if weight <= 0 || in.Features()&^(model.UnrelatedTimes|model.RestrictedTimes) != 0 || len(in.Jobs()) == 0 {
		return nil, nil
	}
	at, err := machinesOf(in, start)
	if err != nil {
		return nil, err
	}
	p := newProblem(ctx, in, start)
	if ctx.Err() != nil {
		return nil, nil
	}
	p.weight = weight
	u := &Engine{problem: p}
	at = p.settle(at)
	if len(p.pairs) > 0 {
		balanced, scratch := p.start(ctx), make([]float64, len(p.clusterOf))
		if balanced == nil {
			return nil, nil
		}
		if p.makespan(balanced, scratch) < p.makespan(at, scratch) {
			at = balanced
		}
	}
	for k := range chains {
		if ctx.Err() != nil {
			return nil, nil
		}
		u.runs = append(u.runs, newChain(p, at, seed, k))
	}
	return u, nil
}

// makespanWeight is the weight of the makespan if no other metric has one; otherwise 0.
func makespanWeight(in *model.Instance) float64 {
	weight := 0.0
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Metric == "makespan":
			weight = term.Weight
		case term.Weight != 0:
			return 0
		}
	}
	return weight
}

// machinesOf is the processor of each job in schedule s; −1: the schedule leaves the job out. The processors of all clusters
// are numbered in sequence.
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

// firstMachines is the number of the first processor of each cluster. The last element is the number of all processors.
func firstMachines(in *model.Instance) []int {
	first := make([]int, len(in.Clusters())+1)
	for c := range in.Clusters() {
		first[c+1] = first[c] + in.Clusters()[c].Processors
	}
	return first
}

// Chains implements [engine.Engine].
func (u *Engine) Chains() int { return len(u.runs) }

// Round implements [engine.Engine].
func (u *Engine) Round() int64 { return 1 << 18 }

// Pace implements [engine.Engine].
func (u *Engine) Pace() int64 { return 20_000_000 }

// Advance implements [engine.Engine].
func (u *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	return u.runs[k].advance(evaluations, stop)
}

// Best implements [engine.Engine].
func (u *Engine) Best(k int) model.Rank {
	return model.NewRank(0, u.problem.weight*u.runs[k].best)
}

// Exchange tells the chains the least makespan of all, which sets their aims and temperatures. A chain far behind continues
// from the schedule of the leader.
func (u *Engine) Exchange() {
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

// Solution runs the jobs of each processor one after another, in the order of the instance.
func (u *Engine) Solution(k int) (*model.Solution, error) {
	p := u.problem
	s := &model.Solution{Jobs: make([]model.Placement, 0, len(p.in.Jobs())), Unscheduled: p.left}
	end := make([]float64, len(p.clusterOf))
	for i := range end {
		end[i] = p.in.FirstArrival()
	}
	for k, i := range u.runs[k].bestAt {
		job, c := p.jobs[k], p.clusterOf[i]
		from, to := end[i], model.End(end[i], p.time(job, int(c)))
		end[i] = to
		processor := int(i) - p.first[c]
		s.Jobs = append(s.Jobs, model.Placement{Job: p.in.Jobs()[job].ID, Cluster: p.in.Clusters()[c].ID,
			Processors: model.NewProcessorSet(model.Range{First: processor, Last: processor}), Start: from, End: to})
	}
	return s, nil
}

// makespan is the makespan of the assignment at, a processor for each job. It uses load as scratch.
func (p *problem) makespan(at []int32, load []float64) float64 {
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
