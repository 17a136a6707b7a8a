package schedules

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// BenchmarkSchedules measures schedules evaluated a second by one chain.
func BenchmarkSchedules(b *testing.B) {
	moldable, err := model.ReadInstanceFile("../../../examples/moldable.json")
	if err != nil {
		b.Fatal(err)
	}
	grid, err := model.ReadInstanceFile("../../../examples/small-grid.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		in   *model.Instance
	}{{"workflow", Workflow(b, "montage-chameleon-2mass-005d-001.json", 16)}, {"moldable", moldable}, {"grid", grid}, {"large", Large(b, 2000)}} {
		b.Run("instance="+c.name, func(b *testing.B) {
			e, err := New(context.Background(), c.in, QueueStart(b, c.in), 1)
			if err != nil {
				b.Fatal(err)
			}
			e.Advance(0, 100, func() bool { return false })
			made := int64(0)
			for b.Loop() {
				made += e.Advance(0, e.Round(), func() bool { return false })
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "evaluations/s")
			b.ReportMetric(math.Round(e.Best(0).Objective*1e6)/1e6, "objective")
		})
	}
}

// Workflow reads a workflow for the given number of processors.
func Workflow(tb testing.TB, name string, processors int) *model.Instance {
	tb.Helper()
	in, _, err := (&wfformat.Reader{Processors: processors, Cluster: "cluster", MissingRuntime: "keep"}).Read(realdata.Open(tb, "wfformat", name), name)
	if err != nil {
		tb.Fatal(err)
	}
	return in
}
