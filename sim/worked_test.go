package sim_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// An estimate is made for the reference speed: 6 at speed 4 are 12 on processors of speed 2, where the work of 8 takes 4; 6 at speed 1
// are 3, at which the job is killed. The engine of traces and that of instances agree.
func TestEstimatesAreForTheReferenceSpeed(t *testing.T) {
	for reference, want := range map[float64]bool{4: true, 1: false} {
		in, err := model.NewBuilder("estimate").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Speed: 2}}}).
			Job(model.JobSpec{ID: "j", Work: new(8.0), Estimate: new(6.0), ReferenceSpeed: reference}).Build()
		if err != nil {
			t.Fatal(err)
		}
		traced, _, err := sim.Replay(context.Background(), in, &backfill.FCFS{}, sim.Options{Kill: true})
		if err != nil {
			t.Fatal(err)
		}
		simulated, _, err := sim.Simulate(context.Background(), in, backfill.NewGrid(backfill.KindFCFS, 1, backfill.DefaultPriorities()), sim.Options{Kill: true})
		if err != nil {
			t.Fatal(err)
		}
		if traces, grids := len(traced.Jobs) == 1, len(simulated.Jobs) == 1; traces != want || grids != want {
			t.Errorf("reference speed %v: placed %v as a trace, %v as an instance, expected %v", reference, traces, grids, want)
		}
	}
}

// A job that waits for two, of which one is left out and the other ends later, is left out, also where it arrives after both.
func TestOneLostPredecessorIsEnough(t *testing.T) {
	for _, arrival := range []float64{0, 1, 10} {
		in, err := model.NewBuilder("lost").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
			Job(model.JobSpec{ID: "lost", Work: new(5.0), Deadline: new(4.0), DeadlineHard: true},
				model.JobSpec{ID: "ends", Work: new(2.0)},
				model.JobSpec{ID: "waits", Work: new(1.0), After: []string{"lost", "ends"}, Arrival: arrival}).Build()
		if err != nil {
			t.Fatal(err)
		}
		solution, _, err := sim.Simulate(context.Background(), in, backfill.NewGrid(backfill.KindEASY, 1, backfill.DefaultPriorities()), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(solution.Jobs) != 1 || solution.Jobs[0].Job != "ends" {
			t.Errorf("arrival %v: expected one job to be placed, found %v", arrival, solution.Jobs)
		}
	}
}

// Two jobs of two tasks with a memory of 3 each: a machine of 4 processors holds one of them at a time in a memory of 6 to 11, both in 12.
func TestEachTaskTakesItsMemory(t *testing.T) {
	for memory, want := range map[float64]float64{6: 10, 11: 10, 12: 5} {
		in, err := model.NewBuilder("memory").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: &memory}}}).
			Job(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(2), Memory: 3},
				model.JobSpec{ID: "b", Work: new(5.0), Processors: model.Rigid(2), Memory: 3}).Build()
		if err != nil {
			t.Fatal(err)
		}
		for name, policy := range map[string]func(*sim.Grid) sim.Policy{
			"easy": backfill.NewGrid(backfill.KindEASY, 1, backfill.DefaultPriorities()), "conservative": backfill.NewGridConservative(1)} {
			solution, totals, err := sim.Simulate(context.Background(), in, policy, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, solution); !report.OK() || totals.LastEnd != want {
				t.Errorf("%s, memory %v: expected an end at %v, found %v, %v", name, memory, want, totals.LastEnd, report.Violations)
			}
		}
	}
}

// A bounded slowdown is at least 1: 2 in the system, of which all running, is 1; 5 waiting and 10 running is 1.5; 15 and 1 is 1.6.
func TestBoundedSlowdownByHand(t *testing.T) {
	trace := &sim.Trace{Jobs: []sim.Spec{rigid(0, 2, 2), rigid(10, 5, 5), rigid(10, 10, 10), rigid(10, 1, 1)}}
	totals, err := sim.Run(context.Background(), trace, 1, &backfill.FCFS{}, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found, want := totals.BoundedSlowdown(), (1+1+1.5+1.6)/4; found != want {
		t.Errorf("found %v, expected %v", found, want)
	}
}
