package solvers_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A schedule that places fewer jobs with hard deadlines and does more work is better, where the work counts, whether all jobs start at once or not. Where the
// objective says nothing of jobs that are left out, the one that places more is.
func TestFewerJobsMayBeBetter(t *testing.T) {
	for name, c := range map[string]struct {
		deadline float64 // of the wide job, which takes 1
		metric   string
		placed   int
	}{
		"at once":             {1, "work_done", 1},
		"later":               {1.5, "work_done", 1},
		"one after the other": {2, "work_done", 3},
		"makespan":            {1, "makespan", 2},
		"unfinished":          {1, "unfinished", 2},
	} {
		b := model.NewBuilder(name).Minimise(c.metric, 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2}}})
		for _, id := range []string{"narrow", "slim"} {
			b.Job(model.JobSpec{ID: id, Work: new(1.0), Runtime: map[string]float64{"c": 1}, Deadline: new(1.0), DeadlineHard: true})
		}
		b.Job(model.JobSpec{ID: "wide", Processors: model.Rigid(2), Tasks: 2, Work: new(5.0), Runtime: map[string]float64{"c": 1}, Deadline: &c.deadline, DeadlineHard: true})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		start := &model.Solution{Schema: model.SolutionSchema, Unscheduled: []model.Unscheduled{{Job: "wide", Reason: "no"}}}
		for k, id := range []string{"narrow", "slim"} {
			start.Jobs = append(start.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(k), Start: 0, End: 1})
		}
		for _, solver := range []string{"search", "auto", "search from a start"} {
			opt := solve.Options{Seed: 1, MaxEvals: 2000}
			if solver == "search from a start" {
				solver, opt.Start = "search", start
			}
			choice, err := solve.Choose(solver)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), choice, in, opt)
			if err != nil {
				t.Fatal(err)
			}
			if placed := len(result.Solution.Jobs); placed != c.placed {
				t.Errorf("%s: %s places %d jobs, expected %d; objective %v", name, solver, placed, c.placed, *result.Solution.Objective)
			}
		}
	}
}

// Where one job does not fit the horizon, no schedule has all jobs. That alone says of one job that it is owed, not of two.
func TestTOUOwesOneJobThatDoesNotFit(t *testing.T) {
	for _, evals := range []int64{0, 1} {
		b := model.NewBuilder("long").Minimise("energy_cost", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 9, Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}}}}}}})
		b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}}}
		b.Spec().Horizon = &model.HorizonSpec{To: 10}
		b.Job(model.JobSpec{ID: "short", Work: new(2.0)})
		b.Job(model.JobSpec{ID: "long", Work: new(12.0)})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose("tou")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: evals})
		if err != nil {
			t.Fatal(err)
		}
		if result.Owed != 1 {
			t.Errorf("%d evaluations: %d jobs are owed, as it states; right is 1", evals, result.Owed)
		}
	}
}
