package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// plainCluster tracks the number of processors of a uniform cluster that are released over time. It decides as [Releases] does;
// plainSets chooses the processors of a job.
type plainCluster struct {
	in       *model.Instance
	cluster  int
	pools    *licencePools
	releases *Releases
	queued   bool // see queueInstants
	work     int64
}

func newPlainCluster(in *model.Instance, cluster int, pools *licencePools) *plainCluster {
	n := in.Clusters()[cluster].Processors
	c := &plainCluster{in: in, cluster: cluster, pools: pools, releases: NewReleases(min(n, len(in.Jobs())))}
	if in.HeldUntil(cluster) != nil {
		c.releases.start(freeSteps(in, cluster, nil, 0, n))
	} else {
		c.releases.Reset(in.FirstArrival(), n)
	}
	return c
}

// fresh implements clusterState.
func (c *plainCluster) fresh(of *Resources) clusterState {
	f := newPlainCluster(c.in, c.cluster, of.pools)
	f.queued = c.queued
	return f
}

// queueInstants implements clusterState.
func (c *plainCluster) queueInstants() { c.queued = true }

// release implements clusterState.
func (c *plainCluster) release(n int) float64 { return c.releases.released(int32(n)) }

// earliest implements clusterState: its machines are alike.
func (c *plainCluster) earliest(job, n int, ready float64, _ Among) (Slot, bool) {
	if n > c.in.Clusters()[c.cluster].Processors {
		return Slot{}, false
	}
	c.work += 70 + int64(c.releases.n)/3
	duration := c.in.DurationOn(job, c.cluster, n)
	if duration == 0 && !c.queued { // the job may start at any instant, whatever runs then
		return Slot{Start: ready, End: ready, instant: true, set: model.NewProcessorSet(model.Range{First: 0, Last: n - 1})}, true
	}
	start := max(ready, c.release(n))
	if c.pools.profiles != nil { // processors that are free stay free until there are licences too
		start = c.pools.earliest(&c.in.Jobs()[job], c.cluster, start, duration)
	}
	return Slot{Start: start, End: model.End(start, duration)}, start < math.Inf(1)
}

// latestEnd implements clusterState.
func (c *plainCluster) latestEnd(job, n int, ready float64) float64 {
	if c.pools.profiles != nil && len(c.in.Jobs()[job].Licences) > 0 {
		return math.Inf(1)
	}
	c.work += 30 + int64(c.releases.n)/3
	return model.End(max(ready, c.release(n)), c.in.DurationOn(job, c.cluster, n))
}

// earliestEnd is the slot that ends first, over the numbers of processors from least to most; next is the number to try after another. It decides as
// earliest for one number after another does, in one pass over the release times. counted is false where it cannot: the job needs licences or takes no time.
func (c *plainCluster) earliestEnd(job, least, most int, next func(tasks, n int) int, ready float64) (slot Slot, ok, counted bool) {
	if c.pools.profiles != nil || most > c.in.Clusters()[c.cluster].Processors {
		return Slot{}, false, false
	}
	tasks, work := c.in.Jobs()[job].Tasks, c.work
	width, from, until := 0, math.Inf(1), math.Inf(1)
	last, free := 0, c.releases.steps[0].count
	for n := least; n <= most; n = next(tasks, n) {
		for free < int32(n) {
			last++
			free += c.releases.steps[last].count
		}
		c.work += 70 + int64(c.releases.n)/3
		duration := c.in.DurationOn(job, c.cluster, n)
		if duration == 0 && !c.queued {
			c.work = work
			return Slot{}, false, false
		}
		start := max(ready, c.releases.steps[last].time)
		if end := model.End(start, duration); start < math.Inf(1) && (width == 0 || end < until) {
			width, from, until = n, start, end
		}
	}
	return Slot{Cluster: c.cluster, Processors: width, Start: from, End: until}, width > 0, true
}

// take implements clusterState.
func (c *plainCluster) take(_, n int, _ model.ProcessorSet, _ []place.Share, start, end float64) {
	c.work += 50 + int64(c.releases.n)
	c.releases.hold(int32(n), start, end)
}

// assign implements clusterState.
func (c *plainCluster) assign(other clusterState) {
	from := other.(*plainCluster).releases
	steps := c.releases.steps
	copy(steps, from.steps[:from.n])
	*c.releases = *from
	c.releases.steps = steps
}

// size implements clusterState.
func (c *plainCluster) size() int { return 16 * len(c.releases.steps) }

// worked implements clusterState.
func (c *plainCluster) worked() int64 { return c.work }

// released is the earliest time at which size processors are released.
func (r *Releases) released(size int32) float64 {
	last, free := 0, r.steps[0].count
	for free < size {
		last++
		free += r.steps[last].count
	}
	return r.steps[last].time
}

// hold takes size processors until the end: the latest-released of those free at the start.
func (r *Releases) hold(size int32, start, end float64) {
	last := 0
	for last+1 < r.n && r.steps[last+1].time <= start {
		last++
	}
	r.take(last, size, start, end)
}

// plainSets tracks when each processor of a uniform cluster, or of a part of another, is released. A step holds the processors released at one time; of few processors each has its own time.
type plainSets struct {
	steps []plainStep // ascending by time
	first int         // number of the first processor
	times []float64   // by processor, instead of steps where there are few; nil: there are many
	order []int       // scratch
}

// fewProcessors is the number of processors up to which each has its own time.
const fewProcessors = 32

// newPlainSets covers a range of processors that are first released as the steps say.
func newPlainSets(steps []plainStep, first, processors int) plainSets {
	if processors > fewProcessors {
		return plainSets{steps: steps}
	}
	times := make([]float64, processors)
	for _, s := range steps {
		for _, r := range s.set {
			for p := r.First; p <= r.Last; p++ {
				times[p-first] = s.time
			}
		}
	}
	return plainSets{first: first, times: times}
}

// placeFew is place where each processor has its own time. It appends the processors to the set.
func (c *plainSets) placeFew(set model.ProcessorSet, n int, slot *Slot) model.ProcessorSet {
	c.order = c.order[:0]
	for p, t := range c.times {
		if t <= slot.Start {
			c.order = append(c.order, p)
		}
	}
	if len(c.order) > n {
		slices.SortFunc(c.order, func(a, b int) int { return cmp.Or(cmp.Compare(c.times[b], c.times[a]), a-b) })
	}
	for _, p := range c.order[:n] {
		c.times[p] = slot.End
		set = append(set, model.Range{First: c.first + p, Last: c.first + p})
	}
	return set
}

// assign copies other.
func (c *plainSets) assign(other *plainSets) {
	c.steps, c.times = append(c.steps[:0], other.steps...), append(c.times[:0], other.times...)
}

// plainStep is the processors released at one time.
type plainStep struct {
	time  float64
	count int
	set   model.ProcessorSet
}

// place takes processors for the slot and returns them: the latest-released of those free at its start, lowest numbers first. left is
// their number.
func (c *plainSets) place(left int, slot *Slot) model.ProcessorSet {
	if c.times != nil {
		return model.NewProcessorSet(c.placeFew(nil, left, slot)...)
	}
	free := len(c.steps)
	for free > 0 && c.steps[free-1].time > slot.Start {
		free--
	}
	var set model.ProcessorSet
	keep := free - 1
	for ; left > 0; keep-- {
		s := &c.steps[keep]
		if s.count > left {
			taken, rest := split(s.set, left)
			set = append(set, taken...)
			s.set, s.count = rest, s.count-left
			break
		}
		set = append(set, s.set...)
		left -= s.count
	}
	c.steps = slices.Delete(c.steps, keep+1, free)
	set = model.NewProcessorSet(set...)
	c.insert(plainStep{slot.End, set.Len(), set})
	return set
}

// insert adds processors to the step at their time.
func (c *plainSets) insert(s plainStep) {
	k, found := slices.BinarySearchFunc(c.steps, s.time, func(a plainStep, t float64) int { return cmp.Compare(a.time, t) })
	if found {
		c.steps[k].count += s.count
		c.steps[k].set = model.NewProcessorSet(append(slices.Clone(c.steps[k].set), s.set...)...)
		return
	}
	c.steps = slices.Insert(c.steps, k, s)
}

// split divides a set into its n lowest processors and the rest.
func split(set model.ProcessorSet, n int) (low, rest model.ProcessorSet) {
	for k, r := range set {
		if r.Len() > n {
			if n > 0 {
				low = append(low, model.Range{First: r.First, Last: r.First + n - 1})
			}
			rest = append(rest, model.Range{First: r.First + n, Last: r.Last})
			return low, append(rest, set[k+1:]...)
		}
		low = append(low, r)
		n -= r.Len()
	}
	return low, nil
}
