package titan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/dll"
)

// BenchmarkWhole measures schedules evaluated a second by the general form: a plain batch with an objective that does not come apart by cluster, and one
// with memory, licences, precedence, hard deadlines and moldable jobs on machines that differ.
func BenchmarkWhole(b *testing.B) {
	for _, kind := range []string{"plain", "rich"} {
		for _, jobs := range []int{40, 200, 1000} {
			b.Run(fmt.Sprintf("batch=%s/jobs=%d", kind, jobs), func(b *testing.B) {
				in := wholeBatch(b, jobs, kind == "rich")
				start, err := dll.New().Solve(context.Background(), in, solve.Options{})
				if err != nil {
					b.Fatal(err)
				}
				run := &whole{ctx: context.Background(), in: in, opt: solve.Options{Start: start.Solution}, order: make([]int, jobs)}
				if err := run.readStart(); err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 1))
				for b.Loop() {
					rng.Shuffle(jobs, func(x, y int) { run.seed[x], run.seed[y] = run.seed[y], run.seed[x] })
					if _, err := run.price(run.seed); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
			})
		}
	}
}

// wholeBatch makes the batch of the benchmark.
func wholeBatch(tb testing.TB, jobs int, rich bool) *model.Instance {
	rng := rand.New(rand.NewPCG(9, 9))
	b := model.NewBuilder("whole").Minimise("makespan", 1).Minimise("missed", 10).Minimise("mean_response", 0.1)
	for c := range 4 {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 16, Processors: 2, Speed: 1 + float64(c)/3}}}
		if rich {
			spec.Machines[0].Memory = new(8.0)
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: "slow", Count: 8, Processors: 4, Speed: 0.7, Memory: new(16.0)})
			spec.Licences = map[string]int{"solver": 6}
		}
		b.Cluster(spec)
	}
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint(j), Processors: model.Rigid(1 + rng.IntN(12)), Work: new(1 + 20*rng.Float64()), Deadline: new(float64(jobs) / 4 * (0.2 + rng.Float64()))}
		if rich {
			job.Memory = float64(rng.IntN(5))
			job.DeadlineHard = j%7 == 0
			if j%3 == 0 {
				job.Processors, job.Tasks = model.Moldable(1, 8), 8
			}
			if j%4 == 0 {
				job.Licences = map[string]int{"solver": 1}
			}
			if j%5 == 4 {
				job.After = []string{fmt.Sprint(j - 1 - rng.IntN(4))}
			}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}
