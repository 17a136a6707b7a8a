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

// BenchmarkBoundStripPacking measures the share of the strip packings proved optimal without contiguity whose bound is the optimum, in %,
// target 90.
func BenchmarkBoundStripPacking(b *testing.B) {
	for b.Loop() {
		proved, reached := tightStripPackings(b)
		b.ReportMetric(100*float64(reached)/float64(proved), "%tight")
	}
}

// BenchmarkBoundWorkflows measures the bounds of workflows on 4, 16 and 64 processors against the larger of critical path and area: the
// mean gain where there is one, in %, target 1, the number of those, and the most that a bound is weaker, in %, but for the decimals
// of the reference.
func BenchmarkBoundWorkflows(b *testing.B) {
	for b.Loop() {
		sum, better, weaker := 0.0, 0, 0.0
		workflowGains(b, func(_ string, _ int, found, plain float64) {
			if gain := found/plain - 1; gain > 1e-4 {
				sum, better = sum+gain, better+1
			}
			weaker = max(weaker, 1-found/(plain-0.0005))
		})
		b.ReportMetric(100*sum/float64(max(1, better)), "%gain")
		b.ReportMetric(float64(better), "better")
		b.ReportMetric(100*weaker, "%weaker")
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
