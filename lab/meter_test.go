package lab

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A bill is what the evaluator says that power costs, also where a tariff repeats at times that are no float64 numbers: what was possible is a bound of that.
func TestBillsOfTariffsThatRepeat(t *testing.T) {
	for _, period := range []float64{0.7, 1.1, 2.3, 3.6} {
		for _, clock := range []float64{0, 1.7e9, 1.7e12} {
			b := model.NewBuilder("repeats")
			b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0.1, 1}, {0.3, 5}, {0.5, 100}}, Period: period}
			from, to := clock, clock+9
			b.Spec().Horizon = &model.HorizonSpec{From: from, To: to}
			b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 1}}}})
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			m, err := newMeter(in, from, to)
			if err != nil {
				t.Fatal(err)
			}
			report := model.Check(in, &model.Solution{Jobs: []model.Placement{}})
			want, known := report.Metrics.Get("energy_cost")
			if got := m.tariffs[0].price.Over(from, to); !known || math.Abs(got-want) > 1e-12*want {
				t.Errorf("period %v from %v on: the bill is %v, the evaluator says %v", period, clock, got, want)
			}
		}
	}
}
