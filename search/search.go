// Package search is the anytime global search for schedules: over the assignment of jobs to clusters, their order and the number
// of processors of moldable jobs, for any objective.
//
// Several engines code a schedule in their own way and know how to evaluate a move fast; the first that can take the instance
// is used, see engines. An engine runs a fixed number of chains side by side, in rounds, whatever the number of workers, so
// that the same seed and number of evaluations give the same schedule.
package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Options are the limits of a search.
type Options struct {
	Seed     uint64
	MaxEvals int64   // 0: no limit
	Effort   float64 // about so many seconds of one core, in evaluations by the size of the instance alone; 0: no limit
	Workers  int     // 0: one
	Target   float64 // the search ends when the objective is as low, the proved lower bound; -Inf: none
	// Improve goes on with the proof of a bound for about so much work, in ns of one core, and returns it and whether more work may
	// improve it: the target rises with it. It is called once a round beside the chains, by the numbers of rounds and evaluations
	// alone, so that the search does not depend on the clock. nil: the target stays.
	Improve func(ctx context.Context, work int64) (bound float64, more bool)
	// Progress is told the number of evaluations and the least objective so far, at most once a round, from one goroutine.
	Progress func(evaluations int64, objective float64)
}

// Result is what a search found.
type Result struct {
	Solution    *model.Solution // never worse than the start
	Evaluations int64           // schedules evaluated
	Stop        model.Stop      // done: the target was reached, or there is nothing to search
}

// engine is one way to search an instance. It is made from the start, which is in order by the checker.
type engine interface {
	// chains is how many searches run side by side. Chains share nothing that one of them writes while it advances.
	chains() int
	// advance continues chain k for so many evaluations, or until stop says so, which it asks at least every millisecond or
	// so, and returns how many it made. Zero: there is nothing left to search.
	advance(k int, evaluations int64, stop func() bool) int64
	// meet lets the chains learn from each other; it is called between rounds.
	meet()
	// best is how good the best schedule is that chain k has found, as the engine adds it up; its objective is +Inf: nothing yet.
	// Jobs that can run nowhere need not be counted among those left out.
	best(k int) rank
	// solution is that schedule.
	solution(k int) (*model.Solution, error)
	// round is how many evaluations a chain makes in a round, some ms of them.
	round() int64
	// pace is about how many evaluations one core makes in a second; it depends on the instance alone.
	pace() int64
}

// ErrNoEngine is returned where no engine can take the instance.
var ErrNoEngine = errors.New("search: no engine for the instance")

// newEngine makes the engine of an instance; nil and no error: not for this engine.
type newEngine func(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine, error)

// engines, the most special first.
var engines = []newEngine{newUnrelated, newLists, newSchedules}

// Minimise improves the start, which must be in order by the checker, or finds a schedule where it is nil, until the context
// ends, a limit is hit or the target is reached.
func Minimise(ctx context.Context, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	from := start
	if from == nil {
		from = &model.Solution{}
	}
	for _, fits := range engines {
		e, err := fits(ctx, in, from, opt.Seed)
		switch {
		case err != nil:
			return Result{}, err
		case ctx.Err() != nil:
			return Result{Solution: start, Stop: stopReason(ctx)}, nil
		case e != nil:
			return run(ctx, e, in, start, opt)
		}
	}
	return Result{}, ErrNoEngine
}

// rank is how good a schedule is: jobs left out first, then the objective.
type rank struct {
	left      int
	objective float64
}

// less orders ranks, the better first, to the last bit.
func (a rank) less(b rank) bool {
	if a.left != b.left {
		return a.left < b.left
	}
	return a.objective < b.objective
}

// rankOf evaluates a schedule.
func rankOf(in *model.Instance, s *model.Solution) (rank, error) {
	evaluation, err := model.Evaluate(in, s)
	if err != nil {
		return rank{}, fmt.Errorf("search: %w", err)
	}
	return rank{len(s.Unscheduled), evaluation.Objective}, nil
}

// better says whether a is better than b by more than rounding.
func (a rank) better(b rank) bool {
	if a.left != b.left {
		return a.left < b.left
	}
	if math.IsInf(b.objective, 0) {
		return a.objective < b.objective
	}
	return a.objective < b.objective-model.Tolerance*math.Abs(b.objective)
}
