package solvers_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// BenchmarkExact measures the proof of batches of 12 to 16 jobs on two clusters, and the check of its certificate, on one core.
func BenchmarkExact(b *testing.B) {
	for _, objective := range []string{"makespan", "mcp", "mean_response", "over_deadline", "idle_time"} {
		for _, jobs := range []int{12, 14, 15, 16} {
			in := smallBatch(b, 1, jobs, objective)
			b.Run(fmt.Sprintf("solver=exact/objective=%s/jobs=%d", objective, jobs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				for b.Loop() {
					result, err := (&solvers.Exact{}).Solve(context.Background(), in, solve.Options{Seed: 1})
					if err != nil || result.Status != model.Optimal {
						b.Fatal(result.Status, err)
					}
				}
			})
			b.Run(fmt.Sprintf("solver=check/objective=%s/jobs=%d", objective, jobs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				result, err := solve.Run(context.Background(), solve.Choice{Info: mustLookup(b, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1, Certify: true})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if out := proof.CheckSolution(context.Background(), in, result.Certificate, result.Solution); !out.Optimal {
						b.Fatal(out)
					}
				}
			})
		}
	}
}
