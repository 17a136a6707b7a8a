package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
)

// RoundSolver is a solver with an on-line form of its own: in rolling use it plans the jobs of a round that are ready, knowing what earlier
// rounds gave to which machine.
type RoundSolver interface {
	Solver
	// SupportsRounds is [Solver.Supports] for the on-line form. The jobs of a round wait for none.
	SupportsRounds(in *model.Instance) error
	// SolveRound plans the jobs of one round.
	SolveRound(ctx context.Context, round Round, opt Options) (Result, error)
}

// Round is a round of planning in a stream of jobs.
type Round struct {
	// Batch is the jobs that are ready, as what is known of them: see [model.Instance.Known]. They arrive now. The deadline of a job of a
	// workflow is its share of the time until that of the workflow, counted from now, and its budget the same share of what is left of the
	// workflow's: see [plan.WorkflowShares]. A limit of which nothing is left is dropped.
	Batch  *model.Instance
	Now    float64
	Period float64 // between two rounds
	Given  []Given // by earlier rounds, in the order of time
}

// Given is a job that a round gave to a machine.
type Given struct {
	At                 float64
	Cluster, Processor int // the first that it is to hold
}

// Streams reports whether rolling use on the instance is a stream, in which the solver decides on line. It is one if estimates differ from the
// true run times, and for a [RoundSolver] also if some jobs wait for others or if the solver supports the instance in rounds. So the decisions
// of a [RoundSolver] do not depend on whether estimates turn out to be true.
func (r *Rolling) Streams(in *model.Instance) bool {
	rounds, ok := r.of.Solver.(RoundSolver)
	return in.Known() != in || ok && (in.Features().Has(model.Precedence) || rounds.SupportsRounds(in) == nil)
}

// supportsStream says whether the solver supports the instance as a stream.
func (r *Rolling) supportsStream(in *model.Instance) error {
	if limits := in.Features() & model.PowerLimits; limits != 0 {
		return fmt.Errorf("%w: in rolling use, where nobody knows how long jobs run, or the solver decides on line, nothing keeps to %s", ErrUnsupported, limits)
	}
	if in.Features().Has(model.NodesBeside) { // whatever asks something of machines: it may be a job that runs already
		return &UnsupportedError{model.NodesBeside}
	}
	if rounds, ok := r.of.Solver.(RoundSolver); ok {
		return rounds.SupportsRounds(in)
	}
	all := slices.DeleteFunc(plan.ArrivalOrder(in), func(j int) bool { return in.Jobs()[j].Node().Running != nil }) // no round plans these
	return r.of.Solver.Supports(in.Known().Batch(all, make([]float64, len(all)), nil))
}

// stream runs the solver on line: package sim alone knows how long jobs really run, and tells of each end when it comes.
func (r *Rolling) stream(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	progress := opt.Progress
	opt.Progress = nil
	s := &streamRun{
		Rolling: r, ctx: ctx, in: in, known: in.Known(), opt: opt, shares: plan.WorkflowShares(in), next: math.NaN(), left: len(in.Jobs()),
		queues: map[[2]int][]*queued{}, jobs: map[int64]*queued{}, anew: map[int64]float64{}, spent: make([]float64, len(in.Workflows())),
		total: Result{Status: model.Feasible, Stop: model.StopDone},
	}
	policy := func(p *sim.Platform, _ uint64) sim.Policy { s.platform, s.byNode = p, p.ByNode(); return s }
	sol, _, err := sim.Simulate(ctx, in, sim.Discipline{General: policy, Deadlines: true}, sim.Options{Seed: opt.Seed})
	switch {
	case s.err != nil:
		return Result{}, s.err
	case ctx.Err() != nil:
		return Stopped(ctx), nil
	case s.none:
		return s.total, nil
	case err != nil:
		return Result{}, err
	}
	s.total.Solution = sol
	tell(progress, in, &s.total)
	return s.total, nil
}

// streamRun is one run as a stream: the policy that plans the ready jobs once a period and keeps a queue at each processor, first come, first
// served, in the order of the plans.
type streamRun struct {
	*Rolling
	ctx      context.Context
	in       *model.Instance // for the figures that do not depend on how long jobs run
	known    *model.Instance
	opt      Options
	platform *sim.Platform
	shares   []float64 // by job

	now     float64
	rounds  int     // so far
	next    float64 // of the periodic rounds that with a ready job; NaN: there is none
	wake    float64 // when the next round is, as things stand
	began   bool
	ready   []*sim.Job
	left    int // jobs that no round has planned
	queues  map[[2]int][]*queued
	planned []*queued         // that have not started, in the order of the plans
	ripe    []*queued         // of the planned jobs, those that are first in all their queues, in the same order
	byNode  bool              // single machines are listed: see streamnodes.go
	beside  sim.Room          // scratch: what is free beside what jobs wait for
	anew    map[int64]float64 // by number: when the job was last given back to the rounds
	numbers int               // jobs planned so far
	jobs    map[int64]*queued
	running []*queued // in the order of their starts
	ended   []end
	given   []Given
	spent   []float64 // by workflow, on what has ended

	total Result
	err   error // ends the run
	none  bool  // a round had no result
}

// queued is a job that has been planned.
type queued struct {
	job     *sim.Job
	index   int
	number  int // place in the order of the plans
	behind  int // queues in which another job is first
	pieces  []model.Piece
	claims  []sim.Claim
	began   float64
	running bool
}

// end is a part that has ended since the last decision.
type end struct {
	of   *queued
	part int
}

// FindsPlaces implements [sim.Placer]: the solver sees when machines are closed.
func (s *streamRun) FindsPlaces() {}

// Spreads implements [sim.Spreader]: a solver that supports the jobs spreads those that have to.
func (s *streamRun) Spreads() {}

// Arrive implements [sim.Policy].
func (s *streamRun) Arrive(j *sim.Job) { s.ready = append(s.ready, j) }

// Release implements [sim.Policy].
func (s *streamRun) Release(j *sim.Job, part int, last bool) {
	q := s.jobs[j.Number]
	s.ended = append(s.ended, end{q, part})
	if last {
		delete(s.jobs, j.Number)
		s.running = slices.DeleteFunc(s.running, func(r *queued) bool { return r == q })
	}
}

// Decide implements [sim.Policy].
func (s *streamRun) Decide(e *sim.Engine) {
	if s.err != nil || s.none {
		return
	}
	s.now = e.Now()
	for _, ended := range s.ended {
		s.leave(ended)
	}
	s.ended = s.ended[:0]
	for s.start(e); s.due(); s.start(e) {
		if s.err = s.round(e); s.err != nil || s.none {
			return
		}
	}
	if len(s.ready) > 0 {
		e.Wake(s.wake)
	}
}

// due says whether the next round is now, and finds its time.
func (s *streamRun) due() bool {
	if len(s.ready) == 0 {
		s.next = math.NaN()
		return false
	}
	if math.IsNaN(s.next) {
		s.next = tick(s.in, s.RollingPeriod, s.now)
	}
	s.wake = s.next
	if s.RollingThreshold > 0 && s.began {
		const equal = 1 + 1e-6 // the end of a job that is late moves on with the time: rounding must not make the next look come closer and closer
		if last := s.lastEnd(); last-s.now <= s.RollingThreshold*equal {
			s.wake = s.now
		} else {
			s.wake = min(s.wake, last-s.RollingThreshold)
		}
	}
	if s.wake > s.now {
		return false
	}
	s.next, s.began = math.NaN(), true
	return true
}

// tick is the time of the first periodic round at or after t.
func tick(in *model.Instance, period, t float64) float64 {
	origin := in.FirstArrival()
	return max(t, origin+math.Ceil((t-origin)/period)*period) // rounding must not put the round before t
}

// round plans the ready jobs and puts them into the queues.
func (s *streamRun) round(e *sim.Engine) error {
	jobs, ready := make([]int, len(s.ready)), make([]float64, len(s.ready))
	of := make(map[string]*sim.Job, len(s.ready))
	for k, j := range s.ready {
		jobs[k], _ = s.in.JobIndex(j.Request.ID)
		ready[k], of[j.Request.ID] = s.now, j
	}
	rounds := (s.left + len(jobs) - 1) / len(jobs)
	s.left -= len(jobs)
	s.ready = s.ready[:0]
	ctx, opt, cancel := share(s.ctx, s.opt, s.total.Evaluations, func() int { return rounds })
	defer cancel()
	opt.Seed = roundSeed(opt.Seed, s.rounds)
	s.rounds++
	result, err := s.plan(ctx, jobs, ready, opt)
	if err != nil {
		return err
	}
	s.total.Evaluations += result.Evaluations
	s.total.Warning, s.total.Dropped = cmp.Or(s.total.Warning, result.Warning), cmp.Or(s.total.Dropped, result.Dropped)
	if result.Stop != model.StopDone {
		s.total.Stop = result.Stop
	}
	if result.Solution == nil || s.ctx.Err() != nil {
		s.none = true
		s.total.Status, s.total.Stop, s.total.Reason = model.Unknown, result.Stop, result.Reason
		return nil
	}
	return s.commit(e, result.Solution, of)
}

// plan asks the solver for a plan of the jobs, by what is known of them.
func (s *streamRun) plan(ctx context.Context, jobs []int, ready []float64, opt Options) (Result, error) {
	if rounds, ok := s.of.Solver.(RoundSolver); ok {
		batch := s.known.Batch(jobs, ready, nil)
		round := Round{Now: s.now, Period: s.RollingPeriod, Given: s.given}
		round.Batch = batch.WithLimits(func(k int) (deadline, budget float64) { return s.limitsOf(jobs[k]) })
		return rounds.SolveRound(ctx, round, opt)
	}
	batch := s.known.Batch(jobs, ready, s.holds())
	if s.of.Solver.Supports(batch) != nil {
		batch = s.known.Batch(jobs, ready, nil)
	}
	if err := s.of.Solver.Supports(batch); err != nil {
		return Result{}, err
	}
	result, err := s.of.Solver.Solve(ctx, batch, opt)
	err = s.choose(s.in, batch, &result, err, func(sol *model.Solution) (*model.Solution, error) {
		if _, wrong := Checked(batch, sol); wrong != nil {
			return nil, wrong
		}
		return sol, nil
	})
	return result, err
}

// limitsOf are the deadline and the budget of a job that is planned now.
func (s *streamRun) limitsOf(j int) (deadline, budget float64) {
	job := &s.in.Jobs()[j]
	deadline, budget = job.Deadline, job.Budget
	if share := s.shares[j]; !math.IsNaN(share) {
		w := &s.in.Workflows()[job.Workflow]
		deadline, budget = s.now+share*(w.Deadline-s.now), share*(w.Budget-s.spent[job.Workflow])
	}
	if !(deadline > s.now) {
		deadline = math.Inf(1)
	}
	if !(budget > 0) {
		budget = math.Inf(1)
	}
	return deadline, budget
}

// commit puts the jobs of a plan at the ends of the queues, in the order of their planned starts.
func (s *streamRun) commit(e *sim.Engine, sol *model.Solution, of map[string]*sim.Job) error {
	placements := slices.Clone(sol.Jobs)
	slices.SortStableFunc(placements, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
	for k := range placements {
		p := &placements[k]
		j := of[p.Job]
		if j == nil {
			return fmt.Errorf("the schedule of a batch places job %s, which is not in the batch or is placed twice", p.Job)
		}
		delete(of, p.Job)
		q := &queued{job: j, number: s.numbers}
		s.numbers++
		q.index, _ = s.in.JobIndex(p.Job)
		var err error
		p.Parts(s.in.Jobs()[q.index].Tasks, func(piece model.Piece) { err = errors.Join(err, s.enqueue(q, piece)) })
		if err != nil {
			return err
		}
		s.jobs[j.Number] = q
		s.await(q)
		s.given = append(s.given, Given{s.now, q.claims[0].Cluster, q.pieces[0].Processors.Min()})
	}
	for _, u := range sol.Unscheduled {
		if j := of[u.Job]; j != nil {
			delete(of, u.Job)
			e.Drop(j, inRound(s.in, s.now, s.known != s.in, u))
		}
	}
	if len(of) > 0 {
		return fmt.Errorf("the schedule of a batch leaves %d of its jobs out and does not say why", len(of))
	}
	return nil
}
