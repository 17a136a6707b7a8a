package unrelated

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// chain is one chain. Its energy is the sum over the machines of the weighted load above a limit. The limits are those of a
// makespan of aim times the lower bound, so energy 0 means that the schedule reaches this makespan. Weighted loads sum to 1
// plus all regrets, and the limits sum to aim. So the energy is the sum of the regrets and of the unused capacity, less aim −
// 1.
//
// The chain anneals in cycles. The aim of a cycle lies between the lower bound and the best makespan so far. The temperatures
// are shares of the distance between the two. If a cycle reaches its aim, it takes a new aim in the same way.
type chain struct {
	p       *problem
	rng     kit.SplitMix
	at      []int32
	load    []float64 // by machine: weighted load
	limit   []float64 // by machine: weighted load at the aim
	members [][]int32 // by machine: positions of its jobs; nil: there are few machines
	place   []int32   // by job: its index in the members of its machine
	rows    [][]entry // by machine: its jobs, the shortest first; nil: there are many machines, or many jobs on each
	best    float64   // least makespan of this chain
	bestAt  []int32   // by job: its machine in that schedule
	known   float64   // least makespan of all chains
	scratch []float64 // by machine
	cycle   cycle
	cycles  int     // so far
	number  int     // of the chain; chains differ in their aims and temperatures
	stale   int     // changes since the loads were last added up
	unseen  int64   // moves since the makespan was last computed
	jump    []int32 // schedule of another chain to continue from; nil: its own
	widens  bool    // the chain runs beam searches
	beam    *beam   // the one that runs; nil: none
	misses  int     // beam searches that did not reach their aim
	failed  bool    // the last one brought no schedule
	debt    int64   // evaluations made by the beam search and not yet accounted for
}

// cycle is a run of annealing.
type cycle struct {
	left, length int64 // evaluations
	hot, cold    float64
	share        float64 // the aim lies at this share of the way from the lower bound to the best makespan
	aim          float64
}

// block is the number of moves between looks at the clock, the temperature and the makespan.
const block = 1024

// fewJobs is the number of jobs below which the aims and temperatures of the cycles vary more.
const fewJobs = 100

// fewMachines is the number of machines up to which a partner for a swap is chosen by its regret.
const fewMachines = 64

// Of 1024 moves, chainShare are chains over three machines where rows are kept, those up to swapShare are swaps, and the rest move a job
// alone.
const (
	chainShare = 300
	swapShare  = 896
)

// logs holds −ln of evenly spaced numbers in (0, 1): the thresholds of acceptance at temperature 1.
var logs = func() (table [4096]float64) {
	for k := range table {
		table[k] = -math.Log((float64(k) + 0.5) / float64(len(table)))
	}
	return table
}()

// below maps 32 random bits to a number in [0, n).
func below(bits uint32, n int) int { return int(uint64(bits) * uint64(n) >> 32) }

func newChain(p *problem, start []int32, seed uint64, k int) *chain {
	machines := len(p.clusterOf)
	c := &chain{p: p, at: slices.Clone(start), bestAt: slices.Clone(start), number: k,
		load: make([]float64, machines), limit: make([]float64, machines), scratch: make([]float64, machines)}
	hash := kit.SplitMix(seed)
	c.rng = kit.SplitMix(hash.Next() + uint64(k)*0x632be59bd9b4e019)
	c.best = p.makespan(start, c.scratch)
	c.known = c.best
	if machines > fewMachines {
		c.members, c.place = make([][]int32, machines), make([]int32, len(start))
	}
	if machines <= fewMachines && len(start) <= longRow*machines {
		c.rows = make([][]entry, machines)
	}
	if len(p.pairs) > 0 {
		c.restart(start)
		c.widens = c.rows != nil && beamFits(p)
	}
	return c
}

// restart continues from the schedule at.
func (c *chain) restart(at []int32) {
	copy(c.at, at)
	for i := range c.members {
		c.members[i] = c.members[i][:0]
	}
	if c.members != nil {
		for k, i := range c.at {
			c.enter(k, i)
		}
	}
	c.sortRows()
	c.addUp()
}

// addUp computes the loads afresh, so that rounding errors do not accumulate.
func (c *chain) addUp() {
	clear(c.load)
	for k, i := range c.at {
		c.load[i] += c.p.weighted(k, int(c.p.clusterOf[i]))
	}
	c.stale = 0
}

// enter adds the job at position k to the members of machine i.
func (c *chain) enter(k int, i int32) {
	c.place[k] = int32(len(c.members[i]))
	c.members[i] = append(c.members[i], int32(k))
}

// put moves the job at position k to machine i.
func (c *chain) put(k int, i int32) {
	if c.members != nil {
		from := c.members[c.at[k]]
		last := from[len(from)-1]
		from[c.place[k]], c.place[last] = last, c.place[k]
		c.members[c.at[k]] = from[:len(from)-1]
		c.enter(k, i)
	}
	if c.rows != nil {
		c.leaveRow(k, c.at[k])
		c.enterRow(k, i)
	}
	c.at[k] = i
	c.stale++
}

// learn takes over the least makespan of all chains. A chain that has finished its cycle sometimes jumps to the schedule of the
// leader.
func (c *chain) learn(leader *chain) {
	c.known = leader.best
	c.jump = nil
	if c != leader && c.cycle.left <= 0 && c.best > leader.best && c.rng.Next()%4 == 0 {
		c.jump = slices.Clone(leader.bestAt)
	}
}

// gap is the relative distance of a makespan from the lower bound.
func (c *chain) gap(makespan float64) float64 { return makespan/c.p.unit - 1 }

// advance makes the given number of moves, in cycles.
func (c *chain) advance(evaluations int64, stop func() bool) int64 {
	made := int64(0)
	if len(c.p.pairs) == 0 || len(c.load) == 1 {
		return 0
	}
	for made < evaluations && !stop() {
		if c.gap(min(c.known, c.best)) <= 1e-12 {
			break
		}
		if c.beam != nil || c.debt > 0 {
			made += c.widen(evaluations-made, stop)
			continue
		}
		if c.cycle.left <= 0 {
			if c.beginBeam() {
				continue
			}
			c.begin()
		}
		done := c.cycle.length - c.cycle.left
		t := c.cycle.hot * math.Pow(c.cycle.cold/c.cycle.hot, float64(done)/float64(c.cycle.length))
		n := min(evaluations-made, block, 8*int64(len(c.at)))
		c.moves(int(n), t)
		made += n
		c.cycle.left -= n
		if c.unseen += n; c.unseen >= int64(len(c.at)) || c.cycle.left <= 0 { // a look that finds a better makespan costs about as much as these moves
			c.look()
		}
	}
	return made
}

// begin begins a cycle.
func (c *chain) begin() {
	if c.jump != nil {
		c.restart(c.jump)
		c.jump = nil
	}
	const first, most, longest = 16, 60_000, 1 << 26
	jobs := int64(len(c.p.jobs))
	length := max(jobs*first<<min(c.cycles, 30), 1<<11)
	length = min(length, max(jobs*most, 1<<18), longest)
	c.cycle = cycle{left: length, length: length, share: []float64{0.5, 0.6, 0.7, 0.8}[c.number%4]}
	gap := c.gap(min(c.known, c.best))
	if jobs < fewJobs { // single jobs matter: every other aim is just below the best, and temperatures vary widely
		if c.cycles%2 == 1 {
			c.cycle.share = 0.98
		}
		c.cycle.hot = min([]float64{0.05, 0.2, 1, 5}[(c.cycles/2)%4]*gap, 1)
		c.cycle.cold = c.cycle.hot / 100
	} else if c.rows != nil { // hotter, energies are far above the gap; colder, nothing moves any more
		c.cycle.share -= 0.1
		c.cycle.hot = min([]float64{0.02, 0.04}[c.number%2]*gap, 0.5/float64(jobs))
		c.cycle.cold = min(1.5e-3*gap, c.cycle.hot/10)
	} else {
		c.cycle.hot = min([]float64{0.05, 0.1}[c.number%2]*gap, 0.5/float64(jobs))
		c.cycle.cold = min(3e-4*gap, c.cycle.hot/10)
	}
	c.cycles++
	c.aimAt(1 + c.cycle.share*gap)
	c.addUp()
}

// aimAt sets the aim.
func (c *chain) aimAt(aim float64) {
	c.cycle.aim = aim
	for i := range c.limit {
		c.limit[i] = c.p.price[c.p.clusterOf[i]] * aim
	}
}

// look compares the makespan with the best so far, and keeps it if it is less.
func (c *chain) look() {
	c.unseen = 0
	if c.stale > 64*len(c.at) {
		c.addUp()
	}
	most := 0.0
	for i, l := range c.load {
		most = max(most, l*c.cycle.aim/c.limit[i])
	}
	if most*c.p.unit >= c.best*(1-1e-12) {
		return
	}
	if makespan := c.p.makespan(c.at, c.scratch); makespan < c.best {
		c.best = makespan
		copy(c.bestAt, c.at)
		c.known = min(c.known, makespan)
	}
	if most <= c.cycle.aim {
		c.aimAt(1 + c.cycle.share*max(0, c.gap(c.best)))
	}
}

// excess is the part of x above 0.
func excess(x float64) float64 { return max(0, x) }

// moves tries n moves at temperature t.
func (c *chain) moves(n int, t float64) {
	p := c.p
	far := float64(len(p.pairs) - p.best)
	for range n {
		bits := c.rng.Next()
		u := float64(bits>>32) * 0x1p-32
		threshold := t * logs[bits&4095]
		var pair pair
		if bits>>12&1023 < 256 || far == 0 {
			pair = p.pairs[below(uint32(bits>>32), p.best)]
		} else {
			pair = p.pairs[p.best+int(u*u*u*far)]
		}
		k, to := int(pair.k), int32(p.first[pair.cluster])
		if width := p.first[pair.cluster+1] - int(to); width > 1 {
			to += int32(below(uint32(c.rng.Next()), width))
		}
		from := c.at[k]
		if from == to {
			continue
		}
		fromCluster, toCluster := int(p.clusterOf[from]), int(pair.cluster)
		lessFrom, moreTo := p.weighted(k, fromCluster), p.weighted(k, toCluster)
		kind := bits >> 22 & 1023
		if c.rows != nil && kind < chainShare {
			c.eject(k, from, to, lessFrom, moreTo, threshold)
			continue
		}
		partner := -1
		if kind < swapShare {
			if c.rows != nil {
				partner = c.match(from, to, lessFrom, moreTo, c.allowance(from, to, threshold))
			} else {
				partner = c.partner(from, to)
			}
			if partner < 0 {
				continue
			}
			lessFrom -= p.weighted(partner, fromCluster)
			moreTo -= p.weighted(partner, toCluster)
		}
		newFrom, newTo := c.load[from]-lessFrom, c.load[to]+moreTo
		if excess(newFrom-c.limit[from])+excess(newTo-c.limit[to])-excess(c.load[from]-c.limit[from])-excess(c.load[to]-c.limit[to]) > threshold {
			continue
		}
		c.load[from], c.load[to] = newFrom, newTo
		c.put(k, to)
		if partner >= 0 {
			c.put(partner, from)
		}
	}
}

// partner finds a job of machine to that might move to machine from; −1: it found none.
func (c *chain) partner(from, to int32) int {
	p := c.p
	if c.members == nil {
		fits := p.fits[p.clusterOf[from]]
		for range 12 {
			if len(fits) == 0 {
				return -1
			}
			u := float64(c.rng.Next()>>32) * 0x1p-32
			if k := fits[int(u*u*u*float64(len(fits)))]; c.at[k] == to {
				return int(k)
			}
		}
		return -1
	}
	members := c.members[to]
	if len(members) == 0 {
		return -1
	}
	best, least := -1, math.Inf(1)
	for range 4 {
		k := int(members[below(uint32(c.rng.Next()>>32), len(members))])
		if w := p.weighted(k, int(p.clusterOf[from])) - p.weighted(k, int(p.clusterOf[to])); w < least {
			best, least = k, w
		}
	}
	return best
}
