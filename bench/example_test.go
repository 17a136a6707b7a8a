package bench_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/allot-opt/allot/bench"
	_ "github.com/allot-opt/allot/solvers"
)

// A suite compares two solvers on an instance. The rows stay in the run folder, where the same call continues after an interruption.
func Example() {
	suite := &bench.Suite{
		Format: bench.SuiteFormat, Name: "two solvers", Folder: "../examples",
		Instances: []bench.InstanceSource{{Files: []string{"multicluster.json"}}},
		Solvers:   []bench.SolverChoice{{Solver: "fcfs"}, {Solver: "search"}},
		Objective: "makespan",
		Budget:    bench.Budget{Evaluations: 2000},
	}
	if err := suite.Validate(); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	plan, err := suite.Plan(ctx)
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "run-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := bench.Run(ctx, plan, bench.RunOptions{Dir: folder, Jobs: 2}); err != nil {
		log.Fatal(err)
	}
	rows, err := bench.ReadRows(folder)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range plan.Own(rows) {
		fmt.Printf("%s: %s %.1f\n", row.Solver, row.Minimised, *row.Objective)
	}
	// Output:
	// fcfs: makespan 101.3
	// search: makespan 60.8
}
