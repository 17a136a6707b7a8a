package workload_test

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// Tables 2 and 3 of Hao (2016): the ranges of jobs and resources are those and are filled; the share of jobs with files is q;
// as many jobs arrive at each time unit as the rate says.
func TestMTSWorkloadTables2And3(t *testing.T) {
	in, err := with(workload.Default[workload.MTS](), func(x *workload.MTS) { x.Jobs, x.Rate, x.Q, x.Resources = 20_000, 70, 0.3, 500 }).Generate(5)
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, low, high float64, value func(k int) float64, n int) {
		t.Helper()
		least, most := math.Inf(1), math.Inf(-1)
		for k := range n {
			if x := value(k); !math.IsNaN(x) {
				least, most = min(least, x), max(most, x)
			}
		}
		if part := (high - low) / 50; least < low || most > high || least > low+part || most < high-part {
			t.Errorf("%s: from %v to %v, want %v to %v", what, least, most, low, high)
		}
	}
	jobs, clusters := in.Jobs(), in.Clusters()
	within("work", 1, 11, func(k int) float64 { return jobs[k].Work }, len(jobs))
	within("memory", 1, 5, func(k int) float64 { return jobs[k].Memory }, len(jobs))
	within("bandwidth", 1, 5, func(k int) float64 { return jobs[k].MinBandwidth }, len(jobs))
	within("deadline", 1, 5, func(k int) float64 { return jobs[k].Deadline - jobs[k].Arrival }, len(jobs))
	within("speed", 5, 15, func(k int) float64 { return clusters[k].Machines[0].Speed }, len(clusters))
	within("memory of a resource", 1, 5, func(k int) float64 { return clusters[k].Machines[0].Memory }, len(clusters))
	within("bandwidth of a resource", 5, 15, func(k int) float64 { return clusters[k].Machines[0].Bandwidth }, len(clusters))
	files, arrivals := 0, map[float64]int{}
	within("files", 5, 15, func(k int) float64 {
		arrivals[jobs[k].Arrival]++
		if !jobs[k].DeadlineHard {
			t.Errorf("job %d has a soft deadline", k)
		}
		if jobs[k].Input == 0 {
			return math.NaN()
		}
		files++
		return jobs[k].Input + jobs[k].Output
	}, len(jobs))
	if share := float64(files) / float64(len(jobs)); math.Abs(share-0.3) > 0.02 {
		t.Errorf("%v of the jobs have files, want 0.3", share)
	}
	for at := range 20_000 / 70 {
		if n := arrivals[float64(at)]; n != 70 {
			t.Fatalf("%d jobs arrive at %d, want 70", n, at)
		}
	}
}

// What the paper claims and what comes out on its workload (§4.3, rates 100 and 140, q = 0.5), jobs planned each time unit: MTS leaves fewer jobs
// unfinished than Min-min, ASJS and MRS, moves more data and does more work. Its AVE is not below that of Min-min, against the paper.
func TestMTSPaperSection43(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("12,000 jobs by four solvers of one goroutine")
	}
	for _, rate := range []float64{100, 140} {
		in, err := with(workload.Default[workload.MTS](), func(x *workload.MTS) { x.Jobs, x.Rate = 6000, rate }).Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		run := func(name string) model.Metrics {
			info, err := solve.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			solver, err := solve.NewRolling(info.Choice(), 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Fatal(report.Violations[0])
			}
			return result.Solution.Metrics
		}
		mts := run("mts")
		for _, rival := range []string{"minmin", "asjs", "mrs"} {
			metrics := run(rival)
			for _, claim := range []struct {
				metric string
				more   bool
			}{{"unfinished", false}, {"data_moved", true}, {"work_done", true}} {
				own, theirs := mts[claim.metric].Total, metrics[claim.metric].Total
				t.Logf("rate %v: %s: mts %.5g, %s %.5g (%+.2f %%)", rate, claim.metric, own, rival, theirs, 100*(own/theirs-1))
				if own < theirs && claim.more || own > theirs && !claim.more {
					t.Errorf("rate %v: %s: mts %v, %s %v", rate, claim.metric, own, rival, theirs)
				}
			}
			own, theirs := mts["mean_response"].Total, metrics["mean_response"].Total
			t.Logf("rate %v: AVE: mts %.5g, %s %.5g (%+.2f %%)", rate, own, rival, theirs, 100*(own/theirs-1))
		}
	}
}
