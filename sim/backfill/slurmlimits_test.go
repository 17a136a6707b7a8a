package backfill

import (
	"context"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// A job that a limit keeps waiting has a start, and keeps nothing for it, as Slurm's second test of the limits has it: the next job is planned there too. Without the limit it keeps its machine.
func TestSlurmKeepsNothingForALimit(t *testing.T) {
	for licences, next := range map[string]float64{`{"account a: cpu": 1}`: 60, `{"account a: cpu": 2}`: 120} {
		in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "units": {"time": "s"}, "licences": `+licences+`,
			"clusters": [{"id": "c", "machines": [{"id": "a", "features": ["a"]}, {"id": "b", "features": ["b"]}]}],
			"jobs": [{"id": "runs", "work": 600, "features": [["a"]], "licences": {"account a: cpu": 1}},
			         {"id": "ends", "work": 60, "features": [["b"]]},
			         {"id": "limited", "arrival": 1, "work": 60, "features": [["b"]], "licences": {"account a: cpu": 1}},
			         {"id": "next", "arrival": 1, "work": 60, "features": [["b"]]}]}`), "limits")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		cycles := DefaultCycles()
		cycles.Interval, cycles.Resolution = 1, 1
		watch := &lateCycle{firstPlans: firstPlans{starts: map[string]float64{}, stop: stop}}
		d := Slurm(1, cycles, Ranking{})
		d.General = func(platform *sim.Platform, _ uint64) sim.Policy {
			watch.policy = newSlurm(platform, 1, cycles, nil)
			return watch.policy
		}
		_, _, _ = sim.Simulate(ctx, in, d, sim.Options{Observer: watch})
		stop()
		if watch.starts["limited"] != 60 || watch.starts["next"] != next {
			t.Errorf("%s: planned %v, want limited at 60 and next at %v", licences, watch.starts, next)
		}
	}
}

// lateCycle remembers the plans of the first cycle in which two jobs wait.
type lateCycle struct{ firstPlans }

// Decided implements sim.Watcher.
func (w *lateCycle) Decided(float64) {
	for _, j := range w.policy.queue {
		if j != nil && w.policy.plans[j.Handle].cycle == w.policy.cycle && w.policy.waiting == 2 && len(w.starts) < 4 {
			w.starts[j.Request.ID] = w.policy.plans[j.Handle].start
		}
	}
	if len(w.starts) == 4 {
		w.stop()
	}
}
