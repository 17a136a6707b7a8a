package model_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
)

// A schedule that leaves out fewer jobs is better whatever its objective; of two that differ by rounding alone neither is.
func TestRanks(t *testing.T) {
	inf := math.Inf(1)
	nothing := model.NoRank()
	for _, c := range []struct {
		a, b         model.Rank
		better, less bool
	}{
		{model.NewRank(0, 9), model.NewRank(1, 3), true, true},
		{model.NewRank(1, 3), model.NewRank(0, 9), false, false},
		{model.NewRank(0, 3), model.NewRank(0, 9), true, true},
		{model.NewRank(0, 9), model.NewRank(0, 9*(1+1e-13)), false, true},
		{model.NewRank(0, inf), nothing, true, true},
		{model.NewRank(0, inf), model.NewRank(0, inf), false, false},
		{model.NewRank(0, 9), model.NewRank(0, inf), true, true},
		{model.NewRank(0, inf), model.NewRank(0, 9), false, false},
		{model.NewRank(0, -9), model.NewRank(0, -3), true, true},
		{model.NewRank(0, -9), model.NewRank(0, -9), false, false},
		{nothing, nothing, false, false},
	} {
		if c.a.Better(c.b) != c.better || c.a.Less(c.b) != c.less {
			t.Errorf("%v and %v: better %t, less %t", c.a, c.b, c.a.Better(c.b), c.a.Less(c.b))
		}
	}
}

// A rank reaches a bound that it equals up to rounding, if nothing is left out; no rank reaches none.
func TestRankReaches(t *testing.T) {
	five := model.ProvedBound(5)
	for _, c := range []struct {
		rank  model.Rank
		bound model.Bound
		want  bool
	}{
		{model.NewRank(0, 5), five, true},
		{model.NewRank(0, 5*(1+1e-12)), five, true},
		{model.NewRank(0, 4), five, true},
		{model.NewRank(0, 5*(1+1e-6)), five, false},
		{model.NewRank(1, 5), five, false},
		{model.NewRank(0, math.Inf(1)), five, false},
		{model.NewRank(0, -1e300), model.Bound{}, false},
		{model.NoRank(), five, false},
	} {
		if c.rank.Reaches(c.bound) != c.want {
			t.Errorf("%v and the bound %v: expected %t", c.rank, c.bound, c.want)
		}
	}
	if !model.NoRank().None() || model.NewRank(0, math.Inf(1)).None() {
		t.Error("an infinite objective is one of a schedule")
	}
}

// A context that came to its deadline says so, whether or not it was cancelled afterwards.
func TestStopReason(t *testing.T) {
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	cancelLate()
	if found := model.StopReason(late); found != model.StopTime {
		t.Errorf("after the deadline: %s", found)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if found := model.StopReason(cancelled); found != model.StopCancelled {
		t.Errorf("cancelled: %s", found)
	}
	caused, cancelFor := context.WithCancelCause(context.Background())
	cancelFor(context.DeadlineExceeded) // the deadline of something else
	if found := model.StopReason(caused); found != model.StopCancelled {
		t.Errorf("cancelled with a cause: %s", found)
	}
}

// OK can be asked of a report that is a value.
func TestReportOKOfAValue(t *testing.T) {
	if !(model.Report{}).OK() || (model.Report{Violations: []model.Violation{{Code: model.CodeOverlap}}}).OK() {
		t.Error("a report with a violation is not in order, one without is")
	}
}
