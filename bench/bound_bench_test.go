package bench_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkBound measures lower bounds on one core, on real data: /data=SET/instance=NAME/time=LIMIT. For mcp it reports gap%: how far the bound is
// below the best known value. For braun_etc it reports %below-LP. For strip_packing it reports %reached: the share of instances with a proved
// optimum whose bound equals the optimum. For wfformat it reports weaker, the number of instances whose bound is below max(critical path, work/p),
// and %better, how far the bound is above that on average. The average is over the loose instances: those in which a second of search finds no
// schedule as short as max(critical path, work/p).
func BenchmarkBound(b *testing.B) {
	b.Run("data=mcp", func(b *testing.B) {
		for _, c := range mcpCases(b) {
			b.Run("instance="+c.name+"/time=5s", func(b *testing.B) {
				value := benchmarkBound(b, c, 5*time.Second)
				b.ReportMetric(value, "bound")
				b.ReportMetric(100*(1-value/c.known), "gap%")
			})
		}
	})
	b.Run("data=braun_etc", func(b *testing.B) {
		for _, c := range programCases(b) {
			b.Run("instance="+c.name+"/time=1s", func(b *testing.B) {
				value := benchmarkBound(b, c, time.Second)
				b.ReportMetric(value, "bound")
				b.ReportMetric(100*(1-value/c.known), "%below-LP")
			})
		}
	})
	b.Run("data=strip_packing/instance=all/time=5s", func(b *testing.B) {
		cases := stripPackingCases(b, false)
		reached := 0
		for b.Loop() {
			reached = 0
			for _, c := range cases {
				if prove(b.Context(), c, 5*time.Second) >= c.known*(1-model.Tolerance) {
					reached++
				}
			}
		}
		b.ReportMetric(100*float64(reached)/float64(len(cases)), "%reached")
		b.ReportMetric(float64(len(cases)), "instances")
	})
	b.Run("data=wfformat/instance=all/time=5s", benchmarkWorkflowBound)
}

// benchmarkBound proves a bound within the time limit.
func benchmarkBound(b *testing.B, c searchCase, limit time.Duration) (value float64) {
	for b.Loop() {
		value = prove(b.Context(), c, limit)
	}
	return value
}

// prove improves the bound of a case on one core until it equals the known value, no method can improve it, or the time limit passes.
func prove(ctx context.Context, c searchCase, limit time.Duration) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	proof := bound.New(ctx, c.in)
	for more := true; more && ctx.Err() == nil; {
		more = proof.Improve(ctx, 1e8)
		if value, ok := proof.Bound().Value(); ok && value >= c.known {
			break
		}
	}
	value, _ := proof.Bound().Value()
	return value
}

// benchmarkWorkflowBound compares the bound of each workflow with the larger of its critical path and its work per processor.
func benchmarkWorkflowBound(b *testing.B) {
	cases := workflowCases(b, 4, 16, 64)
	tight := make([]bool, len(cases))
	for k, c := range cases {
		row := bench.Measure(b.Context(), bench.Chosen(b, "search"), c.in, bench.Settings{Time: time.Second, Options: solve.Options{Seed: 1, Workers: searchWorkers}})
		tight[k] = row.Objective != nil && *row.Objective <= c.known*(1+model.Tolerance)
	}
	weaker, loose, better := 0, 0, 0.0
	for b.Loop() {
		weaker, loose, better = 0, 0, 0
		for k, c := range cases {
			plain := c.known
			c.known *= 2 // above every list schedule by Graham's theorem, so prove does not stop early
			value := prove(b.Context(), c, 5*time.Second)
			if value < plain*(1-model.Tolerance) {
				weaker++
			}
			if !tight[k] {
				loose++
				better += value/plain - 1
			}
		}
	}
	b.ReportMetric(float64(weaker), "weaker")
	b.ReportMetric(float64(loose), "loose")
	b.ReportMetric(100*better/float64(max(1, loose)), "%better")
}
