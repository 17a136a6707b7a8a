package solve

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "minmin",
	Doc:    "Min-min: again and again the job that can end first of all goes where it does. O(n·C·log n).",
	Source: "O. H. Ibarra, C. E. Kim (1977), Heuristic algorithms for scheduling independent tasks on nonidentical processors, J. ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001), doi:10.1006/jpdc.2000.1714, §3",
	New:    func() Solver { return &MinMin{} },

	AutoJobs: 200_000,
})

// MinMin repeatedly places the pair of job and cluster with the smallest completion time of all; ties go to the first job,
// then to the first cluster.
//
// Source: O. H. Ibarra, C. E. Kim (1977), Journal of the ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001),
// doi:10.1006/jpdc.2000.1714, §3.
//
// Complexity: the textbook's double loop takes O(n²·C). The smallest of all completion times is the smallest over clusters
// and sizes of release + the shortest job left, so with the jobs of each cluster and size sorted once each step looks at one
// job a size of the cluster that changed and one a cluster: O(n·C·log n + n·(S + C)) for n jobs, C clusters, S sizes.
//
// Deviations from the paper: see [MCT]; arrivals.
type MinMin struct{}

// Supports implements [Solver].
func (*MinMin) Supports(in *model.Instance) error { return unsupported(in, completionFeatures) }

// Solve implements [Solver].
func (*MinMin) Solve(ctx context.Context, in *model.Instance, _ Options) (Result, error) {
	c, err := newCompletions(in)
	if err != nil {
		return Result{}, err
	}
	queues := make([]clusterQueue, len(in.Clusters()))
	for k := range queues {
		if ctx.Err() != nil {
			return stopped(ctx), nil
		}
		queues[k] = newClusterQueue(c, k)
	}
	last := -1 // the cluster of the last placement
	return c.solve(ctx, func() (int, int) {
		best := -1
		for k := range queues {
			q := &queues[k]
			if k == last || q.head.job >= 0 && c.placed[q.head.job] {
				q.update(c)
			}
			if q.head.job >= 0 && (best < 0 || q.head.before(queues[best].head)) {
				best = k
			}
		}
		last = best
		return queues[best].head.job, best
	}), nil
}

// completion is a job with its completion time.
type completion struct {
	time float64
	job  int // −1: none
}

// before says that a comes first: it ends earlier, or as early and is the first job.
func (a completion) before(b completion) bool {
	return b.job < 0 || a.time < b.time || a.time == b.time && a.job < b.job
}

// clusterQueue finds the job that can end first on one cluster.
type clusterQueue struct {
	sizes []sizeQueue
	head  completion
}

// sizeQueue holds the jobs of one size on one cluster. Those that have arrived by the release of that many processors end
// in the order of their durations; the others at arrival + duration whatever the release is.
type sizeQueue struct {
	cluster, size int
	waiting       []int32 // arrived from the start, by duration and job
	late          lateHeap
	byArrival     []int32 // not arrived yet, by arrival
	byEnd         []int32 // the same, by arrival + duration and job
}

func newClusterQueue(c *completions, cluster int) clusterQueue {
	q := clusterQueue{sizes: make([]sizeQueue, len(c.sizes[cluster]))}
	index := make([]int, len(c.release[cluster]))
	for k, size := range c.sizes[cluster] {
		q.sizes[k] = sizeQueue{cluster: cluster, size: size, late: lateHeap{duration: c.duration[cluster]}}
		index[size] = k
	}
	for j := range c.placed {
		if c.placed[j] || math.IsInf(c.duration[cluster][j], 1) {
			continue
		}
		s := &q.sizes[index[c.size[cluster][j]]]
		if c.in.Jobs()[j].Arrival <= c.in.FirstArrival() {
			s.waiting = append(s.waiting, int32(j))
		} else {
			s.byArrival = append(s.byArrival, int32(j))
		}
	}
	for k := range q.sizes {
		q.sizes[k].sort(c)
	}
	q.update(c)
	return q
}

// sort brings the lists into order.
func (s *sizeQueue) sort(c *completions) {
	duration, jobs := c.duration[s.cluster], c.in.Jobs()
	slices.SortFunc(s.waiting, func(a, b int32) int {
		return cmp.Or(cmp.Compare(duration[a], duration[b]), cmp.Compare(a, b))
	})
	slices.SortFunc(s.byArrival, func(a, b int32) int {
		return cmp.Or(cmp.Compare(jobs[a].Arrival, jobs[b].Arrival), cmp.Compare(a, b))
	})
	s.byEnd = slices.Clone(s.byArrival)
	slices.SortFunc(s.byEnd, func(a, b int32) int {
		return cmp.Or(cmp.Compare(jobs[a].Arrival+duration[a], jobs[b].Arrival+duration[b]), cmp.Compare(a, b))
	})
}

// update finds the head anew.
func (q *clusterQueue) update(c *completions) {
	q.head = completion{math.Inf(1), -1}
	for k := range q.sizes {
		if first := q.sizes[k].first(c); first.job >= 0 && first.before(q.head) {
			q.head = first
		}
	}
}

// first is the job of this size that ends first.
func (s *sizeQueue) first(c *completions) completion {
	release := c.release[s.cluster][s.size]
	s.advance(c, release)
	best := completion{math.Inf(1), -1}
	duration := c.duration[s.cluster]
	if len(s.waiting) > 0 {
		best = s.firstWaiting(c, release)
	}
	if len(s.late.jobs) > 0 {
		if late := s.firstLate(c, release); late.before(best) {
			best = late
		}
	}
	if len(s.byEnd) > 0 {
		j := int(s.byEnd[0])
		if next := (completion{c.in.Jobs()[j].Arrival + duration[j], j}); next.before(best) {
			best = next
		}
	}
	return best
}

// advance drops the jobs placed elsewhere and moves those that have arrived.
func (s *sizeQueue) advance(c *completions, release float64) {
	for len(s.waiting) > 0 && c.placed[s.waiting[0]] {
		s.waiting = s.waiting[1:]
	}
	arrived := func(j int32) bool { return c.in.Jobs()[j].Arrival <= release }
	for len(s.byArrival) > 0 && (c.placed[s.byArrival[0]] || arrived(s.byArrival[0])) {
		if j := s.byArrival[0]; !c.placed[j] {
			heap.Push(&s.late, j)
		}
		s.byArrival = s.byArrival[1:]
	}
	for len(s.byEnd) > 0 && (c.placed[s.byEnd[0]] || arrived(s.byEnd[0])) {
		s.byEnd = s.byEnd[1:]
	}
	for len(s.late.jobs) > 0 && c.placed[s.late.jobs[0]] {
		heap.Pop(&s.late)
	}
}

// firstWaiting is the first of the jobs that waited from the start. Different durations can round to the same end; then the
// first job of all that do wins, as in the textbook.
func (s *sizeQueue) firstWaiting(c *completions, release float64) completion {
	duration, jobs := c.duration[s.cluster], s.waiting
	best := completion{release + duration[jobs[0]], int(jobs[0])}
	for from := 0; from < len(jobs) && release+duration[jobs[from]] == best.time; {
		same := duration[jobs[from]]
		to := from + sort.Search(len(jobs)-from, func(k int) bool { return duration[jobs[from+k]] > same })
		for _, j := range jobs[from:to] { // in the order of the jobs
			if !c.placed[j] {
				best.job = min(best.job, int(j))
				break
			}
		}
		from = to
	}
	return best
}

// firstLate is the first of the jobs that arrived later, with the same rule for ties.
func (s *sizeQueue) firstLate(c *completions, release float64) completion {
	duration := s.late.duration
	best := completion{release + duration[s.late.jobs[0]], int(s.late.jobs[0])}
	var set []int32
	for len(s.late.jobs) > 0 && release+duration[s.late.jobs[0]] == best.time {
		j := heap.Pop(&s.late).(int32)
		if c.placed[j] {
			continue
		}
		set = append(set, j)
		best.job = min(best.job, int(j))
	}
	for _, j := range set {
		heap.Push(&s.late, j)
	}
	return best
}

// lateHeap orders jobs by duration and job.
type lateHeap struct {
	duration []float64
	jobs     []int32
}

func (h lateHeap) Len() int { return len(h.jobs) }
func (h lateHeap) Less(a, b int) bool {
	i, j := h.jobs[a], h.jobs[b]
	return h.duration[i] < h.duration[j] || h.duration[i] == h.duration[j] && i < j
}
func (h lateHeap) Swap(a, b int) { h.jobs[a], h.jobs[b] = h.jobs[b], h.jobs[a] }
func (h *lateHeap) Push(x any)   { h.jobs = append(h.jobs, x.(int32)) }
func (h *lateHeap) Pop() any {
	last := len(h.jobs) - 1
	x := h.jobs[last]
	h.jobs = h.jobs[:last]
	return x
}
