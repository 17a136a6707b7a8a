package milp_test

import (
	"log"
	"math"
	"os"

	"github.com/allot-opt/allot/milp"
)

// The most valuable of two things that weigh no more than 8 together, as a file for any MILP solver.
//
//nolint:misspell // the keyword of the format
func ExampleModel_WriteLP() {
	m := &milp.Model{Name: "knapsack"}
	ring := m.Add(milp.Variable{Name: "ring", Upper: 1, Cost: -6, Integer: true}) // costs are minimised
	vase := m.Add(milp.Variable{Name: "vase", Upper: 1, Cost: -5, Integer: true})
	m.AddRow("weight", math.Inf(-1), 8, milp.Term{Var: ring, Coefficient: 5}, milp.Term{Var: vase, Coefficient: 4})
	if err := m.WriteLP(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// \ knapsack
	// Minimize
	//  cost: - 6 ring - 5 vase
	// Subject To
	//  weight: + 5 ring + 4 vase <= 8
	// Bounds
	//  0 <= ring <= 1
	//  0 <= vase <= 1
	// General
	//  ring
	//  vase
	// End
}
