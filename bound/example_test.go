package bound_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// threeJobs has three jobs for a cluster of two machines.
func threeJobs() *model.Instance {
	b := model.NewBuilder("three").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	for k, work := range []float64{5, 4, 3} {
		b.Job(model.JobSpec{ID: fmt.Sprint("job", k), Work: &work})
	}
	in, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	return in
}

// Lower is the short way to a lower bound: no schedule has a makespan below 7, because two of the jobs share a machine.
func ExampleLower() {
	value, proved := bound.Lower(context.Background(), threeJobs()).Value()
	fmt.Println(value, proved)
	// Output:
	// 7 true
}

// A Portfolio can be improved as long as time allows, and says which method proves what.
func ExamplePortfolio() {
	ctx := context.Background()
	portfolio := bound.New(ctx, threeJobs())
	for range 10 {
		if more := portfolio.Improve(ctx, 1_000_000); !more {
			break
		}
	}
	for _, part := range portfolio.Parts() {
		if part.Best {
			fmt.Println(part.Metric, "by", part.Method, part.Value)
		}
	}
	// Output:
	// makespan by head-tail 7
}
