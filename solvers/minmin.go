package solvers

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "minmin",
	Doc:    "Min-min: repeatedly places the job that can end first of all, where it ends first. O(n·C·log n) for rigid jobs that wait for none, O(n²·C) at worst.",
	Source: "O. H. Ibarra, C. E. Kim (1977), Heuristic algorithms for scheduling independent tasks on nonidentical processors, J. ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001), doi:10.1006/jpdc.2000.1714, §3",
	Traces: true,
	New:    func() solve.Solver { return &MinMin{} },

	Work:   workOfMinMin,
	AutoIf: grid.FewMoldable,
})

// MinMin repeatedly places the pair of job and resource with the smallest completion time of all; ties go to the first job, then to
// the first resource.
//
// Source: O. H. Ibarra, C. E. Kim (1977), Journal of the ACM 24(2), doi:10.1145/322003.322011, algorithm D; T. D. Braun et al. (2001),
// doi:10.1006/jpdc.2000.1714, §3.
//
// Complexity: the textbook's double loop takes O(n²·C). The smallest completion time is the least, over resources and sizes, of the release plus
// the shortest duration of a job left. So the jobs of each resource and size are sorted once, and each step looks at one job for each size of
// the resource that changed and at one job for each other resource: O(n·C·log n + n·(S·log n + C)) for n jobs, C resources and S sizes, however
// many jobs are alike.
//
// It refuses nothing. Where an instance asks for more than groups of machines honour (precedence, licences, moldable jobs, spans, memory that several tasks share,
// parallel jobs on clusters whose machines differ), the resources are whole clusters, and completion times those of the slots in which [plan.Schedule] would place
// the jobs whose predecessors are placed. A heap of lower bounds then finds the pair: mostly a search for one or two slots a step.
//
// Deviations from the paper: see [MCT]; arrivals.
type MinMin struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *MinMin) Supports(in *model.Instance) error {
	return s.Unsupported(in, plan.ScheduleFeatures)
}

// Solve implements [solve.Solver].
func (s *MinMin) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := completionRule{name: "least end", text: "no job left can end earlier anywhere", Machines: s.Machines}
	return placeOneByOne(ctx, in, opt, rule, func(c *completions) func() (int, int) {
		queues := newMinMinQueues(ctx, c)
		if queues == nil {
			return nil
		}
		return queues.next
	}, (*openEnds).earliest)
}

// minMinQueues are the queues of all resources.
type minMinQueues struct {
	c      *completions
	queues []resourceQueue
	last   int // resource of the last placement; −1: none yet
}

// newMinMinQueues starts with no job placed; nil where the context ends first.
func newMinMinQueues(ctx context.Context, c *completions) *minMinQueues {
	m := &minMinQueues{c: c, queues: make([]resourceQueue, len(c.Resources)), last: -1}
	for k := range m.queues {
		if ctx.Err() != nil {
			return nil
		}
		m.queues[k] = newResourceQueue(c, k)
	}
	return m
}

// next is the job that can end first of all, with its resource; resource −1: no job left can be placed.
func (m *minMinQueues) next() (job, resource int) {
	best := -1
	for k := range m.queues {
		q := &m.queues[k]
		if k == m.last || q.head.job >= 0 && !m.c.Left[q.head.job] {
			q.update(m.c)
		}
		if q.head.job >= 0 && (best < 0 || q.head.Before(m.queues[best].head)) {
			best = k
		}
	}
	if m.last = best; best < 0 {
		return -1, -1
	}
	return m.queues[best].head.job, best
}

// completion is a job with its completion time.
type completion struct {
	time float64
	job  int // −1: none
}

// Before implements [queue.Item]: a ends earlier than b, or at the same time and is the earlier job in the instance.
func (a completion) Before(b completion) bool {
	return b.job < 0 || a.time < b.time || a.time == b.time && a.job < b.job
}

// resourceQueue finds the job that can end first on one resource.
type resourceQueue struct {
	sizes []sizeQueue
	head  completion
}

// sizeQueue holds the jobs of one size on one resource. Jobs that have arrived by the release of that many processors end in the order of their
// durations; a job that arrives later ends at arrival + duration, whatever the release is.
//
// A placed job leaves the queue when it comes to the front.
type sizeQueue struct {
	resource, size int
	jobs           []int32    // all jobs, by duration, then by number
	durations      []float64  // of the jobs
	arrived        tournament // the jobs that have arrived, each at its place in jobs
	byArrival      []int32    // the jobs that have not arrived yet, by arrival
	byEnd          []int32    // the same jobs, by arrival + duration, then by number
}

func newResourceQueue(c *completions, resource int) resourceQueue {
	q := resourceQueue{sizes: make([]sizeQueue, len(c.sizes[resource]))}
	index := make([]int, len(c.release[resource]))
	for k, size := range c.sizes[resource] {
		q.sizes[k] = sizeQueue{resource: resource, size: size}
		index[size] = k
	}
	for j := range c.Left {
		if !math.IsInf(c.at(j, resource), 1) {
			s := &q.sizes[index[c.Resources[resource].Size(&c.Instance.Jobs()[j])]]
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
	jobs, start := c.Instance.Jobs(), c.Instance.FirstArrival()
	s.jobs = sorted(s.jobs, func(j int32) float64 { return c.on(int(j), s.resource) })
	s.durations = make([]float64, len(s.jobs))
	for k, j := range s.jobs {
		s.durations[k] = c.on(int(j), s.resource)
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
	s.byEnd = sorted(s.byArrival, func(j int32) float64 { return jobs[j].Arrival + c.on(int(j), s.resource) })
	s.byArrival = sorted(s.byArrival, func(j int32) float64 { return jobs[j].Arrival })
}

// sorted is the jobs in the order of their keys; jobs of equal key by number.
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
	own := c.on(int(job), s.resource)
	return sort.Search(len(s.jobs), func(k int) bool {
		return s.durations[k] > own || s.durations[k] == own && s.jobs[k] >= job
	})
}

// update finds the head, the first job over all sizes.
func (q *resourceQueue) update(c *completions) {
	q.head = completion{math.Inf(1), -1}
	for k := range q.sizes {
		if first := q.sizes[k].first(c); first.job >= 0 && first.Before(q.head) {
			q.head = first
		}
	}
}

// first is the job of this size that ends first.
func (s *sizeQueue) first(c *completions) completion {
	release := c.release[s.resource][s.size]
	s.advance(c, release)
	best := s.firstArrived(c, release)
	if len(s.byEnd) > 0 {
		j := int(s.byEnd[0])
		if next := (completion{c.Instance.Jobs()[j].Arrival + c.on(j, s.resource), j}); next.Before(best) {
			best = next
		}
	}
	return best
}

// advance moves the jobs that arrive by the release to the arrived ones.
func (s *sizeQueue) advance(c *completions, release float64) {
	arrived := func(j int32) bool { return c.Instance.Jobs()[j].Arrival <= release }
	for len(s.byArrival) > 0 && (!c.Left[s.byArrival[0]] || arrived(s.byArrival[0])) {
		if j := s.byArrival[0]; c.Left[j] {
			s.arrived.set(s.place(c, j), j)
		}
		s.byArrival = s.byArrival[1:]
	}
	for len(s.byEnd) > 0 && (!c.Left[s.byEnd[0]] || arrived(s.byEnd[0])) {
		s.byEnd = s.byEnd[1:]
	}
}

// firstArrived is the job that ends first of those that have arrived. Where different durations round to the same end, the first of these jobs
// wins, as in the textbook.
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
		if c.Left[job] && !(c.deadlines && c.late(int(job), release, c.on(int(job), s.resource))) {
			return completion{end, int(job)}
		}
		s.arrived.set(s.place(c, job), nobody)
	}
}
