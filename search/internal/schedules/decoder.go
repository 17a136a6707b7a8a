package schedules

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/objective"
)

// genome codes a schedule. The decoder places the jobs in the given order, each by its choice. A job comes after all jobs it waits
// for.
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
	sums      objective.Sums
}

// decoder decodes genomes one after another. Each genome agrees with the one kept last up to some position. The decoder has the
// states of the kept genome before every stride-th position. So it begins from the last state before the change.
//
// Complexity of decoding from position k: O(n − k + stride) slots.
type decoder struct {
	*problem
	resources  *plan.Resources
	sums       objective.Sums
	kept, next []result // by job: results of the genome kept last, and of the one decoded last
	marks      []mark   // states of the genome kept last
	fresh      []mark   // states of the genome decoded last
	stride     int
	window     int            // decoding gives up by a comparison of costs only this many positions behind the change
	keptSums   objective.Sums // sums of the genome kept last
	arrivals   []float64      // by mark: the earliest arrival of the jobs from its position on, in the genome kept last
	asked      []plan.Asked   // by mark: what these jobs ask for beside numbers of processors
	from       int            // first position at which next differs from kept
	to         int            // position behind the last one at which it does
	high       int            // last position at which the genomes differ
	increase   float64        // by how much the jobs decoded so far cost more than in the genome kept last
	joined     int            // mark from which on the schedule is that of the genome kept last; 0: none
	joint      objective.Sums // the sums there
	cost       int64          // about the ns to place a job
	poll       int64
	stop       func() bool
	stopped    bool
	failed     error // a decoded schedule could not be written out or evaluated: a bug
}

// A decoder keeps at most maxMarks states. With more than manyJobs jobs it keeps at most manyMarks, or largeMarks if there is memory or there
// are licences, whose states are large. In an empty schedule the states take at most about markMemory bytes. This does not count the profiles
// of memory and licences, which grow with the jobs placed, and the sums by cluster. A decoder keeps the states twice: for the genome kept
// last and for the one decoded last.
const (
	maxMarks   = 32
	manyMarks  = 256
	largeMarks = 64
	markMemory = 16 << 20
)

// mostMarks is the most states that a decoder keeps.
func (p *problem) mostMarks() int {
	switch {
	case len(p.jobs) <= manyJobs:
		return maxMarks
	case p.in.Features()&(model.MemoryLimits|model.LicencePools) != 0:
		return largeMarks
	}
	return manyMarks
}

func newDecoder(p *problem) *decoder {
	n := len(p.in.Jobs())
	d := &decoder{problem: p, resources: p.empty.Clone(), cost: p.cost,
		kept: make([]result, n), next: make([]result, n)}
	marks := max(1, min(p.mostMarks(), markMemory/(1+p.size), len(p.jobs)))
	d.stride = max(1, (len(p.jobs)+marks-1)/marks)
	d.window = 8 + len(p.jobs)/256
	d.marks, d.fresh, d.arrivals, d.asked = make([]mark, marks), make([]mark, marks), make([]float64, marks), make([]plan.Asked, marks)
	for k := range d.arrivals {
		d.arrivals[k] = math.Inf(-1)
	}
	p.objective.Reset(&d.sums)
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
		m.resources = d.resources.Clone()
	} else {
		m.resources.Assign(d.resources)
	}
	m.sums.Assign(&d.sums)
}

// change is where a genome differs from the one kept last: between the positions low and high, or in the choice of a job there.
type change struct {
	low, high int
	at        []int32 // by job: its position
	most      float64 // decoding gives up once the jobs so far cost this much more than before, as later jobs hardly ever make up for it; +Inf: never
}

// decode places the jobs of genome g. Before position from, g agrees with the genome kept last. It gives up and returns false
// once the objective must exceed the limit, or when it is told to stop.
func (d *decoder) decode(g *genome, from int, limit float64) bool {
	return d.decodeChange(g, change{low: from, high: len(g.order), most: math.Inf(1)}, limit)
}

// decodeChange is decode for a genome whose change is known. It ends early behind the change: as soon as the jobs still to come find the same
// resources free as in the kept genome.
func (d *decoder) decodeChange(g *genome, change change, limit float64) bool {
	mark := change.low / d.stride
	if len(g.order) > 0 {
		d.resources.Assign(d.marks[mark].resources)
		d.sums.Assign(&d.marks[mark].sums)
	}
	from := mark * d.stride
	d.from, d.high, d.joined, d.increase = from, change.high, 0, 0
	floors := d.objective.Floors && !math.IsInf(limit, 1)
	limit += 1e-12 * math.Abs(limit) // floors are added up in another order
	behind := change.high            // jobs up to this position may find other times than before
	for k := from; k < len(g.order); k++ {
		if k > from && k%d.stride == 0 {
			if k > behind && d.joins(k/d.stride) {
				d.to = k
				return d.finish(g)
			}
			d.fresh[k/d.stride].save(d)
		}
		job := int(g.order[k])
		d.place(job, g.choices[job])
		d.to = k + 1
		if change.at != nil {
			behind = d.compare(job, change.at, behind)
			if d.increase > change.most && k >= change.low+d.window {
				return false
			}
		}
		if d.mustStop() || floors && d.objective.Floor(&d.sums)+d.tie*objective.Ratio(d.sums.Response, len(d.jobs)) > limit {
			return false
		}
	}
	return d.finish(g)
}

// compare adds to d.increase by how much the job costs more than in the genome kept last. If its end has changed, the jobs that wait for it may
// change too: compare returns the last position of these, or behind if that is later.
func (d *decoder) compare(job int, at []int32, behind int) int {
	placed, before := &d.next[job], &d.kept[job]
	if placed.end == before.end && placed.start == before.start {
		return behind
	}
	if d.objective.Additive {
		d.increase += d.objective.Of(job, placed.start, placed.end) - d.objective.Of(job, before.start, before.end)
	}
	for _, next := range d.in.Successors(job) {
		if d.position[next] >= 0 {
			behind = max(behind, int(at[next]))
		}
	}
	return behind
}

// joins says whether the jobs from a mark on find the same resources free as in the genome kept last. If so, it adds what they cost there.
func (d *decoder) joins(mark int) bool {
	was := &d.marks[mark]
	sums, ok := d.objective.Rejoined(&d.sums, &was.sums, &d.keptSums)
	if !ok || !d.resources.Alike(was.resources, d.arrivals[mark], d.asked[mark]) {
		return false
	}
	d.joined, d.joint = mark, d.sums
	d.sums = sums
	return true
}

// mustStop says whether to stop. It asks stop after each 200 µs of work or so.
func (d *decoder) mustStop() bool {
	late := d.ended() || d.resources.GaveUp()
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
		if d.owes[job] {
			d.sums.Left++
		}
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
	if d.objective.NeedsCost() {
		result.cost = d.resources.Cost(slot)
	}
	d.next[job] = result
	d.objective.Add(&d.sums, job, slot, d.resources, result.cost)
	d.sums.Reach = max(d.sums.Reach, slot.End+d.tail[job])
}

// ready is the earliest start of the job: its arrival or the last end of the jobs it waits for. It returns false if one of these
// is left out.
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

// finish adds the sums that only a whole schedule has. It returns false if it was told to stop or failed.
func (d *decoder) finish(g *genome) bool {
	if d.objective.NeedsWorkflows() {
		d.sums.Failed = d.objective.Failures(func(job int) (float64, float64) { return d.next[job].end, d.next[job].cost })
	}
	if d.objective.Evaluate {
		s, err := d.schedule(g.order, d.next)
		switch {
		case err != nil:
			return d.fail(err)
		case s == nil:
			d.stopped = true
			return false
		}
		value, err := model.EvaluateObjective(d.in, s)
		if err != nil {
			return d.fail(fmt.Errorf("search: a schedule as it was decoded: %w", err))
		}
		d.sums.Outside = value
		return !d.mustStop()
	}
	return true
}

// fail stops and keeps the first error, which [Engine.Solution] returns.
func (d *decoder) fail(err error) bool {
	if d.failed == nil {
		d.failed = err
	}
	d.stopped = true
	return false
}

// rank is the rank of the schedule decoded last.
func (d *decoder) rank() model.Rank {
	return model.NewRank(d.sums.Left, d.objective.Value(&d.sums))
}

// energy is the value that annealing lowers: the objective and, if the makespan counts, a little of the mean response. The latter
// tells apart schedules of the same makespan.
func (d *decoder) energy() float64 {
	return d.objective.Value(&d.sums) + d.tie*objective.Ratio(d.sums.Response, d.sums.Placed)
}

// leavesOut says whether the schedule that later ones are compared with leaves out a job that can be placed.
func (d *decoder) leavesOut() bool {
	return slices.ContainsFunc(d.jobs, func(job int32) bool { return math.IsNaN(d.kept[job].start) })
}

// keep makes the genome decoded last the one that later genomes are compared with.
func (d *decoder) keep(g *genome) {
	for _, job := range g.order[d.from:d.to] {
		d.kept[job] = d.next[job]
	}
	for k := d.from/d.stride + 1; k*d.stride < d.to; k++ {
		d.marks[k], d.fresh[k] = d.fresh[k], d.marks[k]
	}
	if d.joined > 0 {
		was := d.marks[d.joined].sums
		for k := d.joined; k < len(d.marks) && k*d.stride < len(g.order); k++ {
			d.marks[k].sums, _ = d.objective.Rejoined(&d.joint, &was, &d.marks[k].sums)
		}
	}
	d.keptSums.Assign(&d.sums)
	d.arrive(g)
}

// arrive finds the earliest arrivals, and what jobs ask for, behind the marks where the genome kept last has changed.
func (d *decoder) arrive(g *genome) {
	last := min(d.high/d.stride, (len(g.order)-1)/d.stride)
	later, asked := math.Inf(1), plan.Asked(0)
	if last+1 < len(d.arrivals) {
		later, asked = d.arrivals[last+1], d.asked[last+1]
	}
	for mark := last; mark >= d.from/d.stride; mark-- {
		for _, job := range g.order[mark*d.stride : min(len(g.order), (mark+1)*d.stride)] {
			later = min(later, d.in.Jobs()[job].Arrival)
			asked |= d.asks[job]
		}
		d.arrivals[mark], d.asked[mark] = later, asked
	}
}

// drop forgets the genome decoded last. Call it before the order of that genome is changed back.
func (d *decoder) drop(g *genome) {
	for _, job := range g.order[d.from:d.to] {
		d.next[job] = d.kept[job]
	}
}

// schedule writes out the schedule of an order with its results. It returns nil if that takes long and ctx has ended.
func (p *problem) schedule(order []int32, results []result) (*model.Solution, error) {
	s := plan.NewChosenSchedule(p.in)
	ctx, stop := after(p.ctx, grace)
	defer stop()
	s.Until(ctx)
	for _, j := range order {
		job := int(j)
		ready, ok := s.Ready(job)
		if !ok {
			s.LeaveUnplaceable(job)
			continue
		}
		slot, meets := p.slot(s.Resources, job, p.choiceOf(j, &results[job]), ready)
		if s.GaveUp() {
			return nil, nil
		}
		if was := results[job].end; math.IsNaN(was) == meets || meets && slot.End != was && !(math.Abs(slot.End-was) <= model.Tolerance*math.Abs(was)) {
			return nil, fmt.Errorf("search: job %s ends at %v (placed: %t), it was decoded to end at %v", p.in.Jobs()[job].ID, slot.End, meets, was)
		}
		if slot.Processors == 0 {
			s.LeaveOut(job) // the cluster of its choice has no slot for it
			continue
		}
		s.Place(job, slot)
	}
	for _, j := range p.nowhere { // last, as some wait for jobs that are placed and others that are not
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}

// grace is how long the best schedule may take to be written out after the end of the context.
const grace = 500 * time.Millisecond

// after is a context that ends some time after another.
func after(ctx context.Context, late time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(late, cancel) })
	return kit.YieldAgain(longer), func() {
		stop()
		cancel()
	}
}
