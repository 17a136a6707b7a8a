package answers

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// What was possible is known where prices change every quarter of an hour for a year, as on European markets.
func TestPossibleByQuarterHoursOfAYear(t *testing.T) {
	const quarter, steps = 900, 4 * 24 * 366
	b := model.NewBuilder("quarters").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}})
	b.Spec().Tariff = &model.TariffSpec{}
	for k := range steps {
		b.Spec().Tariff.Price = append(b.Spec().Tariff.Price, []float64{float64(k * quarter), float64(1 + k%96)})
	}
	b.Spec().Horizon, b.Spec().Objective = &model.HorizonSpec{To: quarter * steps}, map[string]float64{"energy_cost": 1}
	b.Job(model.JobSpec{ID: "a", Work: new(1000.0)}, model.JobSpec{ID: "b", Arrival: 1e6, Work: new(5000.0), Processors: model.Rigid(2)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if found, known := Possible(t.Context(), in); !known || !(found.Bound > 0) {
		t.Errorf("got %+v, known %v", found, known)
	}
}
