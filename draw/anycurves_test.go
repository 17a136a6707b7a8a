package draw

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// TestCurvesOfAnything: every schedule with ordinary times has curves. If times come near the largest numbers, their sums may be infinite. Curves
// may then be refused, but they are never drawn wrong, and drawing always ends.
func TestCurvesOfAnything(t *testing.T) {
	const ordinary = 1e18
	moment := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 5e-324, 1e-300, 1e-9, 1.5e9, 1e15, ordinary, 1e300, math.MaxFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		b := model.NewBuilder("any").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4, Power: &model.PowerSpec{Idle: 4, Busy: 2}}}, PowerCap: [][]float64{{5, 20}, {7, 1e9}}})
		b.Spec().Units = &model.Units{Time: rapid.SampledFrom([]string{"s", "h"}).Draw(t, "unit")}
		sol := &model.Solution{Solver: rapid.String().Draw(t, "solver")}
		for k := range rapid.IntRange(0, 5).Draw(t, "jobs") {
			id := string(rune('a' + k))
			arrival := rapid.SampledFrom([]float64{0, 1, 1e9, 1e15}).Draw(t, "arrival")
			b.Job(model.JobSpec{ID: id, Work: new(1.0), Arrival: arrival})
			x, y := max(arrival, moment.Draw(t, "time")), max(arrival, moment.Draw(t, "time"))
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(k % 4), Start: min(x, y), End: max(x, y)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		opt := CurveOptions{
			Quantity: rapid.SampledFrom(Quantities()).Draw(t, "quantity"), View: rapid.SampledFrom(Views()).Draw(t, "view"), Width: 400, Height: 400,
		}
		if !opt.Quantity.ofJobs() && opt.View != Cumulative {
			opt.View = OverTime
		}
		var out bytes.Buffer
		err = into(&out, SVG)(Curves(in, []*model.Solution{sol, {}}, opt))
		switch {
		case err == nil:
			checkSVG(t, "any", out.Bytes())
		case strings.Contains(err.Error(), "expected at least one job that has this quantity, found none"):
		case !slices.ContainsFunc(sol.Jobs, func(p model.Placement) bool { return p.End > ordinary }):
			t.Fatal(err)
		}
	})
}
