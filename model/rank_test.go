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
		{model.NewRank(0, 0), model.NewRank(0, 0), false, false},
		{model.NewRank(0, 9*(1-0.9e-12)), model.NewRank(0, 9), false, true},
		{model.NewRank(0, 9*(1-1.1e-12)), model.NewRank(0, 9), true, true},
		{model.NewRank(0, -9*(1+0.9e-12)), model.NewRank(0, -9), false, true},
		{model.NewRank(0, -9*(1+1.1e-12)), model.NewRank(0, -9), true, true},
	} {
		if c.a.Better(c.b) != c.better || c.a.Less(c.b) != c.less {
			t.Errorf("%v and %v: better %t, less %t", c.a, c.b, c.a.Better(c.b), c.a.Less(c.b))
		}
	}
}

// A rank reaches a bound that it equals up to rounding, if it owes no more than every schedule does; no rank reaches none.
func TestRankReaches(t *testing.T) {
	five := model.ProvedBound(5)
	for _, c := range []struct {
		rank  model.Rank
		owed  int
		bound model.Bound
		want  bool
	}{
		{model.NewRank(0, 5), 0, five, true},
		{model.NewRank(0, 5*(1+1e-12)), 0, five, true},
		{model.NewRank(0, 4), 0, five, true},
		{model.NewRank(0, 5*(1+0.9e-12)), 0, five, true},
		{model.NewRank(0, 5*(1+1.1e-12)), 0, five, false},
		{model.NewRank(0, -5*(1-0.9e-12)), 0, model.ProvedBound(-5), true},
		{model.NewRank(0, -5*(1-1.1e-12)), 0, model.ProvedBound(-5), false},
		{model.NewRank(0, 0), 0, model.ProvedBound(0), true},
		{model.NewRank(0, 5*(1+1e-6)), 0, five, false},
		{model.NewRank(1, 5), 0, five, false},
		{model.NewRank(1, 5), 1, five, true},
		{model.NewRank(1, 5*(1+1e-6)), 1, five, false},
		{model.NewRank(2, 5), 1, five, false},
		{model.NewRank(0, math.Inf(1)), 0, five, false},
		{model.NewRank(0, -1e300), 0, model.Bound{}, false},
		{model.NoRank(), 0, five, false},
	} {
		if c.rank.Reaches(c.owed, c.bound) != c.want {
			t.Errorf("%v and the bound %v of schedules that owe %d: expected %t", c.rank, c.bound, c.owed, c.want)
		}
	}
	if !model.NoRank().None() || !math.IsInf(model.NoRank().Objective, 1) || model.NewRank(0, math.Inf(1)).None() {
		t.Error("an infinite objective is one of a schedule")
	}
}

// Of two schedules the one that leaves out fewer jobs is better, else the one that costs less by more than rounding.
func TestBetterSchedule(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1}`, `"work": 4`, `"work": 2`)
	at := func(start float64, left int) (*model.Solution, model.Evaluation) {
		sol := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", start, start+4), placed("j1", "c", "0", start+4, start+6)}[:2-left]}
		for k := 2 - left; k < 2; k++ {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "no"})
		}
		return sol, evaluated(t, in, sol)
	}
	for _, c := range []struct {
		startA       float64
		leftA        int
		startB       float64
		leftB        int
		above, below bool // a is better, b is better
	}{
		{0, 0, 0, 1, true, false}, {9, 0, 0, 1, true, false}, {9, 1, 0, 2, true, false}, {0, 1, 9, 0, false, true},
		{0, 0, 1, 0, true, false}, {1, 1, 0, 1, false, true}, {2, 0, 2, 0, false, false}, {2, 0, 2 + 1e-12, 0, false, false}, {2, 0, 2 + 1e-10, 0, true, false},
	} {
		a, costA := at(c.startA, c.leftA)
		b, costB := at(c.startB, c.leftB)
		if in.BetterSchedule(a, costA, b, costB) != c.above || in.BetterSchedule(b, costB, a, costA) != c.below {
			t.Errorf("%+v: a is better: %v, b is better: %v", c, !c.above, !c.below)
		}
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
	if !(model.Report{}).OK() || (model.Report{Violations: []model.Violation{{Code: "overlap"}}}).OK() {
		t.Error("a report with a violation is not in order, one without is")
	}
}

// Where the objective counts jobs, it alone judges leaving out those with a hard deadline. All other jobs left out are owed.
func TestOwed(t *testing.T) {
	for _, c := range []struct {
		objective string
		owed      int // of one job without a deadline, one with a soft and one with a hard deadline, and one with a hard deadline that is absent
	}{
		{`{"makespan": 1}`, 4}, {`{"work_done": 1}`, 3}, {`{"makespan": 1, "unfinished": 2}`, 3}, {`{"makespan": 1, "unfinished": 0}`, 4}, {`{"missed": -1}`, 3}, {`{"utilisation": 1}`, 4},
		{`{"miss_rate": 1}`, 3}, {`{"finished": 1}`, 3}, {`{"data_moved": 1}`, 3}, {`{"workflow_failures": 1}`, 3}, {`{}`, 4},
	} {
		in := oneMachine(t, c.objective, `"work": 4`, `"work": 4, "deadline": 9`, `"work": 4, "deadline": 9, "deadline_hard": true`, `"work": 4, "deadline_hard": true`)
		sol := &model.Solution{}
		for k := range in.Jobs() {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "no"})
			if owes := in.Owes(k); owes != (k != 2 || c.owed == 4) {
				t.Errorf("%s: owes job %d: %v", c.objective, k, owes)
			}
		}
		if owed := in.Owed(sol); owed != c.owed {
			t.Errorf("%s: owes %d of the jobs, expected %d", c.objective, owed, c.owed)
		}
		if rank := in.RankOf(sol, 7); rank != model.NewRank(c.owed, 7) {
			t.Errorf("%s: rank %+v", c.objective, rank)
		}
	}
	// One long job is worth more than two short ones where the work counts.
	in := oneMachine(t, `{"work_done": 1}`, `"work": 9, "deadline": 9, "deadline_hard": true`, `"work": 4, "deadline": 8, "deadline_hard": true`, `"work": 4, "deadline": 8, "deadline_hard": true`)
	out := func(k int) model.Unscheduled { return model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "no"} }
	long := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, 9)}, Unscheduled: []model.Unscheduled{out(1), out(2)}}
	short := &model.Solution{Jobs: []model.Placement{placed("j1", "c", "0", 0, 4), placed("j2", "c", "0", 4, 8)}, Unscheduled: []model.Unscheduled{out(0)}}
	a, b := evaluated(t, in, long), evaluated(t, in, short)
	if !in.BetterSchedule(long, a, short, b) || in.BetterSchedule(short, b, long, a) {
		t.Errorf("the schedule of less work is better")
	}
}
