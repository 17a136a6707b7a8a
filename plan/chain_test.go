package plan

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// Jobs that wait for each other and whose times add up to the horizon, as decimals, find room in it, in any unit and at any clock: 0.1 + 0.2 is more than 0.3
// in float64 numbers, and 300.5 − 180.3 is less than 120.2. At a late clock that holds for two jobs: of more, the roundings of the ends add up to more than the
// checker allows the last one.
func TestDecimalsFillTheHorizon(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		unit := rapid.SampledFrom([]float64{0.1, 0.3, 0.7, 1.1, 60.1, 1e-3, 8e-9, 1}).Draw(t, "unit")
		clock := 0.0
		if unit > 1e-6 {
			clock = rapid.SampledFrom([]float64{0, 0, 0.1, 1e6 + 0.1, 1.7e9}).Draw(t, "clock")
		}
		decimal := func(x float64) float64 {
			d, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 13, 64), 64)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		b := model.NewBuilder("chain")
		m := model.MachineSpec{ID: "m"}
		if rapid.Bool().Draw(t, "sleeps") {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 1, Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: unit}}}}
		}
		n := m
		n.ID, n.Cost = "n", 1                                                      // so that it is a bank of its own
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{m, n}}) // a job on both of them looks for starts in another way
		both := rapid.Bool().Draw(t, "both")
		units := 0
		most := 4
		if clock > 0 {
			most = 2
		}
		for k := range rapid.IntRange(1, most).Draw(t, "jobs") {
			length := rapid.IntRange(1, 30).Draw(t, "length")
			units += length
			j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: clock, Work: new(decimal(float64(length) * unit))}
			if both {
				j.Processors = model.Rigid(2)
			}
			if k > 0 {
				j.After = []string{fmt.Sprint("j", k-1)}
			}
			b.Job(j)
		}
		b.Spec().Horizon = &model.HorizonSpec{From: clock, To: decimal(clock + float64(units)*unit)}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		s := newCheap(t, in)
		for job := range in.Jobs() {
			slot, ok := s.Earliest(job, 0)
			if !ok {
				t.Fatalf("%v finds no room in %+v", in.Jobs()[job].ID, b.Spec().Horizon)
			}
			s.Place(job, slot)
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatalf("%v\n%+v", report.Violations, s.Solution())
		}
	})
}
