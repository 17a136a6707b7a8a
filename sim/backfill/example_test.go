package backfill_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
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

// By EASY backfilling the short job overtakes the wide one, which it does not delay.
func ExampleEASY() {
	in := batch()
	for _, policy := range []struct {
		name string
		of   sim.Discipline
	}{{"fcfs", backfill.FCFS(backfill.Ranking{})}, {"easy", backfill.EASY(1, 1, backfill.Ranking{})}} {
		schedule, totals, err := sim.Simulate(context.Background(), in, policy.of, sim.Options{})
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range schedule.Jobs {
			fmt.Printf("%s: %s starts at %g\n", policy.name, p.Job, p.Start)
		}
		fmt.Printf("%s: mean wait %.3g\n", policy.name, totals.MeanWait())
	}
	// Output:
	// fcfs: long starts at 0
	// fcfs: wide starts at 8
	// fcfs: short starts at 12
	// fcfs: mean wait 5.67
	// easy: short starts at 2
	// easy: long starts at 0
	// easy: wide starts at 8
	// easy: mean wait 2.33
}
