package lists

import (
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/separable"
)

// chain is a random walk over the orders of jobs on clusters.
type chain struct {
	p        *problem
	rng      *rand.Rand
	clusters []state
	at, pos  []int32 // by job: its cluster, its position there

	mine   []int32 // the clusters that the walk may change
	jobs   []int32 // the jobs on them
	byArea []int32 // the same by area, see problem
	rank   []int32 // by job: its place in byArea
	others float64 // objective of the other clusters, and its constant part

	objective float64
	energy    float64 // what the walk minimises: the objective plus the spread, which tells apart schedules of equal makespan
	unit      float64 // the makespan that the spread is measured in
	last      [3]lastCluster

	probe  probe
	margin float64   // an estimate must be worse than the limit by this much before a move is given up
	saved  []float64 // by job: the energy its cluster saved without it, when last computed
	seen   []int64   // by job: the number of changes of its cluster at that time

	temperature     float64
	tried, accepted int64 // moves since the last round began

	best   float64 // least objective so far
	orders [][]int32
}

// state is what a walk knows of one cluster.
type state struct {
	order   []int32
	log     plan.ReleasesLog // the releases before every stride-th position
	stride  int
	prefix  []sums  // the sums before every position, and after the last
	cost    float64 // the cluster's part of the objective, without the makespan over all clusters
	energy  float64 // the cost plus the spread
	changes int64
}

// sums are the figures of a list schedule up to a position.
type sums struct {
	latest float64 // latest end
	busy   float64 // processor time held
	over   float64 // time over deadlines, summed over the jobs
	direct float64 // sum of the costs by job
	late   float64 // number of jobs that end after their deadlines

	// Not kept by a probe:
	start float64 // of the last job
	idle  float64 // see [plan.Releases.Idle]
}

// lastCluster is one of the clusters with the largest makespans.
type lastCluster struct {
	makespan float64
	cluster  int32
}

// newChain starts a walk at the given orders.
func newChain(p *problem, orders [][]int32, rng *rand.Rand) *chain {
	n := len(p.In.Jobs())
	w := &chain{
		p: p, rng: rng, clusters: make([]state, len(p.Clusters)),
		at: make([]int32, n), pos: make([]int32, n),
		saved: make([]float64, n), seen: make([]int64, n),
		probe: probe{releases: newReleases(p), origin: p.Origin, global: p.Makespan, delays: p.guess},
		best:  math.Inf(1), orders: make([][]int32, len(p.Clusters)),
		mine: make([]int32, len(p.Clusters)), jobs: p.Movable, byArea: p.byArea, rank: p.rank, others: p.Constant,
	}
	for c := range w.mine {
		w.mine[c] = int32(c)
	}
	for c := range w.clusters {
		s := &w.clusters[c]
		s.order = append(s.order, orders[c]...)
		s.stride = 1 + len(p.Movable)/keptStates
		for _, j := range orders[c] {
			w.at[j], w.seen[j] = int32(c), math.MinInt32
		}
		w.rebuild(int32(c), 0)
	}
	w.total()
	w.measure(w.last[0].makespan)
	w.keep()
	return w
}

// newReleases makes the state of list decoding of a walk, for any cluster.
func newReleases(p *problem) *plan.Releases {
	widest := 0.0
	for c := range p.Clusters {
		widest = max(widest, p.Clusters[c].Processors)
	}
	return plan.NewReleases(int(min(widest, float64(len(p.In.Jobs())))))
}

// keptStates is about the number of states of list decoding that a walk keeps for each cluster. Decoding starts from the last
// state before the change.
const keptStates = 1024

// measure sets the makespan that the spread is measured in.
func (w *chain) measure(makespan float64) {
	if w.p.Makespan == 0 || makespan == w.unit {
		return
	}
	w.unit = makespan
	w.probe.unit = 0
	if makespan > 0 {
		w.probe.unit, w.probe.spread = 1/makespan, spreadWeight*w.p.Makespan*makespan/w.p.Processors
	}
	for c := range w.clusters {
		w.rebuild(int32(c), len(w.clusters[c].order))
	}
	w.total()
}

// keep remembers the schedule if it is the best so far.
func (w *chain) keep() {
	if w.objective >= w.best {
		return
	}
	w.best = w.objective
	for _, c := range w.mine {
		w.orders[c] = append(w.orders[c][:0], w.clusters[c].order...)
	}
}

// share is the share of the placed jobs that a cluster with n jobs has.
func (w *chain) share(n int) float64 { return float64(n) / float64(len(w.p.Movable)) }

// rebuild decodes the cluster again from position k on and keeps the results.
func (w *chain) rebuild(c int32, k int) {
	s, cluster, r := &w.clusters[c], &w.p.Clusters[c], w.probe.releases
	if s.log.Len() == 0 {
		r.Reset(w.p.Origin, int(cluster.Processors))
		s.log.Add(r)
		s.prefix = append(s.prefix, sums{latest: w.p.Origin})
	}
	w.rewind(c, k)
	s.log.Cut(k/s.stride + 1)
	s.prefix = s.prefix[:k+1]
	sums := s.prefix[k]
	for i := k; i < len(s.order); i++ {
		id := s.order[i]
		j := &cluster.Jobs[id]
		sums.start = r.Place(j.Size, j.Arrival, j.Duration)
		sums.add(cluster, id, sums.start+j.Duration)
		sums.busy += float64(j.Size) * j.Duration
		sums.idle = r.Idle()
		s.prefix = append(s.prefix, sums)
		w.pos[id] = int32(i)
		if (i+1)%s.stride == 0 {
			s.log.Add(r)
		}
	}
	s.changes++
	s.cost = sums.cost(cluster.At(w.share(len(s.order))), w.p.Origin)
	s.energy = s.cost + w.probe.spreadOf(r)
}

// rewind restores the state before position k of a cluster. The jobs before k must not have changed.
func (w *chain) rewind(c int32, k int) {
	s, r := &w.clusters[c], w.probe.releases
	from := k / s.stride
	s.log.Restore(from, r)
	for _, id := range s.order[from*s.stride : k] {
		j := &w.p.Clusters[c].Jobs[id]
		r.Place(j.Size, j.Arrival, j.Duration)
	}
}

// add counts a job that ends at the given time.
func (s *sums) add(c *separable.Cluster, id int32, end float64) {
	if end > s.latest {
		s.latest = end
	}
	deadline := c.Jobs[id].Deadline
	if end > deadline {
		s.over += end - deadline
		s.late++
	}
	if c.Costs != nil {
		s.direct += c.Costs[id].Of(end, deadline)
	}
}

// cost is the part of the objective that a cluster with these sums has.
func (s *sums) cost(w separable.Weights, origin float64) float64 {
	return w.Makespan*(s.latest-origin) + w.Busy*s.busy + w.Over*s.over + s.direct
}

// total adds up objective and energy, and finds the clusters that end last.
func (w *chain) total() {
	w.last = [3]lastCluster{{0, -1}, {0, -1}, {0, -1}}
	w.objective, w.energy = w.others, w.others
	for _, c := range w.mine {
		s := &w.clusters[c]
		w.objective += s.cost
		w.energy += s.energy
		at := lastCluster{s.prefix[len(s.order)].latest - w.p.Origin, c}
		for k := range w.last {
			if at.makespan > w.last[k].makespan {
				w.last[k], at = at, w.last[k]
			}
		}
	}
	w.objective += w.p.Makespan * w.last[0].makespan
	w.energy += w.p.Makespan * w.last[0].makespan
}

// lastBut is the makespan over all clusters except a and b.
func (w *chain) lastBut(a, b int32) float64 {
	for _, l := range w.last {
		if l.cluster != a && l.cluster != b {
			return l.makespan
		}
	}
	return 0
}

// accept completes a move that has been made.
func (w *chain) accept() {
	before := w.energy
	w.total()
	if w.energy != before {
		w.accepted++
	}
	w.keep()
}
