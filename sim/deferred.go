package sim

import "github.com/allot-opt/allot/model"

// Deferrable is what decides how long a job stays out of the queue.
type Deferrable struct {
	Arrival           float64
	Estimate, Runtime float64 // see [Lengths]
	Processors        int     // the fewest that it may hold
	Number            int64   // see [Job]
}

// join lets a job that may start join the queue, or keeps it out until its time, see [Options].Defer.
func (e *Engine) join(j *Job) {
	if e.opt.Defer != nil {
		estimate, runtime := j.expected, j.runtime
		if !e.world.platform.alike {
			estimate, runtime = Lengths(j.Request.in, j.Request.index)
		}
		if until := e.opt.Defer(Deferrable{j.Arrival, estimate, runtime, int(j.Processors), j.Number}); until > e.now {
			j.state = deferred
			e.deferred.push(event{time: until, order: j.Number, handle: j.Handle})
			return
		}
	}
	j.state = queued
	e.queued++
	e.policy.Arrive(j)
}

// joinDeferred lets the jobs join the queue that were kept out of it until now, those of one time in queue order.
func (e *Engine) joinDeferred() {
	for len(e.deferred) > 0 && e.deferred[0].time <= e.now {
		j := e.jobs.at(e.deferred.pop().handle)
		j.state = queued
		e.queued++
		e.policy.Arrive(j)
		if e.Stopped() {
			return
		}
	}
}

// Deferred says whether the job could start and is kept out of the queue until a time.
func (j *Job) Deferred() bool { return j.state == deferred }

// Deferring are the options with the rule of the discipline for the instance.
func (d *Discipline) Deferring(in *model.Instance, opt Options) Options {
	if d.Defer != nil && opt.Defer == nil {
		opt.Defer = d.Defer(in)
	}
	return opt
}
