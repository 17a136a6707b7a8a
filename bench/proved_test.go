package bench

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The best bound of all rows proves a schedule optimal by the rule of a run: to 1e-9 of the smallest term of the objective, and only if the schedule
// owes as few jobs as is proved.
func TestSharedBoundsProveWhatARunWouldProve(t *testing.T) {
	first, second := model.JobSpec{ID: "first", Work: new(1.0)}, model.JobSpec{ID: "second", Work: new(2.0), Deadline: new(4.0), DeadlineHard: true}
	wide := model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.ProcessorRange{Min: 2, Max: 2}}
	in, err := model.NewBuilder("priorities").Minimise("makespan", 1e9).Minimise("mean_wait", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(first, second, wide).Build()
	if err != nil {
		t.Fatal(err)
	}
	row := func(bound model.Bound, jobs ...string) Row {
		sol := &model.Solution{}
		for _, id := range []string{"first", "second", "wide"} {
			if !slices.Contains(jobs, id) {
				sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: id, Reason: "not here"})
			}
		}
		now := 0.0
		for _, id := range jobs {
			end := now + map[string]float64{"first": 1, "second": 2}[id]
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(0), Start: now, End: end})
			now = end
		}
		if report := model.Check(in, sol); len(report.Violations) > 0 {
			t.Fatal(report.Violations)
		}
		evaluation, err := model.Evaluate(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		return Row{Objective: &evaluation.Objective, Bound: bound, Status: model.Feasible, Solution: sol, Left: len(sol.Unscheduled)}
	}
	for _, c := range []struct {
		name   string
		owed   int
		best   float64
		row    Row
		bound  model.Bound
		status model.Status
	}{
		{"best", 0, 3e9 + 0.5, row(model.Bound{}, "first", "second"), model.ProvedBound(3e9 + 0.5), model.Optimal},
		{"longer waits behind a large weight", 0, 3e9 + 0.5, row(model.Bound{}, "second", "first"), model.ProvedBound(3e9 + 0.5), model.Feasible},
		{"a millionth of the wait above the bound", 0, 3e9 + 0.4999995, row(model.Bound{}, "first", "second"), model.ProvedBound(3e9 + 0.4999995), model.Feasible},
		{"without a job that has a hard deadline", 0, 1e9, row(model.Bound{}, "first"), model.Bound{}, model.Feasible},
		{"as many owed as by any", 2, 1e9, row(model.Bound{}, "first"), model.ProvedBound(1e9), model.Optimal},
		{"fewer owed than is stated of all", 2, 1e9, row(model.Bound{}, "first", "second"), model.Bound{}, model.Feasible},
		{"without a job that has to be placed", 0, 2e9, row(model.Bound{}, "second"), model.Bound{}, model.Feasible},
		{"of a false bound", 0, 4e9, row(model.ProvedBound(7), "first", "second"), model.ProvedBound(7), model.Feasible},
	} {
		rows := []Row{{Bound: model.ProvedBound(c.best), AtLeast: c.owed}, c.row}
		if err := ShareBounds(t.Context(), in, rows); err != nil {
			t.Fatal(err)
		}
		if rows[1].Bound != c.bound || rows[1].Status != c.status {
			t.Errorf("%s: %s with bound %v, expected %s with %v", c.name, rows[1].Status, rows[1].Bound, c.status, c.bound)
		}
		if _, known := c.bound.Value(); known && c.row.Bound != c.bound && rows[1].Gap == nil {
			t.Errorf("%s: no gap", c.name)
		}
	}
}

// For a metric that is better when high, the objective is its negative.
func TestMinimisingWhatIsBetterWhenHigh(t *testing.T) {
	in := generated(t, 1)
	sol := solvedBy(t, in, "met")
	for metric, sign := range map[string]float64{"utilisation": -1, "finished": -1, "makespan": 1, "mean_wait": 1} {
		minimised, err := minimising(in, metric)
		if err != nil {
			t.Fatal(err)
		}
		evaluation, err := model.Evaluate(minimised, sol)
		if err != nil {
			t.Fatal(err)
		}
		if value, _ := evaluation.Metrics.Get(metric); value == 0 || evaluation.Objective != sign*value {
			t.Errorf("%s of %v is minimised as %v", metric, value, evaluation.Objective)
		}
	}
}
