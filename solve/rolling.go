package solve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
)

// Rolling applies a solver that plans all jobs at once to jobs that arrive over time. It works in rounds. A round begins once a period. With a
// threshold, a round also begins as soon as the work left on a cluster falls to the threshold. Each round plans the jobs that have arrived since
// the round before. It starts no job on processors that earlier rounds hold, and it never changes what they planned.
//
// A solver that honours [model.Commitments] is told what is held, and until when: processors, memory, licences and what jobs hold of single machines. Any other solver plans
// each batch on empty machines. Rolling keeps its order of the jobs, its clusters and its numbers of processors, and starts each job as early as what is held allows, or at
// the cheapest moment where [plan.StartsCheap] holds. A job that the solver leaves out of its batch stays left out. Where jobs ask something of single machines or start at
// cheap moments, rounds agree on how many processors a job holds of which machine, and the processors are named when all is planned.
//
// # What the solver knows
//
// Without estimates the execution times are known, except to a [RoundSolver]: a round plans with them, and a job may be planned together with those that it waits for.
//
// Where estimates differ from the truth, and for a [RoundSolver], the jobs are a stream. A round then plans
// the jobs that are ready, so that all they wait for have really ended, and the solver sees only what is known of them
// ([model.Instance.Known]). Each processor has a queue, first come, first served: the jobs of a round stand behind those of earlier rounds, in
// the order of their planned starts. Package sim runs them for as long as they really take. So a job starts later than planned where one
// before it takes longer, and earlier where one takes less. Limits of power are refused: a job that takes longer would keep to none.
//
// Where jobs ask something of single machines ([plan.NodeFeatures]) there are no queues at processors. A job starts as soon as there is room for it on its machines beside
// what all jobs before it wait for, which is also what a round expects: what a job waits for it keeps, until it is expected to have ended. A job keeps nothing while its
// machines are closed to it, and is planned anew if they never open again. Jobs that run already stand before all others.
//
// Source: L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), IEE Proc. Software 151(5), pp. 224–231, §4, algorithm 4, step 1 (the threshold);
// Y. Hao (2016), KSII Transactions on Internet and Information Systems 10(3), §4 (the period).
//
// Complexity: a round costs the solver's time for the jobs of the round, and O(processors + jobs that still run or wait).
//
// What the checker refuses beside what earlier rounds hold is dropped, and the run goes on with what the solver has besides, see [Result.Else], or else with a list
// schedule of the round. The result notes the first that was dropped.
//
// Each round has random numbers of its own. The limits of time and evaluations are divided among the rounds that are still to come. A cancelled run returns no schedule, because a
// schedule of only some of the jobs is not a solution.
type Rolling struct {
	RollingPeriod    float64 `range:"[1e-18, 1e18]" doc:"time between two rounds of planning"`
	RollingThreshold float64 `range:"[0, 1e18]" doc:"a round begins as soon as a cluster has no more than this time of work left; 0: by the period alone"`
	of               Choice
}

// NewRolling makes the rolling use of a chosen solver. Results keep the solver's name. The period and the threshold are in the instance's unit of
// time.
func NewRolling(of Choice, period, threshold float64) (*Rolling, error) {
	if of.Solver == nil {
		return nil, errNoSolver
	}
	r := &Rolling{period, threshold, of}
	if err := params.Check(r); err != nil {
		return nil, err
	}
	return r, nil
}

// Parts implements [params.Composite]: the solver's parameters keep their names.
func (r *Rolling) Parts() []params.Part { return []params.Part{{Of: r.of.Solver}} }

// Supports implements [Solver]: the solver must support all jobs as one batch.
func (r *Rolling) Supports(in *model.Instance) error {
	if policy, online := PolicyOf(r.of.Solver); online && policy.Discipline().Defer != nil {
		return fmt.Errorf("%w: in rolling use no job waits for a cheaper start: expected a policy without price_budget", ErrUnsupported)
	}
	if r.Streams(in) {
		return r.supportsStream(in)
	}
	run := newRollingRun(in, r)
	batch := in.Batch(run.order, run.ready(math.Inf(-1), run.order), nil)
	if err := r.of.Solver.Supports(batch); err != nil {
		return err
	}
	if missing := in.Features() &^ (plan.ScheduleFeatures | plan.CheapFeatures(in)); missing != 0 {
		return fmt.Errorf("%w: in rolling use, rounds do not carry over %s", ErrUnsupported, missing)
	}
	return nil
}

// Solve implements [Solver].
func (r *Rolling) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	if opt.Start != nil {
		return Result{}, ErrStart
	}
	if opt.Trace != nil {
		return Result{}, fmt.Errorf("%w in rolling use", ErrTrace)
	}
	opt.Certify = false // the bounds of rounds are none of the whole
	if r.Streams(in) {
		return r.stream(ctx, in, opt)
	}
	run := newRollingRun(in, r)
	progress := opt.Progress
	run.note = opt.Round
	opt.Progress, opt.Round = nil, nil
	total := Result{Solution: &run.solution, Status: model.Feasible, Stop: model.StopDone}
	for n := 0; len(run.order) > 0; n++ {
		now := run.next()
		jobs := run.collect(now)
		limited, part, cancel := share(ctx, opt, total.Evaluations, run.rounds)
		part.Seed = roundSeed(opt.Seed, n)
		result, err := run.round(limited, now, jobs, part)
		cancel()
		switch {
		case err != nil:
			return Result{}, err
		case ctx.Err() != nil:
			return Stopped(ctx), nil
		case result.Solution == nil:
			return Result{Status: model.Unknown, Stop: result.Stop, Evaluations: total.Evaluations + result.Evaluations, Reason: result.Reason}, nil
		}
		total.Evaluations += result.Evaluations
		total.Warning, total.Dropped = cmp.Or(total.Warning, result.Warning), cmp.Or(total.Dropped, result.Dropped)
		if result.Stop != model.StopDone {
			total.Stop = result.Stop
		}
	}
	plan.NameAgain(in, &run.solution)
	tell(progress, in, &total)
	return total, nil
}

// tell reports the result of all rounds as progress; progress may be nil.
func tell(progress func(Progress), in *model.Instance, result *Result) {
	if progress == nil {
		return
	}
	if evaluation, err := model.Evaluate(in, result.Solution); err == nil {
		schedule := func() *model.Solution { return copied(result.Solution) }
		progress(Progress{Evaluations: result.Evaluations, Objective: evaluation.Objective, Left: in.Owed(result.Solution), Schedule: schedule})
	}
}

// share returns the part of the limits that the round beginning now may use. rounds counts those that are still to come, that one included.
func share(ctx context.Context, opt Options, evaluations int64, rounds func() int) (context.Context, Options, context.CancelFunc) {
	end, timed := ctx.Deadline()
	if !timed && opt.MaxEvals == 0 {
		return ctx, opt, func() {}
	}
	left := rounds()
	if opt.MaxEvals > 0 {
		opt.MaxEvals = max(1, (opt.MaxEvals-evaluations)/int64(left))
	}
	if !timed {
		return ctx, opt, func() {}
	}
	const part = 0.9 // the rest is for the work between the rounds
	limited, cancel := context.WithTimeout(ctx, time.Duration(part*float64(time.Until(end))/float64(left)))
	return kit.YieldAgain(limited), opt, cancel
}

// roundSeed returns the seed of a round, counted from 0. With one seed for all rounds a solver that draws a cluster for each job would draw the same in
// each round: where each round has one job, all jobs would go to one cluster. The first round has the seed of the run, so that jobs that come all
// at once are planned as without rounds.
func roundSeed(seed uint64, round int) uint64 {
	if round == 0 {
		return seed
	}
	return rand.NewPCG(seed, uint64(round)).Uint64()
}

// rollingRun is one run of [Rolling].
type rollingRun struct {
	*Rolling
	in       *model.Instance
	order    []int // the jobs not planned yet, in order of arrival; each stands after the jobs that it waits for
	now      float64
	began    bool
	end      []float64 // by job; NaN: not placed
	at       []int     // by job that is placed: its place in the schedule
	last     []float64 // by cluster: the last end
	held     []model.Hold
	solution model.Solution
	note     func(*model.Instance, *model.Solution) // see [Options]; nil: silent
}

func newRollingRun(in *model.Instance, r *Rolling) *rollingRun {
	run := &rollingRun{Rolling: r, in: in, order: plan.ArrivalOrder(in), end: make([]float64, len(in.Jobs())), at: make([]int, len(in.Jobs())), last: make([]float64, len(in.Clusters()))}
	for j := range run.end {
		run.end[j] = math.NaN()
	}
	for c := range run.last {
		run.last[c] = in.FirstArrival()
	}
	run.solution.Jobs = []model.Placement{}
	return run
}

// arrived returns the job's arrival. In the order a job may stand after others that arrive later, because it waits for them.
func (r *rollingRun) arrived(job int) float64 { return r.in.Jobs()[job].Arrival }

// tick returns the time of the first periodic round at or after t.
func (r *rollingRun) tick(t float64) float64 { return tick(r.in, r.RollingPeriod, t) }

// next returns the time of the next round. That is the first periodic round with a job to plan, or the earlier time at which the work left on a
// cluster falls to the threshold.
func (r *rollingRun) next() float64 {
	arrival := r.arrived(r.order[0])
	at := r.tick(arrival)
	if r.RollingThreshold > 0 && r.began {
		at = min(at, max(arrival, r.now, slices.Min(r.last)-r.RollingThreshold))
	}
	r.now, r.began = at, true
	return at
}

// rounds counts the periodic rounds from this one to the last. It ignores rounds that the threshold adds.
func (r *rollingRun) rounds() int {
	rounds := 1
	for k, last := 0, r.now; k < len(r.order); k++ {
		if tick := r.tick(r.arrived(r.order[k])); tick > last {
			rounds, last = rounds+1, tick
		}
	}
	return rounds
}

// collect removes the jobs that have arrived from the order and returns them.
func (r *rollingRun) collect(now float64) []int {
	n := 0
	for n < len(r.order) && r.arrived(r.order[n]) <= now {
		n++
	}
	jobs := r.order[:n]
	r.order = r.order[n:]
	return jobs
}

// ready returns the earliest start of each job: now, or the last end of the jobs that it waits for and that are placed.
func (r *rollingRun) ready(now float64, jobs []int) []float64 {
	ready := make([]float64, len(jobs))
	for k, j := range jobs {
		ready[k] = max(now, r.in.FirstArrival())
		for _, before := range r.in.Jobs()[j].After {
			if end := r.end[before]; end > ready[k] {
				ready[k] = end
			}
		}
	}
	return ready
}

// round plans the jobs of one round.
func (r *rollingRun) round(ctx context.Context, now float64, jobs []int, opt Options) (Result, error) {
	jobs = r.placeable(jobs)
	if len(jobs) == 0 {
		return Result{Solution: &model.Solution{}, Stop: model.StopDone}, nil
	}
	r.held = slices.DeleteFunc(r.held, func(h model.Hold) bool { return h.End <= now })
	ready := r.ready(now, jobs)
	batch := r.in.Batch(jobs, ready, r.held)
	planned, replay := batch, false
	if r.of.Solver.Supports(batch) != nil {
		planned, replay = r.in.Batch(jobs, slices.Repeat([]float64{max(now, r.in.FirstArrival())}, len(jobs)), nil), true
	}
	if err := r.of.Solver.Supports(planned); err != nil {
		return Result{}, err
	}
	result, err := r.of.Solver.Solve(ctx, planned, opt)
	err = r.choose(r.in, batch, &result, err, func(sol *model.Solution) (*model.Solution, error) {
		if replay {
			var err error
			if sol, err = behind(batch, sol); err != nil {
				return nil, err
			}
		}
		return sol, r.refused(jobs, ready, sol)
	})
	if err != nil || result.Solution == nil {
		return result, err
	}
	if r.note != nil {
		r.note(batch, result.Solution)
	}
	return result, r.commit(result.Solution)
}

// choose makes the first schedule of a round's result, and of what it has besides, that take accepts the solution, as take returns it. Where it accepts none, a list schedule
// of the batch takes their place: a wrong schedule of one round does not end a run. The first wrong one is noted. Fault is the solver's error.
func (r *Rolling) choose(in, batch *model.Instance, result *Result, fault error, take func(*model.Solution) (*model.Solution, error)) error {
	if fault != nil {
		if result.Else == nil {
			return fault
		}
		result.drop(in, cmp.Or(result.Solver, r.of.Info.Name), fault)
	}
	any := fault != nil
	for c := result; c != nil; c = c.Else {
		if c.Solution == nil {
			continue
		}
		any = true
		sol, err := take(c.Solution)
		if err == nil {
			result.Solution, result.Else = sol, nil
			return nil
		}
		result.drop(in, cmp.Or(c.Solver, r.of.Info.Name), err)
	}
	if !any {
		return nil // none was found
	}
	sol, err := take(listed(batch))
	result.Solution, result.Else = sol, nil
	return err
}

// refused says what is wrong with the plan of a round, beside what earlier rounds hold; nil: nothing.
func (r *rollingRun) refused(jobs []int, ready []float64, sol *model.Solution) error {
	all := copied(&model.Solution{Jobs: slices.Clone(sol.Jobs), Unscheduled: sol.Unscheduled})
	jobs, ready = slices.Clone(jobs), slices.Clone(ready)
	for _, h := range r.held {
		j, _ := r.in.JobIndex(h.Job.ID)
		jobs, ready, all.Jobs = append(jobs, j), append(ready, r.in.Jobs()[j].Arrival), append(all.Jobs, r.solution.Jobs[r.at[j]])
	}
	batch := r.in.Batch(jobs, ready, nil)
	plan.NameAgain(batch, all)
	if _, wrong := Checked(batch, all); wrong != nil {
		return wrong
	}
	return nil
}

// placeable leaves out the jobs that wait for a job that is left out. It returns the others.
func (r *rollingRun) placeable(jobs []int) []int {
	in := make(map[int]bool, len(jobs))
	var kept []int
	for _, j := range jobs { // each stands after the jobs that it waits for
		missing := -1
		for _, before := range r.in.Jobs()[j].After {
			if math.IsNaN(r.end[before]) && !in[before] {
				missing = before
			}
		}
		if missing < 0 {
			in[j] = true
			kept = append(kept, j)
			continue
		}
		r.solution.Unscheduled = append(r.solution.Unscheduled, model.Unscheduled{Job: r.in.Jobs()[j].ID,
			Reason: plan.CutReason(fmt.Sprintf("waits for job %s, which is not placed", r.in.Jobs()[missing].ID))})
	}
	return kept
}

// behind rebuilds a schedule that was made for empty machines around the processors that the instance holds. It takes the jobs in the order of
// their starts, keeps each one's clusters and number of processors, and starts it as early as possible.
func behind(batch *model.Instance, sol *model.Solution) (*model.Solution, error) {
	s := plan.NewChosenSchedule(batch)
	placements := slices.Clone(sol.Jobs)
	slices.SortStableFunc(placements, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
	of := make([]*model.Placement, len(batch.Jobs()))
	order := make([]int, 0, len(of))
	for k := range placements {
		j, ok := batch.JobIndex(placements[k].Job)
		if !ok || of[j] != nil {
			return nil, fmt.Errorf("the schedule of a batch places job %s, which is not in the batch or is placed twice", placements[k].Job)
		}
		of[j] = &placements[k]
		order = append(order, j)
	}
	for j := range of { // Topological needs all jobs in the order
		if of[j] == nil {
			order = append(order, j)
		}
	}
	for _, j := range plan.Topological(batch, order) {
		if of[j] == nil {
			continue
		}
		slot, ok := again(s, batch, j, of[j])
		if job := &batch.Jobs()[j]; !ok || job.DeadlineHard && model.Late(slot.End, job.Deadline) {
			slot, ok = anywhere(s, batch, j)
		}
		if ok {
			s.Place(j, slot)
		} else {
			s.LeaveUnplaceable(j)
		}
	}
	result := s.Solution()
	result.Unscheduled = append(result.Unscheduled, sol.Unscheduled...)
	return result, nil
}

// listed is a schedule of the batch around what it holds: each job, in the order of their arrivals, where it ends first.
func listed(batch *model.Instance) *model.Solution {
	s := plan.NewChosenSchedule(batch)
	for _, j := range plan.ArrivalOrder(batch) {
		slot, ok := anywhere(s, batch, j)
		if batch.MustSpread(j) {
			slot, ok = s.Spread(j, batch.Jobs()[j].Min)
		}
		if ok {
			s.Place(j, slot)
		} else {
			s.LeaveUnplaceable(j)
		}
	}
	return s.Solution()
}

// again finds the earliest slot with the clusters and the number of processors of a placement.
func again(s *plan.Schedule, in *model.Instance, job int, p *model.Placement) (plan.Slot, bool) {
	held, first, several := 0, -1, false
	p.Parts(in.Jobs()[job].Tasks, func(piece model.Piece) {
		c, _ := in.ClusterIndex(piece.Cluster)
		held += piece.Processors.Len()
		several = several || first >= 0 && c != first
		first = c
	})
	if several {
		if !plan.CanSpread(in, job) && !in.MustSpread(job) {
			return plan.Slot{}, false
		}
		return s.Spread(job, held)
	}
	return s.EarliestOn(job, first, held)
}

// anywhere finds the slot of any cluster in which the job ends first.
func anywhere(s *plan.Schedule, in *model.Instance, job int) (best plan.Slot, found bool) {
	for c := range in.Clusters() {
		if slot, ok := s.Earliest(job, c); ok && (!found || slot.End < best.End) {
			best, found = slot, true
		}
	}
	return best, found
}

// commit adds the schedule of a batch to the whole schedule and holds its processors.
func (r *rollingRun) commit(sol *model.Solution) error {
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		j, ok := r.in.JobIndex(p.Job)
		if !ok {
			return fmt.Errorf("the schedule of a batch places job %s, which the instance does not have", p.Job)
		}
		r.end[j], r.at[j] = p.End, len(r.solution.Jobs)+k
		hold := model.Hold{Job: &r.in.Jobs()[j], Start: p.Start, End: p.End}
		p.Parts(hold.Job.Tasks, func(piece model.Piece) {
			c, _ := r.in.ClusterIndex(piece.Cluster)
			hold.Pieces = append(hold.Pieces, model.HoldPiece{Cluster: c, Processors: piece.Processors, Devices: piece.Devices, End: piece.End})
			r.last[c] = max(r.last[c], piece.End)
		})
		r.held = append(r.held, hold)
	}
	r.solution.Jobs = append(r.solution.Jobs, sol.Jobs...)
	for _, u := range sol.Unscheduled {
		r.solution.Unscheduled = append(r.solution.Unscheduled, model.Unscheduled{Job: u.Job, Reason: inRound(r.in, r.now, false, u)})
	}
	return nil
}

// inRound says in which round the job was left out for its reason: the round knows no earlier start, and perhaps no run time but by the estimates. What runs nowhere runs in no round.
func inRound(in *model.Instance, now float64, estimated bool, u model.Unscheduled) string {
	if j, ok := in.JobIndex(u.Job); ok && !in.Runs(j) {
		return u.Reason
	}
	by := ""
	if estimated {
		by = ", by the estimates"
	}
	return plan.CutReason(fmt.Sprintf("in the round at %v%s: %s", now, by, u.Reason))
}
