package sim_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A job of a trace has finite times of at least 0, each of them, whatever the others are, and so is their sum; without an estimate it is the run time.
func TestTimesOfATrace(t *testing.T) {
	values := []float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e308, math.SmallestNonzeroFloat64}
	for _, arrival := range values {
		for _, runtime := range values {
			for _, estimate := range values {
				known := estimate
				if math.IsNaN(known) {
					known = runtime
				}
				right := arrival >= 0 && runtime >= 0 && known >= 0 && arrival+runtime+known <= math.MaxFloat64
				_, err := sim.Run(t.Context(), &sim.Trace{Jobs: []sim.Spec{rigid(arrival, runtime, estimate)}}, 2, backfill.FCFS(backfill.Ranking{}), sim.Options{})
				if (err == nil) != right {
					t.Errorf("arrival %v, run time %v, estimate %v: %v", arrival, runtime, estimate, err)
				}
			}
		}
	}
}

// Progress is told now and then, not at each event: at the begin, and once in some thousands of events.
func TestProgressIsToldNowAndThen(t *testing.T) {
	var told []sim.Progress
	source := &simtest.Synthetic{Jobs: 60_000, Processors: 64, Load: 0.6, Seed: 1}
	if _, err := sim.Run(t.Context(), source, 64, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Progress: func(p sim.Progress) { told = append(told, p) }}); err != nil {
		t.Fatal(err)
	}
	if len(told) < 4 || len(told) > 30 {
		t.Errorf("told %d times of 60000 jobs", len(told))
	}
	for k := 1; k < len(told); k++ {
		if told[k].Now < told[k-1].Now || told[k].Arrived < told[k-1].Arrived || told[k].Left < told[k-1].Left || told[k].Arrived-told[k-1].Arrived > 20_000 {
			t.Errorf("%+v after %+v", told[k], told[k-1])
		}
	}
}

// A trace under a power cap runs whatever its busy processors take, by the machines or by the jobs, and the least of a cap that lets all run at once does; a little less does not.
func TestPowerOfProcessorsUnderACap(t *testing.T) {
	power := func(list ...float64) []*float64 { // of the jobs; −1: not stated
		var all []*float64
		for _, x := range list {
			if x < 0 {
				all = append(all, nil)
			} else {
				all = append(all, &x)
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		machines []float64
		jobs     []*float64
		most     float64 // of all at once, beside idle machines
	}{
		"of the machines":               {[]float64{2, 2}, power(-1, -1), 4},
		"of machines that differ":       {[]float64{2, 3}, power(-1, -1), 5},
		"of the jobs":                   {[]float64{2, 2}, power(3, 4), 7},
		"of the jobs, machines differ":  {[]float64{2, 3}, power(4, 4), 8},
		"of one job of two, as machine": {[]float64{2, 2}, power(2, -1), 4},
		"of one job of two, another":    {[]float64{2, 2}, power(3, -1), 5},
		"decimals":                      {[]float64{0.1, 0.2}, power(-1, -1), 0.3},
		"far apart":                     {[]float64{1e9, 1e-3}, power(-1, -1), 1e9 + 1e-3},
	} {
		for _, less := range []float64{0, 1e-3} {
			cluster := model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 2 + c.most*(1-less)}}}
			for k, busy := range c.machines {
				cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: string(rune('m' + k)), Power: &model.PowerSpec{Idle: 1, Busy: busy}})
			}
			b := model.NewBuilder("").Cluster(cluster)
			for k, p := range c.jobs {
				b.Job(model.JobSpec{ID: string(rune('a' + k)), Work: new(5.0), Power: p})
			}
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != len(c.jobs) {
				t.Errorf("%s: %v", name, report.Violations)
			}
			if starts := []float64{sol.Jobs[0].Start, sol.Jobs[1].Start}; (starts[0] == starts[1]) != (less == 0) {
				t.Errorf("%s, a cap less by %v: starts %v", name, less, starts)
			}
		}
	}
}
