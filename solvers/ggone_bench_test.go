package solvers_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// BenchmarkGGOneCancellation measures how long the solver takes to return after its context is cancelled, at its first tables, its first
// bounds and later, with and without an idle rate: latency in ms, the worst of the runs.
func BenchmarkGGOneCancellation(b *testing.B) {
	for _, tasks := range []int{500, 3000, 20000} {
		for _, idle := range []float64{0, 0.1} {
			builder := model.NewBuilder("large").Minimise("qos_penalty", 1)
			rate := float64(tasks) / 100 * (1 + idle)
			builder.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: 100, CV: new(1.0)}
			for c := range 4 {
				builder.Cluster(solvecases.Machines(fmt.Sprint("c", c), 24, float64(tasks)/300*float64(c+1)))
			}
			for j := range tasks {
				builder.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + j*j%97)), Deadline: new(float64(3 + j%50))})
			}
			in := solvecases.Built(b, builder)
			b.Run(fmt.Sprintf("tasks=%d/slack=%v", tasks, idle), func(b *testing.B) {
				worst := 0.0
				for b.Loop() {
					for _, after := range []time.Duration{5, 20, 60, 200, 700, 2000} {
						ctx, cancel := context.WithCancel(context.Background())
						var at time.Time
						time.AfterFunc(after*time.Millisecond, func() { at = time.Now(); cancel() })
						if _, err := solve.Default[solvers.GGOne]().Solve(ctx, in, solve.Options{Seed: 1}); err != nil {
							b.Fatal(err)
						}
						if ctx.Err() != nil {
							worst = max(worst, float64(time.Since(at))/1e6)
						}
						cancel()
					}
				}
				b.ReportMetric(worst, "ms-latency")
			})
		}
	}
}
