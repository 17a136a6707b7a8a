package solvers_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// followed is a run of a solver with what it reported; what it reports must never get worse, nor count back.
func followed(t *testing.T, name string, in *model.Instance, opt solve.Options) (solve.Result, []solve.Progress) {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	var told []solve.Progress
	opt.Progress = func(p solve.Progress) {
		if n := len(told); n > 0 {
			before := told[n-1]
			if model.NewRank(before.Left, before.Objective).Better(model.NewRank(p.Left, p.Objective)) || p.Evaluations < before.Evaluations {
				t.Errorf("%s with %d evaluations: told %+v after %+v", name, opt.MaxEvals, p, before)
			}
		}
		told = append(told, p)
	}
	result, err := solve.Run(context.Background(), info.Choice(), in, opt)
	if err != nil {
		t.Fatal(err)
	}
	return result, told
}

// All stages of a run share its evaluations and report as one.
func TestStagesShareTheEvaluations(t *testing.T) {
	in := solvecases.Built(t, solvecases.Medium(1, false))
	for _, name := range []string{"auto", "dll+titan+search", "minmin+search+search", "muscle+titan+titan+titan", "search", "titan"} {
		limits := []int64{1, 2, 3, 6, 7, 8, 9, 100, 5000, 30_000}
		for _, limit := range limits[:race.Fewer(len(limits), 4)] {
			result, told := followed(t, name, in, solve.Options{Seed: 1, MaxEvals: limit, Workers: 1})
			if result.Evaluations > limit || result.Evaluations < 1 {
				t.Errorf("%s: %d evaluations of %d", name, result.Evaluations, limit)
			}
			if len(told) == 0 {
				continue
			}
			last := told[len(told)-1]
			if last.Evaluations > result.Evaluations {
				t.Errorf("%s: told of %d evaluations, made %d", name, last.Evaluations, result.Evaluations)
			}
			if *result.Solution.Objective > last.Objective*(1+1e-9) {
				t.Errorf("%s: told of the objective %v, found %v", name, last.Objective, *result.Solution.Objective)
			}
		}
	}
	// Titan stops by itself with 60,000, and with 10,000 at the limit of one cluster, when others have left theirs over; search then
	// makes what is left, no more and no less.
	for _, limit := range []int64{60_000, 10_000}[:race.Fewer(2, 0)] {
		if result, _ := followed(t, "dll+titan+search", in, solve.Options{Seed: 1, MaxEvals: limit}); result.Evaluations != limit || result.Stop != model.StopEvaluations {
			t.Errorf("dll+titan+search: %d evaluations of %d, stopped by %s", result.Evaluations, limit, result.Stop)
		}
	}
}

// Auto leaves out no more jobs than its search does from a cold start, and tells how many.
func TestAutoPrefersFewerJobsLeftOut(t *testing.T) {
	for seed := range uint64(4) {
		in := solvecases.Built(t, solvecases.Medium(seed, true))
		auto, told := followed(t, "auto", in, solve.Options{Seed: 1, MaxEvals: 300})
		alone, _ := followed(t, "search", in, solve.Options{Seed: 1, MaxEvals: 1})
		rank := func(s *model.Solution) model.Rank { return model.NewRank(len(s.Unscheduled), *s.Objective) }
		if rank(alone.Solution).Better(rank(auto.Solution)) {
			t.Errorf("seed %d: auto leaves out %d jobs, one schedule of search %d", seed, len(auto.Solution.Unscheduled), len(alone.Solution.Unscheduled))
		}
		if len(told) == 0 || told[len(told)-1].Left != len(auto.Solution.Unscheduled) {
			t.Errorf("seed %d: auto leaves out %d jobs, told of %+v", seed, len(auto.Solution.Unscheduled), told[len(told)-1])
		}
	}
}

// A quick solver's bound is kept where that of search is lower: that of ggone is, unless it stops at once.
func TestAutoKeepsTheBestBound(t *testing.T) {
	in := solvecases.Built(t, solvecases.MediumQueues())
	kept := 0
	for _, limit := range []int64{100, 600, 700} {
		ggone, _ := followed(t, "ggone", in, solve.Options{MaxEvals: limit})
		auto, _ := followed(t, "auto", in, solve.Options{MaxEvals: limit + 100})
		if !ggone.Bound.Known() || !auto.Bound.Known() {
			t.Fatalf("%d evaluations: no bound", limit)
		}
		lower := bound.Lower(context.Background(), in).Or(0)
		if ggone.Bound.Or(0) > lower {
			kept++
		}
		if auto.Bound.Or(0) < ggone.Bound.Or(0)*(1-1e-12) {
			t.Errorf("%d evaluations: bound %v, that of ggone alone is %v", limit, auto.Bound, ggone.Bound)
		}
	}
	if kept == 0 {
		t.Error("no bound of ggone is above that of search: the test proves nothing")
	}
}

// partial is a start that leaves out the jobs named.
func partial(full *model.Solution, out ...string) *model.Solution {
	s := &model.Solution{Unscheduled: append([]model.Unscheduled(nil), full.Unscheduled...)}
	for _, p := range full.Jobs {
		left := false
		for _, id := range out {
			left = left || p.Job == id
		}
		if left {
			s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: p.Job, Reason: "test"})
		} else {
			s.Jobs = append(s.Jobs, p)
		}
	}
	return s
}

// fixed hands back a schedule, and claims that it is optimal.
type fixed struct{ sol *model.Solution }

func (*fixed) Supports(*model.Instance) error { return nil }
func (f *fixed) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	return solve.Result{Solution: f.sol, Status: model.Optimal, Bound: model.ProvedBound(-1), Stop: model.StopDone}, nil
}

// Optimal is only what leaves out nothing but what it has to; no bound is stated of a schedule that leaves out what the bound counts on.
func TestOptimalOnlyWithAllThatFits(t *testing.T) {
	b := model.NewBuilder("left out").Cluster(solvecases.Machines("c0", 2, 1)).
		Job(model.JobSpec{ID: "long", Work: new(8.0)}).
		Job(model.JobSpec{ID: "short", Work: new(2.0)}).
		Job(model.JobSpec{ID: "hard", Work: new(1.0), Deadline: new(9.0), DeadlineHard: true}).
		Job(model.JobSpec{ID: "late", Work: new(9.0), Deadline: new(5.0), DeadlineHard: true}).
		Job(model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(3)}).
		Job(model.JobSpec{ID: "waits", Work: new(1.0), After: []string{"wide"}})
	in := solvecases.Built(t, b)
	full, _ := followed(t, "search", in, solve.Options{Seed: 1, MaxEvals: 100})
	if full.Status != model.Optimal || !full.Bound.Known() || len(full.Solution.Unscheduled) != 3 {
		t.Fatalf("%s with bound %v and %d jobs left out: expected an optimum without the 3 that fit nowhere", full.Status, full.Bound, len(full.Solution.Unscheduled))
	}
	for _, c := range []struct {
		out    []string
		status model.Status
		bound  bool
	}{
		{nil, model.Optimal, true},
		{[]string{"hard"}, model.Feasible, false},  // as low as the bound, but it is owed
		{[]string{"short"}, model.Feasible, false}, // the same, and the bound counts on it
		{[]string{"long"}, model.Feasible, false},  // below the bound
		{[]string{"long", "short", "hard"}, model.Feasible, false},
	} {
		sol := partial(full.Solution, c.out...)
		result, err := solve.Run(context.Background(), solve.Choice{Info: solve.Info{Name: "fixed"}, Solver: &fixed{sol}}, in, solve.Options{})
		if err != nil {
			t.Errorf("without %v: %v", c.out, err)
			continue
		}
		if result.Status != c.status || result.Bound.Known() != c.bound || result.Solution.Bound != result.Bound || result.Solution.Status != c.status {
			t.Errorf("without %v: %s, bound %t; expected %s, %t", c.out, result.Status, result.Bound.Known(), c.status, c.bound)
		}
		again, _ := followed(t, "search", in, solve.Options{Start: partial(full.Solution, c.out...), MaxEvals: 50})
		if again.Status != model.Optimal || len(again.Solution.Unscheduled) != 3 {
			t.Errorf("search from a start without %v: %s, %d jobs left out", c.out, again.Status, len(again.Solution.Unscheduled))
		}
	}
	if report := model.Check(in, full.Solution); !report.OK() {
		t.Error(report.Violations[0])
	}
}

// After the context has ended there is no bound, and none of the work for one.
func TestNoBoundAfterTheEnd(t *testing.T) {
	in := solvecases.Built(t, solvecases.Medium(1, false))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if value, ok := bound.Lower(ctx, in).Value(); ok {
		t.Errorf("bound %v of an ended context", value)
	}
	for after := time.Duration(1); after < 50*time.Millisecond; after *= 4 {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		value, ok := bound.Lower(ctx, in).Value()
		cancel()
		if full := lowerBound(in); ok && !(value <= full && value >= 0 && !math.IsNaN(value)) {
			t.Errorf("bound %v when stopped after %s, %v in full", value, after, full)
		}
	}
}

func TestParametersAreChecked(t *testing.T) {
	for _, effort := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		want := fmt.Sprintf("parameter effort: expected a finite number above 0, found %v", effort)
		if _, err := solverstest.With(solve.Default[solvers.Search](), func(x *solvers.Search) { x.Effort = effort }).Solve(context.Background(), solvecases.Built(t, solvecases.Tiny(1, "makespan")), solve.Options{MaxEvals: 5}); err == nil || err.Error() != want {
			t.Errorf("effort %v: %v, expected %s", effort, err, want)
		}
	}
}
