package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// grid is a batch of the MTS paper's workload on 120 machines.
func grid(tb testing.TB, jobs int, rate float64) *model.Instance {
	tb.Helper()
	in, err := with(workload.NewMTS(), func(x *workload.MTS) { x.Jobs, x.Rate = jobs, rate }).Generate(1)
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

// roomyGrid makes a batch on the same grid of which most jobs can be placed. A third of the jobs have a deadline that only some machines meet, and
// only if the job starts at once. The deadlines of the others leave time for eight times the work of the batch. Every other job needs within 4 %
// of the memory of some machine, so that many jobs fit few machines.
func roomyGrid(tb testing.TB, jobs int) *model.Instance {
	tb.Helper()
	const machines = 120
	rng := rand.New(rand.NewPCG(1, 0x726f6f6d79)) // "roomy"
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	b := model.NewBuilder(fmt.Sprintf("roomy-%d", jobs)).Minimise("unfinished", 1)
	grid := make([]model.MachineSpec, machines)
	for r := range grid {
		grid[r] = model.MachineSpec{ID: "m", Speed: uniform(5, 15), Memory: new(uniform(1, 5)), Bandwidth: uniform(5, 15)}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: grid[r : r+1]})
	}
	for k := range jobs {
		m := &grid[rng.IntN(machines)]
		job := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(uniform(1, 11)), Memory: uniform(1, 5), MinBandwidth: uniform(1, 5), DeadlineHard: true}
		if k%2 == 0 {
			job.Memory = *m.Memory * uniform(0.96, 1)
		}
		if rng.Float64() < 0.8 {
			job.Input = uniform(5, 15)
		}
		service := *job.Work/m.Speed + job.Input/m.Bandwidth
		if rng.Float64() < 0.3 {
			job.Deadline = new(service * uniform(1, 1.03))
		} else {
			job.Deadline = new(service * uniform(0, 8) * float64(jobs) / machines)
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// BenchmarkMTSRoomy measures batches of which most jobs are placed, on one core.
func BenchmarkMTSRoomy(b *testing.B) {
	for _, jobs := range []int{20_000, 100_000} {
		in := roomyGrid(b, jobs)
		for _, name := range []string{"mts", "minmin", "maxmin"} {
			b.Run(fmt.Sprintf("solver=%s/jobs=%d", name, jobs), func(b *testing.B) { measureGrid(b, name, 0, in) })
		}
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
