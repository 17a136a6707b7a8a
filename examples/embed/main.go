// Command embed shows how a program uses allot as a library: it builds an instance, solves it and prints the schedule.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/muscle"
)

func main() {
	// Six parallel jobs for two clusters: the case study of He et al. (2004), Table 1.
	b := model.NewBuilder("table1").Minimise("mcp", 1)
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(1.0)}
	b.Cluster(model.ClusterSpec{ID: "C1", Machines: []model.MachineSpec{{ID: "node", Count: 4}}})
	b.Cluster(model.ClusterSpec{ID: "C2", Machines: []model.MachineSpec{{ID: "node", Count: 6}}})
	for k, job := range []struct {
		processors     int
		time, deadline float64
	}{{2, 2, 8}, {1, 4, 12}, {4, 4, 18}, {3, 6, 18}, {1, 2, 6}, {2, 4, 12}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("J", k+1), Processors: model.Rigid(job.processors),
			Work: &job.time, Deadline: &job.deadline})
	}
	in, err := b.Build() // checks everything; the error lists all faults
	if err != nil {
		log.Fatal(err)
	}

	solver := solve.Default[muscle.Solver]() // its fields are its parameters
	result, err := solve.Run(context.Background(), solve.With(solver), in, solve.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("mcp", *result.Solution.Objective)
	for _, p := range result.Solution.Jobs {
		fmt.Printf("%s on %s, processors %s, from %g to %g\n", p.Job, p.Cluster, p.Processors, p.Start, p.End)
	}
}
