package mts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
)

// run is a run of the [Solver].
type run struct {
	*grid.Outline
	p         Solver
	origin    float64
	kinds     []jobKind
	span      []float64     // of kind k on resource r at k·len(resources) + r: execution time; negative: it does not fit, ±Inf: it cannot run there
	queues    [][]lateQueue // by resource, one a size
	heaps     [4]heap       // by class
	fragments bool
	minmin    bool // all three rules are off: MTS is Min-min
	poll      *solve.Poll
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
	resource          int32   // that of the least completion time when last evaluated
	end               float64 // that completion time; NaN: not evaluated yet
	log               float64 // ln f there
	key               float64 // lower bound of ln mt or, without weights, of the completion time
}

// lateQueue is the jobs of one size on one resource, in the order in which they come to be too late there.
type lateQueue struct {
	size    int
	release float64
	latest  latestStarts
	longest float64 // longest time that one of the jobs takes
	early   []match // fragments of jobs that start when they arrive, later than the processors are released
	matches []match // fragments now
}

// newRun starts with nothing placed; nil where the context ends first.
func newRun(ctx context.Context, in *model.Instance, p Solver) *run {
	r := &run{Outline: grid.NewOutline(in), p: p, origin: in.FirstArrival(), fragments: p.Fragments != "off", poll: solve.NewPoll(ctx)}
	r.minmin = !r.fragments && p.Classes == "off" && p.Weights == "off"
	r.sort()
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
	for k := range r.kinds {
		if r.poll.Stopped(8 * len(r.Resources)) {
			return nil
		}
		if kind := &r.kinds[k]; kind.open > 0 {
			kind.class, kind.end = r.class(kind), math.NaN()
			r.evaluate(int32(k))
			r.heaps[kind.class].push(r, int32(k))
		}
	}
	for resource := range r.queues {
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

// sort makes the kinds, in the order of their first jobs. Jobs that state run times are kinds of their own.
func (r *run) sort() {
	seen := make(map[likeness]int, len(r.Left))
	r.kinds = make([]jobKind, 0, len(r.Left))
	for i := range r.Left {
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
			files: j.Input+j.Output > 0 && !j.StatesRuntimes(), hard: j.DeadlineHard && j.HasDeadline(), place: -1})
	}
}

// measure finds out how long the kind takes on each resource, which it fits and whose memory it overloads.
func (r *run) measure(k int) {
	kind := &r.kinds[k]
	j := &r.Instance.Jobs()[kind.jobs[0]]
	for resource := range r.Resources {
		l, span := &r.Resources[resource], math.Inf(1)
		if l.Size(j) <= l.Processors {
			if ex, tr := r.times(kind, resource); !math.IsNaN(ex) {
				span = ex + tr
			}
		}
		if kind.memory > l.Memory*r.p.MemoryShare {
			kind.room++
		}
		if math.IsInf(span, 1) || kind.memory > l.Memory*r.p.MemoryShare || j.MinBandwidth > l.Bandwidth {
			span = math.Copysign(span, -1)
		} else {
			kind.open++
		}
		r.span[k*len(r.Resources)+resource] = span
	}
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
				fresh.latest.items = make([]latestStart, 0, len(r.kinds)-k)
			}
			r.queues[resource] = append(r.queues[resource], fresh)
			index[size] = int32(len(r.queues[resource]))
		}
		q, latest := &r.queues[resource][index[size]-1], kind.deadline-span
		switch start := max(q.release, kind.arrival); {
		case start > latest:
			r.pass(kind, resource, fits)
		case !math.IsInf(latest, 1):
			q.latest.items = append(q.latest.items, latestStart{latest, int32(k), fits})
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
	class, all := int8(0), float64(len(r.Resources))
	if float64(kind.cpu) > r.p.Lambda*all {
		class++
	}
	if float64(kind.room) > r.p.Chi*all {
		class++
	}
	if float64(kind.link) > r.p.Eta*all {
		class++
	}
	return class
}

// start is when the kind would start on the resource.
func (r *run) start(kind *jobKind, resource int) float64 {
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
	kind.end = math.Inf(1)
	for resource, span := range r.span[int(k)*len(r.Resources):][:len(r.Resources)] {
		if math.Signbit(span) {
			continue
		}
		start := r.start(kind, resource)
		if start+span < kind.end && !(kind.hard && start > kind.deadline-span) {
			kind.end, kind.resource = start+span, int32(resource)
		}
	}
	kind.log = kind.end
	if r.p.Weights != "off" {
		kind.log = math.Log(max(0, kind.end-r.origin))
	}
	r.weigh(kind)
	return true
}

// end is the completion time of the kind on the resource; +Inf where it does not fit or would be too late.
func (r *run) end(k int32, resource int) float64 {
	span := r.span[int(k)*len(r.Resources)+resource]
	if math.Signbit(span) {
		return math.Inf(1)
	}
	kind := &r.kinds[k]
	start := r.start(kind, resource)
	if kind.hard && start > kind.deadline-span {
		return math.Inf(1)
	}
	return start + span
}

// weigh makes the key from what is known of the completion time.
func (r *run) weigh(kind *jobKind) {
	if kind.key = kind.log; r.p.Weights != "off" {
		kind.key -= logSumExp(float64(kind.cpu), float64(kind.link), float64(kind.room))
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

// leastKey is the kind of the least mt in the class, with its resource; −1: the context has ended.
func (r *run) leastKey(class int) (kind int32, resource int) {
	h := &r.heaps[class]
	for !r.poll.Stopped(16) {
		k := (*h)[0]
		key, at := r.kinds[k].key, r.kinds[k].resource
		if !r.evaluate(k) || r.kinds[k].key == key && r.kinds[k].resource == at {
			return k, int(at)
		}
		h.sink(r, 0)
	}
	return -1, 0
}

// assign places the first job of the kind on the resource.
func (r *run) assign(k int32, resource int) {
	kind, l := &r.kinds[k], &r.Resources[resource]
	job := int(kind.jobs[0])
	start := r.start(kind, resource)
	r.Place(job, resource, start, start+l.Duration(r.Instance, job))
	if kind.jobs = kind.jobs[1:]; len(kind.jobs) == 0 {
		kind.jobs = []int32{int32(job)} // kinds without jobs are still looked at
		r.drop(k)
	} else {
		r.heaps[kind.class].sink(r, int(kind.place))
	}
	for q := range r.queues[resource] {
		queue := &r.queues[resource][q]
		if release := l.Release(queue.size); release > queue.release {
			queue.release = release
			r.advance(resource, queue)
			r.match(resource, queue)
		}
	}
}

// drop takes the kind out of its heap.
func (r *run) drop(k int32) {
	kind := &r.kinds[k]
	r.heaps[kind.class].remove(r, int(kind.place))
}

// advance passes the kinds that are too late on the resource now.
func (r *run) advance(resource int, q *lateQueue) {
	for q.latest.len() > 0 && q.latest.get(0).at < q.release {
		passed := q.latest.get(0)
		q.latest.first++
		k := passed.kind
		kind := &r.kinds[k]
		if kind.place < 0 {
			continue
		}
		r.pass(kind, resource, passed.fits)
		if kind.open == 0 {
			r.drop(k)
			continue
		}
		if class := r.class(kind); class != kind.class {
			r.drop(k)
			kind.class = class
			r.weigh(kind)
			r.heaps[class].push(r, k)
		} else if r.p.Weights != "off" {
			r.weigh(kind)
			r.heaps[class].rise(r, int(kind.place))
		}
	}
}
