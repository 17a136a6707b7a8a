package prove

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// TestKeptInstances tries the instances of testdata/kept. About each of them a method once made a false claim. Package prove found these claims and
// removed the jobs that did not matter. Next to each instance is a correct schedule that refutes the claim.
func TestKeptInstances(t *testing.T) {
	paths, err := filepath.Glob("testdata/kept/*.sol.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no instances: %v", err)
	}
	effort := Quick
	effort.Works, effort.Solvers = []int64{20_000, 1_000_000, 40_000_000}, race.Fewer(-1, 1)
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".sol.json")
		in, err := model.ReadInstanceFile(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		sol, err := model.ReadSolutionFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := &Planted{Kind: filepath.Base(name), Instance: in, Schedules: []*model.Solution{sol}}
		for seed := range race.Fewer(uint64(3), 1) {
			trial, rng := p.trial(in.StatedObjective()), rand.New(rand.NewPCG(seed, 7))
			trial.prove(context.Background(), effort.Works, rng)
			trial.solve(context.Background(), effort, rng)
			trial.compare()
			for _, f := range distinct(trial.found) {
				t.Errorf("seed %d: %s", seed, f.String())
			}
		}
	}
}
