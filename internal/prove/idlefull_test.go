package prove

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// A machine whose largest load is a whole number of tasks can have them all, also in bounds of a search with an idle rate that ends early.
func TestIdleRateBesideAFullMachine(t *testing.T) {
	in, err := model.ReadInstanceFile("testdata/kept/ggone-idle-full.json")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolutionFile("testdata/kept/ggone-idle-full.sol.json")
	if err != nil {
		t.Fatal(err)
	}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations)
	}
	choice, err := solve.Choose("ggone")
	if err != nil {
		t.Fatal(err)
	}
	for _, evals := range []int64{100, 200, 300, 500, 700} {
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: evals, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if bound, known := result.Bound.Value(); !known || bound > report.Objective {
			t.Errorf("%d evaluations: the bound is %v, and a schedule costs %v", evals, bound, report.Objective)
		}
	}
}
