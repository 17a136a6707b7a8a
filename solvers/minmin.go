package solvers

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name:   "minmin",
	Doc:    "Min-min: again and again the job that can end first of all goes where it does. O(n·C·log n).",
	Source: "O. H. Ibarra, C. E. Kim (1977), Heuristic algorithms for scheduling independent tasks on nonidentical processors, J. ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001), doi:10.1006/jpdc.2000.1714, §3",
	New:    func() solve.Solver { return &MinMin{} },

	AutoJobs: 500_000,
})

// MinMin repeatedly places the pair of job and cluster with the smallest completion time of all; ties go to the first job,
// then to the first cluster.
//
// Source: O. H. Ibarra, C. E. Kim (1977), Journal of the ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001),
// doi:10.1006/jpdc.2000.1714, §3.
//
// Complexity: the textbook's double loop takes O(n²·C). The smallest of all completion times is the smallest over clusters
// and sizes of release + the shortest job left, so with the jobs of each cluster and size sorted once each step looks at one
// job a size of the lane that changed and one a lane: O(n·C·log n + n·(S·log n + C)) for n jobs, C lanes, S sizes,
// however many jobs are alike.
//
// Deviations from the paper: see [MCT]; arrivals.
type MinMin struct{}

// Supports implements [Solver].
func (*MinMin) Supports(in *model.Instance) error { return supportsLanes(in) }

// Solve implements [Solver].
func (*MinMin) Solve(ctx context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	c, err := newCompletions(ctx, in)
	if c == nil {
		return solve.Stopped(ctx), err
	}
	queues := make([]laneQueue, len(c.lanes))
	for k := range queues {
		if ctx.Err() != nil {
			return solve.Stopped(ctx), nil
		}
		queues[k] = newLaneQueue(c, k)
	}
	last := -1 // the lane of the last placement
	return c.solve(ctx, func() (int, int) {
		best := -1
		for k := range queues {
			q := &queues[k]
			if k == last || q.head.job >= 0 && !c.left[q.head.job] {
				q.update(c)
			}
			if q.head.job >= 0 && (best < 0 || q.head.before(queues[best].head)) {
				best = k
			}
		}
		if last = best; best < 0 {
			return -1, -1
		}
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

// laneQueue finds the job that can end first on one cluster.
type laneQueue struct {
	sizes []sizeQueue
	head  completion
}

// sizeQueue holds the jobs of one size on one cluster. Those that have arrived by the release of that many processors end
// in the order of their durations; the others at arrival + duration whatever the release is.
//
// Jobs that are placed leave a queue when they are met at its front.
type sizeQueue struct {
	lane, size int
	jobs       []int32    // all, by duration and job
	durations  []float64  // of the jobs
	arrived    tournament // those of them that have arrived, each at its place in jobs
	byArrival  []int32    // not arrived yet, by arrival
	byEnd      []int32    // the same, by arrival + duration and job
}

func newLaneQueue(c *completions, lane int) laneQueue {
	q := laneQueue{sizes: make([]sizeQueue, len(c.sizes[lane]))}
	index := make([]int, len(c.release[lane]))
	for k, size := range c.sizes[lane] {
		q.sizes[k] = sizeQueue{lane: lane, size: size}
		index[size] = k
	}
	for j := range c.left {
		if !math.IsInf(c.at(j, lane), 1) {
			s := &q.sizes[index[c.lanes[lane].size(&c.in.Jobs()[j])]]
			s.jobs = append(s.jobs, int32(j))
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
	jobs, start := c.in.Jobs(), c.in.FirstArrival()
	s.jobs = sorted(s.jobs, func(j int32) float64 { return c.on(int(j), s.lane) })
	s.durations = make([]float64, len(s.jobs))
	for k, j := range s.jobs {
		s.durations[k] = c.on(int(j), s.lane)
	}
	s.arrived = newTournament(len(s.jobs))
	for k, j := range s.jobs {
		if jobs[j].Arrival <= start {
			s.arrived.enter(k, j)
		} else {
			s.byArrival = append(s.byArrival, j)
		}
	}
	s.arrived.play()
	s.byEnd = sorted(s.byArrival, func(j int32) float64 { return jobs[j].Arrival + c.on(int(j), s.lane) })
	s.byArrival = sorted(s.byArrival, func(j int32) float64 { return jobs[j].Arrival })
}

// sorted are the jobs by key; of one key the first job first.
func sorted(jobs []int32, key func(int32) float64) []int32 {
	keyed := make([]completion, len(jobs)) // the keys beside the jobs: sorting looks at them often
	for k, j := range jobs {
		keyed[k] = completion{key(j), int(j)}
	}
	slices.SortFunc(keyed, func(a, b completion) int {
		switch {
		case a.time < b.time:
			return -1
		case a.time > b.time:
			return 1
		}
		return a.job - b.job
	})
	result := make([]int32, len(jobs))
	for k, a := range keyed {
		result[k] = int32(a.job)
	}
	return result
}

// place is the place of the job in jobs.
func (s *sizeQueue) place(c *completions, job int32) int {
	own := c.on(int(job), s.lane)
	return sort.Search(len(s.jobs), func(k int) bool {
		return s.durations[k] > own || s.durations[k] == own && s.jobs[k] >= job
	})
}

// update finds the head anew.
func (q *laneQueue) update(c *completions) {
	q.head = completion{math.Inf(1), -1}
	for k := range q.sizes {
		if first := q.sizes[k].first(c); first.job >= 0 && first.before(q.head) {
			q.head = first
		}
	}
}

// first is the job of this size that ends first.
func (s *sizeQueue) first(c *completions) completion {
	release := c.release[s.lane][s.size]
	s.advance(c, release)
	best := s.firstArrived(c, release)
	if len(s.byEnd) > 0 {
		j := int(s.byEnd[0])
		if next := (completion{c.in.Jobs()[j].Arrival + c.on(j, s.lane), j}); next.before(best) {
			best = next
		}
	}
	return best
}

// advance moves the jobs that have arrived by the release to those that have.
func (s *sizeQueue) advance(c *completions, release float64) {
	arrived := func(j int32) bool { return c.in.Jobs()[j].Arrival <= release }
	for len(s.byArrival) > 0 && (!c.left[s.byArrival[0]] || arrived(s.byArrival[0])) {
		if j := s.byArrival[0]; c.left[j] {
			s.arrived.set(s.place(c, j), j)
		}
		s.byArrival = s.byArrival[1:]
	}
	for len(s.byEnd) > 0 && (!c.left[s.byEnd[0]] || arrived(s.byEnd[0])) {
		s.byEnd = s.byEnd[1:]
	}
}

// firstArrived is the job that ends first of those that have arrived. Different durations can round to the same end; then
// the first job of all that do wins, as in the textbook.
func (s *sizeQueue) firstArrived(c *completions, release float64) completion {
	for {
		from := s.arrived.leftmost()
		if from < 0 {
			return completion{math.Inf(1), -1}
		}
		end := release + s.durations[from]
		to := from + 1
		if to < len(s.jobs) && release+s.durations[to] == end {
			to += sort.Search(len(s.jobs)-to, func(k int) bool { return release+s.durations[to+k] > end })
		}
		job := s.arrived.least(from, to)
		if c.left[job] && !(c.deadlines && c.late(int(job), release, c.on(int(job), s.lane))) {
			return completion{end, int(job)}
		}
		s.arrived.set(s.place(c, job), nobody)
	}
}
