package twolevel

import (
	"context"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// compare runs an instance with the naive scheduler and with the other, and compares all placements.
func compare(t interface{ Fatalf(string, ...any) }, in *model.Instance, opt Options, seed uint64) {
	want, _, err := sim.Simulate(context.Background(), in, newNaive(opt), sim.Options{Seed: seed})
	if err != nil {
		t.Fatalf("naive: %v", err)
	}
	got, _, err := sim.Simulate(context.Background(), in, New(opt), sim.Options{Seed: seed})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if report := model.Check(in, got); !report.OK() {
		t.Fatalf("%v", report.Violations[0])
	}
	for k := range want.Unscheduled {
		want.Unscheduled[k].Reason = "" // it is for people
	}
	for k := range got.Unscheduled {
		got.Unscheduled[k].Reason = ""
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("options %+v: the naive scheduler (−) and this one (+) differ: %s", opt, diff)
	}
}

// TestNaive compares with the naive scheduler, start by start, on random grids of all kinds and random settings.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		most := rapid.SampledFrom([]int{5, 12, 40}).Draw(t, "most")
		for range 10 {
			compare(t, randomGrid(rng, most), randomOptions(rng), 3)
		}
	})
}

// TestNaiveLongQueue compares on the paper's workload with queues of many blocks, with settings under which the parts of a priority mix.
func TestNaiveLongQueue(t *testing.T) {
	for seed, gap := range []float64{0, 20, 60} {
		for _, long := range []bool{false, true} {
			in := grid(t, uint64(seed), []int{4, 2}, 600, gap, long)
			for _, h := range []Heuristics{MS, LS, None} {
				opt := Defaults()
				opt.Heuristics = h
				compare(t, in, opt, uint64(seed))
			}
			opt := Defaults()
			opt.Local.Aging, opt.Local.Wait = 1e-5, 20
			compare(t, in, opt, uint64(seed))
		}
	}
}
