package solve

import (
	"cmp"
	"context"
	"math"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
)

var _ = Register(Info{
	Name: "search",
	Doc: "Global search over assignment, order and numbers of processors, for any objective and everything an instance can ask for; goes on until the limit, or until its " +
		"schedule is proved to be optimal. O(jobs · steps) an evaluation at most, for as many steps as jobs run at once.",
	Source: "allot; parallel tempering after R. H. Swendsen, J.-S. Wang (1986), doi:10.1103/PhysRevLett.57.2607; what was tried is in docs/search.md",
	New:    func() Solver { return &Search{} },

	Starts: true,
})

// Search is the anytime global search of package search. From a cold start it begins with the schedules of several rules of
// priority. A schedule that leaves fewer jobs out is better, whatever the objective says of it.
//
// The bound is improved while it searches, on a share of the workers and by a share of the evaluations; the search ends when it is
// reached.
//
// Complexity: O(jobs · steps) an evaluation at most, for as many steps as jobs run at once, most often far less; memory
// O(jobs · (clusters + steps)) for each of up to eight walks.
type Search struct {
	Effort float64 `default:"1" doc:"about how many seconds of one core to search where neither time nor evaluations are limited; in evaluations, by the size of the instance alone"`
}

// Supports implements [Solver]: everything.
func (*Search) Supports(*model.Instance) error { return nil }

// Solve implements [Solver].
func (s *Search) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	start, evaluations := opt.Start, int64(0)
	if first := (&FCFSList{}); start == nil && first.Supports(in) == nil {
		cold, err := first.Solve(ctx, in, opt)
		if err != nil || cold.Solution == nil {
			return cold, err
		}
		start, evaluations = cold.Solution, cold.Evaluations
	}
	result := Result{Solution: start, Status: model.Feasible, Stop: model.StopEvaluations, Evaluations: evaluations}
	limits := search.Options{Seed: opt.Seed, Workers: opt.Workers, Target: math.Inf(-1)}
	proof := bound.New(in)
	more := proof.Improve(ctx, bound.LittleWork)
	prove := func() { result.Bound, result.HasBound = proof.Value() }
	prove()
	result.bounded = true
	if result.HasBound {
		limits.Target = result.Bound
	}
	if more {
		limits.Improve = func(ctx context.Context, work int64) (float64, bool) {
			more := proof.Improve(ctx, work)
			return provedBy(proof), more
		}
	}
	_, timed := ctx.Deadline()
	switch {
	case opt.MaxEvals > evaluations:
		limits.MaxEvals = opt.MaxEvals - evaluations
	case opt.MaxEvals > 0 && start != nil:
		return result, nil
	case opt.MaxEvals > 0:
		limits.MaxEvals = opt.MaxEvals
	case !timed:
		limits.Effort = cmp.Or(s.Effort, 1)
	}
	if opt.Progress != nil {
		limits.Progress = func(n int64, objective float64) {
			opt.Progress(Progress{Evaluations: evaluations + n, Objective: objective, Bound: provedBy(proof)})
		}
	}
	found, err := search.Minimise(ctx, in, start, limits)
	if err != nil {
		return Result{}, err
	}
	prove()
	result.Solution, result.Stop = found.Solution, found.Stop
	result.Evaluations += found.Evaluations
	if result.Solution == nil {
		result.Status = model.Unknown
	}
	return result, nil
}

// provedBy is the bound that is proved; −Inf: none.
func provedBy(proof *bound.Proof) float64 {
	if value, ok := proof.Value(); ok {
		return value
	}
	return math.Inf(-1)
}
