// Command ownsolver shows how a program adds a solver to allot. It registers a solver and compares it with one of allot's:
//
//	go run ./examples/ownsolver examples/multicluster.json
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// After registration, solve.Choose and solve.Solvers treat it like any other solver.
var _ = solve.Register(solve.Info{
	Name:   "my-longest-first",
	Doc:    "The job that takes longest first, each where it ends first.",
	Source: "R. L. Graham (1969), Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), doi:10.1137/0117039",
	New:    func() solve.Solver { return LongestFirst{} },
	Traces: true, // it tells Options.Trace of each decision; leave it out if you do not
})

// LongestFirst takes the jobs in order of falling length and places each on the cluster where it ends first.
type LongestFirst struct{}

// Supports refuses instances that the algorithm cannot honour. It compares lengths of jobs, so it cannot take jobs whose run times are stated cluster
// by cluster. A [plan.Schedule] honours the rest.
func (LongestFirst) Supports(in *model.Instance) error {
	return solve.Unsupported(in, plan.ScheduleFeatures&^model.UnrelatedTimes)
}

// Solve places the jobs one by one: Earliest finds a place, Place takes it.
func (LongestFirst) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	schedule, err := plan.NewSchedule(in)
	if err != nil {
		return solve.Result{}, err
	}
	for _, job := range longestFirst(in) {
		if ctx.Err() != nil { // there is no complete schedule yet; a solver that has one would return it
			return solve.Stopped(ctx), nil
		}
		var best plan.Slot
		found := false
		for cluster := range in.Clusters() {
			if slot, ok := schedule.Earliest(job, cluster); ok && (!found || slot.End < best.End) {
				best, found = slot, true
			}
		}
		if !found {
			schedule.LeaveUnplaceable(job) // states the reason in the solution
			continue
		}
		placed := len(schedule.Solution().Jobs)
		schedule.Place(job, best) // leaves the job out if it would miss a hard deadline
		if after := schedule.Solution().Jobs; opt.Trace != nil && len(after) > placed {
			opt.Trace(step(after[placed]))
		}
	}
	return solve.Result{Solution: schedule.Solution(), Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}, nil
}

// step states a decision. Run checks that the placements of all steps add up to the schedule.
func step(placed model.Placement) solve.Step {
	s := solve.Step{At: placed.Start, Placed: []model.Placement{placed}}
	s.Rule, s.Text = "longest", placed.Job+" is next, as the longest come first; it goes where it ends first"
	return s
}

// longestFirst lists the jobs by falling run time at speed 1. Each job stands after the jobs that it waits for.
func longestFirst(in *model.Instance) []int {
	jobs := in.Jobs()
	time := func(j int) float64 { return jobs[j].TotalWork() / float64(jobs[j].Min) }
	order := plan.ArrivalOrder(in)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(time(b), time(a)) })
	return plan.Topological(in, order)
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: ownsolver INSTANCE")
	}
	if err := compare(os.Args[1], "my-longest-first", "mct"); err != nil {
		log.Fatal(err)
	}
}

// compare prints the makespan of each solver on an instance.
func compare(file string, solvers ...string) error {
	in, err := model.ReadInstanceFile(file)
	if err != nil {
		return err
	}
	for _, name := range solvers {
		choice, err := solve.Choose(name)
		if err != nil {
			return err
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{})
		if err != nil {
			return err
		}
		makespan, _ := result.Solution.Metrics.Get("makespan")
		fmt.Printf("%-16s  makespan %6.2f\n", name, makespan)
	}
	return nil
}
