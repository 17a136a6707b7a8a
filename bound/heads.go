package bound

import (
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// mostHeads is the most jobs of an instance in which a job waits for the work of others, beside the longest chain of them.
const mostHeads = 4096

// heads raises the earliest starts of jobs that wait for several others: all that these hold of some resource from the least of their own starts on is held
// before. It takes the jobs in an order in which each comes after those it waits for.
type heads struct {
	r        *Relaxation
	supplies []supply
	before   [][]uint64  // by job: the jobs it waits for, perhaps by way of others, as a set of bits; nil: none
	held     [][]float64 // by supply and job
	sorted   []int       // the jobs seen so far for which others wait, the latest start first
}

// supply is a resource that jobs hold a part of.
type supply struct {
	capacity float64
	holds    func(j int) float64 // for how long, times how much, job j holds it at least
}

// newHeads returns nil where no start can be raised, or where there are too many jobs.
func newHeads(r *Relaxation) *heads {
	n := len(r.in.Jobs())
	if r.in.Features()&model.Precedence == 0 || n > mostHeads {
		return nil
	}
	h := &heads{r: r, before: make([][]uint64, n)}
	h.supplies = append(h.supplies, h.processors(r.unitPrices()))
	if speeds := r.speeds(); slices.Min(speeds) != slices.Max(speeds) {
		h.supplies = append(h.supplies, h.processors(speeds))
	}
	for l := range r.in.Licences() {
		if copies := r.copiesOf(l); !math.IsInf(copies, 1) {
			h.supplies = append(h.supplies, supply{copies, func(j int) float64 { return r.copiesFor(j, l) * r.least[j] }})
		}
	}
	h.held = make([][]float64, len(h.supplies))
	for s := range h.held {
		h.held[s] = make([]float64, n)
	}
	return h
}

// processors is the processors of all clusters at the prices.
func (h *heads) processors(prices []float64) supply {
	s := supply{holds: func(j int) float64 {
		least := math.Inf(1)
		for c, price := range prices {
			least = min(least, price*h.r.areaOn(j, c))
		}
		return least
	}}
	for c, count := range h.r.processorCounts() {
		s.capacity += prices[c] * float64(count)
	}
	return s
}

// raise returns the start of job j, or what the jobs that it waits for make of it if that is later. Rounding may make the result too early, never too late.
//
// Complexity: O(n·supplies) for n jobs.
func (h *heads) raise(j int, start float64) float64 {
	if h == nil || len(h.r.in.Jobs()[j].After) == 0 {
		return start
	}
	job := &h.r.in.Jobs()[j]
	before := make([]uint64, (len(h.before)+63)/64)
	for _, b := range job.After {
		before[b/64] |= 1 << (b % 64)
		for k, set := range h.before[b] {
			before[k] |= set
		}
	}
	h.before[j] = before
	if len(job.After) < 2 || !gate.Finite(start) {
		return start // what a single job holds is no more than the whole for its time
	}
	count := 0
	for _, set := range before {
		count += bits.OnesCount64(set)
	}
	latest := 0.0
	for s := range h.supplies {
		held, capacity := h.held[s], h.supplies[s].capacity
		sum := 0.0
		for _, b := range h.sorted {
			if before[b/64]>>(b%64)&1 != 0 {
				sum += held[b]
				if at := h.r.start[b] + sum/capacity; gate.Finite(at) {
					latest = max(latest, at)
				}
			}
		}
	}
	if latest *= 1 - float64(4*count+64)*gate.Epsilon; latest <= start {
		return start
	}
	h.r.waited = max(h.r.waited, count)
	return latest
}

// add takes a job whose start is known.
func (h *heads) add(j int) {
	if h == nil || len(h.r.in.Successors(j)) == 0 || !gate.Finite(h.r.start[j]) || !gate.Finite(h.r.least[j]) {
		return
	}
	for s := range h.supplies {
		h.held[s][j] = h.supplies[s].holds(j)
	}
	at, _ := slices.BinarySearchFunc(h.sorted, h.r.start[j], func(b int, start float64) int {
		if h.r.start[b] > start {
			return -1
		}
		return 1
	})
	h.sorted = slices.Insert(h.sorted, at, j)
}
