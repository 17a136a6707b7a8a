package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A job that ends just at its estimate has finished; one that would run on is killed, and holds its processor no longer.
func TestOnlyWhatRunsOnIsKilled(t *testing.T) {
	trace := &sim.Trace{Jobs: []sim.Spec{rigid(0, 5, 5), rigid(0, 6, 5), rigid(0, 2, 5)}}
	totals, err := sim.Run(context.Background(), trace, 1, &backfill.FCFS{}, sim.Options{Kill: true})
	if err != nil {
		t.Fatal(err)
	}
	if totals.Finished != 2 || totals.Killed != 1 || totals.LastEnd != 12 {
		t.Errorf("expected 2 finished, 1 killed and an end at 12, found %d, %d and %v", totals.Finished, totals.Killed, totals.LastEnd)
	}
}

// A job that a policy starts although its estimate is beyond its hard deadline ends there, whether jobs are killed at their estimates
// or not.
func TestHardDeadlineComesBeforeTheEstimate(t *testing.T) {
	b := model.NewBuilder("late").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "late", Work: new(30.0), Estimate: new(20.0), Deadline: new(8.0), DeadlineHard: true})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, kill := range []bool{false, true} {
		starts := func(*sim.Grid) sim.Policy {
			return &hold{decide: func(p *hold, e *sim.Engine) {
				for _, j := range p.queue {
					e.StartOn(j, sim.Claim{Shares: []sim.Share{{Machine: 0, Processors: 1}}})
				}
				p.queue = nil
			}}
		}
		solution, totals, err := sim.Simulate(context.Background(), in, starts, sim.Options{Kill: kill})
		if err != nil {
			t.Fatal(err)
		}
		if len(solution.Unscheduled) != 1 || !strings.Contains(solution.Unscheduled[0].Reason, "hard deadline 8") || totals.LastEnd != 8 {
			t.Errorf("kill %v: expected an end at the hard deadline, 8, found one at %v and %v", kill, totals.LastEnd, solution.Unscheduled)
		}
	}
}
