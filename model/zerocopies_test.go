package model_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestNoCopyAsksForNothing: a job that names a licence and asks for no copy of it is a job that does not name it, wherever the
// licence is missing; what is written still names it.
func TestNoCopyAsksForNothing(t *testing.T) {
	read := func(licences string) *model.Instance {
		in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "licences": {"x": 0}, "clusters": [
			{"id": "c", "machines": [{"id": "m", "licences": []}, {"id": "n", "licences": ["x"]}]},
			{"id": "d", "licences": {"x": 0}, "machines": [{"id": "m", "licences": ["x"]}]}],
			"jobs": [{"id": "j", "processors": 2, "work": 1, `+licences+`"span": "cluster"}]}`), "i")
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	without, zero, one := read(""), read(`"licences": {"x": 0},`), read(`"licences": {"x": 1},`)
	if len(zero.Jobs()[0].Licences) != 0 {
		t.Errorf("asks for %v", zero.Jobs()[0].Licences)
	}
	if zero.Features() != without.Features() || !one.Features().Has(model.LicencePools) {
		t.Errorf("features: %s; without the licence %s; of one copy %s", zero.Features(), without.Features(), one.Features())
	}
	if !zero.CanRun(0, 0) || one.CanRun(0, 0) || zero.CannotRun(0, 0) != "" {
		t.Errorf("can run on c: %v (%s); with one copy %v", zero.CanRun(0, 0), zero.CannotRun(0, 0), one.CanRun(0, 0))
	}
	sol := &model.Solution{Jobs: []model.Placement{{Job: "j", Cluster: "c", Processors: model.Processors(0, 1), End: 1}}}
	report, missing := model.Check(zero, sol), model.Check(one, sol)
	if !report.OK() {
		t.Error(report.Violations)
	}
	if missing.OK() {
		t.Error("one copy on a machine that does not run the licence is accepted")
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, zero); err != nil || !strings.Contains(text.String(), `"licences":{"x":0}`) {
		t.Errorf("%v: %s", err, text.String())
	}
}
