package solvers_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// looksAtStated says why a solver may decide otherwise where an addition of the rule is stated and left in; empty: it may not.
func looksAtStated(solver *solve.Info, rule string) string {
	switch {
	case solver.Online:
		return "policies decide by what is stated, as package sim has their forms"
	case solver.Name == "auto" || solver.Name == "search" || solver.Name == "exact":
		return "the engines of a search, and what they count as work, are chosen by what the presolve has left"
	case solver.Name == "mts" && rule == "memory":
		return "rules 2 to 4 of the paper class jobs by the memory that they overload and by what is left of it"
	case solver.Name == "twolevel" && rule == "licences":
		return "the paper's priority of a job rises with the number of its licences"
	}
	return ""
}

// One name is one algorithm: a resource, memory, bandwidth, feature or licence that cannot bind changes no byte of the schedule of a solver, even if it is left in and the
// solver tracks it, or it refuses the instance.
func TestStatedDataThatCannotBindChangeNothing(t *testing.T) {
	race.OneGoroutine(t)
	t.Parallel()
	instances := inertInstances(t)
	names := slices.Sorted(maps.Keys(instances))
	var additions []testkit.Addition
	for _, a := range testkit.Inert() {
		if slices.Contains([]string{"memory", "resources", "bandwidth", "network", "features", "licences"}, a.Rule) {
			additions = append(additions, a)
		}
	}
	rng, same := rand.New(rand.NewPCG(*inertSeed, 1)), map[string]int{}
	for _, info := range solve.Solvers() {
		if info.Absent != "" || looksAtStated(&info, "") != "" || strings.HasPrefix(info.Name, "ggone-") {
			continue
		}
		run := func(in *model.Instance) (solve.Result, error) {
			return solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 60, Unbounded: true, Strict: true, Stated: true})
		}
		for _, name := range names {
			in := instances[name]
			before, err := run(in)
			if errors.Is(err, solve.ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", name, info.Name, err)
			}
			for _, k := range rng.Perm(len(additions)) {
				a := &additions[k]
				more := testkit.With(in, *a)
				if more == nil || looksAtStated(&info, a.Rule) != "" {
					continue
				}
				after, err := run(more)
				switch {
				case errors.Is(err, solve.ErrUnsupported):
				case err != nil:
					t.Fatalf("%s, %s, %s: %v", name, a.Name, info.Name, err)
				default:
					same[info.Name]++
					if differs(before.Solution, after.Solution) {
						t.Errorf("%s, %s, %s: other starts, clusters or processors", name, a.Name, info.Name)
					}
				}
				if !*inertAll {
					break
				}
			}
		}
	}
	for _, solver := range []string{"asjs", "dll", "edd", "fcfs-list", "ggone", "greedy", "heft", "maxmin", "mct", "met", "minmin", "mrs", "mts", "muscle", "olb", "sufferage", "titan", "wrand"} {
		if least := race.Enough(20); same[solver] < least {
			t.Errorf("%s: %d instances with an addition, want %d", solver, same[solver], least)
		}
	}
}

// differs says whether two solutions place other jobs, or a job elsewhere.
func differs(a, b *model.Solution) bool {
	if a == nil || b == nil {
		return a != b
	}
	return len(a.Unscheduled) != len(b.Unscheduled) || !slices.EqualFunc(a.Jobs, b.Jobs, func(p, q model.Placement) bool { return solve.SamePlacement(&p, &q) })
}

// A policy weighs licences, and places jobs that may spread, by what the pages say, so that what the presolve makes of both changes no start.
func TestPoliciesDecideAlikeWithAndWithoutThePresolve(t *testing.T) {
	race.OneGoroutine(t)
	t.Parallel()
	instances := inertInstances(t)
	same := map[string]int{}
	for _, info := range solve.Solvers() {
		if info.Absent != "" || !info.Online {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(instances)) {
			for _, a := range testkit.Inert() {
				if a.Rule != "licences" && !strings.HasPrefix(a.Name, "span grid") {
					continue
				}
				more := testkit.With(instances[name], a)
				if more == nil {
					continue
				}
				var made [2]*model.Solution
				for stated := range made {
					result, err := solve.Run(t.Context(), info.Choice(), more, solve.Options{Seed: 1, Unbounded: true, Strict: true, Stated: stated == 1})
					if err != nil && !errors.Is(err, solve.ErrUnsupported) {
						t.Fatalf("%s, %s, %s: %v", name, a.Name, info.Name, err)
					}
					made[stated] = result.Solution
				}
				if made[0] == nil || made[1] == nil {
					continue // as stated it is refused
				}
				if same[info.Name]++; differs(made[0], made[1]) {
					t.Errorf("%s, %s, %s: other starts, clusters or processors without the presolve", name, a.Name, info.Name)
				}
			}
		}
	}
	for _, policy := range []string{"conservative", "easy", "fcfs", "flexible", "twolevel"} {
		if least := race.Enough(20); same[policy] < least {
			t.Errorf("%s: %d instances with an addition, want %d", policy, same[policy], least)
		}
	}
}

// What simulations tell of a policy, such as starts, reasons and what-ifs, is of the schedule that the solver makes, whatever is stated that cannot bind; and they take what the solver takes.
func TestSimulationsAreThoseOfTheSolver(t *testing.T) {
	race.OneGoroutine(t)
	t.Parallel()
	instances, additions := inertInstances(t), testkit.Inert()
	names, rng := slices.Sorted(maps.Keys(instances)), rand.New(rand.NewPCG(*inertSeed, 3))
	var policies []solve.Info
	for _, info := range solve.Solvers() {
		if info.Absent == "" && info.Online {
			policies = append(policies, info)
		}
	}
	same := 0
	for range race.Enough(1500) {
		name, a, info := names[rng.IntN(len(names))], &additions[rng.IntN(len(additions))], &policies[rng.IntN(len(policies))]
		more := testkit.With(instances[name], *a)
		if more == nil {
			continue
		}
		policy, _ := solve.PolicyOf(info.New())
		result, err := solve.Run(t.Context(), info.Choice(), more, solve.Options{Seed: 1, Unbounded: true, Strict: true})
		if errors.Is(err, solve.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%s, %s, %s: %v", name, a.Name, info.Name, err)
		}
		made, _, err := solve.Simulate(t.Context(), policy, more, sim.Options{Seed: 1})
		if err != nil {
			t.Errorf("%s, %s, %s: %v", name, a.Name, info.Name, err)
			continue
		}
		if same++; differs(result.Solution, made) {
			t.Errorf("%s, %s, %s: other starts, clusters or processors", name, a.Name, info.Name)
		}
	}
	if same < race.Enough(500) {
		t.Errorf("%d simulations", same)
	}
}
