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
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/lists"
	"github.com/allot-opt/allot/search/internal/schedules"
	"github.com/allot-opt/allot/search/internal/unrelated"
)

// Options are the limits of a search.
type Options struct {
	Seed     uint64
	MaxEvals int64   // 0: no limit
	Effort   float64 // finite: about so many seconds of one core, in evaluations by the size of the instance alone; 0: no limit
	Workers  int     // 0: one
	Target   float64 // the search ends when the objective is as low and no job that can run is left out: the proved lower bound; -Inf: none
	// Improve goes on with the proof of a bound for about so much work, in ns of one core, and returns it and whether more work may
	// improve it: the target rises with it. The objective of the best schedule so far, +Inf where none places all jobs, lets it pass
	// over what is dearer. It is called once a round beside the chains, by the numbers of rounds and evaluations
	// alone, so that the search does not depend on the clock. nil: the target stays.
	Improve func(ctx context.Context, work int64, best float64) (bound float64, more bool)
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

// ErrNoEngine is returned where no engine can take the instance.
var ErrNoEngine = errors.New("search: no engine for the instance")

// engines, the most special first.
var engines = []engine.New{unrelated.New, lists.New, schedules.New}

// Minimise improves the start, which must be in order by the checker, or finds a schedule where it is nil, until the context
// ends, a limit is hit or the target is reached.
func Minimise(ctx context.Context, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	if !(opt.Effort >= 0) || math.IsInf(opt.Effort, 1) {
		return Result{}, fmt.Errorf("search: effort: expected a finite number of at least 0, found %v", opt.Effort)
	}
	if ctx.Err() != nil {
		return Result{Solution: start, Stop: engine.StopReason(ctx)}, nil
	}
	from, at := start, engine.Nothing
	if start == nil {
		from = &model.Solution{}
	} else {
		var err error
		if at, err = engine.RankOf(in, start); err != nil {
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
			return Result{Solution: start, Stop: engine.StopReason(ctx)}, nil
		case e != nil:
			return improve(ctx, e, in, start, at, opt)
		}
	}
	return Result{}, ErrNoEngine
}

// tell reports the best schedule so far.
func (o *Options) tell(evaluations int64, best engine.Rank) {
	if o.Progress != nil {
		o.Progress(Progress{evaluations, best.Left, best.Objective})
	}
}

// Rank is how good a schedule is: jobs left out first, then the objective.
type Rank = engine.Rank

// NewRank is the rank of a schedule that leaves out so many jobs.
func NewRank(left int, objective float64) Rank { return engine.NewRank(left, objective) }

// Better says whether a is better than b by more than rounding.
func Better(a, b Rank) bool { return engine.Better(a, b) }

// StopReason says whether the context ended by its deadline or was cancelled.
func StopReason(ctx context.Context) model.Stop { return engine.StopReason(ctx) }
