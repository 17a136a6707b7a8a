package moments

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/engine"
)

// meanMoved is about the number of jobs that a move places again.
const meanMoved = 5

// chain anneals one schedule.
type chain struct {
	*problem
	rng       *rand.Rand
	resources *plan.Resources
	empty     *plan.Resources
	now       schedule
	sum       float64 // of what the jobs cost but for what machines take more beside their processors
	best      schedule
	bestRank  model.Rank
	offset    float64 // the objective of a schedule less its cost
	offsetOf  int     // for as many jobs left out; −1: not known
	exact     bool    // the cost is not more than what machines take
	elite     *schedule
	failed    error

	moved  []int32     // jobs that the move has freed, or placed though they were left out
	were   []plan.Slot // by moved job: its slot before
	was    []bool      // by moved job: it was placed
	stamp  []int32     // by job: the move in which it was freed last
	moves  int32
	left   []int32 // scratch
	near   []nearJob
	placed int64 // moves since the state was made anew

	runs, length, made  int64
	temperature, factor float64
	scale               float64 // mean change by a move
	samples             int
}

// nearJob is a job with its distance from a time.
type nearJob struct {
	job      int32
	distance float64
}

// newChain starts from a schedule, or from the best of those of a few orders; nil: ctx ended.
func newChain(ctx context.Context, p *problem, start *model.Solution, rng *rand.Rand) *chain {
	n := len(p.in.Jobs())
	c := &chain{problem: p, rng: rng, resources: plan.NewResources(p.in), bestRank: engine.Nothing, offsetOf: -1, stamp: make([]int32, n)}
	c.empty, c.exact = c.resources.Clone(), c.resources.KnowsWaking()
	c.now = schedule{slots: make([]plan.Slot, n), placed: make([]bool, n)}
	c.best = schedule{slots: make([]plan.Slot, n), placed: make([]bool, n)}
	if !c.begin(ctx, start) {
		return nil
	}
	return c
}

// begin fills the schedule from a start and from orders of the jobs, and keeps the best.
func (c *chain) begin(ctx context.Context, start *model.Solution) bool {
	orders := [][]int32{slices.Clone(c.jobs), slices.Clone(c.jobs)}
	slices.SortStableFunc(orders[0], func(a, b int32) int { return cmp.Compare(c.size[b], c.size[a]) })
	if start != nil && len(start.Jobs) > 0 {
		orders = append(orders, nil)
	}
	for k, order := range orders {
		c.clear()
		c.open()
		if order == nil {
			order = c.copy(start)
		}
		if c.waits {
			slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.before[a], c.before[b]) })
		}
		for i, j := range order {
			if i%64 == 0 && ctx.Err() != nil {
				return false
			}
			c.place(j)
		}
		for _, j := range order {
			c.strand(j)
		}
		c.now.cost = c.sum + c.resources.Waking()
		if k == 0 || c.better() {
			c.keep()
		}
	}
	c.restore(&c.best)
	c.elite = nil
	return true
}

// clear frees all jobs.
func (c *chain) clear() {
	c.resources.Assign(c.empty)
	clear(c.now.placed)
	c.sum, c.now.left, c.now.cost = 0, len(c.jobs), 0
}

// copy places the jobs as a schedule has them, as far as that is possible one by one, and returns the others.
func (c *chain) copy(start *model.Solution) (others []int32) {
	at := make([]*model.Placement, len(c.in.Jobs()))
	for k := range start.Jobs {
		j, _ := c.in.JobIndex(start.Jobs[k].Job)
		at[j] = &start.Jobs[k]
	}
	for _, j := range c.jobs {
		p := at[j]
		if p == nil || len(p.Pieces) > 0 {
			others = append(others, j)
			continue
		}
		cluster, _ := c.in.ClusterIndex(p.Cluster)
		slot, ok := c.resources.Cheapest(int(j), cluster, p.Processors.Len(), p.Start, p.End)
		if !ok {
			others = append(others, j)
			continue
		}
		c.take(j, &slot)
	}
	return others
}

// take places a job into a slot.
func (c *chain) take(j int32, slot *plan.Slot) {
	c.resources.Take(int(j), slot)
	c.now.slots[j], c.now.placed[j] = *slot, true
	c.now.left--
	c.sum += slot.Price - slot.Wakes
}

// free takes a job out.
func (c *chain) free(j int32) {
	slot := &c.now.slots[j]
	c.resources.Free(int(j), slot)
	c.now.placed[j] = false
	c.now.left++
	c.sum -= slot.Price - slot.Wakes
}

// window is the time within which the job may run, by the jobs that it waits for and those that wait for it; false: one that it waits for is left out.
func (c *chain) window(j int32) (ready, until float64, ok bool) {
	job := &c.in.Jobs()[j]
	ready, until = job.Arrival, math.Inf(1)
	if !c.waits {
		return ready, until, true
	}
	for _, before := range job.After {
		if !c.now.placed[before] {
			return 0, 0, false
		}
		ready = max(ready, c.now.slots[before].End)
	}
	for _, next := range c.in.Successors(int(j)) {
		if c.now.placed[next] {
			until = min(until, c.now.slots[next].Start)
		}
	}
	return ready, until, true
}

// place places a job at the cheapest moment on any cluster, if there is one.
func (c *chain) place(j int32) bool {
	ready, until, ok := c.window(j)
	if !ok {
		return false
	}
	slot, ok := c.cheapest(j, ready, until)
	if ok {
		c.take(j, &slot)
	}
	return ok
}

// cheapest is the cheapest slot of a job on any cluster within a time.
func (c *chain) cheapest(j int32, ready, until float64) (plan.Slot, bool) {
	best, found := plan.Slot{}, false
	for _, host := range c.hosts[j] {
		if slot, ok := c.on(j, int(host), ready, until); ok && (!found || slot.Before(&best)) {
			best, found = slot, true
		}
	}
	return best, found
}

// on is the cheapest slot of a job on a cluster within a time, over the numbers of processors that it may hold.
func (c *chain) on(j int32, cluster int, ready, until float64) (plan.Slot, bool) {
	job := &c.in.Jobs()[j]
	least, most := c.in.Width(int(j), cluster)
	most = min(most, c.in.Clusters()[cluster].Processors, max(least, job.Tasks))
	best, found := c.resources.Cheapest(int(j), cluster, least, ready, until)
	for n := plan.Wider(job.Tasks, least); n <= most; n = plan.Wider(job.Tasks, n) {
		if slot, ok := c.resources.Cheapest(int(j), cluster, n, ready, until); ok && (!found || slot.Before(&best)) {
			best, found = slot, true
		}
	}
	return best, found
}

// restore makes a schedule the present one.
func (c *chain) restore(s *schedule) {
	c.clear()
	for _, j := range c.jobs {
		if s.placed[j] {
			slot := s.slots[j]
			c.take(j, &slot)
		}
	}
	c.now.cost = c.sum + c.resources.Waking()
	c.placed = 0
}

// better says whether the present schedule is better than the best.
func (c *chain) better() bool {
	const rounding = 1e-12
	return c.now.left < c.best.left || c.now.left == c.best.left && c.now.cost < c.best.cost-rounding*math.Abs(c.best.cost)
}

// keep makes the present schedule the best.
func (c *chain) keep() {
	c.best.assign(&c.now)
	if c.offsetOf != c.now.left || !c.exact || c.now.left+len(c.nowhere) > 0 { // means count the jobs that are placed
		s, err := c.solution(&c.best)
		if err != nil {
			c.failed = err
			return
		}
		objective, err := model.EvaluateObjective(c.in, s)
		if err != nil {
			c.failed = err
			return
		}
		c.offset, c.offsetOf = objective-c.best.cost, c.now.left
	}
	c.bestRank = model.NewRank(c.best.left, c.best.cost+c.offset)
}

// Temperatures are shares of the mean change by a move. A run that brings nothing better is followed by a longer one.
const (
	hot, cold = 0.3, 0.002
	firstRun  = 60 // evaluations for each job
	manyMoves = 1 << 12
)

// anneal begins the next run, from the best schedule of this chain or, every other time, of all chains.
func (c *chain) anneal() {
	from := &c.best
	if c.elite != nil && c.rng.IntN(2) == 0 {
		from = c.elite
	}
	c.restore(from)
	c.runs++
	c.made = 0
	if c.runs == 1 { // downhill; this also determines the scale
		c.length, c.temperature, c.factor = int64(min(2000, 10*len(c.jobs))), 0, 1
		return
	}
	if c.runs == 2 {
		c.length = int64(firstRun * len(c.jobs))
	} else {
		c.length += c.length / 2
	}
	c.temperature = hot * c.scale
	c.factor = math.Pow(cold/hot, 1/float64(c.length))
}

// advance makes one move.
func (c *chain) advance() {
	if c.made == c.length {
		c.anneal()
	}
	c.made++
	c.temperature *= c.factor
	left, cost, sum := c.now.left, c.now.cost, c.sum
	c.open()
	c.move()
	c.now.cost = c.sum + c.resources.Waking()
	change := c.now.cost - cost
	if c.now.left == left && change != 0 {
		c.samples++
		c.scale += (math.Abs(change) - c.scale) / float64(min(c.samples, 1000))
	}
	if c.now.left < left || c.now.left == left && change <= c.temperature*c.rng.ExpFloat64() {
		if c.better() {
			c.keep()
		}
	} else {
		c.undo()
		c.sum, c.now.cost = sum, cost
	}
	if c.placed++; c.placed >= manyMoves { // rounding errors add up
		s := schedule{}
		s.assign(&c.now)
		c.restore(&s)
	}
}

// undo takes the move back.
func (c *chain) undo() {
	for _, j := range c.moved {
		if c.now.placed[j] {
			c.free(j)
		}
	}
	for k, j := range c.moved {
		if c.was[k] {
			c.take(j, &c.were[k])
		}
	}
}
