package mts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
)

// run is a run of the [Solver].
type run struct {
	*grid.Outline
	p         Solver
	origin    float64
	all       float64 // number of resources
	kinds     []jobKind
	span      []float64              // of kind k on resource r at k·len(resources) + r: the time it takes; +Inf: it does not fit or cannot run there
	queues    [][]lateQueue          // by resource, one a size
	heaps     [4]queue.Placed[int32] // by class
	fragments bool
	minmin    bool      // all three rules are off: MTS is Min-min
	release   []float64 // by resource: the release of its one size; nil where some resource has several
	powers    []float64 // e^−d at d
	groups    []*group  // nil: dissolved
	looks     int       // looks at all resources for single kinds since the last attempt to group them
	few       int       // least number of members of a group; one is dissolved where more of them have nearly the least f
	patience  int       // looks a kind that let a group be formed
	pause     int       // looks, and a quarter of the kinds, between attempts to form groups
	dissolved int       // groups dissolved for their ties
	steps     int
	raised    []int32 // kinds whose rank is exact in this step only
	poll      *kit.Poll
	trace     func(solve.Step) // nil: nobody listens
}

// jobKind is jobs that are alike in everything.
type jobKind struct {
	jobs              []int32 // those left, in the order of the instance
	deadline, arrival float64
	memory            float64
	files, hard       bool
	cpu, link, room   int32 // numbers of resources overloaded in processors, bandwidth and memory
	open              int32 // number of resources that it fits and on which it could still end in time
	class             int8
	place             int32   // in the heap of the class; −1: not there
	group             int32   // of which it is a member; −1: none. A member is in no heap, its group is
	looks             int32   // looks at all resources since the counts last changed
	resource          int32   // that of the least completion time when last evaluated
	low               int32   // lower bound of resource as long as the key stays the same
	rank              int32   // what the heap takes for the resource: low, or the resource itself in a step in which it is exact
	end               float64 // that completion time; NaN: not evaluated yet
	log               float64 // lower bound of ln f or, without weights, of the completion time
	key               float64 // lower bound of ln mt or, without weights, of the completion time
	members           *group  // nil: it is a kind; else it stands for a group in the heap
}

// late says whether a job that takes the span from a start is late, see [model.Late]: decimals need not add up in float64 numbers.
func (k *jobKind) late(start, span float64) bool { return model.Late(start+span, k.deadline) }

// latest is the latest start from which a job that takes the span is not late. Sums of float64 numbers are monotonic.
func (k *jobKind) latest(span float64) float64 {
	if math.IsInf(k.deadline, 1) {
		return k.deadline
	}
	end := k.deadline // the last that is not late
	for next := math.Nextafter(end, math.Inf(1)); !model.Late(next, k.deadline); next = math.Nextafter(next, math.Inf(1)) {
		end = next
	}
	in, out := k.deadline-span, end-span
	for step := math.Nextafter(end, math.Inf(1)) - end; in+span > end; step *= 2 {
		in -= step
	}
	for step := math.Nextafter(end, math.Inf(1)) - end; out+span <= end; step *= 2 {
		out += step
	}
	for {
		middle := in + (out-in)/2
		switch {
		case middle <= in || middle >= out:
			return in
		case middle+span <= end:
			in = middle
		default:
			out = middle
		}
	}
}

// left says whether jobs of the kind may still be placed.
func (k *jobKind) left() bool { return k.place >= 0 || k.group >= 0 }

// lateQueue is the jobs of one size on one resource, in the order in which they come to be too late there.
type lateQueue struct {
	size    int
	release float64
	latest  timeOrder
	longest float64 // longest time that one of the jobs takes
	early   []match // fragments of jobs that start when they arrive, later than the processors are released
	matches []match // fragments now
}

// newRun starts with nothing placed; nil where the context ends first.
func newRun(ctx context.Context, in *model.Instance, p Solver) *run {
	outline := grid.NewOutline(in)
	r := prepare(ctx, in, p, len(outline.Resources))
	r.Outline = outline
	if !r.sort() {
		return nil
	}
	r.span = make([]float64, len(r.kinds)*len(r.Resources))
	for k := range r.kinds {
		if r.poll.Stopped(8 * len(r.Resources)) {
			return nil
		}
		r.measure(k)
	}
	r.queues = make([][]lateQueue, len(r.Resources))
	for resource := range r.Resources {
		if r.poll.Ask(); r.poll.Ended() || !r.queue(resource) {
			return nil
		}
	}
	if !r.simplify() {
		return nil
	}
	for k := range r.kinds {
		if r.poll.Stopped(8 * len(r.Resources)) {
			return nil
		}
		if kind := &r.kinds[k]; kind.open > 0 {
			kind.class, kind.end = r.class(kind), math.NaN()
			r.evaluate(int32(k))
			kind.rank = kind.low
			r.heaps[kind.class].Push(r, int32(k))
		}
	}
	for resource := range r.queues {
		if r.poll.Ask(); r.poll.Ended() {
			return nil
		}
		for q := range r.queues[resource] {
			r.match(resource, &r.queues[resource][q])
		}
	}
	return r
}

// likeness is what jobs of one kind have in common.
type likeness struct {
	arrival, deadline, work, memory, data, message, bandwidth float64
	tasks, size                                               int
	hard                                                      bool
}

// sort makes the kinds, in the order of their first jobs. Jobs that state run times are kinds of their own. False: the context has ended.
func (r *run) sort() bool {
	seen := make(map[likeness]int, len(r.Left))
	r.kinds = make([]jobKind, 0, len(r.Left))
	for i := range r.Left {
		if r.poll.Stopped(100) {
			return false
		}
		j := &r.Instance.Jobs()[i]
		if !j.StatesRuntimes() {
			like := likeness{j.Arrival, j.Deadline, j.Work, j.Memory, j.Input + j.Output, j.Message, j.MinBandwidth, j.Tasks, j.Min, j.DeadlineHard}
			if k, ok := seen[like]; ok {
				r.kinds[k].jobs = append(r.kinds[k].jobs, int32(i))
				continue
			}
			seen[like] = len(r.kinds)
		}
		r.kinds = append(r.kinds, jobKind{jobs: []int32{int32(i)}, deadline: j.Deadline, arrival: j.Arrival, memory: j.Memory,
			files: j.Input+j.Output > 0 && !j.StatesRuntimes(), hard: j.DeadlineHard && j.HasDeadline(), place: -1, group: -1})
	}
	return true
}

// simplify makes what placing jobs needs of the spans and the releases. Queues have been filled. False: the context has ended.
func (r *run) simplify() bool {
	for k, span := range r.span {
		if r.poll.Stopped(1) {
			return false
		}
		if math.Signbit(span) {
			r.span[k] = math.Inf(1)
		}
	}
	r.release = make([]float64, len(r.queues))
	for resource, queues := range r.queues {
		if len(queues) > 1 {
			r.release = nil
			break
		}
		if len(queues) == 1 {
			r.release[resource] = queues[0].release
		}
	}
	return true
}

// measure finds out how long the kind takes on each resource, which it fits and whose memory it overloads.
func (r *run) measure(k int) {
	kind := &r.kinds[k]
	j := &r.Instance.Jobs()[kind.jobs[0]]
	for resource := range r.Resources {
		l, span := &r.Resources[resource], r.takes(kind, resource)
		crowded := !model.HasRoom(l.Memory*r.p.MemoryShare, kind.memory, 1)
		if crowded {
			kind.room++
		}
		if math.IsInf(span, 1) || crowded || j.MinBandwidth > l.Bandwidth {
			span = math.Copysign(span, -1)
		} else {
			kind.open++
		}
		r.span[k*len(r.Resources)+resource] = span
	}
}

// takes is how long the kind takes on the resource, whether it fits or not; +Inf: it cannot run there.
func (r *run) takes(kind *jobKind, resource int) float64 {
	l := &r.Resources[resource]
	if l.Size(&r.Instance.Jobs()[kind.jobs[0]]) <= l.Processors {
		if ex, tr := r.times(kind, resource); !math.IsNaN(ex) {
			return ex + tr
		}
	}
	return math.Inf(1)
}

// queue fills the queues of the resource; false where the context has ended.
func (r *run) queue(resource int) bool {
	l := &r.Resources[resource]
	index := make([]int32, l.Processors+1) // of the queue by size, from 1
	for k := range r.kinds {
		kind := &r.kinds[k]
		fits := !math.Signbit(r.span[k*len(r.Resources)+resource])
		span := math.Abs(r.span[k*len(r.Resources)+resource])
		if math.IsInf(span, 1) {
			r.pass(kind, resource, false)
			continue
		}
		size := l.Size(&r.Instance.Jobs()[kind.jobs[0]])
		if index[size] == 0 {
			fresh := lateQueue{size: size, release: l.Release(size)}
			if len(r.queues[resource]) == 0 {
				fresh.latest.items = make([]timedKind, 0, len(r.kinds)-k)
			}
			r.queues[resource] = append(r.queues[resource], fresh)
			index[size] = int32(len(r.queues[resource]))
		}
		q, latest := &r.queues[resource][index[size]-1], kind.latest(span)
		switch start := max(q.release, kind.arrival); {
		case start > latest:
			r.pass(kind, resource, fits)
		case !math.IsInf(latest, 1):
			q.latest.items = append(q.latest.items, timedKind{latest, int32(k), fits})
			q.longest = max(q.longest, span)
			if r.fragments && kind.arrival > q.release {
				r.tryFragment(&q.early, int32(k), resource, kind.arrival)
			}
		}
		if k%4096 == 4095 {
			if r.poll.Ask(); r.poll.Ended() {
				return false
			}
		}
	}
	return true
}

// pass counts a resource on which the kind would be too late; open says whether the kind fits there.
func (r *run) pass(kind *jobKind, resource int, open bool) {
	kind.cpu++
	if kind.files && !math.IsInf(r.Resources[resource].Bandwidth, 1) {
		kind.link++
	}
	if open && kind.hard {
		kind.open--
	}
}

// class is the number of attributes in which the kind is overloaded.
func (r *run) class(kind *jobKind) int8 {
	if r.p.Classes == "off" {
		return 0
	}
	class := int8(0)
	if float64(kind.cpu) > r.p.Lambda*r.all {
		class++
	}
	if float64(kind.room) > r.p.Chi*r.all {
		class++
	}
	if float64(kind.link) > r.p.Eta*r.all {
		class++
	}
	return class
}

// start is when the kind would start on the resource.
func (r *run) start(kind *jobKind, resource int) float64 {
	if r.release != nil {
		return max(r.release[resource], kind.arrival)
	}
	queues := r.queues[resource]
	if len(queues) == 1 {
		return max(queues[0].release, kind.arrival)
	}
	size := r.Resources[resource].Size(&r.Instance.Jobs()[kind.jobs[0]])
	for q := range queues {
		if queues[q].size == size {
			return max(queues[q].release, kind.arrival)
		}
	}
	return math.Inf(1)
}

// evaluate finds the resource of the kind's least completion time and brings its key up to date; false where nothing has changed. The kind must
// have an open resource. Completion times never fall, so the best resource stays the best while its own completion time does not grow.
func (r *run) evaluate(k int32) (changed bool) {
	kind := &r.kinds[k]
	if r.end(k, int(kind.resource)) == kind.end {
		return false
	}
	r.poll.Stopped(8 * len(r.Resources))
	end, second := math.Inf(1), math.Inf(1)
	for resource, span := range r.span[int(k)*len(r.Resources):][:len(r.Resources)] {
		if span > math.MaxFloat64 {
			continue
		}
		var start float64
		if r.release != nil {
			start = max(r.release[resource], kind.arrival)
		} else {
			start = r.start(kind, resource)
		}
		if kind.hard && kind.late(start, span) {
			continue
		}
		switch other := start + span; {
		case other < end:
			second, end, kind.resource = end, other, int32(resource)
		case other < second:
			second = other
		}
	}
	if kind.end, kind.low = end, kind.resource; second <= r.nearly(end) {
		kind.low = -1
	}
	kind.log = r.log(end)
	r.weigh(kind)
	return true
}

// log is ln f of a completion time or, without weights, the completion time.
func (r *run) log(end float64) float64 {
	if r.p.Weights == "off" {
		return end
	}
	return math.Log(max(0, end-r.origin))
}

// nearly is a time not before the latest completion time of which ln mt rounds as that of end does, with any weight. The logarithm, the weight and
// their difference are below 10⁶, so that they lose less than 10⁻⁹.
func (r *run) nearly(end float64) float64 {
	if r.p.Weights == "off" {
		return end
	}
	return end + 1e-9*(end-r.origin) + 1e-15*math.Abs(end)
}

// end is the completion time of the kind on the resource; +Inf where it does not fit or would be too late.
func (r *run) end(k int32, resource int) float64 {
	span := r.span[int(k)*len(r.Resources)+resource]
	kind := &r.kinds[k]
	start := r.start(kind, resource)
	if kind.hard && kind.late(start, span) {
		return math.Inf(1)
	}
	return start + span
}

// weigh makes the key from what is known of the completion time.
func (r *run) weigh(kind *jobKind) {
	if kind.key = kind.log; r.p.Weights != "off" {
		kind.key -= r.logSumExp(kind.cpu, kind.link, kind.room)
	}
}

// step places one job; false where none is left or the context has ended.
func (r *run) step() bool {
	if r.poll.Stopped(8 * len(r.Resources)) {
		return false
	}
	class := len(r.heaps) - 1
	for class >= 0 && len(r.heaps[class]) == 0 {
		class--
	}
	if class < 0 {
		return false
	}
	kind, resource := r.leastFragment(int8(class))
	fragment := kind >= 0
	if !fragment {
		if kind, resource = r.leastKey(class); kind < 0 {
			return false
		}
	}
	if r.trace != nil {
		r.tell(kind, resource, fragment)
		return true
	}
	r.assign(kind, resource)
	return true
}

// leastKey is the kind of the least mt in the class, with its resource; −1: the context has ended. The heap knows lower bounds. The top is
// evaluated, and then it is either still the top or sinks. Of equal keys the first resource counts: the exact one, in this step, of what has been
// evaluated. When time goes on a kind may come to an earlier resource with a key that rounds to the same number, so that then low counts again.
func (r *run) leastKey(class int) (kind int32, resource int) {
	r.steps++
	if h := r.heaps[class]; r.looks > r.pause+len(h)/4 {
		r.regroup(class)
	}
	h := &r.heaps[class]
	kind = -1
	for kind < 0 && !r.poll.Stopped(16) {
		top := (*h)[0]
		k := &r.kinds[top]
		if k.members != nil {
			if k.members.step == r.steps {
				kind, resource = k.members.best, int(k.resource)
			} else if r.evaluateGroup(k.members) {
				r.raised = append(r.raised, top)
				h.Down(r, 0)
			} else {
				r.dissolve(k.members)
			}
			continue
		}
		key := k.key
		if r.evaluate(top) {
			r.looks++
			k.looks++
		}
		if k.key == key && k.rank == k.resource {
			kind, resource = top, int(k.resource)
			continue
		}
		if k.rank = k.resource; k.low != k.resource {
			r.raised = append(r.raised, top)
		}
		h.Down(r, 0)
	}
	for _, k := range r.raised {
		k := &r.kinds[k]
		if k.members != nil {
			k.jobs[0] = -1
		}
		if k.rank = k.low; k.place >= 0 {
			r.heaps[class].Up(r, int(k.place))
		}
	}
	r.raised = r.raised[:0]
	return kind, resource
}

// assign places the first job of the kind on the resource.
func (r *run) assign(k int32, resource int) {
	kind, l := &r.kinds[k], &r.Resources[resource]
	job := int(kind.jobs[0])
	start := r.start(kind, resource)
	r.Place(job, resource, start, model.End(start, l.Duration(r.Instance, job)))
	if kind.jobs = kind.jobs[1:]; len(kind.jobs) == 0 {
		kind.jobs = []int32{int32(job)} // kinds without jobs are still looked at
		r.drop(k)
	} else if kind.place >= 0 {
		r.heaps[kind.class].Down(r, int(kind.place))
	}
	for q := range r.queues[resource] {
		queue := &r.queues[resource][q]
		if release := l.Release(queue.size); release > queue.release {
			queue.release = release
			if r.release != nil {
				r.release[resource] = release
			}
			r.passLateKinds(resource, queue)
			r.match(resource, queue)
		}
	}
}

// drop takes the kind out of its heap or group.
func (r *run) drop(k int32) {
	if kind := &r.kinds[k]; kind.group >= 0 {
		r.leave(kind)
	} else {
		r.heaps[kind.class].Remove(r, int(kind.place))
	}
}

// passLateKinds passes the kinds that are too late on the resource now.
func (r *run) passLateKinds(resource int, q *lateQueue) {
	for q.latest.len() > 0 && q.latest.get(0).at < q.release {
		passed := q.latest.get(0)
		q.latest.first++
		k := passed.kind
		kind := &r.kinds[k]
		if !kind.left() {
			continue
		}
		r.pass(kind, resource, passed.fits)
		kind.looks = 0
		if kind.open == 0 {
			r.drop(k)
			continue
		}
		if class := r.class(kind); class != kind.class || kind.group >= 0 {
			r.drop(k)
			kind.class = class
			r.weigh(kind)
			r.heaps[class].Push(r, k)
		} else if r.p.Weights != "off" {
			r.weigh(kind)
			r.heaps[class].Up(r, int(kind.place))
		}
	}
}
