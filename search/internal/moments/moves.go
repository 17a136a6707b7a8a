package moments

import (
	"cmp"
	"math"
	"slices"
)

// release takes a job into the move: it is placed again, or placed if it was left out.
func (c *chain) release(j int32) {
	if c.stamp[j] == c.moves {
		return
	}
	c.stamp[j] = c.moves
	c.moved, c.were, c.was = append(c.moved, j), append(c.were, c.now.slots[j]), append(c.was, c.now.placed[j])
	if c.now.placed[j] {
		c.free(j)
	}
}

// move makes a random move.
func (c *chain) move() {
	seed := c.jobs[c.rng.IntN(len(c.jobs))]
	if c.now.left > 0 && c.rng.IntN(2) == 0 {
		seed = c.leftOut()
	}
	switch draw := c.rng.IntN(10); {
	case !c.now.placed[seed]:
		c.makeWay(seed)
	case draw < 5:
		c.around(seed)
	case draw < 8:
		c.makeWay(seed)
	default:
		c.shift(seed)
		return
	}
	c.recreate()
}

// leftOut is one of the jobs that are left out.
func (c *chain) leftOut() int32 {
	c.left = c.left[:0]
	for _, j := range c.jobs {
		if !c.now.placed[j] {
			c.left = append(c.left, j)
		}
	}
	return c.left[c.rng.IntN(len(c.left))]
}

// number draws how many jobs to free.
func (c *chain) number() int {
	return 1 + c.rng.IntN(min(2*meanMoved-1, len(c.jobs)))
}

// around frees a job and others that run about the same time, mostly on its cluster.
func (c *chain) around(seed int32) {
	at := &c.now.slots[seed]
	middle, cluster := at.Start+(at.End-at.Start)/2, at.Cluster
	anywhere := c.rng.IntN(3) == 0
	c.near = c.near[:0]
	for _, j := range c.jobs {
		slot := &c.now.slots[j]
		if j == seed || !c.now.placed[j] || !anywhere && slot.Cluster != cluster {
			continue
		}
		c.near = append(c.near, nearJob{j, max(0, max(slot.Start-middle, middle-slot.End))})
	}
	n := min(c.number()-1, len(c.near))
	c.nearest(2 * n)
	c.release(seed)
	for range n {
		if len(c.near) == 0 {
			return
		}
		k := c.rng.IntN(min(len(c.near), 2*n))
		c.release(c.near[k].job)
		c.near = slices.Delete(c.near, k, k+1)
	}
}

// nearest moves the n nearest jobs to the front.
func (c *chain) nearest(n int) {
	if n < len(c.near)/8 {
		for k := range n {
			least := k
			for i := k + 1; i < len(c.near); i++ {
				if c.near[i].distance < c.near[least].distance {
					least = i
				}
			}
			c.near[k], c.near[least] = c.near[least], c.near[k]
		}
		return
	}
	slices.SortFunc(c.near, func(a, b nearJob) int { return cmp.Or(cmp.Compare(a.distance, b.distance), int(a.job-b.job)) })
}

// makeWay moves a job to a time and a cluster drawn at random, at which a price begins or ends, and frees others that are in its way.
func (c *chain) makeWay(seed int32) {
	cluster := int(c.hosts[seed][c.rng.IntN(len(c.hosts[seed]))])
	c.release(seed)
	ready, until, ok := c.window(seed)
	if !ok {
		return
	}
	length := c.now.slots[seed].End - c.now.slots[seed].Start
	if !c.was[len(c.was)-1] {
		least, _ := c.in.Width(int(seed), cluster)
		length = c.in.DurationOn(int(seed), cluster, least)
	}
	start := c.moment(cluster, length)
	from, to, _ := c.in.Horizon()
	start = max(ready, from, min(start, min(until, to)-length))
	end := min(until, start+length*(1+1e-12))
	if _, free := c.on(seed, cluster, start, end); !free {
		c.near = c.near[:0]
		for _, j := range c.jobs {
			if slot := &c.now.slots[j]; c.now.placed[j] && slot.Cluster == cluster && slot.Start < end && slot.End > start {
				c.near = append(c.near, nearJob{j, c.rng.Float64()})
			}
		}
		slices.SortFunc(c.near, func(a, b nearJob) int { return cmp.Or(cmp.Compare(a.distance, b.distance), int(a.job-b.job)) })
		const most = 4 * meanMoved
		for k, x := range c.near {
			if k == most {
				break
			}
			c.release(x.job)
			if _, free = c.on(seed, cluster, start, end); free {
				break
			}
		}
	}
	if slot, free := c.on(seed, cluster, start, end); free {
		c.take(seed, &slot)
	}
}

// moment draws a start at which power becomes cheaper, or at the end of which it becomes dearer.
func (c *chain) moment(cluster int, length float64) float64 {
	cheaper, dearer := c.resources.Tariff(cluster)
	from, to, _ := c.in.Horizon()
	k := c.rng.IntN(len(cheaper) + len(dearer) + 2)
	switch {
	case k < len(cheaper):
		return cheaper[k]
	case k < len(cheaper)+len(dearer):
		return dearer[k-len(cheaper)] - length
	case k == len(cheaper)+len(dearer):
		return from
	}
	return to - length
}

// shift moves a block of jobs that run one after another on a cluster by the same time, so that it begins where power becomes cheaper or ends where it becomes
// dearer.
func (c *chain) shift(seed int32) {
	first, last := c.now.slots[seed].Start, c.now.slots[seed].End
	cluster := c.now.slots[seed].Cluster
	c.near = append(c.near[:0], nearJob{job: seed})
	c.stamp[seed] = -c.moves
	for n := c.number(); n > 1; n-- {
		next := int32(-1)
		for _, j := range c.jobs {
			slot := &c.now.slots[j]
			if c.now.placed[j] && c.stamp[j] != -c.moves && slot.Cluster == cluster && (slot.Start == last || slot.End == first) {
				next = j
				break
			}
		}
		if next < 0 {
			break
		}
		c.stamp[next] = -c.moves
		c.near = append(c.near, nearJob{job: next})
		first, last = min(first, c.now.slots[next].Start), max(last, c.now.slots[next].End)
	}
	by := c.moment(cluster, last-first) - first
	for _, x := range c.near {
		c.release(x.job)
	}
	for k, x := range c.near {
		old := c.were[k]
		ready, until, ok := c.window(x.job)
		if !ok {
			continue
		}
		start := max(ready, old.Start+by)
		end := min(until, start+(old.End-old.Start)*(1+1e-12))
		if slot, free := c.on(x.job, cluster, start, end); free {
			c.take(x.job, &slot)
		}
	}
	c.recreate()
}

// recreate places the jobs of the move that are not placed, in an order drawn at random: the largest first, or any.
func (c *chain) recreate() {
	c.near = c.near[:0]
	for _, j := range c.moved {
		if !c.now.placed[j] {
			c.near = append(c.near, nearJob{job: j})
		}
	}
	bySize := c.rng.IntN(2) == 0
	for k := range c.near {
		if c.near[k].distance = c.rng.Float64(); bySize {
			c.near[k].distance = -c.size[c.near[k].job] * (0.5 + c.near[k].distance)
		}
	}
	slices.SortFunc(c.near, func(a, b nearJob) int {
		if c.waits {
			return int(c.before[a.job] - c.before[b.job])
		}
		return cmp.Or(cmp.Compare(a.distance, b.distance), int(a.job-b.job))
	})
	for _, x := range c.near {
		c.again(x.job)
	}
}

// again places a job at the cheapest moment, or now and then at the cheapest from a time on that is drawn at random.
func (c *chain) again(j int32) {
	ready, until, ok := c.window(j)
	if !ok {
		return
	}
	const blinks = 12
	if c.rng.IntN(blinks) == 0 {
		from, to, _ := c.in.Horizon()
		later := max(ready, from) + c.rng.Float64()*(min(until, to)-max(ready, from))
		if slot, found := c.cheapest(j, max(ready, later), until); found && !math.IsNaN(later) {
			c.take(j, &slot)
			return
		}
	}
	if slot, found := c.cheapest(j, ready, until); found {
		c.take(j, &slot)
	}
}
