package bench_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkHighsHybrid runs the level form on HiGHS, the hybrid and ggone on the same instances, each within 5 minutes. It reports the seconds of each,
// the times of the hybrid and of ggone as shares of the level form's time, and, if all three proved their value, the relative difference of the
// values. The targets: the hybrid's share is below 0.5 on 96 machines with 200 tasks and on 24 machines with 500 tasks; the share of ggone is below
// 1 from 200 tasks on.
func BenchmarkHighsHybrid(b *testing.B) {
	if err := milp.Missing(); err != nil {
		b.Skip(err)
	}
	for _, name := range []string{"J0020_a", "J0050_b", "J0100_b", "J0200_b", "J0500_c"} {
		b.Run("instance="+name, func(b *testing.B) { benchmarkHybrid(b, referenceGGOne(b, name)) })
	}
	for _, load := range []float64{0.3, 0.5, 0.7} {
		b.Run(fmt.Sprint("instance=generated-96-machines-load-", load), func(b *testing.B) { benchmarkHybrid(b, generatedGGOne(b, load)) })
	}
}

// benchmarkHybrid measures one instance.
func benchmarkHybrid(b *testing.B, in *model.Instance) {
	solvers := []string{"ggone", "ggone-milp", "ggone-hybrid"}
	seconds := map[string]float64{}
	apart := 0.0
	for b.Loop() {
		low, high := math.Inf(1), math.Inf(-1)
		for _, name := range solvers {
			row := bench.Measure(b.Context(), bench.Chosen(b, name), in, bench.Settings{Time: 5 * time.Minute, Options: solve.Options{Seed: 1}})
			if row.Fault != "" || row.Objective == nil {
				b.Fatalf("%s: %s", name, row.Fault)
			}
			seconds[name] += row.Elapsed
			if row.Status == model.Optimal {
				low, high = min(low, *row.Objective), max(high, *row.Objective)
			}
			b.Logf("%s: %s, %v, bound %v, %.3f s, %d evaluations", name, row.Status, *row.Objective, row.Bound, row.Elapsed, row.Evaluations)
		}
		if low < high {
			apart = max(apart, high/low-1)
		}
	}
	for _, name := range solvers {
		b.ReportMetric(seconds[name]/float64(b.N), "s/"+name)
	}
	b.ReportMetric(seconds["ggone-hybrid"]/seconds["ggone-milp"], "hybrid/level")
	b.ReportMetric(seconds["ggone"]/seconds["ggone-milp"], "ggone/level")
	b.ReportMetric(apart, "apart")
}
