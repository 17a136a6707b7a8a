package slots

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// offer is a slot that a task may have.
type offer struct {
	at                       place
	start, end, length, cost float64
}

// reserve gives slots to the tasks that are to have them now, or rejects them.
func (p *policy) reserve(e *sim.Engine) {
	if p.static {
		p.reserveWorkflows(e)
		return
	}
	for _, t := range p.fresh {
		if e.Stopped() {
			return
		}
		if why := p.assign(t, e.Now(), 0); why != nil {
			p.refuse(t, *why)
		}
	}
	p.fresh = p.fresh[:0]
}

// refuse rejects a task.
func (p *policy) refuse(t *task, why sim.Reason) {
	t.why, t.reject = []sim.Reason{why}, why.Text
	if t.queued {
		p.rejected = append(p.rejected, t)
	}
}

// assign gives the task the best slot from the given time on, or says why it has none. The tasks of its workflow that come after it cost at
// least rest.
func (p *policy) assign(t *task, from, rest float64) *sim.Reason {
	w, r := t.flow, t.request
	before := w.committed()
	best, found, least, late := offer{}, false, math.Inf(1), false
	for m := range p.platform.Machines {
		length, cost, can := p.time(t, m)
		if !can {
			continue
		}
		least = min(least, before+cost+rest)
		if before+cost+rest > w.budget {
			continue
		}
		server, start := p.earliest(m, from, length)
		if p.noWait && start > from {
			late = true
			continue
		}
		o := offer{place{m, server}, start, start + length, length, cost}
		if !found || o.end < best.end || o.end == best.end && o.cost < best.cost {
			best, found = o, true
		}
	}
	deadline := w.deadline
	if r.DeadlineHard {
		deadline = min(deadline, r.Deadline)
	}
	switch {
	case math.IsInf(least, 1):
		return &sim.Reason{Rule: "machine", Text: fmt.Sprintf("no machine can run task %s", r.ID)}
	case !found && late:
		return &sim.Reason{Rule: "wait", Text: fmt.Sprintf("no slot for task %s within the budget begins at %v, and none may begin later", r.ID, from), Terms: []sim.Term{{Name: "start", Value: from}}}
	case !found:
		return &sim.Reason{
			Rule:  "budget",
			Text:  fmt.Sprintf("with the cheapest slot for task %s the cost of workflow %s is %v, %v above the budget %v", r.ID, w.id, least, least-w.budget, w.budget),
			Terms: []sim.Term{{Name: "cost", Value: least}, {Name: "budget", Value: w.budget}, {Name: "over", Value: least - w.budget}},
		}
	case model.Late(best.end, deadline):
		whose := "workflow " + w.id
		if deadline < w.deadline {
			whose = "the task"
		}
		return &sim.Reason{
			Rule:  "deadline",
			Text:  fmt.Sprintf("the slot for task %s that ends first ends at %v, %v after the deadline %v of %s", r.ID, best.end, best.end-deadline, deadline, whose),
			Terms: []sim.Term{{Name: "end", Value: best.end}, {Name: "deadline", Value: deadline}, {Name: "over", Value: best.end - deadline}},
		}
	}
	p.take(t, best, before)
	return nil
}

// time is the length and the cost of a slot for the task on a processor of the machine, and whether it can run there.
func (p *policy) time(t *task, machine int) (length, cost float64, can bool) {
	m := &p.platform.Machines[machine]
	shares := []sim.Share{{Machine: int32(machine), Processors: 1}}
	if !p.canRun(t, m.Cluster) || !p.platform.HasRoom(p.empty, t.job, m.Cluster, shares) {
		return 0, 0, false
	}
	length = Length(p.platform.Estimate(t.job, m.Cluster, shares), t.request.WorkCV, p.k)
	return length, length * m.Cost, true
}

// earliest is the processor of the machine on which the first gap that holds the length ends first, and when that begins. Processors that
// were never used are alike, so one of them is enough.
func (p *policy) earliest(machine int, from, length float64) (server int, start float64) {
	list := p.servers[machine]
	server, start = -1, math.Inf(1)
	for k := 0; k < len(list) && start > from; k++ {
		if at := list[k].fit(from, length); at+length < start+length {
			server, start = k, at
		}
	}
	if from+length < start+length && len(list) < p.platform.Machines[machine].Processors {
		return len(list), from
	}
	return server, start
}

// take reserves an offer.
func (p *policy) take(t *task, o offer, before float64) {
	m := &p.platform.Machines[o.at.machine]
	if o.at.server == len(p.servers[o.at.machine]) {
		p.servers[o.at.machine] = append(p.servers[o.at.machine], &calendar{})
	}
	t.slot = &slot{start: o.start, end: o.end, planned: o.start, number: p.numbers, of: t}
	p.numbers++
	t.at, t.length, t.cost = o.at, o.length, o.cost
	p.calendar(o.at).insert(t.slot)
	p.starts.add(t.slot)
	t.flow.tasks = append(t.flow.tasks, t)
	terms := []sim.Term{{Name: "start", Value: o.start}, {Name: "end", Value: o.end}, {Name: "length", Value: o.length}, {Name: "cost", Value: o.cost}}
	if !math.IsInf(t.flow.budget, 1) {
		terms = append(terms, sim.Term{Name: "budget_left", Value: t.flow.budget - before - o.cost})
	}
	t.why = []sim.Reason{{
		Rule:  "slot",
		Text:  fmt.Sprintf("slot [%v, %v) on processor %d of cluster %s, which ends first of all slots within the budget", o.start, o.end, m.First+o.at.server, p.platform.ClusterID(m.Cluster)),
		Terms: terms,
	}}
}

// Explain implements [sim.Explainer].
func (p *policy) Explain(j *sim.Job) []sim.Reason {
	if t := p.tasks[j.Number]; t != nil {
		return t.why
	}
	return nil
}

// told tells why a job waits, if an observer asks about one: its slot is to come, after that of another job where one has it before.
func (p *policy) told(e *sim.Engine) {
	j := e.Asked()
	if j == nil || p.tasks[j.Number] == nil || p.tasks[j.Number].slot == nil {
		return
	}
	s := p.tasks[j.Number].slot
	why := sim.Pass{Kind: sim.PassTurn, At: s.start}
	if before := s.before; before != nil && math.IsNaN(before.of.began) && before.of.queued {
		why.For = before.of.job
	}
	e.Pass(why)
}
