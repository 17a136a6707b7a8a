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
	MaxEvals int64       // 0: no limit
	Effort   float64     // finite: about so many seconds of one core, at most twice as many, by the size of the instance and counted work alone; 0: no limit
	Workers  int         // 0: one
	Target   model.Bound // the search ends when the objective is as low and no job that can run is left out
	// Improve goes on with the proof of a bound for about so much work, in ns of one core, and returns it and whether more work may
	// improve it: the target rises with it. The objective of the best schedule so far, +Inf where none places all jobs, lets it pass
	// over what is dearer. It is called once a round beside the chains, by the numbers of rounds and evaluations
	// alone, so that the search does not depend on the clock. nil: the target stays.
	Improve func(ctx context.Context, work int64, best float64) (bound model.Bound, more bool)
	// Progress is told of the start, then of the best schedule so far at most once a round, from one goroutine. What it is told
	// never gets worse; the objective only rises where fewer jobs are left out.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Evaluations int64
	Left        int     // jobs that the best schedule so far leaves out; math.MaxInt: there is none yet
	Objective   float64 // of that schedule; +Inf also where there is none yet
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
	// best is how good the best schedule is that chain k has found, as the engine adds it up; nothing: none yet. Jobs that can run
	// nowhere need not be counted among those left out, in any schedule or in none.
	best(k int) model.Rank
	// solution is that schedule.
	solution(k int) (*model.Solution, error)
	// round is how many evaluations a chain makes in a round, some ms of them.
	round() int64
	// pace is about how many evaluations one core makes in a second; it depends on the instance alone.
	pace() int64
}

// counting is an engine that counts its work. Its evaluations may be dearer than its pace says, as that of lists is where many jobs
// run at once, and so may be its preparations.
type counting interface {
	// work is about how many ns of one core it has taken so far, preparations included, counted by what it did and not by the clock.
	work() int64
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
	if !(opt.Effort >= 0) || math.IsInf(opt.Effort, 1) {
		return Result{}, fmt.Errorf("search: effort: expected a finite number of at least 0, found %v", opt.Effort)
	}
	if ctx.Err() != nil {
		return Result{Solution: start, Stop: model.StopReason(ctx)}, nil
	}
	from, at := start, nothing
	if start == nil {
		from = &model.Solution{}
	} else {
		var err error
		if at, err = rankOf(in, start); err != nil {
			return Result{}, err
		}
		opt.tell(0, at)
		if at.Reaches(opt.Target) {
			return Result{Solution: start, Stop: model.StopDone}, nil
		}
	}
	for _, fits := range engines {
		e, err := fits(ctx, in, from, opt.Seed)
		switch {
		case err != nil:
			return Result{}, err
		case ctx.Err() != nil:
			return Result{Solution: start, Stop: model.StopReason(ctx)}, nil
		case e != nil:
			return improve(ctx, e, in, start, at, opt)
		}
	}
	return Result{}, ErrNoEngine
}

// tell reports the best schedule so far.
func (o *Options) tell(evaluations int64, best model.Rank) {
	if o.Progress != nil {
		o.Progress(Progress{evaluations, best.Left, best.Objective})
	}
}

// nothing is the rank of no schedule at all. Objectives may be +Inf, so that the number of jobs left out alone tells.
var nothing = model.NoRank()

// rankOf evaluates a schedule.
func rankOf(in *model.Instance, s *model.Solution) (model.Rank, error) {
	evaluation, err := model.Evaluate(in, s)
	if err != nil {
		return model.Rank{}, fmt.Errorf("search: %w", err)
	}
	return model.NewRank(len(s.Unscheduled), evaluation.Objective), nil
}
