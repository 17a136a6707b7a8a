package model_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestRequested: what users asked for survives writing, reading, other arrivals and a batch. As requested, the instance has it as estimate. The request of a job
// does not tell it, and it is below the estimate.
func TestRequested(t *testing.T) {
	const text = `{"schema":"allot/instance/1","clusters":[{"id":"c","machines":[{"id":"m"}]}],
 "jobs":[{"id":"a","work":9,"estimate":9,"requested":4},{"id":"b","work":3,"estimate":5}]}`
	in, err := model.ReadInstance(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := model.WriteInstance(&out, in); err != nil {
		t.Fatal(err)
	}
	if in, err = model.ReadInstance(&out, "f"); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]*model.Instance{"read": in, "moved": in.WithArrivals([]float64{1, 2})} {
		estimate, raised := in.Requested(0)
		if _, other := in.Requested(1); estimate != 4 || !raised || other {
			t.Errorf("%s: got %v, %v, %v", name, estimate, raised, other)
		}
	}
	if _, raised := in.Batch([]int{1}, []float64{0}, nil).Requested(0); raised {
		t.Error("a batch mixes up jobs")
	}
	asked := in.AsRequested()
	if a, b := asked.Jobs()[0].Estimate, asked.Jobs()[1].Estimate; a != 4 || b != 5 || in.Jobs()[0].Estimate != 9 || asked.Jobs()[0].Work != 9 || asked.AsRequested() != asked {
		t.Errorf("as requested: estimates %v and %v", a, b)
	}
	if in.RequestSpec(0).Requested != nil {
		t.Error("the request of a job tells that its estimate was raised")
	}
	for change, want := range map[string]string{
		`"requested":9`: "f: jobs[0].requested: expected less than the estimate, 9, found 9",
		`"work":1`:      "f: jobs[0].requested: expected it with an estimate, found none",
	} {
		bad := strings.Replace(text, `"requested":4`, change, 1)
		if change == `"work":1` {
			bad = strings.Replace(text, `"estimate":9,`, "", 1)
		}
		if _, err := model.ReadInstance(strings.NewReader(bad), "f"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
