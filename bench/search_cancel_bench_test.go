package bench_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkSearchCancellation measures how long the solver search takes to return after it is cancelled, with two workers, at
// moments that are drawn at random and early ones more often: ms at the 99th percentile and at worst, and the number of cancellations.
// instance=all pools them.
func BenchmarkSearchCancellation(b *testing.B) {
	const cancellations = 40
	var all []float64
	for k, c := range cancellationCases(b) {
		b.Run("instance="+c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(uint64(k), 0x63616e63656c)) // "cancel"
			var latencies []float64
			for b.Loop() {
				for n := range uint64(cancellations) {
					u := rng.Float64()
					if latency, ok := cancelled(b, c.in, n, time.Duration(u*u*float64(c.within))); ok {
						latencies = append(latencies, latency)
					}
				}
			}
			reportLatencies(b, latencies)
			all = append(all, latencies...)
		})
	}
	if len(all) > 0 {
		b.Run("instance=all", func(b *testing.B) { reportLatencies(b, all); b.ReportMetric(0, "ns/op") })
	}
}

// cancellationCase is an instance whose search is cancelled within some time.
type cancellationCase struct {
	name   string
	in     *model.Instance
	within time.Duration
}

// cancellationCases are instances for each engine of the search, small and large; those that are absent are left out.
func cancellationCases(b *testing.B) []cancellationCase {
	const soon = 300 * time.Millisecond
	var cases []cancellationCase
	for _, name := range []string{"small-grid", "moldable"} {
		in, err := model.ReadInstanceFile("../examples/" + name + ".json")
		if err != nil {
			b.Fatal(err)
		}
		cases = append(cases, cancellationCase{name, in, soon})
	}
	mcp := mcpCases(b)
	cases = append(cases, cancellationCase{mcp[2].name, mcp[2].in, soon})
	braun := braunCases(b)
	cases = append(cases, cancellationCase{braun[0].name, braun[0].in, soon})
	return append(cases, cancellationCase{"mira-20000", batch(b, 20000), 2 * time.Second})
}

// cancelled cancels a search after so long and returns the ms it took to return; not ok: it had ended by itself.
func cancelled(b *testing.B, in *model.Instance, seed uint64, after time.Duration) (ms float64, ok bool) {
	info, err := solve.Lookup("search")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var at time.Time
	timer := time.AfterFunc(after, func() { at = time.Now(); cancel() })
	defer timer.Stop()
	// Without a deadline the search has an effort instead, which must not end it.
	solver := &solve.Search{Effort: math.MaxInt32}
	result, err := solve.Run(ctx, info, solver, in, solve.Options{Seed: seed, Workers: searchWorkers})
	if err != nil {
		b.Fatal(err)
	}
	if result.Stop != model.StopCancelled {
		return 0, false
	}
	return float64(time.Since(at)) / 1e6, true
}

// reportLatencies states the 99th percentile and the worst.
func reportLatencies(b *testing.B, latencies []float64) {
	b.ReportMetric(float64(len(latencies)), "cancellations")
	if len(latencies) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(latencies))
	rank := int(math.Ceil(0.99*float64(len(sorted)))) - 1
	b.ReportMetric(sorted[rank], "ms-p99")
	b.ReportMetric(sorted[len(sorted)-1], "ms-worst")
}
