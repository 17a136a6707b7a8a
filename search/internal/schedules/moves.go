package schedules

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// move changes a genome and remembers how it was.
type move struct {
	*problem
	genome genome
	at     []int32 // by job: its position in the order
	rng    *rand.Rand
	late   int // of four positions that pick draws, how many are drawn by their distance from the end

	low, high int     // the first and the last position that changed
	saved     []int32 // the order there before the move
	job       int32   // the job whose choice changed; −1: none
	choice    choice

	stamp []int64 // by job: the round in which it last moved along with another
	round int64
	along []int32 // scratch: the jobs that move along with another
}

func newMove(p *problem, rng *rand.Rand) *move {
	n := len(p.in.Jobs())
	m := &move{problem: p, at: make([]int32, n), rng: rng, late: p.lateMoves()}
	if p.waits {
		m.stamp = make([]int64, n)
	}
	return m
}

// start copies the genome other.
func (m *move) start(other *genome) {
	m.genome.assign(other)
	for k, j := range m.genome.order {
		m.at[j] = int32(k)
	}
}

// change makes a random move. It returns false if nothing changed. Only positions from low to high may have changed.
func (m *move) change() bool {
	n := len(m.genome.order)
	m.job = -1
	m.low, m.high = n, -1
	widths, clusters := len(m.moldable) > 0, len(m.several) > 0
	draw := m.rng.Float64()
	switch {
	case widths && draw < 0.35:
		m.changeWidth(m.pickJob(m.moldable, func(job int32) bool { return m.choosesWidth(int(job)) }))
		if draw < 0.1 {
			m.relocate(int(m.at[m.job]))
		}
	case clusters && draw < 0.65:
		m.changeCluster(m.pickJob(m.several, func(job int32) bool { return m.places(job) > 1 }))
		if m.rng.IntN(2) == 0 {
			m.relocate(int(m.at[m.job]))
		}
	case n < 2:
		return false
	case m.rng.IntN(2) == 0:
		m.swap()
	default:
		m.relocate(m.pick())
	}
	if m.job >= 0 {
		m.low = min(m.low, int(m.at[m.job]))
	}
	return m.low < n
}

// changed says where the genome changed.
func (m *move) changed() change {
	high := m.high
	if m.job >= 0 {
		high = max(high, int(m.at[m.job]))
	}
	return change{m.low, high, m.at, math.Inf(1)}
}

// undo takes the move back.
func (m *move) undo() {
	if m.job >= 0 {
		m.genome.choices[m.job] = m.choice
	}
	if m.high >= 0 {
		low := m.high - len(m.saved) + 1
		copy(m.genome.order[low:], m.saved)
		m.renumber(low, m.high)
	}
}

// save remembers the order from low to high.
func (m *move) save(low, high int) {
	m.low, m.high = low, high
	m.saved = append(m.saved[:0], m.genome.order[low:high+1]...)
}

// renumber updates the positions of the jobs from low to high.
func (m *move) renumber(low, high int) {
	for k := low; k <= high; k++ {
		m.at[m.genome.order[k]] = int32(k)
	}
}

// changeWidth gives the job another number of processors. This is the next number that makes a difference, any number, or the
// one with which the job ends first.
func (m *move) changeWidth(job int32) {
	choice := &m.genome.choices[job]
	m.job, m.choice = job, *choice
	cluster := int(choice.cluster)
	if cluster == -1 && len(m.hosts[job]) > 0 {
		cluster = int(m.hosts[job][m.rng.IntN(len(m.hosts[job]))])
	}
	least, most := m.widths(int(job), cluster)
	tasks, now := m.in.Jobs()[job].Tasks, int(choice.width)
	draw := m.rng.IntN(8)
	switch {
	case draw == 0 && now > 0:
		choice.width = 0
	case draw <= 2 || now == 0:
		choice.width = int32(least + m.rng.IntN(most-least+1))
	case draw <= 4:
		choice.width = int32(min(most, plan.Wider(tasks, now)))
	default:
		choice.width = int32(max(least, narrower(tasks, now)))
	}
}

// changeCluster moves the job to another cluster, to the one on which it ends first, or over several clusters. A job over
// several clusters then often gets the number of processors with which it ends first.
func (m *move) changeCluster(job int32) {
	choice := &m.genome.choices[job]
	m.job, m.choice = job, *choice
	hosts, places := m.hosts[job], m.places(job)
	if choice.cluster != -1 && m.rng.IntN(places+1) == 0 {
		choice.cluster = -1
		return
	}
	if k := m.rng.IntN(places); k < len(hosts) {
		choice.cluster = hosts[k]
		return
	}
	if choice.cluster = spreadOver; m.rng.IntN(2) == 0 && !m.in.Jobs()[job].Rigid() {
		choice.width = 0
	}
}

// lateMoves says how many of four moves begin at a late position, see pick. If the objective is a sum over the jobs, few moves are decoded far beyond
// their change. If jobs arrive over time, early jobs do not delay the last ones, but count themselves.
func (p *problem) lateMoves() int {
	makespan := len(p.objective.Terms) == 1 && p.tie > 0 && !p.objective.Evaluate
	arrivals := p.in.Features().Has(model.Arrivals)
	switch {
	case len(p.jobs) <= manyJobs || p.objective.Additive || arrivals && !makespan:
		return 0
	case len(p.objective.Terms) > 1:
		return 2
	}
	return 4
}

// pick draws the position that a move begins from. A move is decoded from there on. So late positions are drawn more often where that goes to the
// end of the order: of the distances from the end, each power of two is as likely as the next, and about as much time is spent on each.
func (m *move) pick() int {
	n := len(m.genome.order)
	if m.late == 0 || m.late < 4 && m.rng.IntN(4) >= m.late {
		return m.rng.IntN(n)
	}
	least := 1 << m.rng.IntN(bits.Len(uint(n)))
	return n - least - m.rng.IntN(min(least, n-least+1))
}

// pickJob draws one of the jobs for which the function holds, late ones more often where pick does so. The list has them all.
func (m *move) pickJob(jobs []int32, holds func(job int32) bool) int32 {
	const draws = 16 // the function may hold for a few early jobs alone
	for k := 0; m.late > 0 && k < draws; k++ {
		if job := m.genome.order[m.pick()]; holds(job) {
			return job
		}
	}
	return jobs[m.rng.IntN(len(jobs))]
}

// target draws a position to move to. In half of the cases it is near from, otherwise anywhere. Among many jobs, positions farther away are
// rarer.
func (m *move) target(from int) int {
	n := len(m.genome.order)
	if near := 1 + min(n-1, 8+n/64); m.rng.IntN(2) == 0 {
		return max(0, min(n-1, from-near+m.rng.IntN(2*near+1)))
	}
	if n > manyJobs { // of the distance, each power of two is as likely as the next
		scale := m.rng.IntN(bits.Len(uint(n)))
		far := 1<<scale + m.rng.IntN(1<<scale)
		if m.rng.IntN(2) == 0 {
			far = -far
		}
		return max(0, min(n-1, from+far))
	}
	return m.rng.IntN(n)
}

// manyJobs is the number of jobs above which an evaluation may take long: moves to far positions become rarer, more states are kept, and most
// moves are given up before the end of the order.
const manyJobs = 1000

// relocate moves the job at position from to another. Jobs in between that it waits for, or that wait for it, move along.
func (m *move) relocate(from int) {
	to := m.target(from)
	if to == from {
		return
	}
	m.save(min(from, to), max(from, to))
	if !m.waits {
		order, job := m.genome.order, m.genome.order[from]
		if to < from {
			copy(order[to+1:from+1], order[to:from])
		} else {
			copy(order[from:to], order[from+1:to+1])
		}
		order[to] = job
	} else if to < from {
		m.pull(to, from)
	} else {
		m.push(from, to)
	}
	m.renumber(m.low, m.high)
}

// pull moves the job at position from to position to, which is before it. Jobs in between that it waits for move along.
func (m *move) pull(to, from int) {
	order := m.genome.order
	m.round++
	m.stampAll(m.in.Jobs()[order[from]].After)
	m.along = append(m.along[:0], order[from])
	last := from
	for k := from - 1; k >= to; k-- {
		job := order[k]
		if m.stamp[job] == m.round {
			m.stampAll(m.in.Jobs()[job].After)
			m.along = append(m.along, job)
			continue
		}
		order[last] = job
		last--
	}
	for k, job := range m.along { // the last first
		order[last-k] = job
	}
}

// push moves the job at position from to position to, which is behind it. Jobs in between that wait for it move along.
func (m *move) push(from, to int) {
	order := m.genome.order
	m.round++
	m.stampAll(m.in.Successors(int(order[from])))
	m.along = append(m.along[:0], order[from])
	next := from
	for k := from + 1; k <= to; k++ {
		job := order[k]
		if m.stamp[job] == m.round {
			m.stampAll(m.in.Successors(int(job)))
			m.along = append(m.along, job)
			continue
		}
		order[next] = job
		next++
	}
	copy(order[next:], m.along)
}

// stampAll marks jobs that move along.
func (m *move) stampAll(jobs []int) {
	for _, j := range jobs {
		m.stamp[j] = m.round
	}
}

// swap exchanges two jobs if precedence allows it; otherwise it relocates one of them.
func (m *move) swap() {
	a := m.pick()
	b := m.target(a)
	if a > b {
		a, b = b, a
	}
	if a == b {
		return
	}
	if m.waits && !m.swappable(a, b) {
		m.relocate(a)
		return
	}
	m.save(a, b)
	order := m.genome.order
	order[a], order[b] = order[b], order[a]
	m.at[order[a]], m.at[order[b]] = int32(a), int32(b)
}

// swappable says that precedence allows the jobs at positions a and b to be exchanged.
func (m *move) swappable(a, b int) bool {
	for _, next := range m.in.Successors(int(m.genome.order[a])) {
		if at := m.at[next]; m.position[next] >= 0 && int(at) <= b {
			return false
		}
	}
	for _, before := range m.in.Jobs()[m.genome.order[b]].After {
		if int(m.at[before]) >= a {
			return false
		}
	}
	return true
}
