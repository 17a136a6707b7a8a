package bench

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// The best bound of all rows proves a schedule optimal if the two are equal up to rounding, but not if the schedule is a millionth above the bound.
func TestSharedBoundsProveWhatTheyEqual(t *testing.T) {
	for _, c := range []struct {
		above  float64
		status model.Status
	}{{0, model.Optimal}, {1e-11, model.Optimal}, {1e-7, model.Feasible}, {1e-3, model.Feasible}} {
		rows := []Row{{Objective: new(50 * (1 + c.above)), Status: model.Feasible}, {Objective: new(60.0), Bound: model.ProvedBound(50), Status: model.Feasible}}
		ShareBounds(rows)
		if rows[0].Status != c.status || rows[1].Status != model.Feasible {
			t.Errorf("%v above: %s and %s", c.above, rows[0].Status, rows[1].Status)
		}
	}
}

// For a metric that is better when high, the objective is its negative.
func TestMinimisingWhatIsBetterWhenHigh(t *testing.T) {
	in := generated(t, 1)
	sol := solvedBy(t, in, "met")
	for metric, sign := range map[string]float64{"utilisation": -1, "finished": -1, "makespan": 1, "mean_wait": 1} {
		minimised, err := Minimising(in, metric)
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
