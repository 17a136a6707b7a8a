package slots

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Options are the parameters of both policies.
type Options struct {
	K      float64 // standard deviations of the work that a slot covers beside the mean
	Extend bool    // a task that outlives its slot runs on, else it is killed
	NoWait bool    // only slots without a wait: that begin when the task is ready or, under Static, when the slots before it end
}

// Static is static reservation: slots for all tasks of a workflow at its submission.
func Static(o Options) sim.Discipline { return discipline(true, o) }

// Dynamic is dynamic reservation: it reserves a slot for a task when the task is ready.
func Dynamic(o Options) sim.Discipline { return discipline(false, o) }

func discipline(static bool, o Options) sim.Discipline {
	return sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		p := &policy{
			platform: platform, static: static, extend: o.Extend, noWait: o.NoWait, k: o.K, empty: platform.Empty(),
			servers: make([][]*calendar, len(platform.Machines)), tasks: map[int64]*task{}, workflows: map[int]*workflow{},
		}
		p.starts.time = func(s *slot) float64 { return s.start }
		p.overruns.time = func(s *slot) float64 { return s.end }
		return p
	}, Deadlines: true, Requests: true, Costs: true}
}

// Length is the length of a slot (eq. 23): the mean execution time and k standard deviations, for a coefficient of variation of the work.
func Length(mean, cv, k float64) float64 { return mean * (1 + k*cv) }

// task is what the policy knows of a job that has arrived and has not left.
type task struct {
	number  int64
	job     *sim.Job
	request *sim.Request
	flow    *workflow
	queued  bool // it may start
	slot    *slot
	at      place
	length  float64 // of the slot as it was reserved
	cost    float64 // of that slot
	began   float64 // NaN: it has not started
	why     []sim.Reason
	reject  string // not empty: it is to leave the system
}

// asked is the last question whether a cluster can run a task, with its answer. To answer it takes a look at all machines of the cluster.
type asked struct {
	task    *task
	cluster int
	can     bool
}

// canRun says whether the cluster can run the task.
func (p *policy) canRun(t *task, cluster int) bool {
	if a := &p.asked; a.task != t || a.cluster != cluster {
		*a = asked{t, cluster, p.platform.CanRun(t.job, cluster)}
	}
	return p.asked.can
}

// place is a processor.
type place struct{ machine, server int }

// workflow is the account of a workflow.
type workflow struct {
	id               string
	deadline, budget float64 // +Inf: none
	spent            float64 // on tasks that have left
	tasks            []*task // with a slot, in the order of their reservation
	broken           string  // not empty: why no slots can be reserved for it
}

// committed is what the workflow has paid and what its slots cost.
func (w *workflow) committed() float64 {
	sum := w.spent
	for _, t := range w.tasks {
		sum += t.cost
	}
	return sum
}

// policy is either kind of reservation.
type policy struct {
	platform       *sim.Platform
	static, extend bool
	noWait         bool
	k              float64
	empty          *sim.Room
	asked          asked
	servers        [][]*calendar // by machine: of the processors that were ever used, from the first on
	tasks          map[int64]*task
	workflows      map[int]*workflow
	numbers        int64   // of reservations
	arrived        int64   // jobs announced
	fresh          []*task // that are to be given slots, in queue order
	rejected       []*task // that are to leave the system now
	gone           []*task // have left since the last decision
	starts         due     // slots whose time has not come
	late           []*slot // slots whose time has come and that have not begun
	overruns       due     // slots of running tasks by their end, where they extend
}

// Announce implements [sim.Announcer].
func (p *policy) Announce(j *sim.Job) {
	p.arrived = j.Number + 1
	t := &task{number: j.Number, job: j, request: j.Request, flow: p.flow(j), began: math.NaN()}
	p.tasks[j.Number] = t
	if p.static {
		p.fresh = append(p.fresh, t)
	}
}

// flow is the account of the job's workflow; a job of none has one without limits.
func (p *policy) flow(j *sim.Job) *workflow {
	k := j.Request.Workflow
	if k < 0 {
		return &workflow{id: j.Request.ID, deadline: math.Inf(1), budget: math.Inf(1)}
	}
	if p.workflows[k] == nil {
		w := p.platform.Workflow(k)
		p.workflows[k] = &workflow{id: w.ID, deadline: w.Deadline, budget: w.Budget}
	}
	return p.workflows[k]
}

// Arrive implements [sim.Policy].
func (p *policy) Arrive(j *sim.Job) {
	t := p.tasks[j.Number]
	t.queued = true
	switch {
	case t.reject != "":
		p.rejected = append(p.rejected, t)
	case !p.static:
		p.fresh = append(p.fresh, t)
	}
}

// Release implements [sim.Policy]. What follows from it waits for the decision, which knows the time.
func (p *policy) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.gone = append(p.gone, p.tasks[j.Number])
		delete(p.tasks, j.Number)
	}
}

// Retract implements [sim.Retractor].
func (p *policy) Retract(j *sim.Job) {
	t := p.tasks[j.Number]
	p.gone = append(p.gone, t)
	delete(p.tasks, j.Number)
}

// Decide implements [sim.Policy].
func (p *policy) Decide(e *sim.Engine) {
	now := e.Now()
	p.settleGone(now)
	p.lengthen(now)
	p.delay(now)
	p.reserve(e)
	for _, t := range p.rejected {
		e.Drop(t.job, t.reject)
		delete(p.tasks, t.number)
	}
	p.rejected = p.rejected[:0]
	for p.startDue(e) {
	}
	p.told(e)
	if s := p.starts.top(); s != nil {
		e.Wake(s.start)
	}
	if s := p.overruns.top(); s != nil {
		e.Wake(s.end)
	}
}

// settleGone takes the tasks that have left out of the calendars. The rest of a slot is free.
func (p *policy) settleGone(now float64) {
	for _, t := range p.gone {
		t.flow.forget(t)
		if math.IsNaN(t.began) {
			p.fresh = without(p.fresh, t)
			if t.slot == nil && p.static && t.reject == "" {
				t.flow.broken = fmt.Sprintf("task %s of workflow %s cannot run", t.request.ID, t.flow.id)
			}
		} else {
			t.flow.spent += (now - t.began) * p.platform.Machines[t.at.machine].Cost
		}
		p.free(now, t)
	}
	p.gone = p.gone[:0]
}

// forget takes a task off the account.
func (w *workflow) forget(t *task) { w.tasks = without(w.tasks, t) }

// without is the list without an element.
func without[T comparable](list []T, t T) []T {
	if k := slices.Index(list, t); k >= 0 {
		return slices.Delete(list, k, k+1)
	}
	return list
}

// free gives the task's slot back.
func (p *policy) free(now float64, t *task) {
	s := t.slot
	if s == nil {
		return
	}
	t.slot = nil
	c := p.calendar(t.at)
	after := s.after
	c.remove(s)
	p.starts.remove(s)
	p.overruns.remove(s)
	p.late = without(p.late, s)
	c.settle(after, now, p.moved)
}

// calendar returns the calendar of a processor.
func (p *policy) calendar(at place) *calendar { return p.servers[at.machine][at.server] }

// moved notes that a slot that has not begun has another time.
func (p *policy) moved(s *slot) {
	if s.queue == nil {
		p.late = without(p.late, s)
		p.starts.add(s)
		return
	}
	p.starts.update(s)
}

// lengthen doubles the slots whose tasks run on at their end.
func (p *policy) lengthen(now float64) {
	for s := p.overruns.top(); s != nil && s.end <= now; s = p.overruns.top() {
		end := s.start + 2*(s.end-s.start)
		if !(end > now) {
			end = math.Nextafter(now, math.Inf(1))
		}
		c := p.calendar(s.of.at)
		c.move(s, s.start, end)
		p.overruns.update(s)
		c.settle(s.after, now, p.moved)
	}
}

// delay moves the slots whose time has come, but whose tasks cannot start, to the present.
func (p *policy) delay(now float64) {
	for _, s := range slices.Clone(p.late) {
		if c := p.calendar(s.of.at); s.start < now {
			c.move(s, now, now+s.of.length)
			c.settle(s.after, now, p.moved)
		}
	}
}

// startDue starts the tasks whose slots begin, if they are ready and the processor is free. It returns true where it is to be called again,
// because a task that came too late has left its slot to others.
func (p *policy) startDue(e *sim.Engine) (again bool) {
	now := e.Now()
	for s := p.starts.top(); s != nil && s.start <= now; s = p.starts.top() {
		p.starts.remove(s)
		p.late = append(p.late, s)
	}
	for _, s := range slices.Clone(p.late) {
		// Starting another may have moved this one to a later time.
		if s.queue == nil && s.of.queued && s.before == nil {
			if r := s.of.request; r.DeadlineHard && model.Late(now, r.Deadline) {
				p.dropLate(e, s.of)
				again = true
				continue
			}
			p.late = without(p.late, s)
			p.start(e, s.of)
		}
	}
	return again
}

// dropLate takes a task out of the system whose slot has moved beyond its hard deadline.
func (p *policy) dropLate(e *sim.Engine, t *task) {
	now, deadline := e.Now(), t.request.Deadline
	text := fmt.Sprintf("its slot has moved back to %v, after its hard deadline %v", now, deadline)
	t.why = append(t.why, sim.Reason{Rule: "late", Text: text, Terms: []sim.Term{{Name: "start", Value: now}, {Name: "deadline", Value: deadline}}})
	e.Drop(t.job, text)
	delete(p.tasks, t.number)
	t.flow.forget(t)
	p.free(now, t)
}

// start starts a task in its slot.
func (p *policy) start(e *sim.Engine, t *task) {
	now, s := e.Now(), t.slot
	m := &p.platform.Machines[t.at.machine]
	claim := sim.Claim{
		Cluster: m.Cluster, Shares: []sim.Share{{Machine: int32(t.at.machine), Processors: 1}},
		Processors: model.Processors(m.First + t.at.server),
	}
	t.began = now
	end := now + t.length
	if p.extend && end == now {
		end = math.Nextafter(now, math.Inf(1)) // a slot that can double
	}
	if s.start != now || s.end != end { // it waited for its processor, or has no length
		c := p.calendar(t.at)
		c.move(s, now, end)
		c.settle(s.after, now, p.moved)
	}
	switch {
	case p.extend:
		p.overruns.add(s)
	case t.length > 0:
		claim.Limit = t.length
	default:
		claim.Limit = -1
	}
	e.StartOn(t.job, claim)
}
