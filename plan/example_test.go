package plan_test

import (
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// A schedule is built job by job: Earliest looks for a place behind the jobs placed before, and Place takes it.
func ExampleSchedule() {
	in, err := model.NewBuilder("three jobs").
		Cluster(model.ClusterSpec{ID: "slow", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Cluster(model.ClusterSpec{ID: "fast", Machines: []model.MachineSpec{{ID: "m", Speed: 2}}}).
		Job(model.JobSpec{ID: "wide", Work: new(3.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "first", Work: new(4.0)},
			model.JobSpec{ID: "next", Work: new(2.0), After: []string{"first"}}).Build()
	if err != nil {
		log.Fatal(err)
	}
	schedule, err := plan.NewSchedule(in)
	if err != nil {
		log.Fatal(err)
	}
	for job := range in.Jobs() {
		var best plan.Slot
		found := false
		for cluster := range in.Clusters() {
			if slot, ok := schedule.Earliest(job, cluster); ok && (!found || slot.End < best.End) {
				best, found = slot, true
			}
		}
		if found {
			schedule.Place(job, best)
		} else {
			schedule.LeaveUnplaceable(job) // the solution says why
		}
	}
	for _, p := range schedule.Solution().Jobs {
		fmt.Printf("%s on %s, processors %s, from %g to %g\n", p.Job, p.Cluster, p.Processors, p.Start, p.End)
	}
	// Output:
	// wide on slow, processors 0-1, from 0 to 3
	// first on fast, processors 0, from 0 to 2
	// next on fast, processors 0, from 2 to 3
}
