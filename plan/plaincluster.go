package plan

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// plainCluster tracks which processors of a uniform cluster are released when, as steps of processors released at one
// time. It decides as [Decoder.Decode] does.
type plainCluster struct {
	in      *model.Instance
	cluster int
	steps   []plainStep // ascending by time
}

// plainStep is the processors released at one time.
type plainStep struct {
	time  float64
	count int
	set   model.ProcessorSet
}

func newPlainCluster(in *model.Instance, cluster int) *plainCluster {
	n := in.Clusters()[cluster].Processors
	return &plainCluster{in, cluster, []plainStep{{in.FirstArrival(), n, model.NewProcessorSet(model.Range{First: 0, Last: n - 1})}}}
}

// release implements clusterState.
func (c *plainCluster) release(n int) float64 {
	k := 0
	for free := c.steps[0].count; free < n; free += c.steps[k].count {
		k++
	}
	return c.steps[k].time
}

// earliest implements clusterState.
func (c *plainCluster) earliest(job int, ready float64) (Slot, bool) {
	size, _ := c.in.Width(job, c.cluster)
	start := max(ready, c.release(size))
	return Slot{Start: start, End: start + c.in.DurationOn(job, c.cluster, size)}, true
}

// place implements clusterState: of the processors free at the start it takes the latest-released, lowest numbers first.
func (c *plainCluster) place(job int, slot Slot) model.ProcessorSet {
	left, _ := c.in.Width(job, c.cluster)
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
func (c *plainCluster) insert(s plainStep) {
	k, found := slices.BinarySearchFunc(c.steps, s.time, func(a plainStep, t float64) int {
		switch {
		case a.time < t:
			return -1
		case a.time > t:
			return 1
		}
		return 0
	})
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
