package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// literalEnds places jobs as the definitions of Min-min, Max-min and Sufferage word it: while a job is left all of whose predecessors are placed and that has
// a slot in time, it looks for the slots of all such jobs on all clusters anew and places the one that choose takes.
func literalEnds(t interface{ Fatal(...any) }, in *model.Instance, choose func(ready []int, ends [][]float64) (job int)) []model.Placement {
	s, err := plan.NewSchedule(in)
	if err != nil {
		t.Fatal(err)
	}
	s.QueueInstants()
	placed := make([]bool, len(in.Jobs()))
	for {
		var ready []int
		ends := make([][]float64, len(in.Jobs()))
		for j := range in.Jobs() {
			if placed[j] || slices.ContainsFunc(in.Jobs()[j].After, func(before int) bool { return !placed[before] }) {
				continue
			}
			ends[j] = slices.Repeat([]float64{math.Inf(1)}, len(in.Clusters()))
			for c := range ends[j] {
				if slot, ok := s.Earliest(j, c); ok && !(in.Jobs()[j].DeadlineHard && model.Late(slot.End, in.Jobs()[j].Deadline)) {
					ends[j][c] = slot.End
				}
			}
			if !math.IsInf(slices.Min(ends[j]), 1) {
				ready = append(ready, j)
			}
		}
		if len(ready) == 0 {
			return s.Solution().Jobs
		}
		j := choose(ready, ends)
		slot, _ := s.Earliest(j, slices.Index(ends[j], slices.Min(ends[j])))
		s.Place(j, slot)
		placed[j] = true
	}
}

// literalRules are the three heuristics: the ready job of the greatest value, the first of equals.
var literalRules = []struct {
	solver solve.Solver
	order  func(e *openEnds) func() (int, int)
	value  func(ends []float64) float64
}{
	{&MinMin{}, (*openEnds).earliest, func(ends []float64) float64 { return -slices.Min(ends) }},
	{&MaxMin{}, (*openEnds).latest, slices.Min[[]float64]},
	{&Sufferage{}, (*openEnds).worstSuffering, func(ends []float64) float64 {
		sorted := slices.Sorted(slices.Values(ends))
		if len(sorted) < 2 || math.IsInf(sorted[1], 1) {
			return math.Inf(1)
		}
		return sorted[1] - sorted[0]
	}},
}

// On instances that ask for anything, the heuristics place the same jobs in the same order at the same places as their definitions, and the checker accepts it.
func TestEndsAreThoseOfTheDefinition(t *testing.T) {
	features, loose := model.Features(0), 0
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			g := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 14}
			if rapid.Bool().Draw(t, "without spread") {
				g.Features &^= model.GridSpan
			}
			in := g.Instance(t)
			for _, rule := range literalRules {
				want := literalEnds(t, in, func(ready []int, ends [][]float64) int {
					best := ready[0]
					for _, j := range ready {
						if rule.value(ends[j]) > rule.value(ends[best]) {
							best = j
						}
					}
					return best
				})
				result, err := placeOnEnds(context.Background(), in, solve.Options{}, completionRule{}, rule.order)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(result.Solution.Jobs) != fmt.Sprint(want) {
					t.Fatalf("%T: places %v\nexpected %v", rule.solver, result.Solution.Jobs, want)
				}
				if len(want) > 3 {
					features |= in.Features()
					loose++
				}
				if result, err = rule.solver.Solve(context.Background(), in, solve.Options{}); err != nil {
					t.Fatal(err)
				}
				if report := model.Check(in, result.Solution); !report.OK() {
					t.Fatalf("%T: %v", rule.solver, report.Violations)
				}
			}
		}
	})
	if missing := modeltest.AllFeatures &^ features; missing != 0 && !race.Enabled && !testing.Short() || loose < race.Enough(300) {
		t.Errorf("%d schedules of more than three jobs, none with %s", loose, missing)
	}
}

// Where the completions honour the instance too, the ends lead to the same schedule.
func TestEndsAndCompletionsAgree(t *testing.T) {
	placed := 0
	for seed := range race.Fewer(uint64(60), 10) {
		for _, in := range []*model.Instance{solvecases.Built(t, solvecases.Grid(seed, 60)), solvecases.Built(t, solvecases.Medium(seed, false)), solvecases.Built(t, solvecases.Tiny(seed, "makespan"))} {
			for _, rule := range literalRules {
				want, err := rule.solver.Solve(context.Background(), in, solve.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := placeOnEnds(context.Background(), in, solve.Options{}, completionRule{}, rule.order)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(got.Solution.Jobs) != fmt.Sprint(want.Solution.Jobs) {
					t.Fatalf("%s, seed %d, %T: %v\nexpected %v", in.Name(), seed, rule.solver, got.Solution.Jobs, want.Solution.Jobs)
				}
				placed += len(want.Solution.Jobs)
			}
		}
	}
	if placed < race.Enough(5000) {
		t.Errorf("%d jobs", placed)
	}
}
