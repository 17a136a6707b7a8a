package backfill

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// TestSimulateEveryFeature: on instances that ask for anything an instance can ask for, the world that Simulate picks gives a schedule
// that passes the checker and is that of the general world.
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
			inGeneral, _, err := sim.Simulate(context.Background(), in, kind.inGeneralWorld(step), opt)
			if err != nil {
				t.Fatalf("%s: %v", kind.name, err)
			}
			// Who is left out stands first in a trace: which jobs can never run is known at once.
			byJob := func(a, b model.Unscheduled) int { return cmp.Compare(a.Job, b.Job) }
			slices.SortFunc(inGeneral.Unscheduled, byJob)
			slices.SortFunc(chosen.Unscheduled, byJob)
			if diff := gocmp.Diff(inGeneral, chosen); diff != "" {
				t.Fatalf("%s: the general world and the chosen one differ: %s", kind.name, diff)
			}
		}
	})
	if least := race.Enough(10); plain < least || general < least {
		t.Errorf("%d instances fit a trace, %d do not", plain, general)
	}
}
