package solve_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "my-in-order", Doc: "Each job where it ends first, in the order of the file.", Source: "elementary",
	New: func() solve.Solver { return inOrder{} },
})

// inOrder takes the jobs in the order of the file and places each where it ends first.
type inOrder struct{}

func (inOrder) Supports(in *model.Instance) error {
	return solve.Unsupported(in, plan.ScheduleFeatures)
}

func (inOrder) Solve(ctx context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	schedule, err := plan.NewSchedule(in)
	if err != nil {
		return solve.Result{}, err
	}
	for _, job := range plan.ArrivalOrder(in) {
		if ctx.Err() != nil {
			return solve.Stopped(ctx), nil
		}
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
			schedule.LeaveUnplaceable(job)
		}
	}
	return solve.Result{Solution: schedule.Solution(), Status: model.Feasible, Stop: model.StopDone}, nil
}

// You add a solver of your own with one file that registers it. It can then be named, chained and compared like any other.
func ExampleRegister() {
	in, err := model.ReadInstance(strings.NewReader(`{
 "schema": "allot/instance/1", "objective": {"makespan": 1},
 "clusters": [{"id": "c", "machines": [{"id": "m", "count": 2}]}],
 "jobs": [{"id": "short", "work": 1}, {"id": "middle", "work": 2}, {"id": "long", "work": 4}]
}`), "tiny.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"my-in-order", "my-in-order+search"} {
		choice, err := solve.Choose(name)
		if err != nil {
			log.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 100})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Solution.Solver, *result.Solution.Objective, result.Status)
	}
	// Output:
	// my-in-order 5 feasible
	// my-in-order+search 4 optimal
}
