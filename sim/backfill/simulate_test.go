package backfill

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// TestSimulateEveryFeature: on instances that ask for anything an instance can ask for, the schedule passes the checker and is that of the same jobs in a stream.
func TestSimulateEveryFeature(t *testing.T) {
	const simple = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes
	plain, general := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		features := rapid.SampledFrom([]model.Features{simple, modeltest.AllFeatures, simple | model.Precedence, simple | model.LicencePools,
			simple | model.MemoryLimits, simple | model.MixedMachines, simple | model.MoldableJobs, simple | model.HardDeadlines}).Draw(t, "features")
		in := modeltest.Generator{Features: features, Jobs: 14, Clusters: rapid.IntRange(1, 3).Draw(t, "clusters")}.Instance(t)
		if _, _, err := sim.TraceOf(in); err == nil {
			plain++
		} else {
			general++
		}
		step := rapid.SampledFrom([]float64{1, 0.5, 100}).Draw(t, "step")
		opt := sim.Options{Kill: rapid.Bool().Draw(t, "kill")}
		for _, kind := range kinds {
			chosen, _, err := sim.Simulate(context.Background(), in, kind.discipline(step), opt)
			if err != nil {
				t.Fatalf("%s: %v", kind.name, err)
			}
			if report := model.Check(in, chosen); !report.OK() {
				t.Fatalf("%s: %v", kind.name, report.Violations)
			}
			sameInStream(t, kind.name, in, kind.discipline(step), opt, chosen)
		}
	})
	if least := race.Enough(10); plain < least || general < least {
		t.Errorf("%d instances fit a trace, %d do not", plain, general)
	}
}

// sameInStream checks that the jobs of an instance that is no more than a trace start in a stream as they do in the schedule.
func sameInStream(t *rapid.T, name string, in *model.Instance, d sim.Discipline, opt sim.Options, sol *model.Solution) {
	t.Helper()
	if !d.ReadsTraces(in) {
		return
	}
	trace, order, err := sim.TraceOf(in)
	if err != nil {
		t.Fatal(err)
	}
	s := starts{}
	opt.Observer = &s
	if _, err := sim.Run(context.Background(), trace, in.Processors(), d, opt); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want := map[string]float64{}
	for k := range sol.Jobs {
		want[sol.Jobs[k].Job] = sol.Jobs[k].Start
	}
	for number, at := range s.at {
		if start, ran := want[in.Jobs()[order[number]].ID]; ran && start != at {
			t.Fatalf("%s: job %s starts at %v, in a stream at %v", name, in.Jobs()[order[number]].ID, start, at)
		}
	}
}
