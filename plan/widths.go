package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Wider is the next number of processors above n on which a job of equal tasks takes less time; [math.MaxInt] where there is none.
func Wider(tasks, n int) int {
	each := (tasks + n - 1) / n
	if each <= 1 {
		return math.MaxInt
	}
	return max(n+1, (tasks+each-2)/(each-1))
}

// firstOn is the slot on the cluster in which the job ends first, over the numbers of processors that it may hold there; of equal ends that on the
// fewest.
func (s *Schedule) firstOn(job, cluster int, ready float64) (Slot, bool) {
	least, most := s.in.Width(job, cluster)
	most = min(most, s.in.Clusters()[cluster].Processors)
	if slot, ok, counted := s.EarliestEnd(job, cluster, least, min(most, s.in.Jobs()[job].Tasks), Wider, ready); counted {
		return slot, ok
	}
	return s.firstOf(job, least, most, Wider, func(n int) (Slot, bool) {
		return s.Resources.Earliest(job, cluster, n, ready)
	})
}

// EarliestEnd is the slot on the cluster from the time ready on in which the job ends first, over several numbers of processors: from least to most, and
// next is the number to try after another, as [Wider] is. Of equal ends it is that on the number tried first. counted says that one pass over the
// release times has found it; elsewhere try the numbers one by one. The job must be able to run on the cluster
// with each of them. Complexity: O(numbers tried + release times).
func (r *Resources) EarliestEnd(job, cluster, least, most int, next func(tasks, n int) int, ready float64) (slot Slot, ok, counted bool) {
	if c, plain := r.clusters[cluster].(*plainCluster); plain && least < most {
		return c.earliestEnd(job, least, most, next, ready)
	}
	return Slot{}, false, false
}

// firstSpread is the slot over several clusters in which the job ends first, over the numbers of processors that it may hold. Clusters of different speeds or overheads do not share tasks evenly, so
// that any number may be the best: all are tried up to manyWidths, and of more those that give each processor fewer tasks.
func (s *Schedule) firstSpread(job int, ready float64) (Slot, bool) {
	const manyWidths = 64
	j := &s.in.Jobs()[job]
	most := min(j.Max, j.Tasks, s.in.Processors())
	next := Wider
	if most-j.Min <= manyWidths {
		next = func(_, n int) int { return n + 1 }
	}
	return s.firstOf(job, j.Min, most, next, func(n int) (Slot, bool) { return s.Resources.Spread(job, n, ready) })
}

// firstOf is the slot that ends first, or costs least where [StartsCheap] holds, over the numbers of processors from least to most; next is the number to try after another.
func (s *Schedule) firstOf(job, least, most int, next func(tasks, n int) int, slotOn func(n int) (Slot, bool)) (Slot, bool) {
	tasks := s.in.Jobs()[job].Tasks
	best, found := slotOn(least)
	for n := next(tasks, least); n <= min(most, tasks) && !s.GaveUp(); n = next(tasks, n) {
		if slot, ok := slotOn(n); ok && (!found || slot.Before(&best)) {
			best, found = slot, true
		}
	}
	return best, found
}

// spreadFrom is, by job that fits no cluster alone but may spread, the first cluster that can hold a piece of it; −1: the job fits a cluster, or nothing.
// It is nil where no job must spread.
func spreadFrom(in *model.Instance) []int {
	if !in.Features().Has(model.GridSpan) {
		return nil
	}
	from := make([]int, len(in.Jobs()))
	for j := range from {
		from[j] = -1
		if !in.MustSpread(j) {
			continue
		}
		for c, holds := range in.SpreadOver(j) {
			if holds {
				from[j] = c
				break
			}
		}
	}
	return from
}
