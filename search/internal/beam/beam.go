// Package beam looks for short schedules of rigid jobs on one cluster of equal processors. All jobs can start at the same time.
//
// A beam search (P. S. Ow, T. E. Morton, 1988, Filtered beam search in scheduling, doi:10.1080/00207548808947840) starts jobs in the order of time, with
// a makespan to keep to. From that follows how much processor time may stay idle. Where the makespan is the area of the jobs divided by the
// processors, none may.
package beam

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Job is a job of some length, on at least one processor.
type Job struct {
	Duration float64
	Size     int32
}

// class is all jobs of the same size and duration.
type class struct {
	Job
	jobs   []int32 // their numbers
	weight float64 // what starting one of them adds to the guide
	key    uint64  // for hashing
}

// Search is a beam search. Its memory is used again by the next one.
type Search struct {
	classes    []class // widest first, then longest first
	area       float64
	jobs       int
	processors int32
	rng        *rand.Rand

	width    int
	aim      float64 // the longest makespan to find
	budget   float64 // processor time that may stay idle
	price    float64 // what idle processor time takes off the guide
	heaviest float64 // weight of a class at most

	level    int // jobs started
	at       int // states of the level that have been expanded
	now      []state
	next     []state
	children []child
	least    float64 // children of a guide below this one will not be kept
	paths    []path
	seen     map[uint64]struct{}
	sums     []uint64 // see empty
	profile  []release
	work     int64 // see Work
}

// path is how a state was reached: the class of the job started last, and the path of the state before.
type path struct{ before, class int32 }

// New prepares searches of a cluster with the given number of processors; no job is wider.
func New(processors int, jobs []Job, rng *rand.Rand) *Search {
	s := &Search{jobs: len(jobs), processors: int32(processors), rng: rng, seen: map[uint64]struct{}{}}
	order := make([]int32, len(jobs))
	for k := range order {
		order[k] = int32(k)
		s.area += float64(jobs[k].Size) * jobs[k].Duration
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(jobs[b].Size, jobs[a].Size), cmp.Compare(jobs[b].Duration, jobs[a].Duration))
	})
	for _, k := range order {
		if n := len(s.classes); n == 0 || s.classes[n-1].Job != jobs[k] {
			s.classes = append(s.classes, class{Job: jobs[k], key: rng.Uint64()})
		}
		c := &s.classes[len(s.classes)-1]
		c.jobs = append(c.jobs, k)
	}
	return s
}

// Begin begins a search for a schedule of at most the given makespan that keeps up to width states a level, with a guide drawn at random.
func (s *Search) Begin(aim float64, width int) {
	s.aim, s.width, s.budget = aim, width, float64(s.processors)*aim*(1+rounding)-s.area
	s.weigh()
	s.level, s.paths = 0, s.paths[:0]
	s.now, s.next = s.now[:0], s.next[:0]
	s.root()
	s.enter()
}

// rounding is the relative error that sums of durations are allowed.
const rounding = 1e-12

// enter prepares the expansion of a level.
func (s *Search) enter() { s.at, s.children, s.least = 0, s.children[:0], lowest }

// Step expands one state. It returns whether the search has ended: with a schedule, see Order, or without.
func (s *Search) Step() (ended bool) {
	if s.at < len(s.now) {
		s.expand(int32(s.at))
		s.at++
	}
	if s.at < len(s.now) {
		return false
	}
	s.choose()
	s.level++
	s.enter()
	return len(s.now) == 0 || s.level == s.jobs
}

// choose makes the next level of the best children, no two of them alike.
func (s *Search) choose() {
	if most := 2 * s.width; len(s.children) > most {
		s.children = best(s.children, most)
	}
	slices.SortFunc(s.children, func(a, b child) int {
		return cmp.Or(cmp.Compare(b.guide, a.guide), cmp.Compare(a.hash, b.hash))
	})
	clear(s.seen)
	s.next = s.next[:0]
	for k := range s.children {
		c := &s.children[k]
		if _, again := s.seen[c.hash]; again {
			continue
		}
		s.seen[c.hash] = struct{}{}
		s.start(c)
		if len(s.next) == s.width {
			break
		}
	}
	s.now, s.next = s.next, s.now
}

// Order lists the jobs of the schedule that the search has ended with, in the order of their starts; nil: it found none.
func (s *Search) Order() []int32 {
	if s.level < s.jobs || len(s.now) == 0 {
		return nil
	}
	order := make([]int32, 0, s.jobs)
	for p := s.now[0].path; p >= 0; p = s.paths[p].before {
		order = append(order, s.paths[p].class)
	}
	slices.Reverse(order)
	used := make([]int32, len(s.classes))
	for k, c := range order {
		order[k] = s.classes[c].jobs[used[c]]
		used[c]++
	}
	return order
}

// Work is about how many ns of one core the searches have taken, counted by their steps.
func (s *Search) Work() int64 { return s.work }

// Ranges from which a guide is drawn. No value in them is the best for all instances.
const (
	leastPower, morePower  = 0.5, 1.0 // exponent of the duration
	mostWidthPower         = 0.8      // exponent of the size, from 0 on
	mostNoise              = 0.05     // standard deviation of the factor by which a class is liked more or less
	leastPrice, priceRange = 4, 10    // least price of idle processor time, in mean weights of busy processor time; the largest price is priceRange times leastPrice
)

// weigh draws a guide. Of two states with as many jobs started, the one whose started jobs weigh more is better. Long jobs weigh more, because short ones
// are easier to place at the end.
func (s *Search) weigh() {
	power, width := leastPower+morePower*s.rng.Float64(), mostWidthPower*s.rng.Float64()
	noise, price := mostNoise*s.rng.Float64(), leastPrice*math.Pow(priceRange, s.rng.Float64())
	sum := 0.0
	s.heaviest = 0
	for k := range s.classes {
		c := &s.classes[k]
		c.weight = math.Pow(c.Duration, power) * math.Pow(float64(c.Size), width) * (1 + noise*s.rng.NormFloat64())
		s.heaviest = max(s.heaviest, c.weight)
		sum += c.weight * float64(len(c.jobs))
	}
	s.price = price * sum / s.area
}
