package model_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
)

// withInert is the instance with some inert additions, and their names.
func withInert(rng *rand.Rand, in *model.Instance) (*model.Instance, string) {
	names := ""
	for _, k := range rng.Perm(len(testkit.Inert())) {
		a := testkit.Inert()[k]
		if more := testkit.With(in, a); more != nil {
			in, names = more, names+a.Name+"; "
		}
		if rng.IntN(3) == 0 {
			break
		}
	}
	return in, names
}

// sameObjective says whether two values of an objective are equal up to rounding.
func sameObjective(a, b, rounding float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))+rounding
}

// Every schedule of the one instance is one of the other, with the same objective, as far as the presolve says that it ends in time. One that does not is still a
// schedule of the reduced instance if it is one of the original.
func TestPresolveKeepsSchedules(t *testing.T) {
	rules, kept := map[string]int{}, 0
	for seed := range race.Enough(3000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		in, names := withInert(rng, modeltest.Mixed(rng))
		use := []model.Use{0, 0, 0, model.OnLine, model.Scoring, model.OnLine | model.Scoring}[rng.IntN(6)]
		reduced, by := model.Reduce(in, use)
		if (reduced == in) != (by.String() == "") {
			t.Fatalf("seed %d: another instance by the rules %q", seed, by)
		}
		if reduced.SHA256() != in.SHA256() {
			t.Fatalf("seed %d: the SHA-256 changes", seed)
		}
		for line := range strings.Lines(by.String()) {
			name, _, _ := strings.Cut(line, ":")
			rules[fmt.Sprint(name, use&model.OnLine != 0, use&model.Scoring != 0)]++
		}
		for range 3 {
			var sol, short *model.Solution
			if rng.IntN(2) == 0 {
				sol = modeltest.Schedule(rng, in)
				short = by.Carry(sol)
			} else {
				short = modeltest.Schedule(rng, reduced)
				sol = by.Restore(short)
			}
			before, after := model.Check(in, sol), model.Check(reduced, short)
			if by.Fits(sol) != by.Fits(short) {
				t.Fatalf("seed %d: one schedule fits", seed)
			}
			switch {
			case before.OK() && !after.OK():
				t.Fatalf("seed %d, use %d, %s\n%s\nthe reduced instance forbids: %v", seed, use, names, by, after.Violations)
			case !before.OK() && after.OK() && by.Fits(sol):
				t.Fatalf("seed %d, use %d, %s\n%s\nthe reduced instance allows what breaks: %v", seed, use, names, by, before.Violations)
			}
			if (before.OK() || by.Fits(sol)) && !sameObjective(before.Objective, after.Objective, before.Rounding+after.Rounding) {
				t.Fatalf("seed %d, use %d, %s\n%s\nobjective %v becomes %v", seed, use, names, by, before.Objective, after.Objective)
			}
			if before.OK() {
				kept++
			}
		}
	}
	if kept < race.Enough(2000) {
		t.Errorf("%d right schedules", kept)
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		t.Log(rule, rules[rule])
	}
}
