package search

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"github.com/allot-opt/allot/model"
)

// run advances the chains of an engine, round by round.
func run(ctx context.Context, e engine, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	at := rank{math.MaxInt, math.Inf(1)} // nothing yet
	if start != nil {
		var err error
		if at, err = rankOf(in, start); err != nil {
			return Result{}, err
		}
	}
	r := rounds{engine: e, opt: opt, used: make([]int64, e.chains()), proving: opt.Improve != nil}
	stop := r.loop(ctx)
	result := Result{Solution: start, Evaluations: r.evaluations, Stop: stop}
	k := r.leader()
	if math.IsInf(e.best(k).objective, 1) {
		return result, nil
	}
	found, err := e.solution(k)
	if err != nil {
		return Result{}, err
	}
	reached := rank{len(found.Unscheduled), e.best(k).objective}
	if close := 1e-6 * math.Abs(at.objective); math.Abs(reached.objective-at.objective) <= close { // too close to trust the engine's sum
		if reached, err = rankOf(in, found); err != nil {
			return Result{}, err
		}
	}
	if reached.better(at) {
		result.Solution = found
	}
	return result, nil
}

// rounds is one run.
type rounds struct {
	engine      engine
	opt         Options
	used        []int64 // evaluations of the round, by chain
	evaluations int64
	proving     bool // the bound may still be improved
	done        bool // it may not, as the last round found
}

// loop runs the rounds and says why they ended.
func (r *rounds) loop(ctx context.Context) model.Stop {
	enough := int64(math.MaxInt64)
	if r.opt.Effort > 0 {
		enough = int64(r.opt.Effort * float64(r.engine.pace()))
	}
	for {
		switch {
		case ctx.Err() != nil:
			return stopReason(ctx)
		case r.reached():
			return model.StopDone
		case r.opt.MaxEvals > 0 && r.evaluations >= r.opt.MaxEvals:
			return model.StopEvaluations
		case r.evaluations >= enough:
			return model.StopDone
		}
		r.round(ctx)
		made := int64(0)
		for _, used := range r.used {
			made += used
		}
		r.evaluations += made
		r.proving = r.proving && !r.done
		if r.opt.Progress != nil {
			r.opt.Progress(r.evaluations, r.engine.best(r.leader()).objective)
		}
		if made == 0 && ctx.Err() == nil {
			return model.StopDone
		}
		r.engine.meet()
	}
}

// round advances every chain once; what is left of the evaluations is dealt out evenly, the rest to the first chains.
func (r *rounds) round(ctx context.Context) {
	chains := int64(len(r.used))
	share := func(k int64) int64 {
		most := r.engine.round()
		if r.opt.MaxEvals == 0 {
			return most
		}
		left := r.opt.MaxEvals - r.evaluations
		mine := left / chains
		if k < left%chains {
			mine++
		}
		return min(most, mine)
	}
	stop := func() bool { return ctx.Err() != nil }
	var next, proof atomic.Int64
	work := func() {
		if r.proving && proof.Add(1) == 1 {
			r.prove(ctx)
		}
		for k := next.Add(1) - 1; k < chains; k = next.Add(1) - 1 {
			r.used[k] = 0
			if n := share(k); n > 0 && !stop() {
				r.used[k] = r.engine.advance(int(k), n, stop)
			}
		}
	}
	var workers sync.WaitGroup
	for range min(int64(max(1, r.opt.Workers)), chains+1) - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
}

// prove goes on with the bound, for about a quarter of the time that the chains of a round take.
func (r *rounds) prove(ctx context.Context) {
	const second = 1e9
	work := second * float64(r.engine.round()) / float64(r.engine.pace()) * float64(len(r.used)) / 4
	bound, more := r.opt.Improve(ctx, int64(work))
	r.opt.Target = max(r.opt.Target, bound)
	r.done = !more
}

// leader is the chain with the best schedule, the first of equals.
func (r *rounds) leader() int {
	best := 0
	for k := range r.used {
		if r.engine.best(k).less(r.engine.best(best)) {
			best = k
		}
	}
	return best
}

// reached says whether the target is reached, up to rounding.
func (r *rounds) reached() bool {
	best := r.engine.best(r.leader())
	return best.left == 0 && best.objective <= r.opt.Target+model.Tolerance*math.Abs(r.opt.Target)
}

// stopReason says whether the context ended by its deadline or was cancelled.
func stopReason(ctx context.Context) model.Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return model.StopTime
	}
	return model.StopCancelled
}
