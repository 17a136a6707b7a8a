package solvers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// unrelated is an instance of jobs with random run times on machines of one processor, each a cluster of its own.
func unrelated(tb testing.TB, jobs, machineCount int) *model.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 4))
	b := model.NewBuilder("unrelated")
	ids := make([]string, machineCount)
	for c := range ids {
		ids[c] = fmt.Sprint("m", c)
		b.Cluster(solvecases.Machines(ids[c], 1, 1))
	}
	for j := range jobs {
		runtime := make(map[string]float64, machineCount)
		for _, id := range ids {
			runtime[id] = 1 + 999*rng.Float64()
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Runtime: runtime})
	}
	return solvecases.Built(tb, b)
}

// benchmark measures a solver in jobs a second.
func benchmark(b *testing.B, solver solve.Solver, in *model.Instance) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		result, err := solver.Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		if placed := len(result.Solution.Jobs); placed != len(in.Jobs()) {
			b.Fatalf("placed %d of %d jobs", placed, len(in.Jobs()))
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(in.Jobs()))/b.Elapsed().Seconds(), "jobs/s")
}

func BenchmarkMinMin(b *testing.B) {
	for _, size := range [][2]int{{50_000, 128}, {100_000, 120}} {
		in := unrelated(b, size[0], size[1])
		b.Run(fmt.Sprintf("jobs=%d/machines=%d", size[0], size[1]), func(b *testing.B) { benchmark(b, &solvers.MinMin{}, in) })
	}
}

// Jobs that are alike, or so late that they seem so, make all completion times equal: the textbook's rule for ties must not
// cost a look at all of them.
func BenchmarkMinMinTies(b *testing.B) {
	for _, c := range []struct {
		name         string
		origin, gap  float64
		base, spread float64
	}{{"alike", 0, 1e-3, 1, 0}, {"late", 1e15, 1e-4, 1, 1e-6}} {
		const jobs = 20_000
		rng := rand.New(rand.NewPCG(1, 8))
		builder := model.NewBuilder(c.name)
		for m := range 16 {
			builder.Cluster(solvecases.Machines(fmt.Sprint("m", m), 4, 1))
		}
		for j := range jobs {
			builder.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: c.origin + c.gap*float64(j), Work: new(c.base + c.spread*rng.Float64())})
		}
		in := solvecases.Built(b, builder)
		b.Run(fmt.Sprintf("%s/jobs=%d", c.name, jobs), func(b *testing.B) { benchmark(b, &solvers.MinMin{}, in) })
	}
}

func BenchmarkMaxMin(b *testing.B) {
	in := unrelated(b, 5000, 128)
	b.Run("jobs=5000/machines=128", func(b *testing.B) { benchmark(b, &solvers.MaxMin{}, in) })
}

func BenchmarkSufferage(b *testing.B) {
	in := unrelated(b, 5000, 128)
	b.Run("jobs=5000/machines=128", func(b *testing.B) { benchmark(b, &solvers.Sufferage{}, in) })
}
