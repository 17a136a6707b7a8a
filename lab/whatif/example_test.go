package whatif_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// batch is three jobs for two processors: the second needs both, the third is short.
func batch() *model.Instance {
	in, err := model.NewBuilder("three").
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Job(model.JobSpec{ID: "long", Work: new(8.0), User: "ann"},
			model.JobSpec{ID: "wide", Work: new(4.0), Arrival: 1, Processors: model.Rigid(2), User: "bob"},
			model.JobSpec{ID: "short", Work: new(3.0), Arrival: 2, User: "ann"}).Build()
	if err != nil {
		log.Fatal(err)
	}
	return in
}

// Why a job waits, and which jobs delay it.
func ExampleSubmit() {
	answer, err := whatif.Submit(context.Background(), "easy", solve.Default[solvers.EASY](), batch(), "wide", 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("submitted at %g, starts at %g\n", answer.Submitted, *answer.Start)
	for _, cause := range answer.Causes {
		fmt.Printf("%g to %g: %s\n", cause.From, cause.To, cause.Text)
	}
	if err := answer.Delays(context.Background(), solve.Default[solvers.EASY](), batch(), 1); err != nil {
		log.Fatal(err)
	}
	for _, blocker := range answer.Blocked {
		fmt.Printf("%s %s: without it at %g\n", blocker.Job, blocker.Role, *blocker.StartWithout)
	}
	// Output:
	// submitted at 1, starts at 8
	// 1 to 8: too few processors are free: it needs 2 on c
	// long running: without it at 1
}
