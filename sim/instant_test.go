package sim_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// endsRun is an observer that ends the context of a run after some of what happens at one instant, and counts what happens after that.
type endsRun struct {
	lastEnds
	end            func()
	arrivals, left int // until the end; 0: never
	after          int
}

func (e *endsRun) Arrived(float64, *sim.Job)                           { e.count(&e.arrivals) }
func (e *endsRun) Left(_ float64, _ *sim.Job, _ sim.Outcome, _ string) { e.count(&e.left) }

// count counts down, and what follows.
func (e *endsRun) count(until *int) {
	if e.end == nil {
		e.after++
	} else if *until--; *until == 0 {
		e.end()
		e.end = nil
	}
}

// TestInstantHearsTheEnd: an instant at which all jobs arrive or end is as long as a run, and ends with the context.
func TestInstantHearsTheEnd(t *testing.T) {
	const n = 3000
	b := model.NewBuilder("instant").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: n}}})
	for k := range n {
		b.Job(model.JobSpec{ID: fmt.Sprint(k), Work: new(1.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*endsRun{{arrivals: 100}, {left: 100}} {
		for name, d := range map[string]sim.Discipline{"plain": backfill.FCFS(backfill.Ranking{}), "general": {General: backfill.FCFS(backfill.Ranking{}).General}} {
			ctx, end := context.WithCancel(t.Context())
			observer := &endsRun{arrivals: e.arrivals, left: e.left, end: end}
			_, _, err := sim.Simulate(ctx, in, d, sim.Options{Observer: observer})
			end()
			if !errors.Is(err, context.Canceled) || observer.end != nil || observer.after > 64 {
				t.Errorf("%s, %d arrivals and %d ends: %v, and %d more events; expected the end within 64", name, e.arrivals, e.left, err, observer.after)
			}
		}
	}
}
