package serial

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// member is a schedule of a population.
type member struct {
	order []int32   // the jobs by start
	at    []int32   // by job: index of its place
	start []float64 // by job
	value float64   // the objective
	hash  uint64    // of places and starts
}

func newMember(n int) *member {
	return &member{order: make([]int32, n), at: make([]int32, n), start: make([]float64, n)}
}

// island is a population that evolves by itself between the rounds. First it is filled with schedules of random orders. Then each step
// crosses two members, places the jobs in the order of the child, justifies the schedule, and lets it replace a member that is not better.
//
// Sources: V. Valls, F. Ballestín, S. Quintanilla, "A hybrid genetic algorithm for the resource-constrained project scheduling problem",
// European Journal of Operational Research 185, 2008, doi:10.1016/j.ejor.2006.12.033 (justification of every child); D. Debels,
// M. Vanhoucke, "A decomposition-based genetic algorithm for the resource-constrained project-scheduling problem", Operations Research 55,
// 2007, doi:10.1287/opre.1060.0358 (a child takes a window of time from one parent and the order around it from the other).
//
// Deviations: the window is drawn at random and is not the one where use is highest (see docs/notes/search-findings.md); each child replaces one
// member.
type island struct {
	*decoder
	rng     *rand.Rand
	members []*member
	known   map[uint64]struct{} // hashes of the members
	size    int                 // members of a full population
	tries   int                 // schedules that may still be made to fill the population; an instance may have fewer schedules than members
	guests  []*member           // orders to place before random ones: the start, and those of priority rules
	met     *member             // a schedule that meets all hard deadlines; nil: no deadline is hard
	child   *member             // scratch
	taken   []bool              // by job: scratch
	inside  []bool              // by job: scratch
	waits   []int32             // by job: scratch
	ready   []int32             // scratch

	best          model.Rank
	found         *member
	made, repeats int64 // children since they were last counted, and how many of these were schedules that a member had already
}

func newIsland(p *problem, size int, rng *rand.Rand) *island {
	return &island{decoder: newDecoder(p), rng: rng, known: map[uint64]struct{}{}, size: size, tries: 2 * size, child: newMember(p.n),
		taken: make([]bool, p.n), inside: make([]bool, p.n), waits: make([]int32, p.n), best: engine.Nothing, found: newMember(p.n)}
}

// step makes one schedule and its justification. It makes at most the given number of passes.
func (s *island) step(passes int64) {
	c, met := s.child, s.met
	if !s.best.None() {
		met = s.found
	}
	switch {
	case len(s.guests) > 0:
		guest := s.guests[0]
		s.guests = s.guests[1:]
		copy(c.order, guest.order)
		s.leaveOpen(0)
		copy(s.at, guest.at)
	case len(s.members) == 0 || len(s.members) < s.size && s.tries > 0:
		s.tries--
		s.random(c.order)
		s.leaveOpen(s.rng.Float64() * s.rng.Float64())
	default:
		met = s.pick()
		s.cross(met, s.pick())
		s.mutate()
		s.made++
	}
	most := s.passes + passes
	if len(s.hard) == 0 {
		s.forward(c.order)
	} else if !s.forwardInTime(c.order, met, most) {
		return
	}
	s.settle()
	if _, known := s.known[c.hash]; known {
		s.repeats++
		return
	}
	if s.justifies && s.passes+2 <= most {
		before := c.value
		s.justify(c.order)
		if s.value() > before || !s.meets() { // possible where more counts than the last end
			s.keep()
			return
		}
		s.settle()
		if _, known := s.known[c.hash]; known {
			s.repeats++
			return
		}
	}
	s.keep()
}

// settle copies the schedule that the decoder made last to the child, and notes it if it is the best so far.
func (s *island) settle() {
	c := s.child
	copy(c.at, s.at)
	copy(c.start, s.start)
	s.sort(c.order, c.start)
	c.value = s.value()
	c.hash = hash(c.at, c.start)
	if rank := model.NewRank(0, c.value); rank.Less(s.best) {
		s.best = rank
		s.found.assign(c)
	}
}

// assign copies the member other.
func (m *member) assign(other *member) {
	copy(m.order, other.order)
	copy(m.at, other.at)
	copy(m.start, other.start)
	m.value, m.hash = other.value, other.hash
}

// hash identifies a schedule by its places and starts.
func hash(at []int32, start []float64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for j, t := range start {
		h = (h ^ math.Float64bits(t) ^ uint64(at[j])<<1) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// keep makes the child a member. In a full population it replaces a bad one, unless that one is better than the child.
func (s *island) keep() {
	c := s.child
	if len(s.members) < s.size {
		s.members = append(s.members, c)
		s.known[c.hash] = struct{}{}
		s.child = newMember(s.n)
		return
	}
	worst := s.rng.IntN(len(s.members))
	for range rivals {
		if k := s.rng.IntN(len(s.members)); s.members[k].value > s.members[worst].value {
			worst = k
		}
	}
	if out := s.members[worst]; c.value <= out.value {
		delete(s.known, out.hash)
		s.known[c.hash] = struct{}{}
		s.members[worst], s.child = c, out
	}
}

// rivals is how many members are drawn besides the first. The worst of all those drawn may be replaced.
const rivals = 10

// pick draws two members and returns the better one, as a parent.
func (s *island) pick() *member {
	a, b := s.members[s.rng.IntN(len(s.members))], s.members[s.rng.IntN(len(s.members))]
	if b.value < a.value {
		return b
	}
	return a
}

// cross makes the child of two members. The jobs in a window of the mother's order keep the mother's order; all others keep the father's.
// Of these, the jobs that the father starts before the window begins in the mother's schedule come before the window. A job that others in
// the child wait for comes before them.
func (s *island) cross(mother, father *member) {
	n := s.n
	width := n/4 + s.rng.IntN(n/2+1)
	from := s.rng.IntN(n - width + 1)
	window := mother.order[from : from+width]
	clear(s.taken)
	clear(s.inside)
	for _, j := range window {
		s.inside[j] = true
	}
	order, at := s.child.order[:0], s.at
	copy(at, father.at)
	var add func(j int32)
	add = func(j int32) {
		s.taken[j] = true
		for _, k := range s.before.of(j) {
			if !s.taken[k] {
				add(k)
			}
		}
		order = append(order, j)
		if s.inside[j] {
			at[j] = mother.at[j]
		}
	}
	first := 0.0
	if width > 0 {
		first = mother.start[window[0]]
	}
	for _, j := range father.order {
		if !s.inside[j] && !s.taken[j] && father.start[j] < first {
			add(j)
		}
	}
	for _, list := range [][]int32{window, father.order} {
		for _, j := range list {
			if !s.taken[j] {
				add(j)
			}
		}
	}
}

// swapShare is the share of neighbours in the order that are exchanged in a child.
const swapShare = 0.02

// mutate exchanges a few neighbours in the child's order and moves a few jobs to other places.
func (s *island) mutate() {
	order := s.child.order
	for k := s.skip(); k+1 < len(order); k += 1 + s.skip() {
		if a, b := order[k], order[k+1]; !s.waitsFor(b, a) {
			order[k], order[k+1] = b, a
		}
	}
	for len(s.several) > 0 && s.rng.IntN(2) == 0 {
		j := s.several[s.rng.IntN(len(s.several))]
		s.at[j] = int32(s.rng.IntN(1+len(s.places[j]))) - 1
	}
}

// leaveOpen leaves the places of the jobs open: the decoder then puts each job where it ends first. But about the given share of the jobs get a
// random place.
func (s *island) leaveOpen(share float64) {
	for j := range s.at {
		s.at[j] = -1
	}
	for _, j := range s.several {
		if share > 0 && s.rng.Float64() < share {
			s.at[j] = int32(s.rng.IntN(len(s.places[j])))
		}
	}
}

// skip draws the number of neighbours to pass over before the next exchange.
func (s *island) skip() int { return int(min(1e9, s.rng.ExpFloat64()/swapShare)) }

// waitsFor says whether job b waits for job a.
func (p *problem) waitsFor(b, a int32) bool { return slices.Contains(p.before.of(b), a) }

// random draws an order in which each job comes after those it waits for. Jobs that should start early are likelier to come early, see urgency.
func (s *island) random(order []int32) {
	ready := s.ready[:0]
	for j := range s.waits {
		if s.waits[j] = s.before.first[j+1] - s.before.first[j]; s.waits[j] == 0 {
			ready = append(ready, int32(j))
		}
	}
	for k := range order {
		pick := s.rng.IntN(len(ready))
		for range 2 {
			if other := s.rng.IntN(len(ready)); s.urgency(ready[other]) > s.urgency(ready[pick]) {
				pick = other
			}
		}
		j := ready[pick]
		order[k], ready[pick] = j, ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, next := range s.behind.of(j) {
			if s.waits[next]--; s.waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	s.ready = ready
}

// urgency is high for jobs that should start early: a long time must follow their start, and they arrive early.
func (p *problem) urgency(j int32) float64 { return p.tail[j] + p.places[j][0].length - p.arrival[j] }
