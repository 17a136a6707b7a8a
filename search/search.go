// Package search improves a schedule until it reaches a limit or a proved lower bound. You can stop it at any time: it returns
// the best schedule so far. It chooses the cluster of each job, the order of the jobs and the number of processors of each
// moldable job, for any objective.
//
// [Minimise] is the search; [Exhaust] finds and proves the best schedule of a few jobs.
//
// [Minimise] uses an engine. Each engine codes schedules in its own way and evaluates changes of them fast. The engines for
// special instances are tried first, in the order of the list engines; the first that can take the instance searches it.
//
// An engine runs a fixed number of chains side by side, in rounds. A chain is one search of its own, or works on its part of a schedule. Where
// evaluations are limited, the number of chains does not depend on the number of workers, so the same seed and number of evaluations give the same
// schedule.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/lists"
	"github.com/allot-opt/allot/search/internal/moments"
	"github.com/allot-opt/allot/search/internal/packing"
	"github.com/allot-opt/allot/search/internal/schedules"
	"github.com/allot-opt/allot/search/internal/serial"
	"github.com/allot-opt/allot/search/internal/unrelated"
)

// Options are the limits of a search.
type Options struct {
	Seed     uint64
	MaxEvals int64 // schedules to evaluate at most; 0: no limit
	// Effort is the work to spend, about in seconds of one core; 0: no limit. It must be finite. The search may take up to twice as much. It
	// turns the effort into a limit of evaluations and of counted work. Both depend on the instance alone, so the result does not depend
	// on the clock.
	Effort  float64
	Workers int // goroutines; 0: one
	// Time is about how long the search will run until ctx ends; 0: not known. It ends nothing: ctx does. If neither evaluations nor effort are
	// limited, the search may plan how long to anneal by it, the number of workers and a nominal pace. So the result depends on Time.
	Time time.Duration
	// Walks are the parameters of the engine that walks over lists of rigid jobs. The other engines have none.
	Walks Walks
	// Target is a proved lower bound of the objective of schedules that owe Owed jobs, see [model.Instance.Owed], if one is known; no schedule owes
	// fewer. The search ends when the best schedule reaches both.
	Target model.Bound
	Owed   int
	// Improve continues the proof of the lower bound; nil: Target stays as it is. Improve spends about work ns of one core and
	// returns the bound and whether more work may raise it. Target rises with the bound. The argument best is the objective of
	// the best schedule so far, or +Inf if it owes more than Owed jobs; the proof may ignore schedules that cost more. The
	// search calls Improve once a round, beside the chains. When it calls depends on the numbers of rounds and evaluations
	// alone, not on the clock.
	Improve func(ctx context.Context, work int64, best float64) (bound model.Bound, more bool)
	// Found returns a schedule that the proof has come upon. It returns nil if there is none, or if it has returned the schedule before. The
	// checker must accept the schedule. The search calls Found after each call of Improve, unless Found is nil.
	Found func() *model.Solution
	// Progress receives the start, and then the best schedule so far, at most once a round. One goroutine makes all the calls.
	// Reports never get worse: the objective rises only where fewer jobs are owed.
	Progress func(Progress)
}

// Walks are the parameters of the walks over lists of rigid jobs, see package lists. Each walk has a temperature at which it accepts a share of its moves: from Cold on the
// coldest to Hot on the hottest. Nil: the usual value.
type Walks struct {
	Cold     *float64 `range:"(0, 1)" vary:"[0.001, 0.1] log" zero:"0.01" doc:"walks over lists of rigid jobs: share of moves that the coldest walk accepts"`
	Hot      *float64 `range:"(0, 1)" vary:"[0.02, 0.5] log" zero:"0.12" doc:"walks over lists: share of moves that the hottest walk accepts with 40 jobs; with more jobs less"`
	Relocate *float64 `range:"[0, 1]" vary:"[0, 1]" zero:"0.4" doc:"walks over lists: share of moves that relocate a job; the others swap two"`
	Alike    *float64 `range:"[0, 1]" vary:"[0, 1]" zero:"0.7" doc:"walks over lists: share of swaps with a job of like processor time; the others choose the partner by position"`
}

// settled has the usual values where none are given.
func (w *Walks) settled() engine.Walks {
	usual := engine.DefaultWalks()
	return engine.Walks{Cold: *cmp.Or(w.Cold, &usual.Cold), Hot: *cmp.Or(w.Hot, &usual.Hot), Relocate: *cmp.Or(w.Relocate, &usual.Relocate), Alike: *cmp.Or(w.Alike, &usual.Alike)}
}

// Progress is how far a search has come.
type Progress struct {
	Evaluations int64
	Left        int     // jobs that the best schedule so far owes, see [model.Instance.Owed]; math.MaxInt: there is no schedule yet
	Objective   float64 // of that schedule; +Inf if there is no schedule yet
	// Schedule makes that schedule, for the receiver to keep; it may be called during the report only. nil: there is none, or it is that of an earlier report.
	Schedule func() *model.Solution
}

// Result is what a search found.
type Result struct {
	Solution    *model.Solution // the best schedule, never worse than the start; nil: none was found
	Evaluations int64           // schedules evaluated
	Stop        model.Stop      // why the search ended; done means that it reached the target, spent the effort or has nothing left to search
}

// ErrNoEngine says that no engine can take the instance.
var ErrNoEngine = errors.New("search: no engine for the instance")

// engines lists the engines, the most special first.
var engines = []engine.New{unrelated.New, lists.New, serial.New, packing.New, moments.New, schedules.New}

// Packs says whether all jobs of the instance start at one time if they run at all, and the objective is a sum over the jobs that do. Then [Minimise] soon
// has a better schedule of its own than any list heuristic makes.
func Packs(ctx context.Context, in *model.Instance) bool { return packing.Takes(ctx, in) }

// Minimise searches for a schedule of low objective until the context ends, it hits a limit or it reaches the target. It
// improves the schedule start, which the checker must accept. If start is nil it begins with schedules of its own.
func Minimise(ctx context.Context, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	if !(opt.Effort >= 0) || math.IsInf(opt.Effort, 1) {
		return Result{}, fmt.Errorf("search: effort: expected a finite number of at least 0, found %v", opt.Effort)
	}
	if ctx.Err() != nil {
		return Result{Solution: start, Stop: model.StopReason(ctx)}, nil
	}
	if result, ok, err := byPriorities(ctx, in, start, opt); ok || err != nil {
		return result, err
	}
	return minimise(ctx, in, start, opt)
}

// minimise searches by the objective of the instance as it is.
func minimise(ctx context.Context, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	from, at := start, engine.Nothing
	if start == nil {
		from = &model.Solution{}
	} else {
		var err error
		if at, err = engine.RankOf(in, start); err != nil {
			return Result{}, err
		}
		opt.tell(0, at, func() *model.Solution { return start })
		if at.Reaches(opt.Owed, opt.Target) || proved(in, start, at, opt) {
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
			if steered, ok := e.(engine.Steered); ok && opt.Walks != (Walks{}) {
				steered.Steer(opt.Walks.settled())
			}
			return improve(ctx, e, in, start, at, opt)
		}
	}
	return Result{}, ErrNoEngine
}

// proved says whether the target proves that a start is optimal which misses it by the rounding of many terms.
func proved(in *model.Instance, start *model.Solution, at model.Rank, opt Options) bool {
	const near = 1e-6
	target, known := opt.Target.Value()
	if !known || at.Left > opt.Owed || !(math.Abs(at.Objective-target) <= near*math.Abs(target)) {
		return false
	}
	evaluation, err := model.Evaluate(in, start)
	return err == nil && evaluation.Proves(opt.Target) && !evaluation.Refutes(opt.Target)
}

// tell reports the best schedule so far, which schedule makes; nil: it was told before.
func (o *Options) tell(evaluations int64, best model.Rank, schedule func() *model.Solution) {
	if o.Progress != nil {
		o.Progress(Progress{evaluations, best.Left, best.Objective, schedule})
	}
}
