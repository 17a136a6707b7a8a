package answers

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// A solution that states figures which are not its own breaks a rule beside a certificate too, as it does alone: nothing is called optimal of it.
func TestWrongFiguresBesideACertificate(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m"}]}],
		"jobs": [{"id": "a", "arrival": 1, "work": 2}, {"id": "b", "work": 3}]}`), "in")
	if err != nil {
		t.Fatal(err)
	}
	certified := func(in *model.Instance, metric string, bound float64, by proof.Argument) *proof.Certificate {
		return &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{metric: 1}, Bound: model.ProvedBound(bound),
			Parts: []proof.Part{{Metric: metric, Bound: bound, By: &by}}}
	}
	area := certified(in, "makespan", 5, proof.Argument{Area: &proof.Area{Prices: []float64{1}}})
	read := func(text string) *model.Solution {
		sol, err := model.ReadSolution(strings.NewReader(`{"schema": "allot/solution/1", "jobs": [{"job": "a", "cluster": "c", "processors": "0", "start": 3, "end": 5},
			{"job": "b", "cluster": "c", "processors": "0", "start": 0, "end": 3}], `+text+`}`), "sol")
		if err != nil {
			t.Fatal(err)
		}
		return sol
	}
	for code, text := range map[string]string{
		"":                `"status": "optimal", "objective": 5, "bound": 5, "metrics": {"makespan": 5}`,
		"wrong-objective": `"objective": 1`,
		"wrong-metric":    `"metrics": {"mean_wait": 0}`,
		"wrong-bound":     `"bound": 7`,
		"wrong-status":    `"status": "optimal"`,
		"wrong-instance":  `"instance_sha256": "` + strings.Repeat("0", 64) + `"`,
	} {
		out, found := Verify(t.Context(), in, area, read(text), false)
		if out.Verdict != proof.Verified || *found.Optimal == (code != "") || out.Wrong != (code != "") || code != "" && !strings.HasPrefix(found.Why, "the solution breaks a rule: "+code) {
			t.Errorf("%s: found %+v %q", text, out, found.Why)
		}
	}
	target, err := in.WithObjective(map[string]float64{"over_deadline": 1})
	if err != nil {
		t.Fatal(err)
	}
	other := certified(target, "over_deadline", 0, proof.Argument{EachAlone: &proof.EachAlone{}})
	if out, found := Verify(t.Context(), target, other, read(`"objective": 5`), true); out.Wrong || !*found.Optimal {
		t.Errorf("the figures of another objective are judged by this one: %+v %q", out, found.Why)
	}
}
