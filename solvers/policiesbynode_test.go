package solvers_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// gangs is a GPU cluster of 20 nodes with eight GPUs each, half of whose jobs are gangs. Some of its nodes are closed for a while.
func gangs(t *testing.T) *model.Instance {
	t.Helper()
	in, err := (&workload.GPU{Jobs: 120, Nodes: 20, Types: "G2", Load: 1.2, Steady: false, Kinds: "5,10,10,5,5,10", GangShare: 0.5, GangNodes: 6, GangDevices: 8, MaxRuntime: 86400, Padding: 3}).Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder("gangs")
	spec := b.Spec()
	*spec = in.SystemSpec()
	for k := range in.Jobs() {
		spec.Jobs = append(spec.Jobs, in.JobSpec(k))
	}
	machines := spec.Clusters[0].Machines
	machines[0].Closed = []model.ClosedSpec{{From: 40000, To: new(90000.0)}}
	if in, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	return in
}

// Under every policy and rule the gangs lie on whole nodes and the shares on one device each, as the checker of the run says, and no job is left out.
func TestGangsUnderPolicies(t *testing.T) {
	in := gangs(t)
	wide := 0
	for k := range in.Jobs() {
		if in.Jobs()[k].Node().MinMachines > 1 || in.Jobs()[k].Node().PerMachine > 0 {
			wide++
		}
	}
	if wide < 30 || !in.Features().Has(model.ClosedTimes|model.NodeResources) {
		t.Fatalf("%d gangs, %v", wide, in.Features())
	}
	for _, policy := range []string{"fcfs", "easy", "easy:depth=3", "easy:order=saf", "flexible", "conservative"} {
		for _, rule := range place.Rules() {
			choice, err := solve.Choose(policy + ":place=" + rule.Name)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1})
			if err != nil {
				t.Fatalf("%s under %s: %v", policy, rule.Name, err)
			}
			if len(result.Solution.Unscheduled) > 0 {
				t.Errorf("%s under %s leaves out %+v", policy, rule.Name, result.Solution.Unscheduled[0])
			}
		}
	}
}

// Where jobs ask nothing of single machines the rule changes no start under EASY. (A reservation of conservative backfilling is for single machines under
// another rule than first, so that it may come later.) Jobs that must spread are refused under another rule than the first.
func TestRuleOnEqualProcessors(t *testing.T) {
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 3, Processors: 4}}})
	for k := range 20 {
		b.Job(model.JobSpec{ID: string(rune('a' + k)), Arrival: float64(k), Work: new(float64(5 + k%7)), Processors: model.Rigid(1 + k%5)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	starts := func(text string) map[string]float64 {
		choice, err := solve.Choose(text)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]float64{}
		for _, p := range result.Solution.Jobs {
			at[p.Job] = p.Start
		}
		return at
	}
	for _, policy := range []string{"fcfs", "easy", "flexible"} {
		want := starts(policy)
		for job, at := range starts(policy + ":place=best") {
			if want[job] != at {
				t.Errorf("%s: job %s starts at %v under best, at %v under first", policy, job, at, want[job])
			}
		}
	}
	wide, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0), Processors: model.Rigid(2), Tasks: 2, Span: "grid"}).Build()
	if err != nil {
		t.Fatal(err)
	}
	best := solve.Default[solvers.EASY]()
	best.Place = "best"
	if err := best.Supports(wide); err == nil || solve.Default[solvers.EASY]().Supports(wide) != nil {
		t.Errorf("a job that must spread: %v", err)
	}
}
