package moments

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// draw draws an instance that the engine takes; false: it drew none.
func draw(t *rapid.T) (*model.Instance, bool) {
	g := modeltest.Generator{Features: features | modeltest.PowerFeatures, Jobs: 10}
	spec := g.Spec(t)
	if spec.Horizon == nil || spec.Tariff == nil {
		return nil, false
	}
	metric := "carbon"
	if spec.Tariff.Price != nil {
		metric = "energy_cost"
	}
	spec.Objective = map[string]float64{metric: 1, "energy": float64(rapid.IntRange(0, 1).Draw(t, "energy"))}
	for _, other := range []string{"mean_wait", "mean_response", "bounded_slowdown", "over_deadline"} {
		if rapid.IntRange(0, 3).Draw(t, other) == 0 {
			spec.Objective[other] = 0.5
		}
	}
	in, err := model.New(spec)
	if err != nil || newProblem(in) == nil {
		return nil, false
	}
	return in, true
}

// The checker accepts the engine's schedules, and the evaluator confirms what the engine says that they cost.
func TestSchedulesAreRight(t *testing.T) {
	searched := 0
	for range 20 {
		rapid.Check(t, func(t *rapid.T) {
			in, ok := draw(t)
			if !ok {
				return
			}
			e, err := New(context.Background(), in, &model.Solution{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			empty := model.Check(in, &model.Solution{Unscheduled: all(in)})
			for range 3 {
				for k := range e.Chains() {
					e.Advance(k, 40, func() bool { return false })
				}
				e.Exchange()
			}
			searched++
			for k := range e.Chains() {
				s, err := e.Solution(k)
				if err != nil {
					t.Fatal(err)
				}
				if report := model.Check(in, s); !report.OK() && empty.OK() {
					t.Fatalf("%v\n%+v", report.Violations, s)
				}
				objective, err := model.EvaluateObjective(in, s)
				if err != nil {
					t.Fatal(err)
				}
				got, want := e.Best(k), in.RankOf(s, objective)
				if got.Left+len(e.(*Engine).problem.nowhere) != want.Left || math.Abs(got.Objective-want.Objective) > 1e-8*max(1, math.Abs(want.Objective)) && !math.IsInf(want.Objective, 1) {
					t.Fatalf("chain %d says %+v, the evaluator %+v", k, got, want)
				}
			}
		})
	}
	if searched < 20 {
		t.Errorf("only %d instances were searched", searched)
	}
}

// all leaves out all jobs.
func all(in *model.Instance) (left []model.Unscheduled) {
	for j := range in.Jobs() {
		left = append(left, model.Unscheduled{Job: in.Jobs()[j].ID})
	}
	return left
}

// A job that makes way is placed before those that wait for it start, to the last digit.
func TestWayEndsBeforeSuccessors(t *testing.T) {
	b := model.NewBuilder("way").Minimise("energy_cost", 1).Minimise("mean_response", 1).Minimise("mean_wait", 1)
	way := model.WaySpec{Time: 1, Power: 3}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3, Speed: 2, Power: &model.PowerSpec{Idle: 2, Busy: 0.7,
		Off: []model.OffSpec{{Name: "off", Power: 0.5, Down: way, Up: way}, {Name: "rest", Down: model.WaySpec{Power: 1}, Up: model.WaySpec{Power: 2}}}}}}})
	b.Job(model.JobSpec{ID: "first", Work: new(4.0)}, model.JobSpec{ID: "second", Work: new(2.0), Processors: model.Rigid(2), After: []string{"first"}})
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{2, 0}, {4, 3}, {5, 3}}, Period: 5}
	b.Spec().Horizon = &model.HorizonSpec{From: 1, To: 6}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		e, err := New(t.Context(), in, &model.Solution{}, seed)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for k := range e.Chains() {
				e.Advance(k, 100, func() bool { return false })
			}
			e.Exchange()
		}
		for k := range e.Chains() {
			s, err := e.Solution(k)
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, s); !report.OK() {
				t.Fatalf("seed %d: %v", seed, report.Violations)
			}
		}
	}
}
