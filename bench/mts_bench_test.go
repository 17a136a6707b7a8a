package bench_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// grid is a batch of the MTS paper's workload on 120 machines.
func grid(tb testing.TB, jobs int, rate float64) *model.Instance {
	tb.Helper()
	in, err := with(workload.Default[workload.MTS](), func(x *workload.MTS) { x.Jobs, x.Rate = jobs, rate }).Generate(1)
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// BenchmarkMTS measures MTS and its rivals on the MTS paper's grid of 120 machines, with all jobs at once, on one core. It reports jobs per second,
// including those left out, and the peak memory of the process. The target: mts, minmin and maxmin take less than 5 s for 100,000 jobs.
func BenchmarkMTS(b *testing.B) {
	for _, jobs := range []int{20_000, 100_000} {
		in := grid(b, jobs, 0)
		for _, name := range []string{"mts", "minmin", "maxmin", "asjs", "mrs", "mct"} {
			b.Run(fmt.Sprintf("solver=%s/jobs=%d", name, jobs), func(b *testing.B) { measureGrid(b, name, 0, in) })
		}
	}
}

// BenchmarkMTSRolling measures the same jobs, but 100 of them arrive per time unit, and a round of planning begins every time unit. The target: mts
// takes less than 1 s.
func BenchmarkMTSRolling(b *testing.B) {
	in := grid(b, 100_000, 100)
	for _, name := range []string{"mts", "minmin", "asjs", "mrs"} {
		b.Run(fmt.Sprintf("solver=%s/jobs=%d", name, len(in.Jobs())), func(b *testing.B) { measureGrid(b, name, 1, in) })
	}
}

// BenchmarkMTSRoomy measures batches of which most jobs are placed, on one core: where the jobs that need no special machine fit half of the machines, and
// where they fit all. The targets: mts takes less than 8 s for 100,000 jobs, and at most 2.3 times that for 200,000.
func BenchmarkMTSRoomy(b *testing.B) {
	for _, jobs := range []int{20_000, 100_000} {
		measureRoomy(b, "half", half(jobs), "mts", "minmin", "maxmin", "mct")
		measureRoomy(b, "all", solvecases.MeasuredRoomy(jobs), "mts", "minmin", "maxmin", "mct")
	}
	measureRoomy(b, "all", solvecases.MeasuredRoomy(200_000), "mts")
}

// BenchmarkMTSAllFit measures batches without deadlines, so that all jobs are placed. The target: maxmin takes less than 2 s for 20,000 jobs.
func BenchmarkMTSAllFit(b *testing.B) {
	for _, jobs := range []int{20_000, 100_000} {
		x := solvecases.MeasuredRoomy(jobs)
		x.Tight, x.Deadlines = 0, false
		measureRoomy(b, "all", x, "mts", "minmin", "maxmin", "mct")
	}
}

// BenchmarkMTSSufferage measures Sufferage on the same batches, and without deadlines, so that all jobs are placed. The target: 20,000 jobs, all placed, take less
// than 2 s.
func BenchmarkMTSSufferage(b *testing.B) {
	for _, jobs := range []int{10_000, 20_000} {
		measureRoomy(b, "half", half(jobs), "sufferage")
		measureRoomy(b, "all", solvecases.MeasuredRoomy(jobs), "sufferage")
		x := solvecases.MeasuredRoomy(jobs)
		x.Tight, x.Deadlines = 0, false
		measureRoomy(b, "all, no deadlines", x, "sufferage")
	}
}

// half is the batch of which every other job needs nearly all of the memory of some machine, and the others as much as half of the machines have on average.
func half(jobs int) solvecases.Roomy {
	x := solvecases.MeasuredRoomy(jobs)
	x.Memory, x.Near = 5, 0.5
	return x
}

// measureRoomy runs solvers on a batch. fit says which machines the jobs fit.
func measureRoomy(b *testing.B, fit string, x solvecases.Roomy, names ...string) {
	b.Helper()
	in := x.Generate(b, 1)
	for _, name := range names {
		b.Run(fmt.Sprintf("fit=%s/solver=%s/jobs=%d", fit, name, x.Jobs), func(b *testing.B) { measureGrid(b, name, 0, in) })
	}
}

// measureGrid runs a solver, in rolling use unless the period is 0.
func measureGrid(b *testing.B, name string, period float64, in *model.Instance) {
	b.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if period > 0 {
		name = fmt.Sprintf("%s:rolling_period=%v", name, period)
	}
	choice, err := solve.Choose(name)
	if err != nil {
		b.Fatal(err)
	}
	end, placed := peak.Watch(), 0
	for b.Loop() {
		result, err := choice.Solver.Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil || len(result.Solution.Jobs)+len(result.Solution.Unscheduled) != len(in.Jobs()) {
			b.Fatal(err)
		}
		placed = len(result.Solution.Jobs)
	}
	b.ReportMetric(float64(placed), "placed") // jobs per second includes jobs left out, so report the placed ones too
	b.ReportMetric(end()/1e6, "peak-MB")
	b.ReportMetric(float64(b.N)*float64(len(in.Jobs()))/b.Elapsed().Seconds(), "jobs/s")
}
