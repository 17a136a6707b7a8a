package forecast_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// A user's jobs have ended after half their estimates so far. So a waiting job starts earlier than by the estimates.
func ExampleQueue() {
	b := model.NewBuilder("queue").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	for k := range 10 {
		b.Job(model.JobSpec{ID: fmt.Sprint("past", k), Work: new(5.0), Estimate: new(10.0), Arrival: float64(10 * k), User: "ann"})
	}
	b.Job(model.JobSpec{ID: "runs", Work: new(50.0), Estimate: new(100.0), Arrival: 100, User: "ann"},
		model.JobSpec{ID: "waits", Work: new(1.0), Estimate: new(1.0), Arrival: 101, User: "bob"})
	in, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	options := forecast.Defaults()
	options.Runs, options.Arrivals = 20, false
	queue, err := forecast.Queue(context.Background(), "easy", solve.Default[solvers.EASY](), in, 110, "", nil, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, job := range queue.Jobs {
		fmt.Printf("%s: by the estimates at %g, by the past at %g\n", job.Job, *job.Expected, *job.P50)
	}
	// Output:
	// waits: by the estimates at 200, by the past at 150
}
