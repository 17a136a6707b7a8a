package workload_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// §5: clusters of 120, 60, 30 and 15 machines; benchmarks of U[100, 500] and processors of U[4, 32] of machines and jobs; estimates of
// U[8000, 10000], margins of U[1500, 5500]; exponential gaps.
func TestTwoLevelSection5Draws(t *testing.T) {
	in, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs, w.MeanGap = 20_000, 15 }).Generate(11)
	if err != nil {
		t.Fatal(err)
	}
	var machineBenchmark, machineProcessors, benchmark, processors, estimate, margin, gap sample
	for c, machines := range []int{120, 60, 30, 15} {
		if n := len(in.Clusters()[c].Machines); n != machines {
			t.Errorf("cluster %d has %d machines, expected %d", c, n, machines)
		}
		for _, m := range in.Clusters()[c].Machines {
			machineBenchmark.add(m.Speed)
			machineProcessors.add(float64(m.Processors))
		}
	}
	needs, none, gold, silver, licences := 0, 0, 0, 0, map[int]int{}
	for k, j := range in.Jobs() {
		benchmark.add(j.ReferenceSpeed)
		processors.add(float64(j.Min))
		estimate.add(j.Estimate)
		if k > 0 {
			gap.add(j.Arrival - in.Jobs()[k-1].Arrival)
		}
		if j.HasDeadline() {
			margin.add(j.Deadline - j.Arrival - j.Estimate)
		} else {
			none++
		}
		if len(j.Licences) > 0 {
			needs++
			licences[j.Licences[0].Licence]++
		}
		switch in.UserClasses()[j.UserClass].ID {
		case "gold":
			gold++
		case "silver":
			silver++
		}
		if len(j.Licences) > 1 || len(j.Licences) == 1 && j.Licences[0].Copies != 1 || j.Min != j.Max || j.Span != model.SpanMachine || j.DeadlineHard {
			t.Fatalf("job %s: licences %v, %d to %d processors, span %s, hard %v", j.ID, j.Licences, j.Min, j.Max, j.Span, j.DeadlineHard)
		}
	}
	machineBenchmark.uniform(t, "benchmark of a machine", 100, 500)
	machineProcessors.whole(t, "processors of a machine", 4, 32)
	benchmark.uniform(t, "benchmark of a job", 100, 500)
	processors.whole(t, "processors of a job", 4, 32)
	estimate.uniform(t, "estimate", 8000, 10000)
	margin.uniform(t, "margin", 1500, 5500)
	gap.follows(t, "gap", exponential(15))
	n := len(in.Jobs())
	share(t, "needs a licence", needs, n, 0.3)
	share(t, "has no deadline", none, n, 0.3)
	share(t, "gold", gold, n, 0.1)
	share(t, "silver", silver, n, 0.3)
	for l := range 4 {
		share(t, "licence "+in.Licences()[l].ID, licences[l], needs, 0.25)
	}
}

// A pool has the licence's ratio of the machines that can run it, one ratio of U[50, 70] % for all clusters; every machine can run all.
func TestTwoLevelLicencePools(t *testing.T) {
	race.OneGoroutine(t)
	var ratios sample
	for seed := range uint64(300) {
		in, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) {
			w.Jobs, w.Clusters, w.MinProcessors, w.MaxProcessors = 0, "1000,60,15", 1, 1
		}).Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		for l := range 4 {
			first, own := in.Pool(0, l)
			ratios.add(float64(first) / 1000)
			for c, machines := range []float64{1000, 60, 15} {
				copies, ok := in.Pool(c, l)
				if low, high := math.Round((float64(first)-0.5)/1000*machines), math.Round((float64(first)+0.5)/1000*machines); !ok || !own || float64(copies) < low || float64(copies) > high {
					t.Errorf("seed %d, licence %d: %d copies on %v machines, %d on 1000", seed, l, copies, machines, first)
				}
			}
		}
	}
	ratios.uniform(t, "ratio", 0.5, 0.7)

	grid, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) {
		w.Jobs, w.AbleShare, w.LicencePools, w.MinLicenceRatio, w.MaxLicenceRatio = 0, 0.4, "grid", 0.5, 0.5
	}).Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	able := make([]int, 4)
	for _, c := range grid.Clusters() {
		for _, m := range c.Machines {
			for l := range able {
				if m.Runs(l) {
					able[l]++
				}
			}
		}
	}
	for l, n := range able {
		share(t, "machines that can run a licence", n, 225, 0.4)
		if copies := grid.Licences()[l].Copies; copies != int(math.Round(0.5*float64(n))) {
			t.Errorf("licence %d: %d copies in the grid, expected half of %d", l, copies, n)
		}
	}
}

// On a machine of benchmark b a job takes estimate · its own benchmark/b, and its deadline has the estimate and the margin alone.
func TestTwoLevelTimesOnMachines(t *testing.T) {
	in, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs = 200 }).Generate(2)
	if err != nil {
		t.Fatal(err)
	}
	for k, j := range in.Jobs() {
		for c := range in.Clusters() {
			m := &in.Clusters()[c].Machines[k%15]
			if m.Processors < j.Min {
				continue
			}
			set := model.NewProcessorSet(model.Range{First: m.First, Last: m.First + j.Min - 1})
			if time, want := in.Duration(k, c, set), j.Estimate*j.ReferenceSpeed/m.Speed; math.Abs(time-want) > 1e-9*want {
				t.Errorf("job %s takes %v at benchmark %v, expected %v", j.ID, time, m.Speed, want)
			}
		}
	}
}

// As printed the grid is overloaded: a job takes about 40 time units of all processors, so that the load is 8 at Ta = 5 and 2.7 at 15. Estimates
// and margins a tenth as long make it 0.8. One list of machines has 6 % more or less than another.
func TestTwoLevelOfferedLoad(t *testing.T) {
	race.OneGoroutine(t)
	for _, c := range []struct{ gap, scale, load float64 }{{5, 1, 8}, {15, 1, 8.0 / 3}, {5, 10, 0.8}} {
		loads := 0.0
		for seed := range uint64(20) {
			in, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs, w.MeanGap, w.TimeScale = 2000, c.gap, c.scale }).Generate(seed)
			if err != nil {
				t.Fatal(err)
			}
			work, speed := 0.0, 0.0
			for k := range in.Jobs() {
				work += in.Jobs()[k].TotalWork()
			}
			for _, cluster := range in.Clusters() {
				for _, m := range cluster.Machines {
					speed += m.Speed * float64(m.Processors)
				}
			}
			loads += work / speed / (2000 * c.gap) / 20
		}
		if math.Abs(loads/c.load-1) > 0.05 {
			t.Errorf("Ta = %v, times ÷ %v: load %v, expected about %v", c.gap, c.scale, loads, c.load)
		}
	}
}

// Parameters change what they name and nothing else: the time scale divides estimates and margins exactly, a gap of 0 lets all jobs arrive at 0, a
// share of run times makes the work less than the estimate says.
func TestTwoLevelParametersKeepTheOtherDraws(t *testing.T) {
	make := func(set func(*workload.TwoLevel)) *model.Instance {
		t.Helper()
		w := workload.Default[workload.TwoLevel]()
		w.Jobs = 500
		set(w)
		in, err := w.Generate(9)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	plain := make(func(*workload.TwoLevel) {})
	scaled := make(func(w *workload.TwoLevel) { w.TimeScale = 8 })
	atOnce := make(func(w *workload.TwoLevel) { w.MeanGap = 0 })
	early := make(func(w *workload.TwoLevel) { w.MinRuntimeShare = 0.2 })
	bare := make(func(w *workload.TwoLevel) { w.Licences = 0 })
	other := make(func(w *workload.TwoLevel) { w.MachinesSeed = new(uint64(9)) })
	var shares sample
	for k, j := range plain.Jobs() {
		s, a, e, b, o := scaled.Jobs()[k], atOnce.Jobs()[k], early.Jobs()[k], bare.Jobs()[k], other.Jobs()[k]
		if s.Estimate != j.Estimate/8 || s.Arrival != j.Arrival || s.Min != j.Min || a.Arrival != 0 || a.Estimate != j.Estimate || e.Estimate != j.Estimate || len(b.Licences) > 0 {
			t.Fatalf("job %s: %v and %v, at once %v, early %v, without licences %v", j.ID, j, s, a, e, b)
		}
		if margin := s.Deadline - s.Arrival - s.Estimate; j.HasDeadline() && math.Abs(8*margin-(j.Deadline-j.Arrival-j.Estimate)) > 1e-6 {
			t.Errorf("job %s: margin %v of %v ÷ 8", j.ID, margin, j.Deadline-j.Arrival-j.Estimate)
		}
		if j.Work != j.Estimate*j.ReferenceSpeed || o.Arrival != j.Arrival || o.Work != j.Work {
			t.Errorf("job %s: work %v, with a list of machines of its own %v", j.ID, j.Work, o.Work)
		}
		shares.add(e.Work / (j.Estimate * j.ReferenceSpeed))
	}
	shares.uniform(t, "execution time as a share of the estimate", 0.2, 1)
}

// 20 repetitions on one list of machines: the seed changes the jobs, machines_seed the machines.
func TestTwoLevelSeedOfMachines(t *testing.T) {
	make := func(machines *uint64, seed uint64) *model.Instance {
		t.Helper()
		in, err := with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs, w.MachinesSeed = 20, machines }).Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	speed := func(in *model.Instance) float64 { return in.Clusters()[2].Machines[7].Speed }
	a, b, c, own := make(new(uint64(4)), 1), make(new(uint64(4)), 2), make(new(uint64(5)), 1), make(nil, 4)
	if speed(a) != speed(b) || speed(a) != speed(own) || speed(a) == speed(c) {
		t.Errorf("speeds %v, %v, %v, %v", speed(a), speed(b), speed(c), speed(own))
	}
	if a.Jobs()[3].Work == b.Jobs()[3].Work || a.Jobs()[3].Work != c.Jobs()[3].Work {
		t.Error("the jobs do not follow the seed")
	}
	zero := make(new(uint64(0)), 4)
	if speed(zero) == speed(own) {
		t.Error("a seed of 0 is not the seed of the jobs")
	}
}
