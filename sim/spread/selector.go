package spread

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Mode says what a job gets of the processors that were chosen.
type Mode int

// The modes.
const (
	Pieces   Mode = iota // those that get a task; each comes back when its own tasks end
	Together             // those that get a task, until the job ends; processors of one speed in a cluster are one claim
	Whole                // all of them, until the job ends; those of one cluster are one claim
)

// Selector chooses the processors for one job after the other.
type Selector struct {
	platform *sim.Platform
	ratios   *ratios
	fastest  [][]int32 // by cluster: its machines, the fastest first
	mode     Mode

	free   []int32 // by machine: free processors that the job could hold
	places []place
	order  []int // of clusters
	groups []group
	claims []sim.Claim
	held   int // processors of the claims
}

// place is where a job could have all its processors: a cluster, or a machine where the job must stay on one.
type place struct {
	cluster     int
	machine     int32 // −1: the whole cluster
	free        int
	least, most int // processors that the job may hold there
}

// Claims are the claims that Choose made, until the next choice.
func (s *Selector) Claims() []sim.Claim { return s.claims }

// Held is the number of processors of the claims.
func (s *Selector) Held() int { return s.held }

// size is the number of processors that the job would hold there instead of n.
func (p *place) size(n int) int { return min(max(n, p.least), p.most) }

// New is a selector for a platform.
func New(platform *sim.Platform, mode Mode) *Selector {
	s := &Selector{platform: platform, mode: mode, free: make([]int32, len(platform.Machines)), fastest: make([][]int32, platform.Clusters())}
	speeds := make([]float64, len(platform.Machines))
	for m := range platform.Machines {
		machine := &platform.Machines[m]
		speeds[m] = machine.Speed
		s.fastest[machine.Cluster] = append(s.fastest[machine.Cluster], int32(m))
	}
	for _, machines := range s.fastest {
		slices.SortStableFunc(machines, func(a, b int32) int { return cmp.Compare(speeds[b], speeds[a]) })
	}
	s.ratios = newRatios(speeds)
	return s
}

// Look finds out what of the room the job could hold, and where. O(machines).
func (s *Selector) Look(room *sim.Room, j *sim.Job) {
	r := j.Request
	s.platform.Usable(room, j, s.free)
	s.places = s.places[:0]
	for m, free := range s.free {
		c := s.platform.Machines[m].Cluster
		if n := len(s.places); n > 0 && s.places[n-1].cluster == c && s.places[n-1].machine < 0 {
			s.places[n-1].free += int(free)
			continue
		}
		p := place{cluster: c, machine: -1, free: int(free), least: s.platform.Width(j, c), most: s.platform.Widest(j, c)}
		if r.Span == model.SpanMachine && p.most > 1 { // one processor is on one machine whatever the span
			p.machine = int32(m)
		}
		s.places = append(s.places, p)
	}
}

// Usable is the number of processors that the job could hold at once, of those that Look found.
func (s *Selector) Usable(j *sim.Job) int {
	all, most := 0, 0
	for k := range s.places {
		all += s.places[k].free
		most = max(most, min(s.places[k].free, s.places[k].most))
	}
	if j.Request.Span == model.SpanGrid {
		return all
	}
	return most
}

// Choose chooses n of the processors that Look found, shares the job's tasks among them, and makes the claims. It returns false if the
// job cannot start on that number of processors.
//
// Complexity: O(clusters·log clusters + g²) for g machines in the partition; O(clusters·log clusters + g) where they have the same speed.
func (s *Selector) Choose(j *sim.Job, n int) bool {
	best := -1
	for k := range s.places {
		if p := &s.places[k]; p.free >= p.size(n) && (best < 0 || p.free < s.places[best].free) {
			best = k
		}
	}
	s.groups = s.groups[:0]
	if best >= 0 {
		p := &s.places[best]
		s.take(p, p.size(n))
		return s.claim(j, p.least)
	}
	if j.Request.Span != model.SpanGrid {
		return false
	}
	s.order = s.order[:0]
	for k := range s.places {
		s.order = append(s.order, k)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.places[b].free, s.places[a].free) })
	for _, k := range s.order {
		taken := min(n, s.places[k].free)
		s.take(&s.places[k], taken)
		n -= taken
	}
	return n == 0 && s.claim(j, j.Request.Min)
}

// take adds n processors of the place to the partition.
func (s *Selector) take(p *place, n int) {
	machines := s.fastest[p.cluster]
	if p.machine >= 0 {
		machines = []int32{p.machine}
	}
	for _, m := range machines {
		taken := min(n, int(s.free[m]))
		if n -= taken; taken > 0 {
			s.groups = append(s.groups, group{machine: m, processors: taken})
		}
	}
}

// claim shares the tasks of the job among the processors of the partition, in the order of their numbers, and makes the claims. The job must
// hold at least the given number of processors. It returns false where the job has fewer tasks than it would have clusters.
func (s *Selector) claim(j *sim.Job, least int) bool {
	slices.SortFunc(s.groups, func(a, b group) int { return cmp.Compare(a.machine, b.machine) })
	s.claims, s.held = s.claims[:0], 0
	tasks, processors, busy := j.Request.Tasks, 0, 0
	if s.mode == Whole {
		s.ratios.shareAll(tasks, s.groups, s.platform.StatesTimes(j))
		return s.claimClusters(tasks)
	}
	s.ratios.share(tasks, s.groups, 0, false)
	for k := range s.groups {
		g := &s.groups[k]
		processors += g.processors
		if busy += g.processors; g.tasks == 0 {
			busy += g.more - g.processors
		}
	}
	switch {
	case busy >= least:
	case tasks >= processors:
		s.ratios.share(tasks, s.groups, 1, false)
	default:
		return s.claimClusters(tasks)
	}
	for k := range s.groups {
		if s.platform.Stopped() {
			return false
		}
		s.claimGroup(&s.groups[k])
	}
	return true
}

// claimGroup makes claims for the processors of a group that have a task.
func (s *Selector) claimGroup(g *group) {
	machine := &s.platform.Machines[g.machine]
	for _, level := range [2]struct{ processors, tasks int }{{g.more, g.tasks + 1}, {g.processors - g.more, g.tasks}} {
		if level.tasks == 0 || level.processors == 0 {
			continue
		}
		s.held += level.processors
		if machine.Background != nil { // each processor ends at a time of its own
			for range level.processors {
				s.add(s.newClaim(machine.Cluster), g.machine, 1, level.tasks)
			}
			continue
		}
		s.add(s.claimLike(machine, g.machine, level.tasks), g.machine, level.processors, level.processors*level.tasks)
	}
}

// claimLike is the claim that processors of the machine with the given number of tasks each join: that of processors of their cluster and speed
// which end when they do, or which stay together.
func (s *Selector) claimLike(machine *sim.Machine, m int32, tasks int) *sim.Claim {
	for k := range s.claims {
		c := &s.claims[k]
		first := c.Shares[0].Machine
		if c.Cluster != machine.Cluster || s.platform.Machines[first].Background != nil {
			continue
		}
		n := 0
		for _, share := range c.Shares {
			n += int(share.Processors)
		}
		if s.ratios.equal(first, m) && (s.mode == Together || c.Tasks == n*tasks) {
			return c
		}
	}
	return s.newClaim(machine.Cluster)
}

// newClaim is a further claim, without processors. It uses the memory of the claims of earlier jobs.
func (s *Selector) newClaim(cluster int) *sim.Claim {
	if n := len(s.claims); n < cap(s.claims) {
		s.claims = s.claims[:n+1]
	} else {
		s.claims = append(s.claims, sim.Claim{})
	}
	c := &s.claims[len(s.claims)-1]
	*c = sim.Claim{Cluster: cluster, Shares: c.Shares[:0], Hold: s.mode != Pieces}
	return c
}

// add adds processors of a machine with tasks to a claim.
func (s *Selector) add(c *sim.Claim, m int32, processors, tasks int) {
	c.Tasks += tasks
	if n := len(c.Shares); n > 0 && c.Shares[n-1].Machine == m {
		c.Shares[n-1].Processors += int32(processors)
		return
	}
	c.Shares = append(c.Shares, sim.Share{Machine: m, Processors: int32(processors)})
}

// claimClusters makes one claim a cluster, with all its processors. The groups know their tasks. Each cluster runs a task at least; it
// returns false where there are too few.
func (s *Selector) claimClusters(tasks int) bool {
	for k := range s.groups {
		g := &s.groups[k]
		cluster, n := s.platform.Machines[g.machine].Cluster, len(s.claims)
		if n == 0 || s.claims[n-1].Cluster != cluster {
			s.newClaim(cluster)
			n++
		}
		s.add(&s.claims[n-1], g.machine, g.processors, g.processors*g.tasks+g.more)
		s.held += g.processors
	}
	if len(s.claims) > tasks {
		return false
	}
	for k := range s.claims {
		if s.claims[k].Tasks == 0 {
			most := &s.claims[0]
			for l := range s.claims {
				if s.claims[l].Tasks > most.Tasks {
					most = &s.claims[l]
				}
			}
			most.Tasks--
			s.claims[k].Tasks++
		}
	}
	return true
}
