package sim_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A job that ends just at its estimate has finished; one that would run on is killed, and holds its processor no longer.
func TestOnlyWhatRunsOnIsKilled(t *testing.T) {
	trace := &sim.Trace{Jobs: []sim.Spec{rigid(0, 5, 5), rigid(0, 6, 5), rigid(0, 2, 5)}}
	totals, err := sim.Run(context.Background(), trace, 1, backfill.FCFS(backfill.Ranking{}), sim.Options{Kill: true})
	if err != nil {
		t.Fatal(err)
	}
	if totals.Finished != 2 || totals.Killed != 1 || totals.LastEnd != 12 {
		t.Errorf("expected 2 finished, 1 killed and an end at 12, found %d, %d and %v", totals.Finished, totals.Killed, totals.LastEnd)
	}
}

// A bounded slowdown is at least 1: 2 in the system, of which all running, is 1; 5 waiting and 10 running is 1.5; 15 and 1 is 1.6.
func TestBoundedSlowdownByHand(t *testing.T) {
	trace := &sim.Trace{Jobs: []sim.Spec{rigid(0, 2, 2), rigid(10, 5, 5), rigid(10, 10, 10), rigid(10, 1, 1)}}
	totals, err := sim.Run(context.Background(), trace, 1, backfill.FCFS(backfill.Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found, want := totals.BoundedSlowdown(), (1+1+1.5+1.6)/4; found != want {
		t.Errorf("found %v, expected %v", found, want)
	}
}
