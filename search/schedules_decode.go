package search

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// scheduleGenome codes a schedule: jobs are placed in this order, none before those it waits for, each by its choice.
type scheduleGenome struct {
	order   []int32
	choices []scheduleChoice // by job
}

// assign makes the genome that of other.
func (g *scheduleGenome) assign(other *scheduleGenome) {
	g.order = append(g.order[:0], other.order...)
	g.choices = append(g.choices[:0], other.choices...)
}

// scheduleMark is the state before a position of the order.
type scheduleMark struct {
	resources *plan.Resources
	sums      scheduleSums
}

// scheduleDecoder decodes genomes one after another that differ from the one that was kept last from some position on. It keeps the
// states at every stride-th position of that one, so that it decodes from the last of them before the change.
//
// Complexity of decoding from position k: O(n − k + stride) slots.
type scheduleDecoder struct {
	*scheduleProblem
	resources  *plan.Resources
	sums       scheduleSums
	kept, next []scheduleResult // by job: of the genome kept last, of the one decoded
	marks      []scheduleMark   // of the genome kept last
	fresh      []scheduleMark   // of the one decoded
	stride     int
	from       int   // position from which next differs from kept
	to         int   // position before which it does
	cost       int64 // of placing a job, about, in ns
	poll       int64
	stop       func() bool
	stopped    bool
	failed     error // a schedule that cannot be written out or evaluated as it was decoded: a bug
}

// scheduleMarks is the most states that are kept, and scheduleMemory about the bytes that they take where nothing is used yet:
// profiles of memory and licences, which grow with the jobs placed, and the sums by cluster are not counted, and neither is that a
// decoder keeps them twice, for what was kept and for what is decoded.
const (
	scheduleMarks  = 32
	scheduleMemory = 16 << 20
)

func newScheduleDecoder(p *scheduleProblem) *scheduleDecoder {
	n := len(p.in.Jobs())
	d := &scheduleDecoder{scheduleProblem: p, resources: plan.NewSpreadingResources(p.in), cost: p.cost,
		kept: make([]scheduleResult, n), next: make([]scheduleResult, n)}
	marks := max(1, min(scheduleMarks, scheduleMemory/(1+p.size), len(p.jobs)))
	d.stride = max(1, (len(p.jobs)+marks-1)/marks)
	d.marks, d.fresh = make([]scheduleMark, marks), make([]scheduleMark, marks)
	p.objective.reset(&d.sums)
	d.marks[0].save(d)
	for j := range n {
		d.kept[j] = scheduleResult{start: math.NaN(), end: math.NaN()}
		d.next[j] = d.kept[j]
	}
	return d
}

// save keeps the state of the decoder.
func (m *scheduleMark) save(d *scheduleDecoder) {
	if m.resources == nil {
		m.resources = plan.NewSpreadingResources(d.in)
	}
	m.resources.Assign(d.resources)
	m.sums.assign(&d.sums)
}

// decode places the jobs of a genome that agrees with the one kept last before the position from. It gives up, and says false,
// once the objective must be above the limit, or when it is to stop.
func (d *scheduleDecoder) decode(g *scheduleGenome, from int, limit float64) bool {
	mark := from / d.stride
	if len(g.order) > 0 {
		d.resources.Assign(d.marks[mark].resources)
		d.sums.assign(&d.marks[mark].sums)
	}
	from = mark * d.stride
	d.from = from
	floors := d.objective.floors && !math.IsInf(limit, 1)
	limit += 1e-12 * math.Abs(limit) // floors are added up in another way
	for k := from; k < len(g.order); k++ {
		if k > from && k%d.stride == 0 {
			d.fresh[k/d.stride].save(d)
		}
		job := int(g.order[k])
		d.place(job, g.choices[job])
		if d.to = k + 1; d.tired() || floors && d.objective.floor(&d.sums)+d.tie*ratio(d.sums.response, len(d.jobs)) > limit {
			return false
		}
	}
	return d.finish(g)
}

// tired says whether it is time to stop; it asks after some 200 µs of work.
func (d *scheduleDecoder) tired() bool {
	late := d.ended()
	if d.poll += d.cost; d.poll < 200_000 && !late {
		return false
	}
	d.poll = 0
	d.stopped = d.stopped || late || d.stop()
	return d.stopped
}

// place places one job, or leaves it out.
func (d *scheduleDecoder) place(job int, choice scheduleChoice) {
	ready, ok := d.ready(job, d.next)
	var slot plan.Slot
	if ok {
		slot, ok = d.slot(d.resources, job, choice, ready)
		if choice.cluster < 0 {
			d.poll += d.cost * int64(len(d.hosts[job]))
		}
		if choice.width == 0 {
			d.poll += 8 * d.cost * int64(max(1, len(d.hosts[job])))
		}
	}
	if !ok {
		d.sums.left++
		d.next[job] = scheduleResult{start: math.NaN(), end: math.NaN(), choice: choice}
		return
	}
	d.take(job, &slot)
}

// take places the job into the slot.
func (d *scheduleDecoder) take(job int, slot *plan.Slot) {
	d.resources.Take(job, slot)
	result := scheduleResult{start: slot.Start, end: slot.End,
		choice: scheduleChoice{int32(slot.Cluster), int32(slot.Processors)}, spread: slot.IsSpread()}
	if d.objective.needs&needCost != 0 {
		result.cost = d.resources.Cost(slot)
	}
	d.next[job] = result
	d.objective.add(&d.sums, job, slot, d.resources, result.cost)
	d.sums.reach = max(d.sums.reach, slot.End+d.tail[job])
}

// ready is when the job may start: at its arrival, and when the last it waits for ends; false where one of those is left out.
func (p *scheduleProblem) ready(job int, results []scheduleResult) (float64, bool) {
	j := &p.in.Jobs()[job]
	ready := j.Arrival
	for _, before := range j.After {
		end := results[before].end
		if math.IsNaN(end) {
			return 0, false
		}
		ready = max(ready, end)
	}
	return ready, true
}

// finish adds to the sums what only a whole schedule has; false where it is to stop, also since it failed.
func (d *scheduleDecoder) finish(g *scheduleGenome) bool {
	if d.objective.needs&needWorkflows != 0 {
		d.sums.failed = d.objective.failures(func(job int) (float64, float64) { return d.next[job].end, d.next[job].cost })
	}
	if d.objective.evaluate {
		s, err := d.schedule(g.order, d.next)
		if err != nil {
			return d.fail(err)
		}
		evaluation, err := model.Evaluate(d.in, s)
		if err != nil {
			return d.fail(fmt.Errorf("search: a schedule as it was decoded: %w", err))
		}
		d.sums.outside = evaluation.Objective
		return !d.tired()
	}
	return true
}

// fail keeps the first error, which the engine's solution returns, and stops.
func (d *scheduleDecoder) fail(err error) bool {
	if d.failed == nil {
		d.failed = err
	}
	d.stopped = true
	return false
}

// rank is how good the schedule is that was decoded last.
func (d *scheduleDecoder) rank() model.Rank {
	return model.NewRank(d.sums.left, d.objective.value(&d.sums))
}

// energy is what is annealed: the objective, with a little of the mean response where the makespan counts, to tell schedules of
// one makespan apart.
func (d *scheduleDecoder) energy() float64 {
	return d.objective.value(&d.sums) + d.tie*ratio(d.sums.response, d.sums.placed)
}

// keep makes the genome decoded last the one that further ones are compared with.
func (d *scheduleDecoder) keep(g *scheduleGenome) {
	for _, job := range g.order[d.from:] {
		d.kept[job] = d.next[job]
	}
	for k := d.from/d.stride + 1; k*d.stride < len(g.order); k++ {
		d.marks[k], d.fresh[k] = d.fresh[k], d.marks[k]
	}
}

// drop forgets the genome decoded last, before the order that was decoded is changed back.
func (d *scheduleDecoder) drop(g *scheduleGenome) {
	for _, job := range g.order[d.from:d.to] {
		d.next[job] = d.kept[job]
	}
}

// schedule writes out the schedule of an order with its results.
func (p *scheduleProblem) schedule(order []int32, results []scheduleResult) (*model.Solution, error) {
	s := plan.NewChosenSchedule(p.in)
	for _, j := range p.nowhere {
		s.LeaveUnplaceable(j)
	}
	for _, j := range order {
		job := int(j)
		ready, ok := s.Ready(job)
		if !ok {
			s.LeaveUnplaceable(job)
			continue
		}
		slot, meets := p.slot(s.Resources, job, p.choiceOf(j, &results[job]), ready)
		if was := results[job].end; math.IsNaN(was) == meets || meets && slot.End != was && !(math.Abs(slot.End-was) <= model.Tolerance*math.Abs(was)) {
			return nil, fmt.Errorf("search: job %s ends at %v (placed: %t), it was decoded to end at %v", p.in.Jobs()[job].ID, slot.End, meets, was)
		}
		s.Place(job, slot)
	}
	return s.Solution(), nil
}
