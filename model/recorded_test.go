package model_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestRecorded: recorded starts, dates and caveats survive writing and reading, and neither what a policy may see nor other arrivals keep them.
func TestRecorded(t *testing.T) {
	const text = `{"schema":"allot/instance/1","time_zero":1700000000.5,"time_zone":"Europe/Stockholm","caveats":["reservations"],"clusters":[{"id":"c","machines":[{"id":"m"}]}],
 "jobs":[{"id":"a","arrival":2,"work":3,"recorded":5},{"id":"b","arrival":2,"work":3},{"id":"c","work":1,"recorded":0}]}`
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
	for k, want := range []float64{5, -1, 0} {
		if start, known := in.Recorded(k); known != (want >= 0) || known && start != want {
			t.Errorf("job %d: got %v, %v, want %v", k, start, known, want)
		}
	}
	if got := in.Caveats(); len(got) != 1 || got[0] != "reservations" {
		t.Errorf("got %q", got)
	}
	if in.RequestSpec(0).Recorded != nil {
		t.Error("the request of a job tells when it will start")
	}
	if _, known := in.WithArrivals([]float64{0, 0, 0}).Recorded(0); known {
		t.Error("other arrivals, the same record")
	}
	if unix, known := in.TimeZero(); !known || unix != 1700000000.5 || in.TimeZone() != "Europe/Stockholm" {
		t.Errorf("time 0 at %v, %v in %q", unix, known, in.TimeZone())
	}
	if _, known := in.WithArrivals([]float64{0, 0, 0}).TimeZero(); known {
		t.Error("other arrivals, the same dates")
	}
	_, err = model.ReadInstance(strings.NewReader(strings.Replace(text, `"recorded":5`, `"recorded":1`, 1)), "f")
	if want := "f: jobs[0].recorded: expected a start at the arrival, 2, or later, found 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
