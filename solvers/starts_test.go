package solvers_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Auto goes on to search from a schedule that spreads a job over clusters, also where the engine of the search places each job on one.
func TestAutoSearchesFromASpread(t *testing.T) {
	in, err := model.ReadInstanceFile("../data/defects/C_auto_not_in_order.json")
	if err != nil {
		t.Fatal(err)
	}
	info, err := solve.Lookup("auto")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 2000, Strict: true})
	if err != nil || *result.Solution.Objective != 4 {
		t.Errorf("%v, %v", result.Solution, err)
	}
}
