package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// naive replays a trace in the plainest way: at each instant it looks at every job. It shares no code with the engine.
type naive struct {
	specs      []sim.Spec
	processors int32
	step       float64
	kill       bool
	start      []float64 // NaN: not started
	reserved   []float64 // conservative: start of the reservation; NaN: none
	end        []float64
	left       []bool
	old        []bool // arrived before this instant
	now        float64
	afresh     bool // conservative: a job outlived its estimate, so that the reservations do not hold
	early      bool // conservative: a job ended before its estimate since the last decision
	wake       float64
}

// newNaive replays with the decisions of one kind.
func newNaive(specs []sim.Spec, processors int32, step float64, kill bool, decide func(*naive)) *naive {
	n := &naive{specs: specs, processors: processors, step: step, kill: kill, wake: math.Inf(1)}
	for range specs {
		n.start, n.reserved = append(n.start, math.NaN()), append(n.reserved, math.NaN())
		n.end, n.left = append(n.end, math.NaN()), append(n.left, false)
		n.old = append(n.old, false)
	}
	for {
		next := n.wake
		for k := range specs {
			switch {
			case n.left[k]:
			case n.started(k):
				next = min(next, n.end[k])
			case specs[k].Arrival > n.now || n.now == 0 && !n.began(k):
				next = min(next, specs[k].Arrival)
			}
		}
		if math.IsInf(next, 1) {
			return n
		}
		n.now, n.wake = next, math.Inf(1)
		for k := range specs {
			if n.started(k) && !n.left[k] && n.end[k] <= n.now {
				n.left[k] = true
				n.afresh = n.afresh || n.reservedEnd(k, n.start[k]) < n.now
				n.early = n.early || n.reservedEnd(k, n.start[k]) > n.now
			}
			if specs[k].Arrival <= n.now {
				n.begin(k)
			}
		}
		decide(n)
		for k := range specs {
			n.old[k] = n.old[k] || specs[k].Arrival <= n.now
		}
	}
}

// began says whether a job that arrives at time 0 has been seen.
func (n *naive) began(k int) bool { return !math.IsNaN(n.reserved[k]) || n.started(k) }

// begin notes that a job has been seen.
func (n *naive) begin(k int) {
	if math.IsNaN(n.reserved[k]) {
		n.reserved[k] = math.Inf(1)
	}
}

func (n *naive) started(k int) bool         { return !math.IsNaN(n.start[k]) }
func (n *naive) running(k int) bool         { return n.started(k) && !n.left[k] }
func (n *naive) queued(k int) bool          { return n.specs[k].Arrival <= n.now && !n.started(k) }
func (n *naive) estimatedEnd(k int) float64 { return n.start[k] + n.specs[k].Estimate }

// expectedEnd is when a running job is taken to end.
func (n *naive) expectedEnd(k int) float64 {
	if end := n.estimatedEnd(k); end > n.now {
		return end
	}
	return n.now + n.step
}

// free is the processors free at a time, if those running end as expected.
func (n *naive) free(at float64) int32 {
	free := n.processors
	for k := range n.specs {
		if n.running(k) && n.expectedEnd(k) > at {
			free -= n.specs[k].Processors
		}
	}
	return free
}

// launch starts a job.
func (n *naive) launch(k int) {
	n.start[k] = n.now
	length := n.specs[k].Runtime
	if n.kill {
		length = min(length, n.specs[k].Estimate)
	}
	n.end[k] = n.now + length
}

// queue is the queued jobs in queue order.
func (n *naive) queue() []int {
	var list []int
	for k := range n.specs {
		if n.queued(k) {
			list = append(list, k)
		}
	}
	return list
}

// isFresh is 1 for a job that has just arrived, else 0.
func (n *naive) isFresh(k int) int {
	if n.old[k] {
		return 0
	}
	return 1
}

func naiveFCFS(n *naive) {
	for _, k := range n.queue() {
		if n.specs[k].Processors > n.free(n.now) {
			return
		}
		n.launch(k)
	}
}

func naiveEASY(n *naive) { n.easy(n.queue()) }

func naiveFlexible(n *naive) {
	queue := n.queue()
	shortest := math.Inf(1)
	for _, k := range queue {
		shortest = min(shortest, n.specs[k].Estimate)
	}
	priority := func(k int) float64 {
		ratio := 1.0
		if n.specs[k].Estimate > 0 {
			ratio = shortest / n.specs[k].Estimate
		}
		return 0.001*(n.now-n.specs[k].Arrival) + 0.1 + 0 + 1*ratio
	}
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(priority(b), priority(a)) })
	n.easy(queue)
}

// easy is one pass of EASY over the jobs in the order given.
func (n *naive) easy(queue []int) {
	for len(queue) > 0 && n.specs[queue[0]].Processors <= n.free(n.now) {
		n.launch(queue[0])
		queue = queue[1:]
	}
	if len(queue) == 0 {
		return
	}
	need, shadow := n.specs[queue[0]].Processors, math.Inf(1)
	for k := range n.specs {
		if n.running(k) && n.free(n.expectedEnd(k)) >= need {
			shadow = min(shadow, n.expectedEnd(k))
		}
	}
	extra := n.free(shadow) - need
	for _, k := range queue[1:] {
		s := &n.specs[k]
		switch {
		case s.Processors > n.free(n.now):
		case n.now+s.Estimate <= shadow:
			n.launch(k)
		case s.Processors <= extra:
			n.launch(k)
			extra -= s.Processors
		}
	}
}

// reservedEnd is the end of a reservation.
func (n *naive) reservedEnd(k int, start float64) float64 {
	if end := start + n.specs[k].Estimate; end > start {
		return end
	}
	return start + n.step
}

// planned is the processors free at a time beside running jobs and reservations.
func (n *naive) planned(at float64, queue []int) int32 {
	free := n.free(at)
	for _, k := range queue {
		if r := n.reserved[k]; !math.IsInf(r, 1) && r <= at && at < n.reservedEnd(k, r) {
			free -= n.specs[k].Processors
		}
	}
	return free
}

// reserve finds the earliest reservation of a job: it begins now or where something ends or a reservation begins.
func (n *naive) reserve(k int, queue []int) {
	n.reserved[k] = math.Inf(1)
	times := []float64{n.now}
	for i := range n.specs {
		if n.running(i) {
			times = append(times, n.expectedEnd(i))
		}
	}
	for _, i := range queue {
		if r := n.reserved[i]; !math.IsInf(r, 1) {
			times = append(times, r, n.reservedEnd(i, r))
		}
	}
	slices.Sort(times)
	for _, start := range times {
		if start < n.now {
			continue
		}
		fits, end := true, n.reservedEnd(k, start)
		for _, t := range times {
			fits = fits && (t < start || t >= end || n.planned(t, queue) >= n.specs[k].Processors)
		}
		if fits {
			n.reserved[k] = start
			return
		}
	}
}

func naiveConservative(n *naive) { naiveConservativeOf(n, n.queue()) }

// naiveConservativeOf takes the queued jobs in the order given; those that just arrived come last.
func naiveConservativeOf(n *naive, queue []int) {
	slices.SortStableFunc(queue, func(a, b int) int {
		return cmp.Compare(n.isFresh(a), n.isFresh(b))
	})
	late := false
	for k := range n.specs {
		late = late || n.running(k) && n.estimatedEnd(k) <= n.now
	}
	if late || n.afresh {
		for _, k := range queue {
			n.reserved[k] = math.Inf(1)
		}
	}
	for _, k := range queue { // those that just arrived have none yet: they come last
		if late || n.afresh || n.early || math.IsInf(n.reserved[k], 1) {
			n.reserve(k, queue)
		}
	}
	n.afresh, n.early = late, false
	for _, k := range queue {
		if n.reserved[k] == n.now && n.specs[k].Processors <= n.free(n.now) {
			n.launch(k)
		}
	}
	if late {
		return
	}
	for _, k := range n.queue() {
		if n.specs[k].Processors <= n.free(n.now) {
			n.wake = min(n.wake, n.reserved[k])
		}
	}
}

// naiveConservativeUpTo is conservative backfilling in which at most some queued jobs hold reservations, of the queued jobs in the order given.
func (n *naive) naiveConservativeUpTo(most int, queue []int) {
	var held, behind []int
	for _, k := range queue {
		if math.IsInf(n.reserved[k], 1) {
			behind = append(behind, k)
		} else {
			held = append(held, k)
		}
	}
	late := false
	for k := range n.specs {
		late = late || n.running(k) && n.estimatedEnd(k) <= n.now
	}
	if late || n.afresh {
		for _, k := range held {
			n.reserved[k] = math.Inf(1)
		}
	}
	for _, k := range held {
		if late || n.afresh || n.early {
			n.reserve(k, held)
		}
	}
	n.afresh, n.early = late, false
	for again := true; again; {
		for len(held) < most && len(behind) > 0 {
			held, behind = append(held, behind[0]), behind[1:]
			n.reserve(held[len(held)-1], held)
		}
		again = false
		for _, k := range slices.Clone(held) {
			if n.reserved[k] == n.now && n.specs[k].Processors <= n.free(n.now) {
				n.launch(k)
				held = slices.DeleteFunc(held, func(other int) bool { return other == k })
				again = true
			}
		}
	}
	for _, k := range held {
		if !late && n.specs[k].Processors <= n.free(n.now) {
			n.wake = min(n.wake, n.reserved[k])
		}
	}
}
