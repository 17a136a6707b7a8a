package sim_test

import (
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/workload"
)

// twoLevel is a small grid with as many jobs and a load that draws differ in.
func twoLevel(jobs int, gap float64) *workload.TwoLevel {
	w := workload.NewTwoLevel()
	w.Jobs, w.Clusters, w.TimeScale, w.MeanGap, w.MinRuntimeShare = jobs, "12,6,3", 100, gap, 0.5
	return w
}

// What is summed up while the jobs stream through is what the evaluator computes from the whole schedule.
func TestStreamedFiguresAreTheEvaluators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := twoLevel(rapid.SampledFrom([]int{0, 1, 30, 100}).Draw(t, "jobs"), rapid.SampledFrom([]float64{0, 4, 30}).Draw(t, "gap"))
		if w.MeanGap == 30 {
			w.Jobs += 1000 // more than one batch, and short queues
		}
		w.NoDeadlineShare = rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "no deadline")
		seed, kill := rapid.Uint64Range(0, 9).Draw(t, "seed"), rapid.Bool().Draw(t, "kill")
		in, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		system, batches, err := w.Stream(seed)
		if err != nil {
			t.Fatal(err)
		}
		figures := new(sim.Figures)
		streamed, err := sim.Stream(t.Context(), system, batches, backfill.EASY(1), sim.Options{Kill: kill, Observer: figures})
		if err != nil {
			t.Fatal(err)
		}
		sol, totals, err := sim.Simulate(t.Context(), in, backfill.EASY(1), sim.Options{Kill: kill})
		if err != nil {
			t.Fatal(err)
		}
		if streamed.Arrived != totals.Arrived || streamed.Finished != totals.Finished || streamed.MeanWait() != totals.MeanWait() || streamed.LastEnd != totals.LastEnd {
			t.Fatalf("streamed %+v, simulated %+v", streamed, totals)
		}
		report := model.Check(in, sol)
		if !report.OK() {
			t.Fatal(report.Violations[0])
		}
		found := figures.Metrics()
		found["mean_response"] = model.MetricValue{Total: streamed.MeanResponse()}
		found["mean_wait"] = model.MetricValue{Total: streamed.MeanWait()}
		found["mean_slowdown"] = model.MetricValue{Total: streamed.MeanSlowdown()}
		found["bounded_slowdown"] = model.MetricValue{Total: streamed.BoundedSlowdown()}
		for name, value := range found {
			want, ok := report.Metrics[name]
			if !ok {
				t.Errorf("the evaluator has no metric %s", name)
			}
			near(t, name, value.Total, want.Total)
			for cluster, x := range want.ByCluster {
				near(t, name+" of "+cluster, value.ByCluster[cluster], x)
			}
		}
	})
}

// near compares a sum with one made in another order.
func near(t *rapid.T, what string, found, want float64) {
	if math.Abs(found-want) > 1e-9*(1+math.Abs(want)) {
		t.Errorf("%s: %v, the evaluator has %v", what, found, want)
	}
}

// watched looks at the memory in use after every tenth batch.
type watched struct {
	sim.Batches
	batches int
	inUse   []uint64
}

// Next implements sim.Batches.
func (w *watched) Next() (*model.Instance, error) {
	if w.batches++; w.batches%10 == 0 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		w.inUse = append(w.inUse, stats.HeapAlloc)
	}
	return w.Batches.Next()
}

// The memory in use does not grow with the number of jobs: after 100,000 it is what it was after 20,000.
func TestStreamKeepsJobsInTheSystemOnly(t *testing.T) {
	system, batches, err := twoLevel(100_000, 15).Stream(2)
	if err != nil {
		t.Fatal(err)
	}
	source := &watched{Batches: batches}
	totals, err := sim.Stream(t.Context(), system, source, backfill.EASY(1), sim.Options{Observer: new(sim.Figures)})
	if err != nil {
		t.Fatal(err)
	}
	if totals.Left != 100_000 || len(source.inUse) != 10 {
		t.Fatalf("%d jobs, memory looked at %d times", totals.Left, len(source.inUse))
	}
	most := uint64(0)
	for _, n := range source.inUse[2:] {
		most = max(most, n)
	}
	// A batch has 1000 jobs and takes about a megabyte; all jobs would take a hundred times as much.
	if most > source.inUse[1]+4<<20 {
		t.Errorf("in use after each 10,000 jobs: %v bytes", source.inUse)
	}
	t.Logf("in use after each 10,000 jobs: %v bytes; longest queue %d", source.inUse, totals.MaxQueue)
}
