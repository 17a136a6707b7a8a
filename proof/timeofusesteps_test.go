package proof_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Steps of the tariff within the horizon have to be multiples of the unit; others, and the period, need not be. The job takes 2 at the least price.
func TestStepsOfTimeOfUse(t *testing.T) {
	for _, c := range []struct {
		name    string
		tariff  model.TariffSpec
		unit    float64
		bound   float64
		verdict proof.Verdict
	}{
		{"multiples", model.TariffSpec{Price: [][]float64{{1, 9}, {3, 4}}}, 1, 8, proof.Verified},
		{"too much", model.TariffSpec{Price: [][]float64{{1, 9}, {3, 4}}}, 1, 8.5, proof.Refuted},
		{"no multiple", model.TariffSpec{Price: [][]float64{{1, 9}, {2, 4}}}, 2, 1, proof.Refuted},
		{"before and after", model.TariffSpec{Price: [][]float64{{0.3, 9}, {3, 4}, {5.7, 1}}}, 1, 8, proof.Verified},
		{"a period beyond the horizon", model.TariffSpec{Price: [][]float64{{0.5, 9}, {3, 4}}, Period: 4.7}, 1, 8, proof.Verified},
		{"a period within the horizon", model.TariffSpec{Price: [][]float64{{0, 9}, {1, 4}}, Period: 2}, 1, 13, proof.Verified},
		{"a period that is no multiple", model.TariffSpec{Price: [][]float64{{0, 9}, {1, 4}}, Period: 1.5}, 1, 1, proof.Refuted},
	} {
		b := model.NewBuilder(c.name).Minimise("energy_cost", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Busy: 1}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(2.0)})
		b.Spec().Tariff, b.Spec().Horizon = &c.tariff, &model.HorizonSpec{From: 1, To: 5}
		in := built(t, b)
		by := &proof.TimeOfUse{Unit: c.unit, Scale: 1, Fine: 1, Nodes: []proof.TimeOfUseNode{{Prices: []float64{0}}}}
		part := proof.Part{Metric: "energy_cost", Bound: c.bound, By: &proof.Argument{TimeOfUse: by}}
		r := proof.Check(t.Context(), in, &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(c.bound), Parts: []proof.Part{part}})
		if r.Verdict != c.verdict || c.verdict == proof.Refuted && c.name != "too much" && r.Step != "parts[0].by.time_of_use.unit" {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
