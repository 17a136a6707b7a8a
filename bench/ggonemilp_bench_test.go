package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkGGOneHybrid runs the level form on HiGHS and the hybrid side by side, each within 5 minutes: seconds of both and of ggone, and
// the hybrid's share of the level form's. Its target is a share below 0.5 on 96 machines with 200 tasks and on 24 with 500; where the level
// form ends at the root within 0.1 s there is nothing to save.
func BenchmarkGGOneHybrid(b *testing.B) {
	if err := milp.Missing(); err != nil {
		b.Skip(err)
	}
	for _, name := range []string{"J0020_a", "J0050_b", "J0100_b", "J0200_b", "J0500_c"} {
		b.Run("instance="+name, func(b *testing.B) {
			in, err := model.ReadInstanceFile(filepath.Join("../../shared/data/ggone", "ggone-"+name+".json"))
			if errors.Is(err, fs.ErrNotExist) {
				b.Skip("the reference instances are not at hand")
			}
			if err != nil {
				b.Fatal(err)
			}
			benchmarkHybrid(b, in)
		})
	}
	for _, load := range []float64{0.3, 0.5, 0.7} {
		b.Run(fmt.Sprint("instance=generated-96-machines-load-", load), func(b *testing.B) {
			in, err := (&bench.GGOneWorkload{Jobs: 200, Machines: "24:14000,24:10000,24:5000,24:3000", Load: load}).Generate(1)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkHybrid(b, in)
		})
	}
}

// benchmarkHybrid measures one instance.
func benchmarkHybrid(b *testing.B, in *model.Instance) {
	solvers := []string{"ggone", "ggone-milp", "ggone-hybrid"}
	seconds := map[string]float64{}
	for b.Loop() {
		for _, name := range solvers {
			row := bench.Measure(context.Background(), name, in, bench.Settings{Time: 5 * time.Minute, Options: solve.Options{Seed: 1}})
			if row.Fault != "" || row.Objective == nil {
				b.Fatalf("%s: %s", name, row.Fault)
			}
			seconds[name] += row.Elapsed
			b.Logf("%s: %s, %v, bound %v, %.3f s, %d evaluations", name, row.Status, *row.Objective, *row.Bound, row.Elapsed, row.Evaluations)
		}
	}
	for _, name := range solvers {
		b.ReportMetric(seconds[name]/float64(b.N), "s/"+name)
	}
	b.ReportMetric(seconds["ggone-hybrid"]/seconds["ggone-milp"], "hybrid/level")
}
