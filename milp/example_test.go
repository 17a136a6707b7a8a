//go:build highs && cgo

package milp_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/allot-opt/allot/milp"
)

// A knapsack: the most valuable of three things that weigh no more than 10 together.
func ExampleSolve() {
	m := &milp.Model{Name: "knapsack"}
	var weight []milp.Term
	for _, thing := range []struct{ value, weight float64 }{{6, 5}, {5, 4}, {7, 6}} {
		x := m.Add(milp.Variable{Upper: 1, Cost: -thing.value, Integer: true}) // costs are minimised
		weight = append(weight, milp.Term{Var: x, Coefficient: thing.weight})
	}
	m.AddRow("weight", math.Inf(-1), 10, weight...)

	result, err := milp.Solve(context.Background(), m, milp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Objective, result.Values)
	// Output: optimal -12 [0 1 1]
}
