package search

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// improve runs the chains of engine e, round by round. The rank at is that of the start; it is engine.Nothing where start is
// nil.
func improve(ctx context.Context, e engine.Engine, in *model.Instance, start *model.Solution, at model.Rank, opt Options) (Result, error) {
	opt.plan(e)
	r := rounds{engine: e, in: in, opt: opt, used: make([]int64, e.Chains()), proving: opt.Improve != nil, at: at, shown: at, offer: engine.Nothing, best: engine.Nothing}
	if at.Left > 0 {
		r.nowhere = -1
	}
	stop, err := r.loop(ctx)
	if err != nil {
		return Result{}, err
	}
	result := Result{Solution: start, Evaluations: r.evaluations, Stop: stop}
	if r.offered != nil && r.offer.Better(at) {
		result.Solution, at = r.offered, r.offer
		r.at = at
	}
	k := r.leader()
	if best := e.Best(k); r.isWorse(best) || ctx.Err() != nil && at.Left == 0 && !(best.Objective < at.Objective) {
		return result, nil // out of time, it takes too long to find out that an engine got no further than the start
	}
	found, err := e.Solution(k)
	if err != nil {
		return Result{}, err
	}
	if !isWhole(in, found) {
		return result, nil
	}
	reached := in.RankOf(found, e.Best(k).Objective)
	if math.Abs(reached.Objective-at.Objective) <= doubt(at.Objective) {
		if reached, err = engine.RankOf(in, found); err != nil {
			return Result{}, err
		}
	}
	if reached.Better(at) {
		result.Solution = found
	}
	return result, nil
}

// isWhole says that the schedule names every job. In two cases the schedule of an engine does not: the engine has kept none, because its sums were never
// finite (its rank may say otherwise); or the context ended long before the engine had written it out.
func isWhole(in *model.Instance, s *model.Solution) bool {
	return len(s.Jobs)+len(s.Unscheduled) == len(in.Jobs())
}

// plan tells an engine that plans its run about how many evaluations the run will make, if a limit says so. With a limit of time there are at least as
// many chains as workers. With a limit of evaluations the result must not depend on the workers, nor may the number of chains.
func (o *Options) plan(e engine.Engine) {
	planning, ok := e.(engine.Planning)
	if !ok {
		return
	}
	const (
		chains = 2   // wanted at least, whatever the number of workers
		made   = 0.6 // share of the evaluations at the engine's pace that a run most likely makes beside the proof; a plan cut short is worse than a short one
	)
	workers := max(1, o.Workers)
	switch {
	case o.MaxEvals > 0:
		planning.Plan(o.MaxEvals, chains, true)
	case o.Effort == 0 && o.Time > 0:
		planning.Plan(evaluationsOf(made*float64(workers)*coarse(o.Time.Seconds()), e.Pace()), max(chains, workers), false)
	}
}

// coarse rounds a positive number up by a sixteenth at most. Runs with the same limit of time have slightly different times left when the search begins;
// after rounding they most often have the same plan.
func coarse(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.Ceil(32*fraction)/32, exponent)
}

// doubt is the distance from the objective within which the sum of an engine is not trusted: the evaluator has to decide.
func doubt(objective float64) float64 {
	if math.IsInf(objective, 0) {
		return 0
	}
	return 1e-6 * math.Abs(objective)
}

// rounds is one run of an engine.
type rounds struct {
	engine      engine.Engine
	in          *model.Instance
	opt         Options
	used        []int64 // by chain: evaluations in the last round
	evaluations int64
	proving     bool            // more work may raise the bound
	done        bool            // the last round found that no more work can raise it
	made        int             // rounds
	fresh       int             // rounds when the chains last found a better schedule
	best        model.Rank      // of the chains after the last round
	at          model.Rank      // of the start; engine.Nothing: there is no start
	shown       model.Rank      // what Progress received last
	offered     *model.Solution // what the proof has come upon; nil: nothing
	offer       model.Rank      // of it
	fault       error           // of it
	nowhere     int             // jobs owed that the engine does not count; −1: not known yet
}

// isWorse says that best, the best rank of a chain, stands for no schedule, or for one that is worse than the start beyond
// doubt.
func (r *rounds) isWorse(best model.Rank) bool {
	switch {
	case best.None() || best.Left > r.at.Left:
		return true
	case r.nowhere < 0:
		return false // it may leave out as many jobs or fewer
	case best.Left+r.nowhere != r.at.Left:
		return best.Left+r.nowhere > r.at.Left
	}
	return best.Objective > r.at.Objective+doubt(r.at.Objective)
}

// owing is the best rank of a chain with the jobs owed that the engine does not count. As long as these are not known they are the jobs that no schedule can
// place, if the chain leaves out no other.
func (r *rounds) owing(best model.Rank) model.Rank {
	switch {
	case best.None() || r.opt.Owed == 0: // then no job that can run may be left out
	case r.nowhere >= 0:
		best.Left += r.nowhere
	case best.Left > 0:
		return model.NoRank()
	}
	return best
}

// loop runs the rounds and says why they ended.
func (r *rounds) loop(ctx context.Context) (model.Stop, error) {
	enough, most := int64(math.MaxInt64), math.Inf(1)
	if r.opt.Effort > 0 {
		enough, most = evaluationsOf(r.opt.Effort, r.engine.Pace()), effortRoom*1e9*r.opt.Effort
	}
	counted, counts := r.engine.(engine.Counting)
	for {
		if r.opt.Owed > 0 && ctx.Err() == nil {
			if err := r.learn(r.leader()); err != nil { // whether or not anybody asks for progress
				return "", err
			}
		}
		switch {
		case ctx.Err() != nil:
			return model.StopReason(ctx), nil
		case r.owing(r.engine.Best(r.leader())).Reaches(r.opt.Owed, r.opt.Target):
			return model.StopDone, nil
		case r.fault != nil:
			return "", r.fault
		case r.offer.Reaches(r.opt.Owed, r.opt.Target):
			return model.StopDone, nil
		case r.opt.MaxEvals > 0 && r.evaluations >= r.opt.MaxEvals:
			return model.StopEvaluations, nil
		case r.evaluations >= enough || counts && float64(counted.Work()) >= most:
			return model.StopDone, nil
		}
		r.round(ctx)
		r.made++
		if best := r.engine.Best(r.leader()); best.Better(r.best) {
			r.best, r.fresh = best, r.made
		}
		made := int64(0)
		for _, used := range r.used {
			made += used
		}
		r.evaluations += made
		r.proving = r.proving && !r.done
		if err := r.report(ctx); err != nil {
			return "", err
		}
		if made == 0 && ctx.Err() == nil {
			return model.StopDone, nil
		}
		r.engine.Exchange()
	}
}

// effortRoom is how many times the effort an engine that counts its work may take: its evaluations may take more work than its pace says.
const effortRoom = 2

// evaluationsOf turns an effort in seconds into a number of evaluations, at least one; pace is the number a second.
func evaluationsOf(effort float64, pace int64) int64 {
	if all := effort * float64(pace); all < math.MaxInt64 {
		return max(1, int64(all))
	}
	return math.MaxInt64
}

// report tells Progress the best schedule so far. That is the one told before unless a chain has a better one.
func (r *rounds) report(ctx context.Context) error {
	if r.opt.Progress == nil {
		return nil
	}
	k := r.leader()
	var schedule func() *model.Solution
	if best := r.engine.Best(k); !r.isWorse(best) && (r.nowhere >= 0 || ctx.Err() == nil) {
		if err := r.learn(k); err != nil || r.nowhere < 0 {
			return err
		}
		if now := (model.NewRank(best.Left+r.nowhere, best.Objective)); now.Better(r.shown) {
			r.shown, schedule = now, func() *model.Solution { return r.solution(k) }
		}
	}
	if r.offered != nil && r.offer.Better(r.shown) {
		r.shown, schedule = r.offer, func() *model.Solution { return r.offered }
	}
	r.opt.tell(r.evaluations, r.shown, schedule)
	return nil
}

// learn finds out how many jobs are owed that the engine does not count, from a schedule of chain k: the number is the same for all schedules of an engine.
func (r *rounds) learn(k int) error {
	if r.nowhere >= 0 || r.engine.Best(k).None() {
		return nil
	}
	found, err := r.engine.Solution(k)
	if err == nil && isWhole(r.in, found) {
		r.nowhere = r.in.Owed(found) - r.engine.Best(k).Left
	}
	return err
}

// solution is the best schedule of chain k; nil: it cannot be made, which shows when the search ends.
func (r *rounds) solution(k int) *model.Solution {
	found, err := r.engine.Solution(k)
	if err != nil || !isWhole(r.in, found) {
		return nil
	}
	return found
}

// round advances every chain once. Near the limit it shares the evaluations that are left evenly among the chains; the first
// chains get the remainder.
func (r *rounds) round(ctx context.Context) {
	chains := int64(len(r.used))
	share := func(k int64) int64 {
		most := r.engine.Round()
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
	best := math.Inf(1) // look it up before the chains move on
	if at := r.owing(r.engine.Best(r.leader())); r.proving && at.Left <= r.opt.Owed {
		best = at.Objective
	}
	work := func() {
		if r.proving && proof.Add(1) == 1 {
			r.improveBound(ctx, best)
		}
		for k := next.Add(1) - 1; k < chains; k = next.Add(1) - 1 {
			r.used[k] = 0
			if n := share(k); n > 0 && !stop() {
				r.used[k] = r.engine.Advance(int(k), n, stop)
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

// improveBound continues the proof of the bound; best is the best objective so far. It takes an eighth of the time that the chains of a round take, because
// better schedules are worth more than a better bound; a quarter if the bound is near the objective, so that the proof may end the search; and as much
// time as the chains if besides these have found nothing better for half of all rounds.
func (r *rounds) improveBound(ctx context.Context, best float64) {
	const second, near, least = 1e9, 0.1, 16
	share := 1.0 / 8
	if best-r.opt.Target.Or(math.Inf(-1)) <= near*math.Abs(best) {
		share = 1.0 / 4
		if r.made >= least && r.fresh <= r.made/2 {
			share = 1
		}
	}
	work := share * second * float64(r.engine.Round()) / float64(r.engine.Pace()) * float64(len(r.used))
	bound, more := r.opt.Improve(ctx, int64(work), best)
	r.opt.Target = r.opt.Target.Max(bound)
	r.done = !more
	if r.opt.Found != nil {
		if found := r.opt.Found(); found != nil {
			r.offered = found
			r.offer, r.fault = engine.RankOf(r.in, found)
		}
	}
}

// leader is the chain with the best schedule, the first among equals.
func (r *rounds) leader() int {
	best := 0
	for k := range r.used {
		if r.engine.Best(k).Less(r.engine.Best(best)) {
			best = k
		}
	}
	return best
}
