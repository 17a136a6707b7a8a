package solve_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// If the solver returns a schedule worse than the start, or none, the start is the result.
func TestRunKeepsTheStart(t *testing.T) {
	for name, result := range map[string]solve.Result{
		"nothing":    {},
		"infeasible": {Status: model.Infeasible, Reason: "so it says"},
		"worse":      {Solution: schedule(10, 20), Status: model.Feasible},
	} {
		got, err := runStub(t, solve.Options{Start: schedule(3, 0)}, true, func(*model.Instance, solve.Options) solve.Result { return result })
		if err != nil || got.Solution == nil || *got.Solution.Objective != 5 || got.Status != model.Optimal {
			t.Errorf("%s: the start has makespan 5, got %+v, %v", name, got, err)
		}
	}
	got, err := runStub(t, solve.Options{Start: schedule(0, 4)}, true, func(*model.Instance, solve.Options) solve.Result {
		return solve.Result{Solution: schedule(0, 2)}
	})
	if err != nil || *got.Solution.Objective != 5 {
		t.Errorf("a better schedule than the start of makespan 7: got %+v, %v", got, err)
	}
}

// A solver that sorts or changes its start does not change the caller's solution.
func TestRunLeavesTheStartAsItIs(t *testing.T) {
	start := schedule(0, 2)
	got, err := runStub(t, solve.Options{Start: start}, true, func(_ *model.Instance, opt solve.Options) solve.Result {
		opt.Start.Jobs[0], opt.Start.Jobs[1] = opt.Start.Jobs[1], opt.Start.Jobs[0]
		return solve.Result{Solution: opt.Start}
	})
	if err != nil || start.Jobs[0].Job != "a" {
		t.Fatalf("the start begins with job %s, was a; %v", start.Jobs[0].Job, err)
	}
	got.Solution.Jobs[0].Start = 99
	if start.Jobs[0].Start == 99 || start.Jobs[1].Start == 99 {
		t.Error("the result shares its jobs with the start")
	}
}

// The progress of rolling use says how many jobs are left out.
func TestRollingReportsTheJobsLeftOut(t *testing.T) {
	long, due := 3.0, 1.0
	in, err := model.NewBuilder("late").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: &long}).Job(model.JobSpec{ID: "b", Work: &long, Deadline: &due, DeadlineHard: true}).Build()
	if err != nil {
		t.Fatal(err)
	}
	info, err := solve.Lookup("mct")
	if err != nil {
		t.Fatal(err)
	}
	rolling, err := solve.NewRolling(info.Choice(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	left := -1
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: rolling}, in, solve.Options{Progress: func(p solve.Progress) { left = p.Left }})
	if err != nil || len(result.Solution.Unscheduled) != left || left != 1 {
		t.Errorf("the schedule leaves out %d jobs, reported are %d; %v", len(result.Solution.Unscheduled), left, err)
	}
}

// Even if the solver spoils its copy of the start, the result is as good as the caller's start.
func TestRunKeepsAStartThatTheSolverSpoils(t *testing.T) {
	got, err := runStub(t, solve.Options{Start: schedule(0, 2)}, true, func(_ *model.Instance, opt solve.Options) solve.Result {
		opt.Start.Jobs[0].Start = 99
		return solve.Result{Solution: schedule(1, 3)}
	})
	if err != nil || *got.Solution.Objective != 5 || got.Solution.Jobs[0].Start != 0 {
		t.Errorf("got %v, %v", got.Solution, err)
	}
}

// Neither the processors nor the pieces of a start are the solver's to change.
func TestRunLeavesTheProcessorsOfTheStartAsTheyAre(t *testing.T) {
	pieces := func() *model.Solution {
		sol := schedule(0, 2)
		p := &sol.Jobs[1]
		p.Pieces = []model.Piece{{Cluster: p.Cluster, Processors: model.Processors(0), Tasks: 1, Start: p.Start, End: p.End}}
		p.Cluster, p.Processors = "", nil
		return sol
	}
	start := pieces()
	got, err := runStub(t, solve.Options{Start: start}, true, func(_ *model.Instance, opt solve.Options) solve.Result {
		opt.Start.Jobs[0].Processors[0].Last = 7
		opt.Start.Jobs[1].Pieces[0].Start = 99
		opt.Start.Jobs[1].Pieces[0].Processors[0].Last = 7
		return solve.Result{Solution: schedule(1, 3)}
	})
	if err != nil || *got.Solution.Objective != 5 {
		t.Fatalf("got %v, %v", got.Solution, err)
	}
	for name, sol := range map[string]*model.Solution{"start": start, "result": got.Solution} {
		if report := model.Check(twoJobs(t), solve.Bare(sol)); !report.OK() {
			t.Errorf("the %s is spoilt: %v", name, report.Violations)
		}
	}
}
