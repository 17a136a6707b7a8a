package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// byStart are the pieces on each cluster in the order of their starts, without those that take no time: they hold nothing.
func (s *schedule) byStart() [][]*part {
	starts := make([]timed[*part], 0, len(s.parts))
	for k := range s.parts {
		if p := &s.parts[k]; p.end > p.start {
			starts = append(starts, timed[*part]{p.start, p})
		}
	}
	clusters := make([][]*part, len(s.in.clusters))
	for _, at := range byTime(starts) {
		clusters[at.of.cluster] = append(clusters[at.of.cluster], at.of)
	}
	return clusters
}

// overlaps checks that no processor runs two jobs at once: pieces in the order of their starts, each against what last
// held its processors.
func (c *checker) overlaps(byStart [][]*part) {
	for cluster, parts := range byStart {
		if len(parts) == 0 {
			continue
		}
		held, size := holders{}, holderSize(c.in.clusters[cluster].Processors)
		for _, p := range parts {
			reported := (*part)(nil)
			for _, r := range p.set {
				held.take(r, p, 0, size, func(processor int, before *part) {
					if before == reported {
						return
					}
					reported = before
					c.report.add(Violation{codeOverlap, c.in.jobs[p.job].ID, c.in.clusters[cluster].ID, fmt.Sprint(processor),
						p.start, min(p.end, before.end), fmt.Sprintf("job %s holds the processor until %v", shown(c.in.jobs[before.job].ID), before.end)})
				})
			}
		}
	}
}

// holders is the part that last held each processor of a block. A block with one holder is kept as one; any other has blocks below it, or, if it
// is of the smallest size, a holder for each processor.
type holders struct {
	whole  *part // the holder of all its processors, where blocks and single are nil
	blocks []holders
	single []*part
}

// holderBlock is the number of processors in a block of the smallest size, and of blocks in one above.
const holderBlock = 64

// holderSize is the size of a block that holds all processors: a power of holderBlock.
func holderSize(processors int) int {
	size := holderBlock
	for size < processors {
		size *= holderBlock
	}
	return size
}

// take gives the processors, which are some of the block, to p and calls clash for those whose holder still runs when p starts. The block begins
// with processor first and has the given size.
func (h *holders) take(r Range, p *part, first, size int, clash func(processor int, before *part)) {
	give := func(before *part, processor int) *part {
		if before == nil || before.end <= p.start {
			return p
		}
		clash(processor, before)
		if before.end > p.end {
			return before
		}
		return p
	}
	all := r.Len() == size
	switch {
	case all && h.blocks == nil && h.single == nil:
		h.whole = give(h.whole, r.First)
	case size > holderBlock:
		if h.blocks == nil {
			h.blocks = slices.Repeat([]holders{{whole: h.whole}}, holderBlock)
		}
		size /= holderBlock
		for k := (r.First - first) / size; k <= (r.Last-first)/size; k++ {
			at := first + k*size
			h.blocks[k].take(Range{max(r.First, at), min(r.Last, at+size-1)}, p, at, size, clash)
		}
		if one := h.blocks[0]; all && !slices.ContainsFunc(h.blocks, func(b holders) bool {
			return b.blocks != nil || b.single != nil || b.whole != one.whole
		}) {
			*h = one
		}
	default:
		if h.single == nil {
			h.single = slices.Repeat([]*part{h.whole}, holderBlock)
		}
		for k := r.First; k <= r.Last; k++ {
			h.single[k-first] = give(h.single[k-first], k)
		}
		if one := h.single[0]; all && !slices.ContainsFunc(h.single, func(q *part) bool { return q != one }) {
			*h = holders{whole: one}
		}
	}
}

// holding is an amount held over an interval, for the checks of memory and licences.
type holding struct {
	start, end float64
	amount     float64
	part       *part
}

// hold adds the amount that is held in the part's name over an interval, unless the interval is empty.
func hold(holdings []holding, p *part, start, end, amount float64) []holding {
	if end <= start {
		return holdings
	}
	return append(holdings, holding{start, end, amount, p})
}

// exceeded walks through the holdings of whole amounts in time and returns the first at whose start more than the capacity is held.
func exceeded(holdings []holding, capacity float64) (worst holding, held float64, found bool) {
	slices.SortStableFunc(holdings, func(a, b holding) int { return cmp.Compare(a.start, b.start) })
	byRelease := slices.Clone(holdings)
	slices.SortStableFunc(byRelease, func(a, b holding) int { return cmp.Compare(a.end, b.end) })
	done := 0
	for _, h := range holdings {
		for ; done < len(byRelease) && byRelease[done].end <= h.start; done++ {
			held -= byRelease[done].amount
		}
		held += h.amount
		if held > capacity {
			return h, held, true
		}
	}
	return holding{}, 0, false
}

// memory checks that the tasks on each machine fit its memory at every instant. It walks through the schedule in time and
// keeps what each machine holds, not what it held when: a job may touch thousands of machines.
func (c *checker) memory(byStart [][]*part) {
	for cluster, parts := range byStart {
		starts := c.memoryHoldings(cluster, parts)
		if len(starts) == 0 {
			continue
		}
		releases := slices.Clone(starts)
		slices.SortStableFunc(releases, func(a, b holding) int { return cmp.Compare(a.end, b.end) })
		held := newAmounts(c.in.clusters[cluster].machines, len(starts))
		for _, h := range starts {
			for ; len(releases) > 0 && releases[0].end <= h.start; releases = releases[1:] {
				c.holdMemory(held, releases[0], -1)
			}
			c.holdMemory(held, h, 1)
		}
	}
}

// amount is a sum that amounts are added to and taken from again and again, in two parts so that no rounding errors add up: the sum in
// double precision and what its additions have lost.
type amount struct{ sum, lost float64 }

// add adds n times x (two-sum and two-product, T. J. Dekker, 1971, doi:10.1007/BF01397083). What is held is then known to about
// twice the digits of a float64.
func (a *amount) add(x, n float64) {
	product := x * n
	sum := a.sum + product
	back := sum - a.sum
	a.lost += (a.sum - (sum - back)) + (product - back) + math.FMA(x, n, -product)
	a.sum = sum
}

// value is the amount.
func (a *amount) value() float64 { return a.sum + a.lost }

// exceeds says whether the amount is more than the capacity: by more than the rounding of the numbers that state both, as 0.1 + 0.2 may
// be more than 0.3. Of a capacity below 2⁵² a whole unit too much is always found.
func (a *amount) exceeds(capacity float64) bool {
	return a.sum-capacity+a.lost > memoryRounding*capacity
}

// memoryRounding is the rounding error of the numbers that state a capacity and the amounts that fill it, relative to the capacity.
const memoryRounding = 1.0 / (1 << 52)

// amounts is an amount for each machine of a cluster.
type amounts struct {
	dense  []amount
	sparse map[int]*amount // in place of dense where few of very many machines are touched
}

// newAmounts is an amount of 0 for each of the machines, of which pieces touch some.
func newAmounts(machines, pieces int) amounts {
	if machines > 1<<16 && machines/64 > pieces {
		return amounts{sparse: map[int]*amount{}}
	}
	return amounts{dense: make([]amount, machines)}
}

// of is the amount of a machine.
func (a amounts) of(machine int) *amount {
	if a.sparse == nil {
		return &a.dense[machine]
	}
	at := a.sparse[machine]
	if at == nil {
		at = new(amount)
		a.sparse[machine] = at
	}
	return at
}

// instants checks the pieces that take no time. They hold nothing, so they may run amid others, but what their jobs need has to be there.
func (c *checker) instants() {
	for k := range c.parts {
		p := &c.parts[k]
		if p.end > p.start {
			continue
		}
		job, cluster := &c.in.jobs[p.job], &c.in.clusters[p.cluster]
		c.in.onMachines(p.cluster, p.set, func(group, machine, processors int) {
			m := &cluster.Machines[group]
			var need amount
			if need.add(job.Memory, float64(processors)); need.exceeds(m.Memory) {
				c.tooLittleMemory(p, m, machine, need.sum)
			}
		})
		if !p.first {
			continue
		}
		c.drawn(p.job, func(from pool, copies int) {
			if there := c.in.copies(from); copies > there {
				c.report.add(c.shortage(p, from, fmt.Sprintf("the job needs %d copies, the pool has %d", copies, there)))
			}
		})
	}
}

// memoryHoldings are the pieces on the cluster that need memory, where a machine limits it.
func (c *checker) memoryHoldings(cluster int, parts []*part) []holding {
	limits := func(m Machine) bool { return !math.IsInf(m.Memory, 1) }
	if !slices.ContainsFunc(c.in.clusters[cluster].Machines, limits) {
		return nil
	}
	var holdings []holding
	for _, p := range parts {
		if need := c.in.jobs[p.job].Memory; need > 0 {
			holdings = hold(holdings, p, p.start, p.end, need)
		}
	}
	return holdings
}

// holdMemory adds what the tasks of a holding need to what each of its machines holds, or takes it away, and lists the
// machines that then hold more than they have. Such a machine is listed once: it is full for good after that.
func (c *checker) holdMemory(held amounts, h holding, sign float64) {
	cluster := &c.in.clusters[h.part.cluster]
	c.in.onMachines(h.part.cluster, h.part.set, func(group, machine, processors int) {
		m := &cluster.Machines[group]
		at := held.of(m.firstMachine + machine)
		if at.add(sign*h.amount, float64(processors)); at.exceeds(m.Memory) {
			c.tooLittleMemory(h.part, m, machine, at.sum)
			*at = amount{sum: math.Inf(-1)}
		}
	})
}

// tooLittleMemory reports that the tasks on a machine of the group need more memory than it has when the piece starts.
func (c *checker) tooLittleMemory(p *part, group *Machine, machine int, need float64) {
	c.report.add(Violation{codeMemory, c.in.jobs[p.job].ID, c.in.clusters[p.cluster].ID, group.Name(machine), p.start, p.end,
		fmt.Sprintf("the tasks running there need %v, the machine has %v", need, group.Memory)})
}

// Name is the name of the k-th machine of the group, from 0: its id, or id[k] where the group has several.
func (m *Machine) Name(k int) string {
	if m.Count == 1 {
		return m.ID
	}
	return element(m.ID, k)
}

// MachineNames are the names of the machines of a cluster that hold processors of the set, in their order.
//
// Complexity: O(groups of machines + names).
func (in *Instance) MachineNames(cluster int, set ProcessorSet) []string {
	var names []string
	in.onMachines(cluster, set, func(group, machine, _ int) {
		names = append(names, in.clusters[cluster].Machines[group].Name(machine))
	})
	return names
}

// onMachines calls yield for each machine that holds processors of the set, with their number.
func (in *Instance) onMachines(cluster int, set ProcessorSet, yield func(group, machine, processors int)) {
	c := &in.clusters[cluster]
	lastGroup, lastMachine, processors := -1, -1, 0
	for _, r := range set {
		for from := r.First; from <= r.Last; {
			g := c.GroupOf(from)
			m := &c.Machines[g]
			k := (from - m.First) / m.Units
			to := min(r.Last, m.First+(k+1)*m.Units-1)
			if g != lastGroup || k != lastMachine {
				if processors > 0 {
					yield(lastGroup, lastMachine, processors)
				}
				lastGroup, lastMachine, processors = g, k, 0
			}
			processors += to - from + 1
			from = to + 1
		}
	}
	yield(lastGroup, lastMachine, processors)
}

// drawn calls yield for each limited pool that a placed job draws copies from: once a pool, however many of its pieces do.
func (s *schedule) drawn(job int, yield func(from pool, copies int)) {
	for _, need := range s.in.jobs[job].Licences {
		var seen []pool
		for _, p := range s.partsOf(job) {
			copies, own := s.in.Pool(p.cluster, need.Licence)
			from := pool{need.Licence, -1}
			if own {
				from.cluster = p.cluster
			}
			if copies == Unlimited || slices.Contains(seen, from) {
				continue
			}
			seen = append(seen, from)
			yield(from, need.Copies)
		}
	}
}

// licences checks that no pool is asked for more copies than it has at any instant.
func (c *checker) licences() {
	byPool := map[pool][]holding{}
	for k := range c.parts {
		if p := &c.parts[k]; p.first {
			c.drawn(p.job, func(from pool, copies int) {
				byPool[from] = hold(byPool[from], p, c.start[p.job], c.end[p.job], float64(copies))
			})
		}
	}
	for _, from := range sortedPools(byPool) {
		copies := c.in.copies(from)
		if h, held, found := exceeded(byPool[from], float64(copies)); found {
			c.report.add(c.shortage(h.part, from, fmt.Sprintf("the jobs running need %v copies, the pool has %d", held, copies)))
		}
	}
}

// shortage is the violation of a pool with too few copies for the job of a piece.
func (c *checker) shortage(p *part, from pool, message string) Violation {
	v := Violation{Code: codeLicence, Job: c.in.jobs[p.job].ID, Resource: c.in.licences[from.licence].ID, From: p.start, To: p.end, Message: message}
	if from.cluster >= 0 {
		v.Cluster = c.in.clusters[from.cluster].ID
	}
	return v
}
