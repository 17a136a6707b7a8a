package search

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/wfformat"
)

// BenchmarkSchedules measures schedules evaluated a second by one chain.
func BenchmarkSchedules(b *testing.B) {
	moldable, err := model.ReadInstanceFile("../examples/moldable.json")
	if err != nil {
		b.Fatal(err)
	}
	grid, err := model.ReadInstanceFile("../examples/small-grid.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		in   *model.Instance
	}{{"workflow", workflow(b, "montage-chameleon-2mass-005d-001.json", 16)}, {"moldable", moldable}, {"grid", grid}, {"large", largeInstance(b, 2000)}} {
		b.Run("instance="+c.name, func(b *testing.B) {
			e, err := newSchedules(context.Background(), c.in, queueStart(b, c.in), 1)
			if err != nil {
				b.Fatal(err)
			}
			e.advance(0, 100, func() bool { return false })
			made := int64(0)
			for b.Loop() {
				made += e.advance(0, e.round(), func() bool { return false })
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "evaluations/s")
			b.ReportMetric(math.Round(e.best(0).Objective*1e6)/1e6, "objective")
		})
	}
}

// workflow reads a workflow for so many processors.
func workflow(tb testing.TB, name string, processors int) *model.Instance {
	tb.Helper()
	in, _, err := wfformat.Read(realdata.Open(tb, "wfformat", name), name, wfformat.Options{Processors: processors})
	if err != nil {
		tb.Fatal(err)
	}
	return in
}
