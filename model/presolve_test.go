package model_test

import (
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

// withInert is the instance with some inert additions, and their names: first those of rules that were used least, which it counts.
func withInert(rng *rand.Rand, in *model.Instance, used map[string]int) (*model.Instance, string) {
	names, additions := "", testkit.Inert()
	rng.Shuffle(len(additions), func(i, k int) { additions[i], additions[k] = additions[k], additions[i] })
	slices.SortStableFunc(additions, func(a, b testkit.Addition) int { return used[a.Rule]/8 - used[b.Rule]/8 })
	for _, a := range additions {
		if more := testkit.With(in, a); more != nil {
			in, names = more, names+a.Name+"; "
			used[a.Rule]++
		}
		if rng.IntN(4) == 0 {
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
	rules, used, kept := map[applied]int{}, map[string]int{}, 0
	for seed := range race.Enough(1600) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		in, names := withInert(rng, modeltest.Mixed(rng), used)
		use := everyUse[rng.IntN(4)*rng.IntN(2)] | model.ByObjective*model.Use(min(1, rng.IntN(3)))
		reduced, by := model.Reduce(in, use)
		if (reduced == in) != (by.String() == "") {
			t.Fatalf("seed %d: another instance by the rules %q", seed, by)
		}
		if reduced.SHA256() != in.SHA256() {
			t.Fatalf("seed %d: the SHA-256 changes", seed)
		}
		for line := range strings.Lines(by.String()) {
			name, _, _ := strings.Cut(line, ":")
			rules[applied{name, use &^ model.ByObjective}]++
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
	if kept < race.Enough(800) {
		t.Errorf("%d right schedules", kept)
	}
	for name, uses := range map[string][]model.Use{
		"licences": {0, model.OnLine}, "bandwidth": {0, model.OnLine}, "network": everyUse, "features": everyUse, "span": everyUse, "exclusive": everyUse, "blocks": everyUse,
		"memory": {0, model.OnLine}, "resources": {0, model.OnLine}, "widths": everyUse, "precedence": {0, model.Scoring}, "power caps": everyUse,
		"closed times": everyUse, "objective": everyUse, "reservation": everyUse, "deadlines": {0, model.Scoring}, "sleep": everyUse, "horizon": everyUse, "hard deadlines": {0, model.Scoring}, "equal machines": everyUse,
	} {
		for _, use := range everyUse {
			least := race.Enough(8) / (1 + int(use))
			if name == "sleep" { // on line machines that are off at first have to have their horizon left out too, which is rare
				least = min(least, 2)
			}
			switch n := rules[applied{name, use}]; {
			case slices.Contains(uses, use) && n < least:
				t.Errorf("%s, use %d: it applied %d times", name, use, n)
			case !slices.Contains(uses, use) && n > 0:
				t.Errorf("%s, use %d: it applied %d times, expected none", name, use, n)
			}
		}
	}
}

// applied is a rule that applied for a use.
type applied struct {
	rule string
	use  model.Use
}

var everyUse = []model.Use{0, model.OnLine, model.Scoring, model.OnLine | model.Scoring}

// Where the presolve names a rule for an addition, it leaves the addition out: what is left asks for the same features as what is left of the instance without it. The others
// do not keep a rule from applying.
func TestPresolveLeavesAdditionsOut(t *testing.T) {
	tried := map[string]int{}
	for seed := range race.Enough(800) {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		in := modeltest.Mixed(rng)
		plain, _ := model.Reduce(in, 0)
		for k := range testkit.Inert() {
			a := &testkit.Inert()[k]
			if tried[a.Name] >= 20 || len(in.Jobs()) == 0 {
				continue
			}
			more := testkit.With(in, *a)
			if more == nil {
				continue
			}
			reduced, by := model.Reduce(more, 0)
			lines := "\n" + by.String()
			if a.Rule != "" && !strings.Contains(lines, "\n"+a.Rule) && leavesOut(in, a) {
				t.Fatalf("seed %d, %s: the rules are%s", seed, a.Name, lines)
			}
			if leavesOut(in, a) {
				tried[a.Name]++
				if left := reduced.Features() &^ plain.Features(); left != 0 {
					t.Fatalf("seed %d, %s: %v is left; the rules are%s", seed, a.Name, left, lines)
				}
			}
		}
	}
	for k := range testkit.Inert() {
		if a := &testkit.Inert()[k]; tried[a.Name] < race.Enough(10)/5 {
			t.Errorf("%s: left out %d times", a.Name, tried[a.Name])
		}
	}
}

// leavesOut says whether nothing of the instance itself keeps the presolve from leaving the addition out.
func leavesOut(in *model.Instance, a *testkit.Addition) bool {
	objective := in.StatedObjective()
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return objective[name] != 0 })
	}
	power := has("energy", "energy_cost", "carbon", "peak_power")
	late := in.Features()&(model.PowerLimits|model.BackgroundLoad) != 0 || power // when schedules end is not known
	switch a.Rule {
	case "memory", "resources":
		return !has("stranded", "device_utilisation")
	case "closed":
		return (!late || strings.Contains(a.Name, "before")) && in.Features()&model.ClosedTimes == 0
	case "horizon", "hard deadlines":
		return !late
	case "bandwidth":
		return in.Features()&model.BandwidthNeeds == 0
	case "sleep":
		return !power && in.Features()&model.PowerCaps == 0 && (!late || !strings.Contains(a.Name, "after"))
	case "blocks":
		return in.Features()&model.Blocks == 0 && (in.Features()&model.GridSpan == 0 || a.Name == "machines from one to all" && !slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return c.WholeMachines }))
	case "objective":
		return in.Features()&model.HardDeadlines == 0
	}
	return true
}
