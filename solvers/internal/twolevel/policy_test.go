package twolevel

import (
	"context"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
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

// supported are the features that the scheduler honours.
const supported = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds |
	model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan

// TestNaiveFeatures compares on instances with every field that the format has.
func TestNaiveFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: supported, Jobs: 30}.Instance(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		compare(t, in, randomOptions(rng), 3)
	})
}

// TestNaiveLongQueue compares on the paper's workload with queues of many blocks, with settings under which the parts of a priority mix.
func TestNaiveLongQueue(t *testing.T) {
	race.OneGoroutine(t)
	for seed, gap := range []float64{0, 20, 60} {
		for _, long := range []bool{false, true} {
			in := grid(t, uint64(seed), []int{4, 2}, 600, gap, long)
			for _, h := range []heuristics{MS, LS, none} {
				opt := Defaults()
				opt.Heuristics = h
				compare(t, in, opt, uint64(seed))
			}
			opt := Defaults()
			opt.Priorities.Aging, opt.Priorities.Wait = 1e-5, 20
			compare(t, in, opt, uint64(seed))
		}
	}
}

// runnable says whether all jobs join the queue of some cluster when they arrive, so that each instant is an event of a cluster.
func runnable(in *model.Instance) bool {
	for j := range in.Jobs() {
		if !in.CanRun(j, 0) {
			return false
		}
	}
	return !in.Features().Has(model.Precedence)
}

// TestNoneIsEASY: on one cluster, each instant of which is an event of it, the scheduler without heuristics is EASY backfilling.
func TestNoneIsEASY(t *testing.T) {
	opt := Defaults()
	opt.Heuristics = none
	compared := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		in := randomGrid(rng, 12)
		if len(in.Clusters()) > 1 || !runnable(in) {
			continue
		}
		compared++
		want, _, err := sim.Simulate(context.Background(), in, backfill.EASY(opt.Step, 1, backfill.Ranking{}), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := sim.Simulate(context.Background(), in, New(opt), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: EASY (−) and this (+) differ: %s", seed, diff)
		}
	}
	if compared < 20 {
		t.Errorf("only %d grids were compared", compared)
	}
}

// TestSeed: two equal clusters with one running job each, then jobs that come in pairs. The first of each pair finds equal queues and is
// sent by a draw; the seed decides it, and the same seed decides the same.
func TestSeed(t *testing.T) {
	b := model.NewBuilder("pairs")
	for _, id := range []string{"a", "b"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m"}}})
	}
	for k := range 40 {
		b.Job(model.JobSpec{ID: string(rune('A' + k)), Work: new(10.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	run := func(seed uint64) (*model.Solution, int) {
		sol, _, err := sim.Simulate(context.Background(), in, New(Defaults()), sim.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		onA := 0
		for _, p := range sol.Jobs {
			if p.Cluster == "a" {
				onA++
			}
		}
		return sol, onA
	}
	first, onA := run(1)
	if again, _ := run(1); gocmp.Diff(first, again) != "" {
		t.Error("the same seed gives another schedule")
	}
	if other, _ := run(2); gocmp.Diff(first, other) == "" {
		t.Error("another seed gives the same schedule")
	}
	if onA != 20 {
		t.Errorf("%d of 40 jobs are on one of two equal clusters", onA)
	}
}

// TestGridPool: a pool of the grid has one copy of a licence. A on cluster a holds it until 10, B waits for it on cluster b, where nothing
// runs. B starts when A gives it back, which is no event of cluster b itself.
func TestGridPool(t *testing.T) {
	b := model.NewBuilder("pool")
	b.Spec().Licences = map[string]int{"l": 1}
	for _, id := range []string{"a", "b"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m"}}})
	}
	one := map[string]int{"l": 1}
	b.Job(model.JobSpec{ID: "A", Runtime: map[string]float64{"a": 10}, Licences: one})
	b.Job(model.JobSpec{ID: "B", Arrival: 1, Runtime: map[string]float64{"b": 5}, Licences: one})
	b.Job(model.JobSpec{ID: "C", Arrival: 2, Runtime: map[string]float64{"b": 100}})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []heuristics{MS, LS, none} {
		opt := Defaults()
		opt.Heuristics = h
		sol, _, err := sim.Simulate(context.Background(), in, New(opt), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := map[string]float64{}
		for _, p := range sol.Jobs {
			start[p.Job] = p.Start
		}
		// B has no reservation, as no job of its cluster will give a copy back, so C goes ahead at 2 and B follows at 102.
		if start["A"] != 0 || start["C"] != 2 || start["B"] != 102 {
			t.Errorf("%s: starts %v", h, start)
		}
	}
}

// TestWeights: each weight reaches the scheduler, and the deadline's scales both its scores.
func TestWeights(t *testing.T) {
	s := Defaults()
	if s.Deadline = 2; s.local().DeadlineLow != 0.2 || s.local().DeadlineHigh != 20 {
		t.Errorf("with weight 2 the scores are %v and %v", s.local().DeadlineLow, s.local().DeadlineHigh)
	}
	if s.Deadline = 0; s.local().DeadlineLow != 0 || s.local().DeadlineHigh != 0 || s.local().DeadlineK != 2 {
		t.Errorf("without a weight the scores are %v and %v", s.local().DeadlineLow, s.local().DeadlineHigh)
	}
}
