package titan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/titan"
)

// TITAN is a genetic algorithm that schedules each cluster of a grid.
func Example() {
	in, err := model.ReadInstanceFile("../../examples/small-grid.json")
	if err != nil {
		log.Fatal(err)
	}
	result, err := solve.Run(context.Background(), solve.With(solve.Default[titan.Solver]()), in, solve.Options{Seed: 1, MaxEvals: 2000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.4g with %d jobs placed\n", result.Status, *result.Solution.Objective, len(result.Solution.Jobs))
	// Output: feasible: 49.09 with 5 jobs placed
}
