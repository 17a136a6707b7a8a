package proof_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// A job that has its machines to itself may fill machines of several sizes: whole machines of each size alone are no bound of what it holds.
func TestExclusiveJobFillsMachinesOfSeveralSizes(t *testing.T) {
	for _, c := range []struct {
		machines, job string
		prices        [2]string
		bound         string
		want          proof.Verdict
	}{
		{`{"id": "m", "processors": 2}, {"id": "n", "processors": 4}`, `"processors": 6`, [2]string{"0.2", "0.15"}, "1.2", proof.Refuted},
		{`{"id": "m", "processors": 2}, {"id": "n", "processors": 4}`, `"processors": 6`, [2]string{"0.2", "0.15"}, "0.89", proof.Verified},
		{`{"id": "m", "processors": 2}, {"id": "n", "processors": 4}`, `"processors": 6, "machines": {"min": 2, "max": 2}`, [2]string{"0.2", "0.15"}, "1.2", proof.Refuted},
		{`{"id": "m", "processors": 4}, {"id": "n", "processors": 4}`, `"processors": 5`, [2]string{"0.125", "0.125"}, "1", proof.Verified}, // both machines
	} {
		in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "objective": {"makespan": 1}, "clusters": [{"id": "c", "machines": [`+c.machines+`]}], "jobs": [{"id": "j", "work": 1, "exclusive": true, `+c.job+`}]}`), "x")
		if err != nil {
			t.Fatal(err)
		}
		text := `{"schema": "allot/proof/1", "instance_sha256": "` + in.SHA256() + `", "objective": {"makespan": 1}, "bound": ` + c.bound + `, "parts": [{"metric": "makespan", "bound": ` + c.bound +
			`, "method": "resource-area", "step": 0, "by": {"machine_prices": {"groups": [[{"processor": ` + c.prices[0] + `}, {"processor": ` + c.prices[1] + `}]]}}}]}`
		certificate, err := proof.Read(strings.NewReader(text), "x")
		if err != nil {
			t.Fatal(err)
		}
		if r := proof.Check(t.Context(), in, certificate); r.Verdict != c.want {
			t.Errorf("%s, %s, at least %s: %v, want %v", c.machines, c.job, c.bound, r, c.want)
		}
	}
}
