package process_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solve/process"
)

// A program in any language is a solver: here a shell that writes one solution. A bound of our own proves it.
func Example() {
	in, err := model.NewBuilder("one").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "j", Work: new(3.0)}).Build()
	if err != nil {
		log.Fatal(err)
	}
	program, err := solve.Choose(`exec:echo '{"schema": "allot/solution/1", "jobs": [{"job": "j", "cluster": "c", "processors": "0", "start": 0, "end": 3}]}'`)
	if err != nil {
		log.Fatal(err)
	}
	result, err := solve.Run(context.Background(), program, in, solve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, *result.Solution.Objective)
	// Output: optimal 3
}
