package solvers_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func TestStatedSame(t *testing.T) {
	t.Parallel()
	instances := inertInstances(t)
	count := map[string]int{}
	of := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(instances)) {
		in := instances[name]
		for _, info := range solve.Solvers() {
			if info.Absent != "" || info.Name == "ggone-milp" || info.Name == "ggone-hybrid" || info.Name == "exact" {
				continue
			}
			if !slices.Contains([]string{"sufferage", "mts", "titan", "ggone", "flexible", "muscle", "search", "auto"}, info.Name) {
				continue
			}
			run := func(in *model.Instance) (solve.Result, error) {
				return solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 100, Unbounded: true, Strict: true, Stated: true})
			}
			before, err := run(in)
			if errors.Is(err, solve.ErrUnsupported) {
				continue
			}
			for _, a := range testkit.Inert() {
				switch a.Rule {
				case "memory", "resources", "bandwidth", "network", "features", "licences":
				default:
					continue
				}
				more := testkit.With(in, a)
				if more == nil {
					continue
				}
				after, err := run(more)
				of[info.Name]++
				if err != nil {
					count[info.Name+" "+a.Rule+" error"]++
					count[info.Name]++
					continue
				}
				if before.Solution == nil || after.Solution == nil {
					continue
				}
				if !slices.EqualFunc(before.Solution.Jobs, after.Solution.Jobs, func(p, q model.Placement) bool { return solve.SamePlacement(&p, &q) }) {
					count[info.Name]++
					count[info.Name+" "+a.Rule]++
					if slices.Contains([]string{"sufferage", "mts", "titan", "ggone", "flexible", "muscle", "search", "auto"}, info.Name) {
						count["zz "+info.Name+" "+name+" "+a.Rule]++
					}
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: %d %d", k, count[k], of[k])
	}
}
