package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// CanSpread says whether a schedule under construction may place the job over several clusters, whether or not it fits one of them. A job that fits a
// cluster of whole machines it leaves there: the job takes exactly one machine if it gets no processor of another cluster.
//
// Where jobs ask something of single machines, or start at the cheapest moment, no job spreads.
func CanSpread(in *model.Instance, job int) bool {
	if in.Whole()&NodeFeatures != 0 || StartsCheap(in) {
		return false
	}
	over := in.SpreadOver(job)
	for c := range over {
		if in.Clusters()[c].WholeMachines && in.Share(job, c) > 0 {
			return false
		}
	}
	return over != nil
}

// host is a cluster that may take a piece of the job.
type host struct {
	cluster int
	state   *generalCluster
	free    int // processors that it can give
	piece   int // processors that it gives
}

// Spread is a slot on n processors of several clusters from the time ready on; false where n are never free. The job must be one for
// which [model.Instance.MustSpread] holds, or [CanSpread] where [NewResources] made the resources. The slot starts at the earliest time at which
// n processors are released, with memory and licences for as long as the job can last on them. It takes them from the clusters with the
// most free processors, the latest-released of each, and deals the tasks out so that the last piece ends as early as possible.
//
// Complexity: O(events · processors), where the events are the times tried until there is room.
func (r *Resources) Spread(job, n int, ready float64) (Slot, bool) {
	hosts := r.hosts(job)
	length := r.longest(job, n, hosts)
	for k := range hosts {
		h := &hosts[k]
		h.state.search.begin(h.state, job, 1, allMachines)
		h.state.search.length = length
	}
	for t := ready; t < math.Inf(1); {
		next, all := math.Inf(1), 0
		for k := range hosts {
			h := &hosts[k]
			s := &h.state.search
			if h.state.ended() {
				return Slot{}, false
			}
			h.state.work += 50 + 8*int64(len(h.state.machines))
			s.release(t)
			s.share(t)
			next = min(next, s.next())
			h.free = h.state.idleFor(s.job)
			for i := range s.looks {
				h.free += int(s.looks[i].room)
			}
			all += h.free
		}
		if all < n || !chooseHosts(hosts, n, r.in.Jobs()[job].Tasks) {
			t = next
			continue
		}
		later := t
		for _, h := range hosts {
			if h.piece > 0 {
				later = max(later, r.pools.earliest(&r.in.Jobs()[job], h.cluster, t, length))
			}
		}
		if later == t {
			return r.pieces(job, n, t, hosts), true
		}
		t = later
	}
	return Slot{}, false
}

// hosts are the clusters that can take a piece of the job.
func (r *Resources) hosts(job int) []host {
	var hosts []host
	for c := range r.clusters {
		if r.in.Share(job, c) > 0 {
			hosts = append(hosts, host{cluster: c, state: r.clusters[c].(*generalCluster)})
		}
	}
	return hosts
}

// longest is the longest time that the job may take on n processors of the hosts: with the tasks shared evenly, on the slowest.
func (r *Resources) longest(job, n int, hosts []host) float64 {
	j := &r.in.Jobs()[job]
	tasks := (j.Tasks + n - 1) / n
	longest, link := 0.0, math.Inf(1)
	for k := range hosts {
		for g := range hosts[k].state.machines {
			if m := hosts[k].state.machines[g].group; r.in.ProcessorsFor(j, m) > 0 {
				longest = max(longest, r.in.Busy(job, hosts[k].cluster, m.Speed, tasks))
				link = min(link, m.Bandwidth)
			}
		}
	}
	return longest + r.in.Transfer(job, link)
}

// chooseHosts takes n processors from the hosts with the most free ones, in at most as many pieces as the job has tasks; false where
// that gives fewer than n. A host whose piece is 0 takes no part.
func chooseHosts(hosts []host, n, tasks int) bool {
	order := make([]*host, len(hosts))
	for k := range hosts {
		hosts[k].piece = 0
		order[k] = &hosts[k]
	}
	slices.SortStableFunc(order, func(a, b *host) int { return cmp.Compare(b.free, a.free) })
	for _, h := range order[:min(tasks, len(order))] {
		h.piece = min(n, h.free)
		n -= h.piece
	}
	return n == 0
}

// IsSpread says whether Spread found the slot, be it on one cluster or on several.
func (s *Slot) IsSpread() bool { return s.pieces != nil }

// SlowestLink is the least bandwidth of the machines of a slot over several clusters; false for other slots.
func (s *Slot) SlowestLink(in *model.Instance) (float64, bool) {
	slowest := math.Inf(1)
	for _, p := range s.pieces {
		slowest = min(slowest, in.SlowestLink(p.cluster, p.set))
	}
	return slowest, s.IsSpread()
}

// pieces is the slot at time t on the processors that the hosts give.
func (r *Resources) pieces(job, n int, t float64, hosts []host) Slot {
	slot := Slot{Processors: n, Start: t, End: t}
	link := math.Inf(1)
	for k := range hosts {
		if h := &hosts[k]; h.piece > 0 {
			h.state.search.size = h.piece
			set := h.state.search.choose()
			link = min(link, r.in.SlowestLink(h.cluster, set))
			slot.pieces = append(slot.pieces, piece{cluster: h.cluster, set: set})
		}
	}
	slot.Cluster = slot.pieces[0].cluster
	r.deal(job, slot.pieces)
	for k := range slot.pieces {
		p := &slot.pieces[k]
		p.end = model.End(t, r.in.Longest(job, p.cluster, p.set, p.tasks)+r.in.Transfer(job, link))
		slot.End = max(slot.End, p.end)
	}
	return slot
}

// processorClass is a number of processors of one speed in one piece.
type processorClass struct {
	piece, processors int
	speed             float64
}

// deal shares the tasks of the job among the pieces, at least one each, so that the last processor is done as early as possible: it
// searches for the least time within which the processors can run all tasks.
func (r *Resources) deal(job int, pieces []piece) {
	tasks := r.in.Jobs()[job].Tasks
	var classes []processorClass
	for k, p := range pieces {
		c := &r.in.Clusters()[p.cluster]
		for _, run := range p.set {
			for g := c.GroupOf(run.First); g < len(c.Machines) && c.Machines[g].First <= run.Last; g++ {
				m := &c.Machines[g]
				classes = append(classes, processorClass{k, min(run.Last, m.Last()) - max(run.First, m.First) + 1, m.Speed})
			}
		}
	}
	// within is the number of tasks that a processor of the class can run in the time.
	within := func(c *processorClass, time float64) int {
		cluster := pieces[c.piece].cluster
		one := r.in.Busy(job, cluster, c.speed, 1)
		each := r.in.Busy(job, cluster, c.speed, 2) - one
		switch {
		case time < one:
			return 0
		case each <= 0 || (time-one)/each >= float64(tasks):
			return tasks
		}
		return 1 + int((time-one)/each)
	}
	share := func(time float64) (all int) {
		for k := range pieces {
			pieces[k].tasks = 0
		}
		tooSlow := 0 // classes of the piece whose processors can run no task in the time
		for k, c := range classes {
			p := &pieces[c.piece]
			can := within(&c, time)
			if p.tasks += min(tasks, c.processors*can); can == 0 {
				tooSlow++
			}
			if k+1 < len(classes) && classes[k+1].piece == c.piece {
				continue
			}
			if p.tasks = min(tasks, max(1, p.tasks)); tooSlow > 0 { // as many as processors, and every processor gets one
				p.tasks = min(p.tasks, max(1, p.set.Len()-1))
			}
			all += p.tasks
			tooSlow = 0
		}
		return all
	}
	low, high := 0.0, 1.0
	for share(high) < tasks && high < math.MaxFloat64/4 {
		low, high = high, 2*high
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if share(middle) < tasks {
			low = middle
		} else {
			high = middle
		}
	}
	for k, more := len(pieces)-1, share(high)-tasks; more > 0; k-- { // those that end last of equals run fewer
		less := min(more, pieces[k].tasks-1)
		pieces[k].tasks -= less
		more -= less
	}
}
