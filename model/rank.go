package model

import "math"

// Rank is how good a schedule is: fewer jobs left out first, then a lower objective.
type Rank struct {
	Left      int     // jobs that the schedule leaves out
	Objective float64 // of the schedule
}

// NewRank is the rank of a schedule by the number of jobs that it leaves out and its objective.
func NewRank(left int, objective float64) Rank { return Rank{left, objective} }

// NoRank is the rank of no schedule at all: any schedule is better, even one of an infinite objective.
func NoRank() Rank { return Rank{math.MaxInt, math.Inf(1)} }

// None says that this is the rank of no schedule at all.
func (r Rank) None() bool { return r.Left == math.MaxInt }

// rankRounding is the rounding error of an objective, relative to it. It is much less than [Tolerance], as an objective may hold a metric of
// large weight that is the same in all schedules beside one that is not.
const rankRounding = 1e-12

// Reaches says whether nothing is left out and the objective is as low as the bound, up to rounding.
func (r Rank) Reaches(bound Bound) bool {
	value, known := bound.Value()
	return known && r.Left == 0 && r.Objective <= value+rankRounding*math.Abs(value)
}

// Better says whether the rank is better than another by more than rounding.
func (r Rank) Better(than Rank) bool {
	if r.Left != than.Left {
		return r.Left < than.Left
	}
	if math.IsInf(than.Objective, 0) {
		return r.Objective < than.Objective
	}
	return r.Objective < than.Objective-rankRounding*math.Abs(than.Objective)
}

// Less orders ranks, the better first, to the last bit.
func (r Rank) Less(than Rank) bool {
	if r.Left != than.Left {
		return r.Left < than.Left
	}
	return r.Objective < than.Objective
}

// BetterSchedule says whether schedule a leaves out fewer jobs than schedule b, or as many and costs less by more than rounding, see
// [Evaluation.Below].
func BetterSchedule(a *Solution, costA Evaluation, b *Solution, costB Evaluation) bool {
	if len(a.Unscheduled) != len(b.Unscheduled) {
		return len(a.Unscheduled) < len(b.Unscheduled)
	}
	return costA.Below(costB)
}
