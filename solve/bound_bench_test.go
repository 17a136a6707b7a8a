package solve_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/etc"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkBoundMCP measures the bound of mcp after five seconds of one core on the batches whose best known value is at hand: gap
// in % of that value, targets 17, 34 and 22.
func BenchmarkBoundMCP(b *testing.B) {
	for _, row := range records(b, "mcp", "best_known.csv") {
		in, err := model.ReadInstanceFile(dataFile("mcp", row[0]+".json"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(row[0], func(b *testing.B) {
			gap := 0.0
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				proof := bound.New(ctx, in)
				for proof.Improve(ctx, 1e9) && ctx.Err() == nil {
				}
				cancel()
				value, _ := proof.Value()
				gap = 100 * (1 - value/number(b, row[2]))
			}
			b.ReportMetric(gap, "%gap")
		})
	}
}

// BenchmarkBoundBraun measures the bound of the matrices of Braun et al.: the most that it is below the linear program, in %.
func BenchmarkBoundBraun(b *testing.B) {
	for b.Loop() {
		worst := 0.0
		for _, row := range records(b, "braun_etc", "best_known.csv") {
			file, err := model.Open(dataFile("braun_etc", row[0]+".gz"))
			if err != nil {
				b.Fatal(err)
			}
			in, _, err := etc.Read(file, row[0], etc.Options{})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			value, _ := bound.Lower(ctx, in)
			cancel()
			worst = max(worst, 100*(1-value/number(b, row[3])))
		}
		b.ReportMetric(worst, "%below-LP")
	}
}

// BenchmarkExact measures the proof of batches of 12 and 14 jobs on two clusters.
func BenchmarkExact(b *testing.B) {
	for _, objective := range []string{"makespan", "mcp", "mean_response"} {
		for _, jobs := range []int{12, 14} {
			in := smallBatch(b, 1, jobs, objective)
			b.Run(fmt.Sprint(objective, "/", jobs), func(b *testing.B) {
				for b.Loop() {
					result, err := (&solve.Exact{}).Solve(context.Background(), in, solve.Options{Seed: 1})
					if err != nil || result.Status != model.Optimal {
						b.Fatal(result.Status, err)
					}
				}
			})
		}
	}
}
