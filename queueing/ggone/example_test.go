package ggone_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/queueing/ggone"
)

// worked is three tasks that arrive within 10 s, for a fast and a slow machine: that of examples/ggone.json.
var worked = &ggone.Problem{
	Period: 10, Rate: 0.3,
	Tasks: []ggone.Task{{Deadline: 4, Budget: 0.5}, {Deadline: 8, Budget: 1}, {Deadline: 5, Budget: 0.4}},
	Classes: []ggone.Class{
		{Machines: 1, ServiceRate: 0.5, Kappa: 4, Price: 0.2, Service: []float64{2, 3, 1}},
		{Machines: 1, ServiceRate: 0.25, Kappa: 8, Price: 0.1, Service: []float64{4, 6, 2}},
	},
}

func ExampleSolve() {
	result, err := ggone.Solve(context.Background(), worked, ggone.Options{})
	if err != nil {
		log.Fatal(err)
	}
	bound, _ := result.Bound.Value()
	fmt.Println("machine of each task:", result.Machine)
	fmt.Printf("penalty %.4f, at least %.4f, proved: %t\n", result.Objective, bound, result.Proved)
	// Output: machine of each task: [0 0 1]
	// penalty 0.3333, at least 0.3333, proved: true
}

func ExampleProblem_Level() {
	form, err := worked.Level(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(form.Model.Variables(), "variables,", form.Model.Rows(), "rows") // form.Model.WriteMPS writes it for any MILP solver
	// Output: 20 variables, 19 rows
}
