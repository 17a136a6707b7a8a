package model_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// A job that takes no time holds nothing, so it may run amid others; what it needs has to be there all the same.
func TestJobsOfNoTime(t *testing.T) {
	const machines = `"licences": {"x": 2}, "clusters": [{"id": "c", "machines": [{"id": "m", "processors": 2, "memory": 4, "licences": ["x"]}]}]`
	for _, c := range []struct {
		name, job string
		code      model.Code // empty: right
	}{
		{"amid another job", `"processors": 2`, ""},
		{"all memory", `"processors": 2, "memory": 2`, ""},
		{"more memory than there is", `"processors": 2, "memory": 2.5`, "memory"},
		{"all copies", `"licences": {"x": 2}`, ""},
		{"more copies than there are", `"licences": {"x": 3}`, "licence"},
	} {
		in, err := readInstance(`{"schema": "allot/instance/1", ` + machines + `, "jobs": [
			{"id": "long", "work": 5, "processors": 2, "memory": 1, "licences": {"x": 1}}, {"id": "none", "work": 0, ` + c.job + `}]}`)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		set := "0"
		if in.Jobs()[1].Min == 2 {
			set = "0-1"
		}
		report := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("long", "c", "0-1", 0, 5), placed("none", "c", set, 3, 3)}})
		switch {
		case c.code == "" && !report.OK():
			t.Errorf("%s: %v", c.name, report.Violations)
		case c.code != "" && (len(report.Violations) != 1 || report.Violations[0].Code != c.code):
			t.Errorf("%s: %v, expected %s", c.name, report.Violations, c.code)
		}
		if in.CanRun(1, 0) != (c.code == "") {
			t.Errorf("%s: CanRun says %v", c.name, in.CanRun(1, 0))
		}
	}
}
