package moments

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// short draws chains of jobs for which the horizon is too short, with jobs of no time between others, and machines of two speeds: a job finds no room, so those that wait for it
// may not stay.
func short(t *rapid.T) (*model.Instance, bool) {
	number := func(name string, low, high int) float64 { return float64(rapid.IntRange(low, high).Draw(t, name)) }
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{"energy": 1}, Horizon: &model.HorizonSpec{To: number("horizon", 4, 12)}}
	if rapid.Bool().Draw(t, "waits count") {
		spec.Objective["mean_wait"] = 1
	}
	spec.Clusters = []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "slow", Speed: 0.5, Power: &model.PowerSpec{Busy: number("busy", 0, 2)}}, {ID: "fast", Count: 2}}}}
	for j := range rapid.IntRange(3, 8).Draw(t, "jobs") {
		job := model.JobSpec{ID: string(rune('a' + j)), Work: new(number("work", 0, 4))}
		if most := rapid.IntRange(1, 3).Draw(t, "most"); most > 1 {
			job.Processors = model.Moldable(rapid.IntRange(1, most).Draw(t, "least"), most)
		}
		if rapid.IntRange(0, 3).Draw(t, "due") == 0 {
			job.Deadline, job.DeadlineHard = new(number("deadline", 2, 9)), true
		}
		for k := range j {
			if rapid.IntRange(0, j).Draw(t, "waits") == 0 {
				job.After = append(job.After, string(rune('a'+k)))
			}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	in, err := model.New(spec)
	return in, err == nil && newProblem(in) != nil
}

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
	often.Check(t, 20, func(t *rapid.T) {
		draws := draw
		if rapid.IntRange(0, 3).Draw(t, "short") == 3 {
			draws = short
		}
		in, ok := draws(t)
		if !ok {
			return
		}
		start := &model.Solution{}
		if empty := model.Check(in, &model.Solution{Unscheduled: all(in)}); !empty.OK() {
			return // a job that runs at the begin is in every schedule
		}
		for seed := range uint64(2) { // from nothing, then from what that has found
			start = searchedFrom(t, in, start, seed)
		}
		searched++
	})
	if searched < 20 {
		t.Errorf("only %d instances were searched", searched)
	}
}

// searchedFrom runs the engine from a start for a while, checks the schedules of its chains and what it says that they cost, and returns one of them.
func searchedFrom(t rapid.TB, in *model.Instance, start *model.Solution, seed uint64) *model.Solution {
	e, err := New(context.Background(), in, start, seed)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		for k := range e.Chains() {
			e.Advance(k, 40, func() bool { return false })
		}
		e.Exchange()
	}
	var found *model.Solution
	for k := range e.Chains() {
		if found, err = e.Solution(k); err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, found)
		if !report.OK() {
			t.Fatalf("%v\n%+v", report.Violations, found)
		}
		got, want := e.Best(k), in.RankOf(found, report.Objective)
		if got.Left+len(e.(*Engine).problem.nowhere) != want.Left || math.Abs(got.Objective-want.Objective) > 1e-8*max(1, math.Abs(want.Objective)) && !math.IsInf(want.Objective, 1) {
			t.Fatalf("chain %d says %+v, the evaluator %+v", k, got, want)
		}
	}
	return found
}

// A job that moved to a slower machine once took longer than the jobs that wait for it leave: j0 ended at 8, and j1 ran at 4.
func TestAMovedJobEndsBeforeThoseThatWaitForIt(t *testing.T) {
	two := model.Moldable(2, 4)
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{"energy": 1000}, Horizon: &model.HorizonSpec{To: 9},
		Clusters: []model.ClusterSpec{{ID: "c0", Machines: []model.MachineSpec{{ID: "m0", Power: &model.PowerSpec{}, Speed: 0.5}, {ID: "m1", Count: 2}}}},
		Jobs: []model.JobSpec{{ID: "j0", Work: new(4.0)}, {ID: "j1", Work: new(0.0), After: []string{"j0"}}, {ID: "j2", Work: new(2.0), Processors: two, Deadline: new(5.0), DeadlineHard: true},
			{ID: "j3", Work: new(4.0), After: []string{"j1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		searchedFrom(t, in, &model.Solution{}, seed)
	}
}

// A start that cannot be copied whole, as b takes the machine of less power, which alone has the bandwidth that a needs, is copied without what waits for a.
func TestACopiedStartKeepsNoJobWithoutThoseThatItWaitsFor(t *testing.T) {
	machine := func(id string, busy, bandwidth float64) model.MachineSpec {
		return model.MachineSpec{ID: id, Power: &model.PowerSpec{Busy: busy}, Bandwidth: bandwidth}
	}
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{"energy": 1}, Horizon: &model.HorizonSpec{To: 5},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine("small", 1, 8), machine("large", 2, 1)}}},
		Jobs:     []model.JobSpec{{ID: "b", Work: new(4.0)}, {ID: "a", Work: new(4.0), MinBandwidth: 4}, {ID: "then", Work: new(1.0), After: []string{"a"}}}})
	if err != nil {
		t.Fatal(err)
	}
	on := func(job string, processor int, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(processor), Start: start, End: end}
	}
	start := &model.Solution{Jobs: []model.Placement{on("b", 1, 0, 4), on("a", 0, 0, 4), on("then", 0, 4, 5)}}
	if report := model.Check(in, start); !report.OK() {
		t.Fatal(report.Violations)
	}
	e, err := New(context.Background(), in, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.Solution(0)
	if report := model.Check(in, found); err != nil || !report.OK() {
		t.Errorf("%v, %v", err, report.Violations)
	}
}

// all leaves out all jobs.
func all(in *model.Instance) (left []model.Unscheduled) {
	for j := range in.Jobs() {
		left = append(left, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "left out"})
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
