package schedules

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// genome codes a schedule: the jobs are placed in this order, each by its choice. A job comes after all jobs it waits for.
type genome struct {
	order   []int32
	choices []choice // by job
}

// assign copies the genome other.
func (g *genome) assign(other *genome) {
	g.order = append(g.order[:0], other.order...)
	g.choices = append(g.choices[:0], other.choices...)
}

// mark is the state of the decoder before a position of the order.
type mark struct {
	resources *plan.Resources
	sums      sums
}

// decoder decodes genomes one after another. Each differs from the genome kept last from some position on. The decoder has the
// states before every stride-th position of that genome, so it starts from the last of them before the change.
//
// Complexity of decoding from position k: O(n − k + stride) slots.
type decoder struct {
	*problem
	resources  *plan.Resources
	sums       sums
	kept, next []result // by job: results of the genome kept last, and of the one decoded last
	marks      []mark   // states of the genome kept last
	fresh      []mark   // states of the genome decoded last
	stride     int
	from       int   // first position at which next differs from kept
	to         int   // position behind the last one at which it does
	cost       int64 // about the ns to place a job
	poll       int64
	stop       func() bool
	stopped    bool
	failed     error // a decoded schedule could not be written out or evaluated: a bug
}

// maxMarks is the most states that a decoder keeps, and markMemory is about the bytes that they take in an empty schedule. Not
// counted are the profiles of memory and licences, which grow with the jobs placed, and the sums by cluster. A decoder keeps
// the states twice, for the genome kept last and for the one decoded last.
const (
	maxMarks   = 32
	markMemory = 16 << 20
)

func newDecoder(p *problem) *decoder {
	n := len(p.in.Jobs())
	d := &decoder{problem: p, resources: plan.NewSpreadingResources(p.in), cost: p.cost,
		kept: make([]result, n), next: make([]result, n)}
	marks := max(1, min(maxMarks, markMemory/(1+p.size), len(p.jobs)))
	d.stride = max(1, (len(p.jobs)+marks-1)/marks)
	d.marks, d.fresh = make([]mark, marks), make([]mark, marks)
	p.objective.reset(&d.sums)
	d.marks[0].save(d)
	for j := range n {
		d.kept[j] = result{start: math.NaN(), end: math.NaN()}
		d.next[j] = d.kept[j]
	}
	return d
}

// save copies the state of the decoder.
func (m *mark) save(d *decoder) {
	if m.resources == nil {
		m.resources = plan.NewSpreadingResources(d.in)
	}
	m.resources.Assign(d.resources)
	m.sums.assign(&d.sums)
}

// decode places the jobs of genome g. Before position from, g agrees with the genome kept last. It gives up and returns false
// once the objective must exceed the limit, or when it is told to stop.
func (d *decoder) decode(g *genome, from int, limit float64) bool {
	mark := from / d.stride
	if len(g.order) > 0 {
		d.resources.Assign(d.marks[mark].resources)
		d.sums.assign(&d.marks[mark].sums)
	}
	from = mark * d.stride
	d.from = from
	floors := d.objective.floors && !math.IsInf(limit, 1)
	limit += 1e-12 * math.Abs(limit) // floors are added up in another order
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

// tired says whether it is time to stop. It asks after about 200 µs of work.
func (d *decoder) tired() bool {
	late := d.ended()
	if d.poll += d.cost; d.poll < 200_000 && !late {
		return false
	}
	d.poll = 0
	d.stopped = d.stopped || late || d.stop()
	return d.stopped
}

// place places one job, or leaves it out.
func (d *decoder) place(job int, choice choice) {
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
		d.next[job] = result{start: math.NaN(), end: math.NaN(), choice: choice}
		return
	}
	d.take(job, &slot)
}

// take places the job into the slot.
func (d *decoder) take(job int, slot *plan.Slot) {
	d.resources.Take(job, slot)
	result := result{start: slot.Start, end: slot.End,
		choice: choice{int32(slot.Cluster), int32(slot.Processors)}, spread: slot.IsSpread()}
	if d.objective.needs&needCost != 0 {
		result.cost = d.resources.Cost(slot)
	}
	d.next[job] = result
	d.objective.add(&d.sums, job, slot, d.resources, result.cost)
	d.sums.reach = max(d.sums.reach, slot.End+d.tail[job])
}

// ready is the earliest start of the job: its arrival or the last end of the jobs it waits for; false: one of those is left
// out.
func (p *problem) ready(job int, results []result) (float64, bool) {
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

// finish adds the sums that only a whole schedule has; false: it was told to stop, or failed.
func (d *decoder) finish(g *genome) bool {
	if d.objective.needs&needWorkflows != 0 {
		d.sums.failed = d.objective.failures(func(job int) (float64, float64) { return d.next[job].end, d.next[job].cost })
	}
	if d.objective.evaluate {
		s, err := d.schedule(g.order, d.next)
		if err != nil {
			return d.fail(err)
		}
		value, err := model.Objective(d.in, s)
		if err != nil {
			return d.fail(fmt.Errorf("search: a schedule as it was decoded: %w", err))
		}
		d.sums.outside = value
		return !d.tired()
	}
	return true
}

// fail keeps the first error, which [Engine.Solution] returns, and stops.
func (d *decoder) fail(err error) bool {
	if d.failed == nil {
		d.failed = err
	}
	d.stopped = true
	return false
}

// rank is the rank of the schedule decoded last.
func (d *decoder) rank() model.Rank {
	return model.NewRank(d.sums.left, d.objective.value(&d.sums))
}

// energy is what is annealed: the objective and, if the makespan counts, a little of the mean response, to tell apart schedules
// of the same makespan.
func (d *decoder) energy() float64 {
	return d.objective.value(&d.sums) + d.tie*ratio(d.sums.response, d.sums.placed)
}

// keep makes the genome decoded last the one that later genomes are compared with.
func (d *decoder) keep(g *genome) {
	for _, job := range g.order[d.from:] {
		d.kept[job] = d.next[job]
	}
	for k := d.from/d.stride + 1; k*d.stride < len(g.order); k++ {
		d.marks[k], d.fresh[k] = d.fresh[k], d.marks[k]
	}
}

// drop forgets the genome decoded last. Call it before the order of that genome is changed back.
func (d *decoder) drop(g *genome) {
	for _, job := range g.order[d.from:d.to] {
		d.next[job] = d.kept[job]
	}
}

// schedule writes out the schedule of an order with its results.
func (p *problem) schedule(order []int32, results []result) (*model.Solution, error) {
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
