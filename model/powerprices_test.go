package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
)

// What Ways says a gap costs is what the evaluator's way through it costs, also where the machine is off once at most and the quick form answers.
func TestWaysCostAgreesWithTheWay(t *testing.T) {
	quick := 0
	often.Check(t, 20, func(t *rapid.T) {
		quarters := func(most int, label string) float64 { return float64(rapid.IntRange(0, most).Draw(t, label)) / 4 }
		clock := rapid.SampledFrom([]float64{0, 1.7e9}).Draw(t, "clock")
		lowest := rapid.SampledFrom([]int{0, 0, -2}).Draw(t, "lowest price")
		tariff := &TariffSpec{}
		at := clock
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			tariff.Price = append(tariff.Price, []float64{at, float64(rapid.IntRange(lowest, 6).Draw(t, "price")) / 3})
			at += 0.25 + quarters(12, "step")
		}
		from, to := clock, clock+4+quarters(60, "horizon")
		power := &PowerSpec{Idle: quarters(8, "idle"), Off: []OffSpec{}}
		for k := range rapid.IntRange(1, 2).Draw(t, "states") {
			way := func(label string) WaySpec {
				time := rapid.SampledFrom([]float64{0, 0.25, 1, 1.25, 0.1}).Draw(t, label)
				return WaySpec{Time: time, Power: quarters(12, label+" power")}
			}
			power.Off = append(power.Off, OffSpec{Name: string(rune('a' + k)), Power: quarters(2, "off"), Down: way("down"), Up: way("up")})
		}
		power.Begin = rapid.SampledFrom([]string{"", "a"}).Draw(t, "begin")
		power.End = rapid.SampledFrom([]string{"", "a"}).Draw(t, "end")
		b := NewBuilder("ways").Minimise("energy_cost", 1).Cluster(ClusterSpec{ID: "c", Machines: []MachineSpec{{ID: "m", Power: power}}}).Job(JobSpec{ID: "j", Work: new(1.0)})
		b.Spec().Tariff, b.Spec().Horizon = tariff, &HorizonSpec{From: from, To: to}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := in.Clusters()[0].Machines[0].Power
		w := in.Ways(0)
		if w.Exact(p) && !w.negative {
			quick++
		}
		finder := wayFinder{view: w.find.view, price: w.find.price}
		for range 5 {
			a, z := from, to
			if rapid.Bool().Draw(t, "later") {
				a += quarters(int(4*(to-from)), "from") + rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "off the grid")
			}
			if rapid.Bool().Draw(t, "sooner") {
				z = min(to, a+quarters(int(4*(to-from)), "to"))
			}
			if !(a < z) {
				continue
			}
			g := gap{from: a, to: z, begin: On, end: On}
			if a == from {
				g.begin = p.Begin
			}
			if z == to {
				g.end = p.End
			}
			way, known := finder.find(p, &g)
			want := 0.0
			for _, d := range way {
				step := w.find.view.at(d.from)
				w.find.view.eachStep(&step, d.from, d.to, func(from, to [2]float64, now rates) {
					want += d.power * now.price * (to[0] - from[0] + to[1] - from[1])
				})
			}
			got, ok := w.Cost(p, a, z)
			if rounding := 1e-9 * max(1, math.Abs(want)); ok != known || ok && (got < want-rounding || got > want+rounding && w.Exact(p)) {
				t.Fatalf("a gap from %v to %v costs %v (%t), the way %v (%t): %+v", a-from, z-from, got, ok, want, known, way)
			}
		}
	})
	if quick == 0 {
		t.Error("the quick form was never asked")
	}
}
