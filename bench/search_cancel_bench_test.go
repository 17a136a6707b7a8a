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
	"github.com/allot-opt/allot/solvers"
)

// BenchmarkSearchCancellation measures how long the solver search takes to return after it is cancelled, with two workers. The moments of
// cancellation are random, early ones more often. It reports the median, the 99th percentile and the worst in ms, and the number of cancellations.
// instance=all pools all instances.
func BenchmarkSearchCancellation(b *testing.B) {
	const cancellations = 40
	var all [][]float64 // by repetition
	for k, c := range cancellationCases {
		repetition := 0
		b.Run("instance="+c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(uint64(k), 0x63616e63656c)) // "cancel"
			in := c.open(b)
			var latencies []float64
			for b.Loop() {
				for n := range uint64(cancellations) {
					u := rng.Float64()
					if latency, ok := cancelled(b, in, n, time.Duration(u*u*float64(c.within))); ok {
						latencies = append(latencies, latency)
					}
				}
			}
			reportLatencies(b, latencies)
			if repetition++; repetition > len(all) {
				all = append(all, nil)
			}
			all[repetition-1] = append(all[repetition-1], latencies...)
		})
	}
	if len(all) == 0 {
		return
	}
	repetition := 0
	b.Run("instance=all", func(b *testing.B) {
		if b.N == 1 { // once a repetition
			repetition++
		}
		reportLatencies(b, all[repetition-1])
		b.ReportMetric(0, "ns/op")
	})
}

// cancellationCases has small and large instances for each engine of the search, with the time within which the search is cancelled.
var cancellationCases = []struct {
	name   string
	open   func(*testing.B) *model.Instance
	within time.Duration
}{
	{"small-grid", func(b *testing.B) *model.Instance { return example(b, "small-grid") }, 300 * time.Millisecond},
	{"moldable", func(b *testing.B) *model.Instance { return example(b, "moldable") }, 300 * time.Millisecond},
	{"mcp-n160", func(b *testing.B) *model.Instance { return mcpCases(b)[2].in }, 300 * time.Millisecond},
	{"u_c_hihi.0", func(b *testing.B) *model.Instance { return braunCases(b)[0].in }, 300 * time.Millisecond},
	{"mira-20000", func(b *testing.B) *model.Instance { return batch(b, 20000) }, 2 * time.Second},
}

// example reads one of the examples.
func example(b *testing.B, name string) *model.Instance {
	in, err := model.ReadInstanceFile("../examples/" + name + ".json")
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// cancelled cancels a search after the time and returns the ms that it took to return. ok is false if the search had already ended by itself.
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
	// Without a deadline the parameter effort limits the search. It must not end the search here.
	solver := with(solve.Default[solvers.Search](), func(x *solvers.Search) { x.Effort = math.MaxInt32 })
	result, err := solve.Run(ctx, solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: seed, Workers: searchWorkers})
	if err != nil {
		b.Fatal(err)
	}
	if result.Stop != model.StopCancelled {
		return 0, false
	}
	return float64(time.Since(at)) / 1e6, true
}

// reportLatencies states the median, the 99th percentile and the worst latency. On a busy machine the last two mostly show the wait for a core.
func reportLatencies(b *testing.B, latencies []float64) {
	b.ReportMetric(float64(len(latencies)), "cancellations")
	if len(latencies) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(latencies))
	rank := int(math.Ceil(0.99*float64(len(sorted)))) - 1
	b.ReportMetric(sorted[len(sorted)/2], "ms-median")
	b.ReportMetric(sorted[rank], "ms-p99")
	b.ReportMetric(sorted[len(sorted)-1], "ms-worst")
}
