package bench

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
)

// A row is of an on-line policy where the solver is one and there is something that it learns late: arrivals, or run times unlike their
// estimates. Rows that do not say so are judged by the solver's name.
func TestRowsSayWhoDecidedOnLine(t *testing.T) {
	instance := func(arrival, estimate float64) *model.Instance {
		in, err := model.NewBuilder("two").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
			Job(model.JobSpec{ID: "a", Work: new(2.0), Estimate: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0), Estimate: &estimate, Arrival: arrival}).Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	for name, c := range map[string]struct {
		solver string
		in     *model.Instance
		want   bool
	}{
		"arrivals":           {"easy", instance(1, 3), true},
		"estimates":          {"easy", instance(0, 4), true},
		"nothing to come":    {"easy", instance(0, 3), false},
		"plans":              {"minmin", instance(1, 4), false},
		"improves an online": {"easy+search", instance(1, 4), false},
		"rolling":            {"minmin:rolling_period=5", instance(1, 3), false},
		"rolling, estimates": {"minmin:rolling_period=5", instance(1, 4), true},
	} {
		row := Measure(context.Background(), Chosen(t, c.solver), c.in, Settings{Options: solve.Options{MaxEvals: 10}})
		if row.Fault != "" || row.Online == nil || row.IsOnline() != c.want {
			t.Errorf("%s: on line %v, expected %v; %s", name, row.IsOnline(), c.want, row.Fault)
		}
	}
	for _, c := range []struct {
		row  Row
		want bool
	}{
		{Row{Solver: "easy"}, true}, {Row{Solver: "mine", Algorithm: "fcfs"}, true}, {Row{Solver: "easy", Algorithm: "minmin"}, false},
		{Row{Solver: "easy", Parameters: map[string]string{"rolling_period": "5"}}, false}, {Row{Solver: "unheard of"}, false}, {Row{Solver: "easy", Online: new(false)}, false},
	} {
		if got := c.row.IsOnline(); got != c.want {
			t.Errorf("%+v: on line %v, expected %v", c.row, got, c.want)
		}
	}
}

// A bound of another run proves a schedule that leaves out no job and is as good, where nothing can hide behind a large weight or a constant.
func TestABoundProvesARow(t *testing.T) {
	row := func(minimised string, objective float64, left int) Row {
		return Row{Minimised: minimised, Objective: &objective, Left: left, Status: model.Feasible}
	}
	waits := "1e+09·makespan + mean_wait"
	for _, c := range []struct {
		row   Row
		bound model.Bound
		want  bool
	}{
		{row("makespan", 50, 0), model.ProvedBound(50), true},
		{row("makespan", 50*(1+1e-11), 0), model.ProvedBound(50), true},
		{row("2·makespan", 50*(1+1e-11), 0), model.ProvedBound(50), true},
		{row("makespan", 50*(1+1e-7), 0), model.ProvedBound(50), false},
		{row("makespan", 50, 0), model.ProvedBound(50.001), false},
		{row("makespan", 50, 0), model.Bound{}, false},
		{row("mean_wait", 0, 1), model.ProvedBound(0), false},
		{Row{Minimised: "mean_wait", Status: model.Feasible}, model.ProvedBound(0), false},
		{Row{Minimised: "makespan", Objective: new(50.0), Left: 1, Status: model.Optimal}, model.Bound{}, true},
		{row(waits, 3e9+1, 0), model.ProvedBound(3e9 + 0.5), false},
		{row(waits, 3e9+1, 0), model.ProvedBound(3e9 + 1), true},
		{row("utilisation", -99.99999999, 0), model.ProvedBound(-100), false},
		{row("utilisation", -100, 0), model.ProvedBound(-100), true},
		{row("makespan of the jobs from 5 to 9", 50*(1+1e-11), 0), model.ProvedBound(50), false},
	} {
		if got := c.row.ProvedBy(c.bound); got != c.want {
			t.Errorf("%s %v, %d left out, bound %v: proved %t, expected %t", c.row.Minimised, c.row.Objective, c.row.Left, c.bound, got, c.want)
		}
	}
}

// What is optimal is so for the objective; the row and the instance say it alike.
func TestStatusSaysForWhat(t *testing.T) {
	for _, c := range []struct {
		objective map[string]float64
		want      string
	}{
		{map[string]float64{"makespan": 1}, "optimal for makespan"},
		{map[string]float64{"mean_wait": 2.5e7}, "optimal for mean_wait"},
		{map[string]float64{"makespan": 1, "mean_wait": 2}, "optimal for the weighted objective"},
		{map[string]float64{"makespan": 1, "mean_wait": 0}, "optimal for makespan"},
		{map[string]float64{"makespan": 0}, "optimal for the instance's objective"},
		{map[string]float64{"utilisation": 3}, "optimal for utilisation"},
		{map[string]float64{"utilisation": -1}, "optimal for low utilisation"},
		{map[string]float64{"mean_partition": 1}, "optimal for low mean_partition"},
		{map[string]float64{"mean_partition": -1}, "optimal for high mean_partition"},
		{map[string]float64{"makespan": -1}, "optimal for high makespan"},
	} {
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Objective: c.objective,
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		row := Row{Status: model.Optimal, Minimised: shown.Objective(in)}
		if got, stated := row.StatusText(), model.OptimalFor(in.StatedObjective()); got != c.want || stated != c.want {
			t.Errorf("%v: %q and %q", c.objective, got, stated)
		}
		if row.Status = model.Feasible; row.StatusText() != "feasible" {
			t.Errorf("%q", row.StatusText())
		}
	}
	if row := (Row{Status: model.Optimal}); row.StatusText() != "optimal for the instance's objective" {
		t.Errorf("%q", row.StatusText())
	}
}
