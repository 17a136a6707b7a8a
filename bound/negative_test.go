package bound_test

import (
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Three jobs of length 1 on two processors take 1.5 by area. That is rounded up to 2 as jobs move to the left, but not where a cap may keep them from it.
func TestPowerKeepsBoundsFromRoundingUp(t *testing.T) {
	for _, limited := range []bool{false, true} {
		b := model.NewBuilder("cap").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Busy: 1}}}})
		for _, id := range []string{"a", "b", "d"} {
			b.Job(model.JobSpec{ID: id, Work: new(1.0)})
		}
		want := 2.0
		if limited {
			b.Spec().Clusters[0].PowerCap, want = [][]float64{{0, 2}}, 1.5
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if value, _ := bound.Lower(t.Context(), in).Value(); !limited && value != want || limited && (value < want || value > 2) {
			t.Errorf("limited %v: bound %v", limited, value)
		}
		c := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(2),
			Parts: []proof.Part{{Metric: "makespan", Bound: 2, Step: 1, By: &proof.Argument{Area: &proof.Area{Prices: []float64{1}}}}}}
		verdict := proof.Verified
		if limited {
			verdict = proof.NotCertified
		}
		if report := proof.Check(t.Context(), in, c); report.Verdict != verdict {
			t.Errorf("limited %v: %+v", limited, report)
		}
	}
}

// A metric that may be negative has no bound of 0, neither here nor in a certificate; it has one that is proved. Nothing is proved of machines that are suspended by
// a rule; a metric of which all prices are at least 0 has its bound of 0 even then.
func TestWhatMayBeNegativeHasOnlyABoundThatIsProved(t *testing.T) {
	for _, c := range []struct {
		least     float64 // price
		suspended bool
		want      float64
		known     bool
	}{{0, false, 2, true}, {-1, false, 0, true}, {0, true, 2, true}, {-1, true, 0, false}} {
		power := &model.PowerSpec{Busy: 1}
		if c.suspended {
			power.Off, power.SuspendAfter = []model.OffSpec{{Name: "off"}}, new(5.0)
		}
		b := model.NewBuilder("power").Minimise("energy_cost", 1).Minimise("makespan", 1).
			Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: power}}}).Job(model.JobSpec{ID: "j", Work: new(2.0)})
		b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 3}, {4, c.least}}}
		b.Spec().Horizon = &model.HorizonSpec{To: 9}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		value, known := bound.Lower(t.Context(), in).Value()
		if known != c.known || known && (value < c.want-1e-6 || value > c.want) {
			t.Errorf("%+v: bound %v %v", c, value, known)
		}
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), bound.LittleWork)
		certificate := p.Certificate()
		if known {
			if report := proof.Check(t.Context(), in, certificate); report.Verdict != proof.Verified {
				t.Errorf("%+v: %+v", c, report)
			}
		} else if certificate != nil {
			t.Errorf("%+v: found a certificate of %v", c, certificate.Bound)
		}
		if c.least == 0 {
			continue
		}
		alone := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(0)}
		if report := proof.Check(t.Context(), in, alone); report.Verdict != proof.Refuted || report.Step != "parts" {
			t.Errorf("a bound without parts: %+v", report)
		}
		alone.Bound = model.ProvedBound(-5)
		alone.Parts = []proof.Part{{Metric: "energy_cost", Bound: -5}}
		if report := proof.Check(t.Context(), in, alone); report.Verdict != proof.NotCertified {
			t.Errorf("a part that nothing proves: %+v", report)
		}
	}
}
