package tune

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/solve"
)

// worths is a runner in which each parameter that has another value than it has as it stands lowers the objective by its worth. In one of the seeds the schedules owe jobs unless a
// parameter is changed.
func worths(usual Config, dimensions []Dimension, worth []float64, owes int) runner {
	return func(_ context.Context, instance int, _ uint64, choices []*solve.Choice) ([]tables.Result, float64, error) {
		var results []tables.Result
		for _, c := range choices {
			r := tables.Result{Objective: float64(100 + instance)}
			for k, d := range dimensions {
				if value, given := c.Given[d.Name]; given && value != usual[k] {
					r.Objective -= worth[k]
				} else if k == owes {
					r.Left++
				}
			}
			results = append(results, r)
		}
		return results, 0.001 * float64(len(choices)), nil
	}
}

// A change is taken back where that costs at most a 200th of what all changes gain, however large the gain is, and no job is owed for it: the sums are computed here
// from the worths.
func TestChangesThatAreNotNeeded(t *testing.T) {
	space, err := NewSpace("titan:patience=5", []string{"population=4..400", "swap=0..1", "coding"})
	if err != nil {
		t.Fatal(err)
	}
	standing := &candidate{config: make(Config, len(space.Dimensions))}
	other := make(Config, len(space.Dimensions))
	for k, d := range space.Dimensions {
		standing.config[k] = d.Default
		other[k] = map[string]string{"population": "77", "swap": "0.7", "coding": "list"}[d.Name]
		if other[k] == "" || other[k] == d.Default {
			t.Fatalf("%+v has no other value", d)
		}
	}
	rng := rand.New(rand.NewPCG(57, 4))
	undone, kept := 0, 0
	for range 300 {
		scale := []float64{1e-3, 0.3, 1, 10}[rng.IntN(4)]
		worth := make([]float64, len(other))
		for k := range worth {
			worth[k] = scale * []float64{0, 1, 0.004, 0.0049, 0.0052, 0.02}[rng.IntN(6)]
		}
		gain := 0.0
		for _, w := range worth {
			gain += w
		}
		owes := rng.IntN(2*len(other)) - len(other)
		best := &candidate{config: slices.Clone(other)}
		for _, c := range []*candidate{standing, best} {
			if c.choice, err = space.Choice(c.config); err != nil {
				t.Fatal(err)
			}
		}
		instances := []int{0, 1, 2, 3, 4, 5}
		tu := &tuning{space: space, opt: Defaults(), best: best}
		f := newField(worths(standing.config, space.Dimensions, worth, owes), instances, 1, 1, 1, rng)
		tu.race = &race{space: space, field: f, limits: Limits{Runs: 1000}, standing: standing}
		for heat := range f.heats() {
			if err := f.run(t.Context(), heat, []*candidate{standing, best}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tu.simplify(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(other)
		for k := range slices.Backward(want) {
			changed := 0
			for d := range want {
				if want[d] != standing.config[d] {
					changed++
				}
			}
			if changed > 1 && worth[k] <= 0.005*gain && k != owes {
				want[k] = standing.config[k]
				undone++
			} else {
				kept++
			}
		}
		if !slices.Equal(tu.best.config, want) {
			t.Fatalf("worths %v, owes %d: found %q, want %q", worth, owes, tu.best.config, want)
		}
	}
	if undone < 100 || kept < 100 {
		t.Errorf("%d changes are taken back, %d kept", undone, kept)
	}
}
