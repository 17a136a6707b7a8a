package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func Example() {
	if err := show("../workflow.json"); err != nil {
		panic(err)
	}
	// Output:
	// cost 25.37, bound 25.37: optimal
	// cost: each-alone proves 25.37
	// cost: my-cheapest-cluster proves 25.37
}

// No schedule of any solver costs less than the bound; Strict would make that an error. On one cluster with equal machines, rigid jobs cost the same
// in all schedules, and the bound equals that cost.
func TestCheapest(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		b := model.NewBuilder("random").Minimise("cost", 1)
		clusters := 1 + rng.IntN(3)
		for c := range clusters {
			spec := model.ClusterSpec{ID: string(rune('a' + c)), Machines: []model.MachineSpec{{ID: "m", Count: 4, Speed: 1 + rng.Float64(), Cost: rng.Float64()}}}
			if clusters > 1 {
				spec.Machines = append(spec.Machines, model.MachineSpec{ID: "n", Count: 2, Speed: 0.5 + rng.Float64(), Cost: 2 * rng.Float64()})
			}
			b.Cluster(spec)
		}
		for j := range 6 {
			work := 1 + 5*rng.Float64()
			b.Job(model.JobSpec{ID: string(rune('a' + j)), Work: &work, Processors: model.Rigid(1 + rng.IntN(4)), Arrival: rng.Float64()})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"search", "mct", "fcfs-list", "dll"} {
			choice, err := solve.Choose(text)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: seed, MaxEvals: 300, Strict: true})
			switch {
			case errors.Is(err, solve.ErrUnsupported):
			case err != nil:
				t.Errorf("seed %d: %v", seed, err)
			case result.Solution.Bound.Or(0) <= 0:
				t.Errorf("seed %d, %s: no bound", seed, text)
			case clusters == 1 && result.Status != model.Optimal:
				t.Errorf("seed %d, %s: %s on one cluster, at %v with a bound of %v", seed, text, result.Status, *result.Solution.Objective, result.Solution.Bound)
			}
		}
	}
}

// If a method is wrong, Run drops its bound and names the method.
var _ = bound.Register(bound.Method{Name: "my-mistake", Metric: "idle_time", Doc: "wrong", Source: "nobody",
	New: bound.Once(func(context.Context, *bound.Relaxation) (bound.Sum, bool) { return bound.Sum{Value: 1e6}, true })})

func TestAMistakeIsFoundAndNamed(t *testing.T) {
	in, err := model.ReadInstanceFile("../tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	if in, err = in.WithObjective(map[string]float64{"idle_time": 1}); err != nil {
		t.Fatal(err)
	}
	mct, err := solve.Choose("mct")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), mct, in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Solution.Bound.Known() || result.Refuted == nil || result.Refuted.Bound != 1e6 || result.Refuted.Method != "method my-mistake for idle_time" {
		t.Errorf("bound %v, refuted %+v", result.Solution.Bound, result.Refuted)
	}
	var refuted *solve.RefutedBound
	if _, err := solve.Run(t.Context(), mct, in, solve.Options{Strict: true}); !errors.As(err, &refuted) || !strings.Contains(err.Error(), "my-mistake") {
		t.Errorf("strict: %v", err)
	}
}
