package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Policy decides which jobs start when. It is told everything that happens and then asked.
type Policy interface {
	// Arrive tells of a job that joins the queue.
	Arrive(j *Job)
	// Release tells that a part of a job has ended and its processors are free. Where last is set the job leaves: the policy must
	// forget j.
	Release(j *Job, part int, last bool)
	// Decide starts jobs, drops those that can never run and may ask to be woken.
	Decide(e *Engine)
}

// Source hands out the jobs of a trace one by one.
type Source interface {
	// Next fills in the next job, which arrives no earlier than the one before it. It returns false if there are no more jobs.
	Next(*Spec) (bool, error)
}

// Observer is told of everything that happens in a run, for example to draw, store or explain it.
type Observer interface {
	Arrived(now float64, j *Job)
	// Started tells of a job that starts; parts says where.
	Started(now float64, j *Job, parts []Part)
	// Left reports a job that leaves. If the job did not finish, reason states why, for people.
	Left(now float64, j *Job, outcome Outcome, reason string)
	// Decided tells that the policy has decided at an instant, after all that happened at it.
	Decided(now float64)
}

// Watcher is an observer that also looks at the platform and at what the policy intends.
type Watcher interface {
	Observer
	// Watch is called once, before the run.
	Watch(*Platform, Policy)
}

// Announcer is a policy that is told of each job at its arrival, before the job joins the queue. So it also hears
// of jobs that wait for others: see [Request].After.
type Announcer interface {
	Announce(j *Job)
}

// Retractor is an [Announcer] that is told of the announced jobs that leave without having joined the queue: they can run nowhere, or
// wait for a job that will never end. It must forget them.
type Retractor interface {
	Retract(j *Job)
}

// Spreader is a policy that spreads jobs over clusters. It is also given the jobs that can run over several
// clusters only, see [model.Instance.MustSpread].
type Spreader interface {
	Spreads()
}

// Placer is a policy that finds out itself whether closed times leave a job a place: it chooses how many processors a moldable job holds. To any other
// policy a job does not come for which [Platform.EverFits] is false of all clusters.
type Placer interface {
	FindsPlaces()
}

// Opener is a policy that needs something during the whole run, such as a program that it asks.
type Opener interface {
	// Open is called before the run, with its context and options. After an error there is no run, and no call of Close.
	Open(ctx context.Context, opt Options) error
	// Close is called after the run with its error, and returns the error that the run is to have. It is also called where the run panics.
	Close(err error) error
}

// Warner is a policy that may have something to say after a run that went well.
type Warner interface {
	// Warning says what went wrong although there is a schedule; empty: nothing.
	Warning() string
}

// Explainer is a policy that can say which of its rules decided about a job.
type Explainer interface {
	// Explain is asked for a queued job after a decision, for a job that starts at the moment of its start, and for one that the policy
	// drops.
	Explain(j *Job) []Reason
}

// Reason is a rule of a policy that decided about a job.
type Reason struct {
	Rule  string `json:"rule"`
	Text  string `json:"text"`
	Terms []Term `json:"terms,omitempty"` // the figures that the rule compared or added up
}

// Term is a figure by its name.
type Term struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Reserver is a policy that gives each queued job a reservation.
type Reserver interface {
	// Reserved is when a queued job is to start, after the policy has decided; NaN: it has no reservation.
	Reserved(j *Job) float64
}

// Options are the settings of a run. The zero value runs jobs to their ends and reports nothing.
type Options struct {
	Seed     uint64         // of what a policy draws and of the local jobs of machines with background load
	Kill     bool           // end a job at its estimate
	Observer Observer       // nil: none
	Progress func(Progress) // nil: silent; called now and then from the goroutine that runs
	// Forecast is the time after which everything happens as the policy expects; nil: never. Each part of a job that runs then or
	// starts later ends at its estimate, a part that has outlived its estimate ends one time unit later, and no more jobs arrive. Jobs
	// that depend on a job that would have arrived do not start.
	Forecast *float64
	// Length is called for each job at its start and returns how long the job runs. If it is nil or returns NaN, the job runs for its own time. A
	// forecast uses it to draw run times that nobody knows yet. If a job has several parts, the last one ends after this time, and the ends of the
	// others move by as much as that end differs from what the policy expects.
	Length func(*Job) float64
	// Defer is called for each job that could join the queue. It returns the time until which the job stays out of the queue; nil, or a time that is over: it
	// joins at once. Only a [Deferrer] hears of a job that is kept out.
	Defer func(Deferrable) float64
}

// Progress is how far a run has come.
type Progress struct {
	Now     float64 // time in the simulation
	Arrived int64   // jobs that have arrived
	Left    int64   // jobs that have left
}

// Engine is the state of one run. A policy acts through it in [Policy.Decide].
type Engine struct {
	ctx       context.Context
	policy    Policy
	source    Source
	opt       Options
	now       float64
	wake      float64
	jobs      jobs
	events    events
	order     int64
	next      Spec // the job that arrives next, where more is set
	more      bool // the source has a next job
	world     *world
	totals    Totals
	queued    int
	deferred  events // jobs that join the queue at a time
	stopped   bool
	foreseen  bool    // the time of the forecast has come
	fault     error   // of the policy; ends the run
	countdown int     // calls of Stopped
	waking    float64 // see Waking
	asker     Asker   // nil: no observer asks why a job waits
	large     bool    // the platform is so large that each thing that happens may take long
}

// ErrPolicy is wrapped by the error of a run whose policy broke a rule of the engine, which is a bug in the
// policy.
var ErrPolicy = errors.New("sim: the policy broke the rules")

// errPanic is what a policy is closed with where the run panics.
var errPanic = errors.New("sim: the run panicked")

// runOpen is the run, between the opening and the closing of the policy where it is an [Opener].
func (e *Engine) runOpen() error {
	opener, ok := e.policy.(Opener)
	if !ok {
		return e.run()
	}
	if err := opener.Open(e.ctx, e.opt); err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned {
			_ = opener.Close(errPanic)
		}
	}()
	err := e.run()
	returned = true
	return opener.Close(err)
}

// Now is the time of the instant.
func (e *Engine) Now() float64 { return e.now }

// Free is the number of processors that no job holds.
func (e *Engine) Free() (free int) {
	for c := range e.world.platform.Clusters() {
		free += e.world.platform.FreeProcessors(c)
	}
	return free
}

// Job is the job in the system with the handle.
func (e *Engine) Job(handle int32) *Job { return e.jobs.at(handle) }

// Wake asks for a decision at the given time even if nothing ends or arrives by then. Only the earliest request of an instant counts,
// and it holds until the next instant, whatever causes that.
func (e *Engine) Wake(at float64) {
	if at > e.now {
		e.wake = min(e.wake, at)
	}
}

// Stopped reports whether the run should end. A policy whose decisions take long asks it now and then, and returns
// early.
func (e *Engine) Stopped() bool {
	if e.countdown++; (e.large || e.countdown&63 == 0) && e.ctx.Err() != nil {
		e.stopped = true
	}
	return e.stopped
}

// Fail ends the run with an error: the policy cannot decide.
func (e *Engine) Fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
	e.stopped = true
}

// failf ends the run with an error of the policy.
func (e *Engine) failf(format string, args ...any) {
	e.Fail(fmt.Errorf("%w: "+format, append([]any{ErrPolicy}, args...)...))
}

// largePlatform is the number of machines and clusters from which on the engine checks the context before each thing that happens.
const largePlatform = 1 << 10

// longQueue is the queue length from which a decision may take long. From there on the engine checks the context before each
// decision.
const longQueue = 1000

// run goes from instant to instant.
func (e *Engine) run() error {
	if err := e.pull(); err != nil {
		return err
	}
	e.wake = math.Inf(1)
	for round := 0; ; round++ {
		if round&255 == 0 || e.queued >= longQueue || e.large {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			if e.opt.Progress != nil && round&(1<<14-1) == 0 {
				e.opt.Progress(Progress{e.now, e.totals.Arrived, e.totals.Left})
			}
		}
		t := e.wake
		if len(e.events) > 0 {
			t = min(t, e.events[0].time)
		}
		if e.more {
			t = min(t, e.next.Arrival)
		}
		if len(e.deferred) > 0 {
			t = min(t, e.deferred[0].time)
		}
		if e.queued > 0 {
			t = min(t, e.world.change(e.now))
		}
		if math.IsInf(t, 1) {
			break
		}
		if err := e.instant(t); err != nil {
			return err
		}
	}
	held := int64(0)
	if e.foreseen {
		held = int64(len(e.world.held)) // they wait for jobs that do not arrive
	}
	if e.queued > 0 || e.totals.Arrived != e.totals.Left+held {
		return fmt.Errorf("%w: %d jobs never started", ErrPolicy, e.totals.Arrived-e.totals.Left)
	}
	return nil
}

// instant does all that happens at one time. Where only jobs arrive that can run nowhere, nothing changes and the policy is not asked.
func (e *Engine) instant(t float64) error {
	wake := e.wake
	changes := wake == t || len(e.events) > 0 && e.events[0].time == t || len(e.deferred) > 0 && e.deferred[0].time == t || len(e.world.ready) > 0 || e.world.change(e.now) == t
	e.now, e.wake = t, math.Inf(1)
	e.world.shut = false
	e.world.platform.advance(t)
	for len(e.events) > 0 && e.events[0].time == t {
		ended := e.events.pop()
		if e.world.sleep != nil && e.world.postponed(e, &ended) {
			continue
		}
		e.release(e.jobs.at(ended.handle), int(ended.part))
		if e.Stopped() { // an instant may be as long as a run
			return e.why()
		}
	}
	e.world.joinReady(e)
	e.joinDeferred()
	if e.stopped {
		return e.why()
	}
	for e.more && e.next.Arrival == t {
		left := e.totals.Left
		e.arrive()
		changes = changes || e.totals.Left == left || len(e.world.ready) > 0 || e.world.shut
		if err := e.pull(); err != nil {
			return err
		}
		if e.Stopped() {
			return e.why()
		}
	}
	if !changes && e.fault == nil {
		e.wake = wake
		return nil
	}
	e.totals.Instants++
	e.totals.MaxQueue = max(e.totals.MaxQueue, e.queued)
	if e.opt.Forecast != nil && !e.foreseen && t >= *e.opt.Forecast {
		e.foresee()
	}
	e.policy.Decide(e)
	if len(e.world.ready) > 0 {
		e.wake = t // jobs waited for one that was dropped
	}
	if e.opt.Observer != nil {
		e.opt.Observer.Decided(t)
	}
	if e.stopped {
		return e.why()
	}
	return nil
}

// why is the reason why the run has stopped.
func (e *Engine) why() error {
	if e.fault != nil {
		return e.fault
	}
	return e.ctx.Err()
}

// foresee makes the rest of the run go as the policy expects, see [Options].Forecast.
func (e *Engine) foresee() {
	e.foreseen, e.more = true, false
	ends := e.events
	e.events = nil
	for _, end := range ends {
		end.time = e.world.parts[end.handle][end.part].EstimatedEnd
		if end.time <= e.now {
			end.time = max(e.now+1, math.Nextafter(e.now, math.Inf(1)))
		}
		e.events.push(end)
	}
}

// pull reads the next job of the source and checks it.
func (e *Engine) pull() (err error) {
	before := e.next.Arrival
	e.next = Spec{}
	if e.more, err = e.source.Next(&e.next); err != nil || !e.more {
		e.more = false
		return err
	}
	s := &e.next
	if math.IsNaN(s.Estimate) {
		s.Estimate = s.Runtime
	}
	switch {
	case e.totals.Arrived > 0 && s.Arrival < before:
		return fmt.Errorf("sim: expected jobs in order of arrival, found one at %v after one at %v", s.Arrival, before)
	case !(s.Waited >= 0 && s.Waited <= s.Arrival):
		return fmt.Errorf("sim: expected a job that has waited for 0 to %v, as it arrives then, found %v", s.Arrival, s.Waited)
	}
	return checkTimes(s)
}

// checkTimes refuses a job whose times are none.
func checkTimes(s *Spec) error {
	if !(s.Arrival >= 0 && s.Runtime >= 0 && s.Estimate >= 0) || math.IsInf(s.Arrival+s.Runtime+s.Estimate, 0) {
		return fmt.Errorf("sim: expected finite times of at least 0, found a job with arrival %v, run time %v, estimate %v", s.Arrival, s.Runtime, s.Estimate)
	}
	return nil
}

// arrive takes the next job into the system.
func (e *Engine) arrive() {
	s := &e.next
	j := e.jobs.add()
	j.Number, j.Arrival, j.Estimate, j.Processors = e.totals.Arrived, s.Arrival-s.Waited, s.Estimate, s.Processors
	j.runtime, j.expected, j.Request, j.User = s.Runtime, s.expected, s.Request, s.User
	j.state = queued
	e.totals.arrived(s.Arrival)
	if e.opt.Observer != nil {
		e.opt.Observer.Arrived(e.now, j)
	}
	if entry, runs := e.world.since[j.Number]; runs {
		e.world.goOn(e, j, entry)
		return
	}
	if run := e.world.running(j); run != nil {
		e.world.resume(e, j, run)
		return
	}
	if announcer, ok := e.policy.(Announcer); ok {
		announcer.Announce(j)
	}
	if !e.world.admit(e, j) {
		return
	}
	e.join(j)
}

// Waking is how long a machine takes at most to be up that sleeps by a rule: jobs that get it start that much later, and so it counts before they end by a reservation.
// 0: none sleeps.
func (e *Engine) Waking() float64 { return e.waking }

// Start starts a queued rigid job on the first cluster on which it fits. A job that is not queued or fits on none is a fault of the policy and ends the run.
func (e *Engine) Start(j *Job) {
	p := e.world.platform
	for c := 0; c < p.Clusters() && j.state == queued; c++ {
		if shares, ok := p.Fits(&p.Free, j, c, nil); ok {
			e.StartOn(j, Claim{Cluster: c, Shares: shares})
			return
		}
	}
	e.failf("job %d of %d processors cannot start at %v with %d free", j.Number, j.Processors, e.now, e.Free())
}

// length is how long the options ask a job to run; NaN: its own run time.
func (e *Engine) length(j *Job) float64 {
	if e.opt.Length == nil {
		return math.NaN()
	}
	return e.opt.Length(j)
}

// started notes a start.
func (e *Engine) started(j *Job) {
	j.state, j.Start = running, e.now
	e.queued--
}

// schedule plans the end of a part.
func (e *Engine) schedule(j *Job, part int, end float64) {
	e.events.push(event{end, e.order, j.Handle, int32(part)})
	e.order++
}

// release ends a part of a job, and the job with its last.
func (e *Engine) release(j *Job, part int) {
	j.parts--
	last := j.parts == 0
	if e.world.release(e, j, part, last); last {
		e.leave(j, e.world.outcome(j), "")
	}
}

// Drop takes a queued job out of the system; the reason is for people.
func (e *Engine) Drop(j *Job, reason string) {
	if j.state != queued {
		e.failf("job %d is dropped, and is not in the queue", j.Number)
		return
	}
	e.queued--
	e.leave(j, Dropped, reason)
}

// leave takes a job out of the system.
func (e *Engine) leave(j *Job, outcome Outcome, reason string) {
	e.totals.left(j, e.now, outcome)
	reason = e.world.left(e, j, outcome, reason)
	if e.opt.Observer != nil {
		e.opt.Observer.Left(e.now, j, outcome, reason)
	}
	e.jobs.remove(j)
}
