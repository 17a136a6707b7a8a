package search_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
)

// batch has five jobs for two clusters, one of them with faster machines.
func batch() (*model.Instance, error) {
	b := model.NewBuilder("batch").Minimise("makespan", 1)
	b.Cluster(
		model.ClusterSpec{ID: "old", Machines: []model.MachineSpec{{ID: "m", Count: 4}}},
		model.ClusterSpec{ID: "new", Machines: []model.MachineSpec{{ID: "m", Count: 2, Speed: 2}}},
	)
	for k, work := range []float64{8, 8, 4, 4, 4} {
		b.Job(model.JobSpec{ID: fmt.Sprint("job", k), Work: &work})
	}
	return b.Build()
}

// A search takes a seed, a limit and a lower bound as its target. It ends when the best schedule reaches the target, which proves
// that the schedule is optimal, or when it hits the limit.
func ExampleMinimise() {
	in, err := batch()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	target := bound.Lower(ctx, in)
	result, err := search.Minimise(ctx, in, nil, search.Options{Seed: 1, MaxEvals: 10_000, Target: target})
	if err != nil {
		log.Fatal(err)
	}
	evaluation, err := model.Evaluate(in, result.Solution)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("lower bound %v, makespan %.3g, stopped: %s\n", target, evaluation.Objective, result.Stop)
	// Output:
	// lower bound 4, makespan 4, stopped: done
}

// Exhaust finds the best schedule of a few jobs and proves that no other is better.
func ExampleExhaust() {
	in, err := batch()
	if err != nil {
		log.Fatal(err)
	}
	const limit = 100 // schedules that cost as much or more do not matter
	found, err := search.Exhaust(context.Background(), in, limit, search.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("proved:", found.Proved)
	fmt.Println("makespan:", found.Least)
	// Output:
	// proved: true
	// makespan: 4
}
