package sim_test

import (
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// twoLevel is a small grid with as many jobs and a load that draws differ in.
func twoLevel(jobs int, gap float64) *workload.TwoLevel {
	w := workload.Default[workload.TwoLevel]()
	w.Jobs, w.Clusters, w.TimeScale, w.MeanGap, w.MinRuntimeShare = jobs, "12,6,3", 100, gap, 0.5
	return w
}

// What is summed up while the jobs stream through is what the evaluator computes from the whole schedule.
func TestStreamedFiguresAreTheEvaluators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := twoLevel(rapid.SampledFrom([]int{0, 1, 30, 100}).Draw(t, "jobs"), rapid.SampledFrom([]float64{0, 4, 30}).Draw(t, "gap"))
		if w.MeanGap == 30 {
			w.Jobs += 1000 // more than are drawn together, and short queues
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
		figures, metrics := sim.Figures()
		streamed, err := sim.Stream(t.Context(), system, batches, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Kill: kill, Observer: figures})
		if err != nil {
			t.Fatal(err)
		}
		sol, totals, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Kill: kill})
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
		found := metrics()
		found["mean_response"] = model.MetricValue{Total: streamed.MeanResponse()}
		found["mean_wait"] = model.MetricValue{Total: streamed.MeanWait()}
		found["mean_slowdown"] = model.MetricValue{Total: streamed.MeanSlowdown()}
		found["bounded_slowdown"] = model.MetricValue{Total: streamed.BoundedSlowdown()}
		limited := false
		for k := range in.Jobs() {
			limited = limited || in.Jobs()[k].HasDeadline()
		}
		for name, there := range map[string]bool{
			"job_share": true, "load_share": true, "mean_partition": true, "missed": limited, "miss_rate": limited, "cluster_missed": limited, "cluster_miss_rate": limited,
			"slowdown_without_deadline": limited, "cluster_slowdown_without_deadline": limited,
		} {
			if _, ok := found[name]; ok != there {
				t.Errorf("%s is summed up: %v, jobs have deadlines: %v", name, ok, limited)
			}
		}
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

// So are those of jobs whose parts end at different times, whether or not the policy holds the processors of a part until the job ends.
func TestStreamedFiguresOfPartsAreTheEvaluators(t *testing.T) {
	for name, policy := range map[string]sim.Discipline{
		"map": (&solvers.MAP{Rounding: "floor"}).Discipline(), "dynamic": (&solvers.SpaceShare{Start: "available", Rounding: "floor", Alpha: 2}).Discipline(),
	} {
		t.Run(name, func(t *testing.T) {
			w := workload.Default[workload.SpaceShare]()
			w.Jobs, w.Speeds, w.BackgroundLoad = 200, "1,1.3,4", 0.2
			in, err := w.Generate(3)
			if err != nil {
				t.Fatal(err)
			}
			figures, metrics := sim.Figures()
			sol, totals, err := sim.Simulate(t.Context(), in, policy, sim.Options{Seed: 3, Observer: figures})
			if err != nil {
				t.Fatal(err)
			}
			report := model.Check(in, sol)
			if !report.OK() {
				t.Fatal(report.Violations[0])
			}
			found := metrics()
			found["utilisation"] = model.MetricValue{Total: totals.Utilisation()}
			for _, metric := range []string{"mean_partition", "utilisation"} {
				if x, want := found[metric].Total, report.Metrics[metric].Total; !(math.Abs(x-want) <= 1e-9*want) {
					t.Errorf("%s: %v, the evaluator has %v", metric, x, want)
				}
			}
		})
	}
}

// A job that ends at its very deadline is not late; the mean partition is of the time in which a job runs.
func TestFiguresOfAWorkedCase(t *testing.T) {
	b := model.NewBuilder("worked")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4}}})
	b.Job(model.JobSpec{ID: "due", Work: new(2.0), Processors: model.Rigid(3), Deadline: new(2.0)}, // 0 to 2
		model.JobSpec{ID: "free", Work: new(4.0)},                                                             // 0 to 4
		model.JobSpec{ID: "late", Work: new(1.0), Arrival: 1, Processors: model.Rigid(2), Deadline: new(2.5)}, // 2 to 3
		model.JobSpec{ID: "last", Work: new(1.0), Arrival: 9})                                                 // 9 to 10
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	figures, metrics := sim.Figures()
	if _, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Observer: figures}); err != nil {
		t.Fatal(err)
	}
	found := metrics()
	// 4 processors of 2 jobs for 2, 3 of 2 for 1, 1 of 1 for 1, and 1 of 1 for the last.
	for name, want := range map[string]float64{"missed": 1, "miss_rate": 50, "slowdown_without_deadline": 1, "mean_partition": (2*2 + 1.5 + 1 + 1) / 5} {
		if x, ok := found.Get(name); !ok || !(math.Abs(x-want) <= 1e-12) {
			t.Errorf("%s is %v, expected %v", name, x, want)
		}
	}
	if x := found["cluster_miss_rate"].ByCluster["c"]; x != 50 {
		t.Errorf("miss rate of the cluster %v, expected 50", x)
	}
}

// near compares a sum with one made in another order.
func near(t *rapid.T, what string, found, want float64) {
	if !(math.Abs(found-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s: %v, the evaluator has %v", what, found, want)
	}
}

// watched looks at the memory in use after each 10,000 jobs.
type watched struct {
	*workload.Batches
	inUse []uint64
}

// Next implements sim.Batches.
func (w *watched) Next() (*model.Instance, error) {
	if w.Left()%10_000 == 0 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		w.inUse = append(w.inUse, stats.HeapAlloc)
	}
	return w.Batches.Next()
}

// The memory in use does not grow with the number of jobs: after 100,000 it is what it was after 20,000.
func TestStreamKeepsJobsInTheSystemOnly(t *testing.T) {
	race.OneGoroutine(t)
	system, batches, err := twoLevel(100_000, 15).Stream(2)
	if err != nil {
		t.Fatal(err)
	}
	figures, _ := sim.Figures()
	source := &watched{Batches: batches}
	totals, err := sim.Stream(t.Context(), system, source, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Observer: figures})
	if err != nil {
		t.Fatal(err)
	}
	if totals.Left != 100_000 || len(source.inUse) != 11 {
		t.Fatalf("%d jobs, memory looked at %d times", totals.Left, len(source.inUse))
	}
	most := uint64(0)
	for _, n := range source.inUse[2:] {
		most = max(most, n)
	}
	// The jobs that are drawn together take about a megabyte; all jobs would take a hundred times as much.
	if most > source.inUse[1]+4<<20 {
		t.Errorf("in use after each 10,000 jobs: %v bytes", source.inUse)
	}
	t.Logf("in use after each 10,000 jobs: %v bytes; longest queue %d", source.inUse, totals.MaxQueue)
}
