package tune

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/solve"
)

// hill is a runner whose costs are known: population 60 and swap 0.2 are best, and each run has noise that depends on instance, seed and choice.
func hill(noise float64, runs *int) runner {
	return func(_ context.Context, instance int, seed uint64, choices []*solve.Choice) ([]tables.Result, float64, error) {
		var results []tables.Result
		for _, c := range choices {
			*runs++
			value := func(name string, usual float64) float64 {
				if x, err := strconv.ParseFloat(c.Given[name], 64); err == nil {
					return x
				}
				return usual
			}
			cost := math.Abs(math.Log(value("population", 50)/60)) + 4*math.Abs(value("swap", 0.3)-0.2)
			if c.Given["coding"] == "list" {
				cost++
			}
			mixed := uint64(instance)<<32 + seed
			for _, r := range c.Label {
				mixed = mixed*1099511628211 + uint64(r)
			}
			rng := rand.New(rand.NewPCG(mixed, 7))
			results = append(results, tables.Result{Objective: float64(10+instance) * (1 + cost) * math.Exp(noise*rng.NormFloat64())})
		}
		return results, 0.001 * float64(len(choices)), nil
	}
}

// raced is a race on the hill.
func raced(t *testing.T, limits Limits, seed uint64, noise float64) (*tuning, int) {
	t.Helper()
	space, err := NewSpace("titan:patience=5", []string{"population=4..400", "swap=0..1", "coding"})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Limits, opt.Seed, opt.Test = limits, seed, ByRank
	tu := &tuning{space: space, opt: opt}
	runs := 0
	instances := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	if err := tu.search(t.Context(), hill(noise, &runs), instances, 1000, 12); err != nil {
		t.Fatal(err)
	}
	return tu, runs
}

// Races come near the top of the hill, though the runs are noisy, and keep to their limit.
func TestRacesFindTheTop(t *testing.T) {
	for seed := range uint64(10) {
		tu, runs := raced(t, Limits{Runs: 1000}, seed, 0.2)
		c := tu.best.choice
		population, _ := strconv.ParseFloat(c.Given["population"], 64)
		swap, _ := strconv.ParseFloat(c.Given["swap"], 64)
		if c.Given["coding"] == "list" || population < 30 || population > 120 || math.Abs(swap-0.2) > 0.12 {
			t.Errorf("seed %d: found %s", seed, c.Label)
		}
		if runs > 1000-12 || runs < 700 {
			t.Errorf("seed %d: %d runs, expected nearly all of 988", seed, runs)
		}
	}
}

// The same seed gives the same races, but for the time that they take; another seed gives others.
func TestRacesAreTheSameAgain(t *testing.T) {
	text := func(seed uint64) string {
		tu, _ := raced(t, Limits{Runs: 400}, seed, 0.3)
		a, err := tu.answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a.Seconds = 0 // what the runs took, by the clock
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if first, again := text(3), text(3); first != again {
		t.Error("seed 3 gave two answers")
	}
	if text(3) == text(4) {
		t.Error("seeds 3 and 4 gave the same answer")
	}
}

// A candidate that leads after few heats does not displace one that has proved itself on more.
func TestTheProvedStayUntilAllHaveRunAsMuch(t *testing.T) {
	tu, _ := raced(t, Limits{Runs: 300}, 1, 0.1)
	r := tu.race
	old, err := r.sampler.enter(Config{"61", "0.21", "mask"}, r.sampler.even())
	if err != nil || old == nil {
		t.Fatal(err)
	}
	for heat := range 8 {
		if err := r.field.run(t.Context(), heat, []*candidate{old}); err != nil {
			t.Fatal(err)
		}
	}
	young := r.sampler.anywhere()
	for _, heat := range []int{0, 1} {
		r.field.results[heat][young] = tables.Result{Objective: 0}
	}
	if got := r.ranked([]*candidate{old, young}, []*candidate{old}, []int{0, 1}); got[0] != old {
		t.Error("two heats displaced eight")
	}
	for heat := range 8 {
		r.field.results[heat][young] = tables.Result{Objective: 0}
	}
	if got := r.ranked([]*candidate{old, young}, []*candidate{old}, []int{0, 1, 2, 3, 4, 5, 6, 7}); got[0] != young {
		t.Error("the better one is not first after all eight")
	}
}

// The judgement keeps its promise: candidates that differ by chance alone are recommended in at most 5 of 100 tunings.
func TestWhatDiffersByChanceIsNotRecommended(t *testing.T) {
	recommended, overstated := 0, 0
	for seed := range uint64(200) {
		space, err := NewSpace("titan", []string{"population=4..400", "swap=0..1"})
		if err != nil {
			t.Fatal(err)
		}
		noise := func(_ context.Context, instance int, _ uint64, choices []*solve.Choice) ([]tables.Result, float64, error) {
			var results []tables.Result
			for _, c := range choices {
				mixed := seed<<40 + uint64(instance)
				for _, r := range c.Label {
					mixed = mixed*1099511628211 + uint64(r)
				}
				results = append(results, tables.Result{Objective: math.Exp(rand.New(rand.NewPCG(mixed, 9)).NormFloat64())})
			}
			return results, 0, nil
		}
		opt := Defaults()
		opt.Limits, opt.Seed, opt.Test = Limits{Runs: 200}, seed, ByRank
		tu := &tuning{space: space, opt: opt}
		if err := tu.search(t.Context(), noise, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 20); err != nil {
			t.Fatal(err)
		}
		a, err := tu.answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if tu.best == tu.race.standing {
			continue
		}
		judged := newField(noise, []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, seed, 1, 1, tu.race.sampler.rng)
		for heat := range judged.heats() {
			if err := judged.run(t.Context(), heat, []*candidate{tu.race.standing, tu.best}); err != nil {
				t.Fatal(err)
			}
		}
		if a.HeldOut, err = tu.gain(judged, opt.Confidence); err != nil {
			t.Fatal(err)
		}
		if a.decide(); !a.Keep {
			recommended++
		}
		if *a.Training.Ratio < *a.HeldOut.Ratio {
			overstated++
		}
	}
	if overstated < 150 {
		t.Errorf("the races promise more than there is in %d of 200 tunings of noise, expected nearly all: they are no test", overstated)
	}
	if recommended > 10 { // 2.5 % is what the interval allows
		t.Errorf("%d of 200 tunings recommend noise", recommended)
	}
}

// The steps lead from what there is to what was found, the one that matters most first, within the limit.
func TestStepsToWhatWasFound(t *testing.T) {
	for seed := range uint64(5) {
		space, err := NewSpace("titan:patience=5", []string{"population=4..400", "swap=0..1", "coding"})
		if err != nil {
			t.Fatal(err)
		}
		runs := 0
		opt := Defaults()
		opt.Limits, opt.Seed, opt.Test = Limits{Runs: 500}, seed, ByRank
		tu := &tuning{space: space, opt: opt}
		if err := tu.search(t.Context(), hill(0.01, &runs), []int{0, 1, 2, 3, 4, 5, 6, 7}, 1, 10); err != nil {
			t.Fatal(err)
		}
		a, err := tu.answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		config, last := slices.Clone(tu.race.standing.config), 1.0
		for _, step := range a.Steps {
			k := slices.IndexFunc(space.Dimensions, func(d Dimension) bool { return d.Name == step.Parameter })
			if config[k] != step.From {
				t.Errorf("seed %d: %+v begins at %q", seed, step, config[k])
			}
			config[k] = step.To
			last = *step.Training.Ratio
		}
		if !slices.Equal(config, tu.best.config) {
			t.Errorf("seed %d: the steps lead to %q, expected %q", seed, config, tu.best.config)
		}
		if math.Abs(last-*a.Training.Ratio) > 0.02 {
			t.Errorf("seed %d: the last step has the ratio %v, all together %v", seed, last, *a.Training.Ratio)
		}
		if runs > 490 || runs != a.Runs {
			t.Errorf("seed %d: %d runs, stated %d, expected at most 490", seed, runs, a.Runs)
		}
	}
}
