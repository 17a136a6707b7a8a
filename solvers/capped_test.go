package solvers_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// Every policy keeps to power caps beside whatever else jobs ask for: the checker finds nothing wrong, every job runs or is left out for a reason, and one that is left out for the sake of a cap is not one
// that fits beside nothing under the last cap, which holds for ever.
func TestPoliciesKeepToPowerCaps(t *testing.T) {
	policies := map[string]solve.Policy{
		"fcfs": solve.Default[solvers.FCFS](), "easy": solve.Default[solvers.EASY](), "conservative": solve.Default[solvers.Conservative](), "flexible": solve.Default[solvers.Flexible](),
		"backfill": solve.Default[solvers.Backfill](), "twolevel": solve.Default[solvers.TwoLevel](), "spaceshare": solve.Default[solvers.SpaceShare](), "map": solve.Default[solvers.MAP](),
	}
	deep, wait := solve.Default[solvers.EASY](), solve.Default[solvers.SpaceShare]()
	deep.Depth, wait.Start = 3, "wait"
	policies["easy:depth=3"], policies["spaceshare:start=wait"] = deep, wait
	runs, left := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		features := model.PowerCaps | model.Arrivals | model.ParallelJobs
		for _, more := range []model.Features{
			model.MemoryLimits | model.MixedMachines, model.LicencePools | model.UnrelatedTimes, plan.NodeFeatures &^ model.RunningJobs, model.Precedence, model.MoldableJobs, model.HardDeadlines, model.MachineSpan,
		} {
			if rapid.Bool().Draw(t, "more") {
				features |= more
			}
		}
		in := modeltest.Generator{Features: features, Jobs: 12, Clusters: rapid.IntRange(1, 3).Draw(t, "clusters")}.Instance(t)
		for name, policy := range policies {
			if !in.Features().Has(model.PowerCaps) || policy.Supports(in) != nil {
				continue
			}
			runs[name]++
			sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatalf("%s: %v", name, report.Violations)
			}
			for _, u := range sol.Unscheduled {
				if u.Reason == "" {
					t.Fatalf("%s leaves %s out without a reason", name, u.Job)
				}
				if !strings.HasPrefix(u.Reason, sim.CapReason) {
					continue
				}
				left++
				if k, _ := in.JobIndex(u.Job); fitsLastCap(in, k) {
					t.Fatalf("%s leaves %s out: %s", name, u.Job, u.Reason)
				}
			}
		}
	})
	t.Logf("%v; %d jobs were left out for the sake of a cap", runs, left)
	for name := range policies {
		if runs[name] == 0 {
			t.Errorf("%s never ran", name)
		}
	}
}

// fitsLastCap says whether the last caps leave the least power that the job can take on some cluster, where it states its own power and no machine is ever closed.
func fitsLastCap(in *model.Instance, job int) bool {
	each, own := in.Jobs()[job].Power()
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		if least, _ := in.Width(job, c); own && in.CanRun(job, c) && !in.Features().Has(model.ClosedTimes) {
			if len(cluster.PowerCap) == 0 || cluster.IdlePower()+each*float64(least) < 0.999*cluster.PowerCap[len(cluster.PowerCap)-1].Value {
				return !in.Jobs()[job].DeadlineHard && in.Jobs()[job].Min == in.Jobs()[job].Max
			}
		}
	}
	return false
}
