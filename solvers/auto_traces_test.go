package solvers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// arriving is an instance of rigid jobs that arrive over time on the given number of clusters, with estimates.
func arriving(t *rapid.T, clusters, jobs int, metric string) *model.Instance {
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{metric: 1}}
	for c := range clusters {
		spec.Clusters = append(spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 8}}})
	}
	for k := range jobs {
		work := float64(rapid.IntRange(1, 50).Draw(t, "work"))
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(k * rapid.IntRange(1, 9).Draw(t, "gap")), Work: new(work),
			Estimate: new(work * float64(rapid.IntRange(1, 3).Draw(t, "factor"))), Processors: model.Rigid(rapid.IntRange(1, 8).Draw(t, "processors"))})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Where jobs arrive over time auto is never worse than the backfilling policies, by the objective, jobs left out first; also where its
// evaluations are only enough for those it tries first.
func TestAutoIsNeverWorseThanEASY(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		metric := rapid.SampledFrom([]string{"bounded_slowdown", "mean_wait", "makespan", "mean_response"}).Draw(t, "metric")
		in := arriving(t, rapid.IntRange(1, 2).Draw(t, "clusters"), rapid.IntRange(2, 30).Draw(t, "jobs"), metric)
		// Enough for all the list heuristics and policies, and next to none for the search.
		auto := rankBy(t, "auto", in, solve.Options{Seed: 1, MaxEvals: 40})
		for _, name := range []string{"easy", "conservative", "flexible"} {
			if policy := rankBy(t, name, in, solve.Options{Seed: 1}); policy.Better(auto) {
				t.Fatalf("%s: %v, auto only %v", name, policy, auto)
			}
		}
	})
}

// rankBy is how good the schedule of a solver is.
func rankBy(t *rapid.T, name string, in *model.Instance, opt solve.Options) model.Rank {
	choice, err := solve.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), choice, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	return model.NewRank(len(result.Solution.Unscheduled), *result.Solution.Objective)
}

// A trace on which only easy is good, and a single evaluation: it is the first that auto tries. In a batch it is not tried.
func TestAutoTriesEASYFirst(t *testing.T) {
	trace := func(arrival float64) *model.Instance {
		spec := model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{"mean_wait": 1},
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}}}
		for k := range 20 { // wide and narrow in turn: only a backfilling policy lets narrow ones go beside a narrow one
			spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: arrival * float64(k), Work: new(10.0), Processors: model.Rigid(1 + k%2)})
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	for _, c := range []struct {
		arrival float64
		want    bool
	}{{1, true}, {0, false}} {
		choice, err := solve.Choose("auto")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, trace(c.arrival), solve.Options{Seed: 1, MaxEvals: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Solution.Solver == "easy"; got != c.want {
			t.Errorf("arrivals every %g: by %s", c.arrival, result.Solution.Solver)
		}
	}
}

// The policies that auto may try.
func TestAutoTriesThreePolicies(t *testing.T) {
	var policies []string
	for _, info := range solve.Solvers() {
		if info.Online && info.Work != nil {
			policies = append(policies, info.Name)
		}
	}
	slices.Sort(policies)
	if got := strings.Join(policies, " "); got != "conservative easy flexible" {
		t.Errorf("auto tries the policies %s", got)
	}
}
