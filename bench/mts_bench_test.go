package bench_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// grid is a batch of the MTS paper's workload on 120 machines.
func grid(tb testing.TB, jobs int, rate float64) *model.Instance {
	tb.Helper()
	in, err := (&bench.MTSWorkload{Jobs: jobs, Rate: rate}).Generate(1)
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// BenchmarkMTS measures MTS and its rivals on the MTS paper's grid of 120 machines, all jobs at once, on one core: jobs a second, left
// out ones included, and the most memory that the process held. Targets: mts, minmin and maxmin take less than 5 s for 100,000.
func BenchmarkMTS(b *testing.B) {
	for _, jobs := range []int{20_000, 100_000} {
		in := grid(b, jobs, 0)
		for _, name := range []string{"mts", "minmin", "maxmin", "asjs", "mrs", "mct"} {
			b.Run(fmt.Sprintf("solver=%s/jobs=%d", name, jobs), func(b *testing.B) { measureGrid(b, name, 0, in) })
		}
	}
}

// BenchmarkMTSRolling measures the same jobs arriving 100 a time unit and planned each time unit. Target: mts takes less than 1 s.
func BenchmarkMTSRolling(b *testing.B) {
	in := grid(b, 100_000, 100)
	for _, name := range []string{"mts", "minmin", "asjs", "mrs"} {
		b.Run(fmt.Sprintf("solver=%s/jobs=%d", name, len(in.Jobs())), func(b *testing.B) { measureGrid(b, name, 1, in) })
	}
}

// measureGrid runs a solver, in rolling use where the period is not 0.
func measureGrid(b *testing.B, name string, period float64, in *model.Instance) {
	b.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	info, err := solve.Lookup(name)
	if err != nil {
		b.Fatal(err)
	}
	solver := info.New()
	if period > 0 {
		if solver, err = solve.NewRolling(info, solver, period, 0); err != nil {
			b.Fatal(err)
		}
	}
	end := peak.Watch()
	for b.Loop() {
		result, err := solver.Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil || len(result.Solution.Jobs)+len(result.Solution.Unscheduled) != len(in.Jobs()) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(end()/1e6, "peak-MB")
	b.ReportMetric(float64(b.N)*float64(len(in.Jobs()))/b.Elapsed().Seconds(), "jobs/s")
}
