package bench_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkGGOne solves the reference instances of the G/G/1 allocation, where they are at hand, and a generated one of 96
// machines and 200 tasks, each within 60 s: seconds to the proof, or to the end, and the gap in %. Its targets on one core:
// up to 200 tasks proved in less than 1 s, J0500_c in less than 15 s, J1000_b to 0.001 % and the generated one to 0.02 % in 60 s.
func BenchmarkGGOne(b *testing.B) {
	for _, name := range []string{"J0005_a", "J0010_a", "J0020_a", "J0050_b", "J0100_b", "J0200_b", "J0500_c", "J1000_b"} {
		b.Run("solver=ggone/instance="+name, func(b *testing.B) {
			in, err := model.ReadInstanceFile(filepath.Join("../../shared/data/ggone", "ggone-"+name+".json"))
			if errors.Is(err, fs.ErrNotExist) {
				b.Skip("the reference instances are not at hand")
			}
			if err != nil {
				b.Fatal(err)
			}
			benchmarkGGOne(b, in)
		})
	}
	b.Run("solver=ggone/instance=generated-96-machines", func(b *testing.B) {
		in, err := (&bench.GGOneWorkload{Jobs: 200, Machines: "24:14000,24:10000,24:5000,24:3000"}).Generate(1)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkGGOne(b, in)
	})
}

// benchmarkGGOne solves one instance.
func benchmarkGGOne(b *testing.B, in *model.Instance) {
	var row bench.Row
	for b.Loop() {
		if row = bench.Measure(context.Background(), "ggone", in, bench.Settings{Time: time.Minute, Options: solve.Options{Seed: 1}}); row.Fault != "" {
			b.Fatal(row.Fault)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "seconds")
	b.ReportMetric(*row.Objective, "objective")
	b.ReportMetric(*row.Gap, "gap_%")
	b.ReportMetric(float64(row.Evaluations), "evaluations")
}
