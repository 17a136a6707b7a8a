package exact

import (
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// undominated adds state s to the states worth continuing from.
func (x *joint) undominated(states []*jointState, s *jointState) []*jointState {
	for _, other := range states {
		if x.dominates(other, s) {
			return states
		}
	}
	kept := make([]*jointState, 0, len(states)+1)
	for _, other := range states {
		if !x.dominates(s, other) {
			kept = append(kept, other)
		}
	}
	return append(kept, s)
}

// dominates says that whatever can follow state b can follow state a, as early and at no higher cost.
func (x *joint) dominates(a, b *jointState) bool {
	if a.now > b.now {
		return false
	}
	spent := a.direct - b.direct
	if x.shares && spent > 0 {
		return false
	}
	for c := range a.latest {
		if a.latest[c] > b.latest[c] || x.shares && a.over[c] > b.over[c] {
			return false
		}
		w := x.p.Clusters[c].Plain
		spent += w.Over*(a.over[c]-b.over[c]) + w.Busy*(a.busy[c]-b.busy[c])
	}
	if !x.shares && spent > 0 {
		return false
	}
	for left := a.set; left != 0; left &= left - 1 {
		k := bits.TrailingZeros(uint(left))
		waiting := x.after[k] &^ a.set
		if waiting != 0 && a.ends[k] > max(b.ends[k], b.now) || waiting&x.instant != 0 && a.ends[k] > b.ends[k] {
			return false // a job that takes no time may start before the job placed last
		}
	}
	freeA, freeB, k := slices.Clone(a.free), slices.Clone(b.free), 0
	for l := -1; l < len(b.running); l++ {
		at := b.now
		if l >= 0 {
			at = b.running[l].end
			x.hold(freeB, b.running[l].job, b.running[l].cluster, +1)
		}
		for ; k < len(a.running) && a.running[k].end <= at; k++ {
			x.hold(freeA, a.running[k].job, a.running[k].cluster, +1)
		}
		for r := range freeA {
			if freeA[r] < freeB[r] {
				return false
			}
		}
	}
	return true
}

// solution is the best schedule.
func (x *joint) solution() (*model.Solution, error) {
	s, err := plan.NewPlacedSchedule(x.p.In, plan.Filling(x.p.In))
	if err != nil {
		return nil, err
	}
	var order []*jointStep
	for step := x.best.last; step != nil; step = step.before {
		order = append(order, step)
	}
	for _, step := range slices.Backward(order) {
		slot, _ := s.Earliest(step.job, step.cluster)
		s.Place(step.job, slot)
	}
	for _, j := range x.p.Nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}
