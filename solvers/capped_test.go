package solvers_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// Every policy keeps to power caps beside whatever else jobs ask for: the checker finds nothing wrong, every job runs or is left out for a reason, and one that is left out for the sake of a cap is not one
// that fits beside nothing under the last cap, which holds for ever.
func TestPoliciesKeepToPowerCaps(t *testing.T) {
	policies, runs, left := onLine(), map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		in := limited(t, model.PowerCaps)
		for name, policy := range policies {
			if !in.Features().Has(model.PowerCaps) || policy.Supports(in) != nil {
				continue
			}
			runs[name]++
			for _, u := range checked(t, in, name, policy).Unscheduled {
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
	ranAll(t, policies, runs)
}

// Every policy wakes machines that sleep by a rule before jobs start there, beside whatever else jobs ask for: the checker finds nothing wrong, and all jobs run that can run at all.
func TestPoliciesWakeMachines(t *testing.T) {
	policies, runs := onLine(), map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		in := limited(t, model.SleepingMachines)
		for name, policy := range policies {
			if !in.Features().Has(model.SleepingMachines) || policy.Supports(in) != nil {
				continue
			}
			runs[name]++
			for _, u := range checked(t, in, name, policy).Unscheduled {
				if k, _ := in.JobIndex(u.Job); in.Runs(k) && in.Features()&(model.ClosedTimes|model.Precedence|model.MoldableJobs) == 0 {
					t.Fatalf("%s leaves %s out: %s", name, u.Job, u.Reason)
				}
			}
		}
	})
	t.Logf("%v", runs)
	ranAll(t, policies, runs)
}

// ranAll says that each policy ran.
func ranAll(t *testing.T, policies map[string]solve.Policy, runs map[string]int) {
	for name := range policies {
		if runs[name] == 0 {
			t.Errorf("%s never ran", name)
		}
	}
}

// limited draws an instance with a limit of power beside other features.
func limited(t *rapid.T, limit model.Features) *model.Instance {
	features := limit | model.Arrivals | model.ParallelJobs
	for _, more := range []model.Features{
		model.MemoryLimits | model.MixedMachines, model.LicencePools | model.UnrelatedTimes, plan.NodeFeatures &^ model.RunningJobs, model.Precedence, model.MoldableJobs, model.HardDeadlines, model.MachineSpan,
	} {
		if rapid.Bool().Draw(t, "more") {
			features |= more
		}
	}
	return modeltest.Generator{Features: features, Jobs: 12, Clusters: rapid.IntRange(1, 3).Draw(t, "clusters")}.Instance(t)
}

// checked is the schedule of a policy, in which the checker finds nothing wrong and no job is left out without a reason.
func checked(t *rapid.T, in *model.Instance, name string, policy solve.Policy) *model.Solution {
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
	}
	return sol
}

// onLine are the policies.
func onLine() map[string]solve.Policy {
	policies := map[string]solve.Policy{
		"fcfs": solve.Default[solvers.FCFS](), "easy": solve.Default[solvers.EASY](), "conservative": solve.Default[solvers.Conservative](), "flexible": solve.Default[solvers.Flexible](),
		"backfill": solve.Default[solvers.Backfill](), "twolevel": solve.Default[solvers.TwoLevel](), "spaceshare": solve.Default[solvers.SpaceShare](), "map": solve.Default[solvers.MAP](),
	}
	deep, wait := solve.Default[solvers.EASY](), solve.Default[solvers.SpaceShare]()
	deep.Depth, wait.Start = 3, "wait"
	policies["easy:depth=3"], policies["spaceshare:start=wait"] = deep, wait
	return policies
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

// Every policy moves the data of a job whose processors end at different times, over links that are alike or not: the checker finds nothing wrong with its times.
func TestPoliciesMoveTheDataOfUnevenJobs(t *testing.T) {
	for name, policy := range onLine() {
		for tasks := 1; tasks <= 7; tasks++ {
			for processors := 1; processors <= 4; processors++ {
				for _, links := range [][2]float64{{10, 10}, {10, 4}, {4, 10}} {
					b := model.NewBuilder("uneven")
					b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Bandwidth: links[0]}, {ID: "n", Processors: 3, Bandwidth: links[1]}}})
					in := solvecases.Built(t, b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(processors), Tasks: tasks, Work: new(0.75), Input: 1, Output: 1}))
					if policy.Supports(in) != nil {
						continue
					}
					sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 1 {
						t.Fatalf("%s, %d tasks on %d processors, bandwidths %v: %v", name, tasks, processors, links, report.Violations)
					}
				}
			}
		}
	}
}
