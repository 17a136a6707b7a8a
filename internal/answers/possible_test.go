package answers

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// pricedBySteps is an instance whose price changes at so many steps of so many seconds.
func pricedBySteps(t *testing.T, steps, length int) *model.Instance {
	t.Helper()
	b := model.NewBuilder("steps").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}})
	b.Spec().Tariff = &model.TariffSpec{}
	for k := range steps {
		b.Spec().Tariff.Price = append(b.Spec().Tariff.Price, []float64{float64(k * length), float64(1 + k%96)})
	}
	b.Spec().Horizon, b.Spec().Objective = &model.HorizonSpec{To: float64(length * steps)}, map[string]float64{"energy_cost": 1}
	b.Job(model.JobSpec{ID: "a", Work: new(1000.0)}, model.JobSpec{ID: "b", Arrival: 1e6, Work: new(5000.0), Processors: model.Rigid(2)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What was possible is known where prices change every quarter of an hour for a year, as on European markets. Where they change so often that the checker of proofs does not follow, it
// is not known, whatever was found.
func TestPossible(t *testing.T) {
	if found, known := Possible(t.Context(), pricedBySteps(t, 4*24*366, 900)); !known || !(found.Bound > 0) {
		t.Errorf("got %+v, known %v", found, known)
	}
	if found, known := Possible(t.Context(), pricedBySteps(t, 140_000, 60)); known {
		t.Errorf("got %+v, which is not certified", found)
	}
}
