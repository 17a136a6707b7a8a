package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "maxmin",
	Doc:    "Max-min: repeatedly places the job whose earliest end is the latest, where it ends first. O(n·C), and as much for each job that is looked at again: O(n²·C) at worst.",
	Source: "O. H. Ibarra, C. E. Kim (1977), J. ACM 24(2), doi:10.1145/322003.322011, algorithm E; T. D. Braun et al. (2001), doi:10.1006/jpdc.2000.1714, §3",
	Traces: true,
	New:    func() solve.Solver { return &MaxMin{} },

	Work:   func(in *model.Instance, s *solve.Size) float64 { return workOfPreferred(in, s, 4+s.Resources/4) },
	AutoIf: grid.FewMoldable,
})

// MaxMin repeatedly takes the job whose smallest completion time is the largest and places it on the resource of that time; ties go
// to the first job, then to the first resource.
//
// Source: O. H. Ibarra, C. E. Kim (1977), Journal of the ACM 24(2), doi:10.1145/322003.322011, algorithm E; T. D. Braun et al. (2001),
// doi:10.1006/jpdc.2000.1714, §3.
//
// Complexity: where all jobs arrive at once and have one size on each resource, jobs that take about as long everywhere are neighbours in a tree
// whose nodes bound the completion times below them by the longest duration on each resource. A step looks only where a bound exceeds the best job found:
// mostly a few dozen looks of O(C) for C resources. Else, and where run times are unrelated, each job is kept with the resource on which it would end
// first when it was last looked at. Its completion time there is at least its smallest one. Of all jobs of one resource and size the longest has the
// largest completion time, whatever the release is. So each step looks only at the longest job of each resource, in O(C). A job that has a better
// resource by now moves there; the step ends with the first job that has none. Mostly that takes a few dozen looks; O(n) at worst, where all
// resources are equally good for all jobs, or where the ends of n different jobs round to the same time.
//
// It refuses nothing, as [MinMin] does. Where the resources are whole clusters, a step looks at all jobs that are ready, and searches for a slot for those whose best
// one the last placement may have changed: O(n²/C) searches in all, O(n²) at worst.
//
// Deviations from the paper: see [MCT]; arrivals; hard deadlines: a job counts the resources on which it would end in time, and is
// left out where there are none.
type MaxMin struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *MaxMin) Supports(in *model.Instance) error {
	return s.Unsupported(in, plan.ScheduleFeatures)
}

// Solve implements [solve.Solver].
func (s *MaxMin) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := completionRule{name: "latest earliest end", text: "of all jobs left its earliest end is the latest", Machines: s.Machines}
	return placeOneByOne(ctx, in, opt, rule, func(c *completions) func() (int, int) {
		m := &maxMin{tree: newJobTree(ctx, c), buckets: newMaxMinBuckets(ctx, c)}
		if m.tree == nil {
			for j := range c.Left {
				m.buckets.keep(j)
			}
		}
		return m.next
	}, (*openEnds).latest)
}

// maxMin finds the job whose smallest completion time is the largest in the tree or, where there is none, in the buckets.
type maxMin struct {
	tree    *jobTree // nil: the buckets are used
	buckets *maxMinBuckets
}

// next returns the job whose smallest completion time is the largest, with its resource; resource −1: no job left can be placed or the context has ended.
func (m *maxMin) next() (job, resource int) {
	t := m.tree
	if t == nil {
		return m.buckets.next()
	}
	if t.search(); t.poll.Ended() {
		return -1, -1
	}
	for _, j := range t.late {
		t.remove(int(j))
	}
	if t.best.job < 0 {
		return -1, -1
	}
	t.remove(t.best.job)
	if t.hopeless() {
		t.each(m.buckets.keep)
		m.buckets.take(t.best.job, t.best.best)
		m.tree = nil
	}
	return t.best.job, t.best.best
}

// maxMinBuckets keeps each job in a bucket; there is one for each resource and size.
type maxMinBuckets struct {
	c        *completions
	buckets  []maxMinBucket
	of       [][]int32 // by resource and size: number of the bucket
	home     []int32   // by job: number of its bucket; −1: none
	filled   []int     // resources on which jobs were placed since the bounds were last brought up to date
	isFilled []bool
	poll     *kit.Poll
}

// maxMinBucket holds the jobs of one size that are kept with one resource. Its heaps may still hold jobs that have left it.
type maxMinBucket struct {
	resource, size int
	longest        entryHeap // by duration, the longest first
	latest         entryHeap // by arrival + duration, the latest first, of jobs that arrive after the start
	due            entryHeap // by deadline − duration, the first first, of jobs with a hard deadline
	bound          float64   // no job here has a later smallest completion time; −Inf: empty
	gap            float64   // the least difference of two durations on the resource; NaN: not known yet
}

// newMaxMinBuckets starts without jobs.
func newMaxMinBuckets(ctx context.Context, c *completions) *maxMinBuckets {
	m := &maxMinBuckets{c: c, home: slices.Repeat([]int32{-1}, len(c.Left)), isFilled: make([]bool, len(c.Resources)), poll: kit.NewPoll(ctx)}
	for k := range c.Resources {
		row := make([]int32, c.Resources[k].Processors+1)
		for _, size := range c.sizes[k] {
			row[size] = int32(len(m.buckets))
			m.buckets = append(m.buckets, maxMinBucket{resource: k, size: size, bound: math.Inf(-1), gap: math.NaN()})
		}
		m.of = append(m.of, row)
	}
	return m
}

// keep moves the job to the bucket of the resource on which it would end first now.
func (m *maxMinBuckets) keep(job int) {
	if m.poll.Stopped(8 * len(m.c.Resources)) {
		return
	}
	o := m.c.best(job)
	if m.home[job] = -1; o.best >= 0 {
		m.move(job, o.best, o.first)
	}
}

// move moves the job to the bucket of the resource, on which it would end at the given time.
func (m *maxMinBuckets) move(job, resource int, end float64) {
	j := &m.c.Instance.Jobs()[job]
	home := m.of[resource][m.c.Resources[resource].Size(j)]
	m.home[job] = home
	b, d := &m.buckets[home], m.c.on(job, resource)
	b.longest.push(entry{-d, int32(job)})
	if j.Arrival > m.c.Instance.FirstArrival() {
		b.latest.push(entry{-(j.Arrival + d), int32(job)})
	}
	if m.c.deadlines && j.DeadlineHard {
		b.due.push(entry{j.Deadline - d, int32(job)})
	}
	b.bound = max(b.bound, end)
}

// refresh brings the bound of a bucket up to date and moves jobs away that would now miss a hard deadline there.
func (m *maxMinBuckets) refresh(b *maxMinBucket) {
	release, home := m.c.release[b.resource][b.size], m.of[b.resource][b.size]
	var kept []entry // in time by the rules, if not by what rounding left of deadline − duration
	for len(b.due) > 0 && release > b.due[0].key {
		switch e := b.due.pop(); {
		case m.home[e.job] != home:
		case m.c.late(int(e.job), release, m.c.on(int(e.job), b.resource)):
			m.keep(int(e.job))
		default:
			kept = append(kept, e)
		}
	}
	for _, e := range kept {
		b.due.push(e)
	}
	for _, h := range []*entryHeap{&b.longest, &b.latest} {
		for len(*h) > 0 && m.home[(*h)[0].job] != home {
			h.pop()
		}
	}
	b.bound = math.Inf(-1)
	if len(b.longest) > 0 {
		b.bound = release - b.longest[0].key
	}
	if len(b.latest) > 0 {
		b.bound = max(b.bound, -b.latest[0].key)
	}
}

// next takes the job whose smallest completion time is the largest.
func (m *maxMinBuckets) next() (job, resource int) {
	for _, resource := range m.filled {
		for _, size := range m.c.sizes[resource] {
			m.refresh(&m.buckets[m.of[resource][size]])
		}
	}
	for _, resource := range m.filled {
		m.isFilled[resource] = false
	}
	m.filled = m.filled[:0]
	for {
		top, rival := -1, math.Inf(-1)
		for k := range m.buckets {
			if b := m.buckets[k].bound; top < 0 || b > m.buckets[top].bound {
				if top >= 0 {
					rival = m.buckets[top].bound
				}
				top = k
			} else {
				rival = max(rival, b)
			}
		}
		if top < 0 || math.IsInf(m.buckets[top].bound, -1) || m.poll.Ended() {
			return -1, -1
		}
		if m.settle(top, rival) {
			job := m.first(m.buckets[top].bound)
			resource := m.buckets[m.home[job]].resource
			m.take(job, resource)
			return job, resource
		}
	}
}

// take notes that the job is placed on the resource.
func (m *maxMinBuckets) take(job, resource int) {
	m.home[job] = -1
	if !m.isFilled[resource] {
		m.isFilled[resource] = true
		m.filled = append(m.filled, resource)
	}
}

// settle moves jobs from the top of the bucket to better resources. It returns true when the job at the top has none, false when the bound of the
// bucket has fallen below the rival's.
func (m *maxMinBuckets) settle(bucket int, rival float64) bool {
	b := &m.buckets[bucket]
	for b.bound >= rival && !math.IsInf(b.bound, -1) && !m.poll.Stopped(8*len(m.c.Resources)) {
		h := &b.longest
		if len(*h) == 0 || m.c.release[b.resource][b.size]-(*h)[0].key < b.bound {
			h = &b.latest
		}
		moved, ok := m.stays(b, int((*h)[0].job))
		if ok {
			return true
		}
		rival = max(rival, moved)
		m.refresh(b)
	}
	return false
}

// stays says whether the job has its smallest completion time on the resource of its bucket; ties go to the first resource. If not, it moves the
// job and returns the bound of its new bucket.
func (m *maxMinBuckets) stays(b *maxMinBucket, job int) (moved float64, ok bool) {
	o := m.c.best(job)
	if o.best == b.resource {
		return 0, true
	}
	m.move(job, o.best, o.first) // best is not −1: on its old resource the job is in time
	return m.buckets[m.home[job]].bound, false
}

// first is the first job whose smallest completion time is the given bound, which is the largest. At least one job has it.
func (m *maxMinBuckets) first(bound float64) int {
	best := -1
	for again := true; again; {
		again = false
		for k := range m.buckets {
			if m.buckets[k].bound == bound && m.firstOf(&m.buckets[k], bound, &best) {
				again = true // a job has moved, maybe to a bucket that was looked at before
			}
		}
	}
	return best
}

// firstOf looks in one bucket for a job with that completion time that comes before best. moved says whether jobs have left the bucket.
func (m *maxMinBuckets) firstOf(b *maxMinBucket, bound float64, best *int) (moved bool) {
	release := m.c.release[b.resource][b.size]
	better := func(job int) bool { // whether the job stays, and then the first of equals
		if *best >= 0 && job >= *best {
			return true
		}
		_, ok := m.stays(b, job)
		if ok {
			*best = job
		}
		return ok
	}
	for m.refresh(b); len(b.latest) > 0 && -b.latest[0].key == bound && !better(int(b.latest[0].job)); m.refresh(b) {
		moved = true
	}
	// Different durations may round to the same end, so the first job need not be at the top.
	var aside []entry
	for m.refresh(b); len(b.longest) > 0 && release-b.longest[0].key == bound; m.refresh(b) {
		if !better(int(b.longest[0].job)) {
			moved = true
			continue
		}
		if !b.longest.next(release, bound) || release+m.shorter(b) < bound {
			break
		}
		aside = append(aside, b.longest.pop())
	}
	for _, e := range aside {
		b.longest.push(e)
	}
	m.refresh(b)
	return moved
}

// next says whether an entry behind the top may end at the bound as well.
func (h entryHeap) next(release, bound float64) bool {
	return len(h) > 1 && release-h[1].key == bound || len(h) > 2 && release-h[2].key == bound
}

// shorter is an upper bound of the durations on the resource that are less than the duration at the top of the bucket.
func (m *maxMinBuckets) shorter(b *maxMinBucket) float64 {
	longest := -b.longest[0].key
	return min(longest, math.Nextafter(longest-m.gapOf(b), math.Inf(1)))
}

// gapOf is the least difference of two different durations on the resource of the bucket; +Inf: all durations are equal.
func (m *maxMinBuckets) gapOf(b *maxMinBucket) float64 {
	if math.IsNaN(b.gap) {
		var durations []float64
		for j := range m.c.Left {
			if d := m.c.on(j, b.resource); !math.IsInf(d, 1) {
				durations = append(durations, d)
			}
		}
		slices.Sort(durations)
		b.gap = math.Inf(1)
		for k := 1; k < len(durations); k++ {
			if durations[k] > durations[k-1] {
				b.gap = min(b.gap, durations[k]-durations[k-1])
			}
		}
	}
	return b.gap
}

// entry is a job with the key that it is sorted by.
type entry struct {
	key float64
	job int32
}

// entryHeap is a heap of the least key first; of one key, the first job.
type entryHeap []entry

func (h entryHeap) before(a, b entry) bool { return a.key < b.key || a.key == b.key && a.job < b.job }

// push adds an entry.
func (h *entryHeap) push(e entry) {
	*h = append(*h, e)
	for k := len(*h) - 1; k > 0; {
		parent := (k - 1) / 2
		if !h.before((*h)[k], (*h)[parent]) {
			return
		}
		(*h)[k], (*h)[parent] = (*h)[parent], (*h)[k]
		k = parent
	}
}

// pop removes the first entry.
func (h *entryHeap) pop() entry {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	for k := 0; ; {
		child := 2*k + 1
		if child >= last {
			break
		}
		if child+1 < last && h.before(s[child+1], s[child]) {
			child++
		}
		if !h.before(s[child], s[k]) {
			break
		}
		s[k], s[child] = s[child], s[k]
		k = child
	}
	*h = s
	return top
}
