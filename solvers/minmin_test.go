package solvers_test

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/solvers/mts"
)

// Min-min decides as the double loop over jobs and clusters does, however many completion times are equal.
func TestMinMinIsTheTextbooks(t *testing.T) {
	race.OneGoroutine(t)
	choose := func(left []int, completion [][]float64) (job, cluster int) {
		first := math.Inf(1)
		for _, j := range left {
			for c, end := range completion[j] {
				if end < first {
					job, cluster, first = j, c, end
				}
			}
		}
		return job, cluster
	}
	agrees(t, "minmin", choose)
	agreesOnGrids(t, "minmin", choose)
	agreesOnRoomyGrids(t, "minmin", choose)
}

// With its three rules off MTS is Min-min, on grids and on instances of every family.
func TestMTSWithoutItsRulesIsMinMin(t *testing.T) {
	race.OneGoroutine(t)
	compare := func(in *model.Instance) {
		t.Helper()
		unruled, err := solverstest.With(solve.Default[mts.Solver](), func(x *mts.Solver) { x.Classes, x.Fragments, x.Weights = "off", "off", "off" }).Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		minMin, err := (&solvers.MinMin{}).Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if difference := differ(unruled.Solution, minMin.Solution); difference != "" {
			t.Fatalf("%s: %s", in.Name(), difference)
		}
	}
	for seed := range uint64(1000) {
		compare(solvecases.Built(t, solvecases.Grid(seed, 60)))
	}
	for _, f := range families {
		for seed := range uint64(100) {
			compare(f.instance(t, seed, 40))
		}
	}
}
