package solvers_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/mts"
	"github.com/allot-opt/allot/solvers/muscle"
	"github.com/allot-opt/allot/solvers/titan"
)

// Solvers of several formulations on one batch, by their types: a field that is not set here has its default.
func Example() {
	in, err := model.ReadInstanceFile("../examples/small-grid.json")
	if err != nil {
		log.Fatal(err)
	}
	search, heft := solve.Default[solvers.Search](), solve.Default[solvers.HEFT]()
	search.Effort = 1
	for _, s := range []solve.Solver{heft, solve.Default[muscle.Solver](), solve.Default[titan.Solver](), solve.Default[mts.Solver](), search} {
		choice := solve.With(s)
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 2000})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-7s %s %.4g\n", choice.Info.Name, result.Status, *result.Solution.Objective)
	}
	// Output:
	// heft    feasible 67.59
	// muscle  feasible 47.21
	// titan   feasible 49.09
	// mts     feasible 67.62
	// search  feasible 46.88
}
