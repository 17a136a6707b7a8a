package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Rank says how good a schedule is: the number of jobs left out counts first, then the objective.
type Rank struct {
	Left      int
	Objective float64
}

// NewRank is the rank of a schedule that leaves out left jobs.
func NewRank(left int, objective float64) Rank { return Rank{left, objective} }

// Better says whether a is better than b by more than rounding.
func Better(a, b Rank) bool { return a.Better(b) }

// Nothing is the rank of no schedule at all. A schedule may have the objective +Inf, so only the number of jobs left out tells.
var Nothing = Rank{math.MaxInt, math.Inf(1)}

// None says that a is the rank of no schedule at all.
func (a Rank) None() bool { return a.Left == math.MaxInt }

// Reaches says whether no job is left out and the objective is at most the target, up to rounding.
func (a Rank) Reaches(target float64) bool {
	return a.Left == 0 && a.Objective <= target+model.Tolerance*math.Abs(target)
}

// Less orders ranks exactly, without regard to rounding: the better rank is less.
func (a Rank) Less(b Rank) bool {
	if a.Left != b.Left {
		return a.Left < b.Left
	}
	return a.Objective < b.Objective
}

// RankOf evaluates a schedule.
func RankOf(in *model.Instance, s *model.Solution) (Rank, error) {
	evaluation, err := model.Evaluate(in, s)
	if err != nil {
		return Rank{}, fmt.Errorf("search: %w", err)
	}
	return Rank{len(s.Unscheduled), evaluation.Objective}, nil
}

// Better says whether a is better than b by more than rounding.
func (a Rank) Better(b Rank) bool {
	if a.Left != b.Left {
		return a.Left < b.Left
	}
	if math.IsInf(b.Objective, 0) {
		return a.Objective < b.Objective
	}
	return a.Objective < b.Objective-model.Tolerance*math.Abs(b.Objective)
}

// StopReason says whether the context ended by its deadline or was cancelled.
func StopReason(ctx context.Context) model.Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return model.StopTime
	}
	return model.StopCancelled
}
