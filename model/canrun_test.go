package model_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// A job can run where the checker accepts some placement of it alone, and nowhere else.
func TestCanRunIsWhatTheCheckerAccepts(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(1, 32))
	nowhere, alone, must, part := 0, 0, 0, 0
	for k := range race.Fewer(800, 300) {
		in := modeltest.Alone(rng)
		want := modeltest.AcceptedOf(in)
		over := in.SpreadOver(0)
		fits := make([]bool, len(in.Clusters()))
		for c := range fits {
			if fits[c] = in.CanRun(0, c); fits[c] != want.Alone[c] {
				t.Errorf("%d: on cluster %d alone: %v, the checker %v: %+v", k, c, fits[c], want.Alone[c], in.Jobs()[0])
			}
			if fits[c] != (in.CannotRun(0, c) == "") {
				t.Errorf("%d: on cluster %d: %v, and it cannot because %q", k, c, fits[c], in.CannotRun(0, c))
			}
		}
		if over == nil {
			over = make([]bool, len(fits))
		} else if !slices.Contains(over, false) == slices.Contains(over, true) {
			part++
		}
		if !slices.Equal(over, want.Over) {
			t.Errorf("%d: over several clusters: %v, the checker %v: %+v", k, over, want.Over, in.Jobs()[0])
		}
		runs := in.Runs(0)
		if runs != want.Any() || runs != (in.WhyNowhere(0) == "") && !runs {
			t.Errorf("%d: runs: %v, the checker %v; it runs nowhere because %q", k, runs, want.Any(), in.WhyNowhere(0))
		}
		spread := slices.Contains(want.Over, true) && !slices.Contains(want.Alone, true)
		if in.MustSpread(0) != spread || in.Features().Has(model.GridSpan) != spread {
			t.Errorf("%d: must spread: %v, feature %v, the checker %v", k, in.MustSpread(0), in.Features().Has(model.GridSpan), spread)
		}
		switch {
		case !runs:
			nowhere++
		case spread:
			must++
		default:
			alone++
		}
		if t.Failed() && k > 20 {
			break
		}
	}
	t.Logf("%d run nowhere, %d must spread, %d run on a cluster; %d spread over all clusters", nowhere, must, alone, part)
	if min(nowhere, alone, must) < race.Enough(20) {
		t.Errorf("too few of a kind: %d run nowhere, %d must spread, %d run on a cluster", nowhere, must, alone)
	}
}

// TestGridDefects: jobs that may spread and that nothing can run: wider than the grid, too few copies, too little memory.
func TestGridDefects(t *testing.T) {
	for name, why := range map[string]string{
		"B_grid_too_wide": "needs 10 processors at once, the grid has 3 that it can use; needs 10 processors, a has 2; needs 10 processors, b has 1",
		"B_grid_licence":  "needs 2 processors at once, the grid has 0 that it can use; needs 5 copies of licence L, a can use 1; needs 2 processors, b has 1",
		"B_grid_memory":   "needs 2 processors at once, the grid has 0 that it can use; needs memory 5 a task, too few machines hold it on a; needs 2 processors, b has 1",
	} {
		in, err := model.ReadInstanceFile("../data/defects/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if in.Runs(0) || !in.Runs(1) || in.Features().Has(model.GridSpan) {
			t.Errorf("%s: %v and %v; %s", name, in.Runs(0), in.Runs(1), in.Features())
		}
		if found := in.WhyNowhere(0); found != why {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// TestMemoryOfOneMachine: tasks fit the memory of a machine up to the rounding of the last digit of one number, as exact numbers.
func TestMemoryOfOneMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 32))
	slack := new(big.Rat).SetFloat64(1 + 0x1p-52)
	for range race.Fewer(5000, 2000) {
		each := []float64{0.1, 0.3, 1, 3, 1.0 / 3, 1e-17, 1e16, rng.Float64() + 0.5}[rng.IntN(8)]
		units := 1 + rng.IntN(40)
		memory := each * float64(1+rng.IntN(45))
		for range rng.IntN(4) {
			memory *= []float64{1 - 0x1p-53, 1 + 0x1p-52, 1 + 1e-9, 1}[rng.IntN(4)]
		}
		limit := new(big.Rat).SetFloat64(memory)
		limit.Mul(limit, slack)
		want := 0
		for want < units && new(big.Rat).Mul(big.NewRat(int64(want+1), 1), new(big.Rat).SetFloat64(each)).Cmp(limit) <= 0 {
			want++
		}
		work := 1.0
		in, err := model.NewBuilder("memory").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: units, Memory: &memory}}}).
			Job(model.JobSpec{ID: "j", Work: &work, Memory: each}).Build()
		if err != nil {
			t.Fatal(err)
		}
		if found := in.ProcessorsFor(&in.Jobs()[0], &in.Clusters()[0].Machines[0]); found != want {
			t.Fatalf("%d processors, %v each, memory %v: %d, expected %d", units, each, memory, found, want)
		}
		for held := max(1, want); held <= min(want+1, units); held++ {
			report := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("j", "c", fmt.Sprintf("0-%d", held-1), 0, 1)}})
			if refused := strings.Contains(violations(report), "memory"); refused != (held > want) {
				t.Fatalf("%d tasks of %v each, memory %v: the checker refuses them: %t", held, each, memory, refused)
			}
		}
	}
}
