package tou_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/tou"
	"github.com/allot-opt/allot/model"
)

const small = `{"processing_times": [1, 2], "price": [3, 1, 4, 1, 5], "power": {"busy": 5, "idle": 2, "off": [{"power": 0, "shutdown": {"time": 1, "power": 1}, "startup": {"time": 1, "power": 3}}]}, "horizon": 5}`

func TestConform(t *testing.T) {
	readertest.Conform(t, "tou", small)
	readertest.Refused(t, &tou.Reader{}, "cluster")
}

// The stored schedules of all instances are right and cost their stored optima.
func TestStoredSchedules(t *testing.T) {
	files, err := filepath.Glob("../../data/tou/*.json")
	if err != nil || len(files) != 24 {
		t.Fatalf("%d instances, %v", len(files), err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in, report, err := tou.NewReader().Read(bytes.NewReader(text), path)
		if err != nil {
			t.Fatal(err)
		}
		var stored struct {
			Starts  []float64 `json:"starts"`
			Optimum float64   `json:"optimum"`
		}
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		sol := &model.Solution{}
		for k, j := range in.Jobs() {
			sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: "cluster", Processors: model.Processors(0), Start: stored.Starts[k], End: stored.Starts[k] + j.Work})
		}
		if check := model.Check(in, sol); !check.OK() || check.Objective != stored.Optimum || report.Kept != len(stored.Starts) {
			t.Errorf("%s: %v, cost %v, the stored optimum is %v", path, check.Violations, check.Objective, stored.Optimum)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{`"horizon": 5`, `"horizon": 6`, "x: price: expected 6 prices, one for each interval of the horizon, found 5"},
		{`"busy": 5`, `"busy": 1`, "x: power.busy: expected at least the idle power, 2, found 1"},
		{`"off": [{"power": 0`, `"off": [{"power": 1`, "x: power.off[0].power: expected 0, because the machine is in the state in the first and the last interval, which the horizon leaves out; found 1"},
		{`[1, 2]`, `[1, -2]`, "x: processing_times[1]: expected 0 or a number in [1e-18, 1e+18], found -2"},
		{`"horizon": 5`, `"horizons": 5`, "x: horizons: unknown field; expected one of name, processing_times, price, power, horizon, optimum, gurobi_seconds, status, starts\nx: expected the field \"horizon\", found none"},
		{`"price": [3`, `"price": ["3"`, `x: price[0]: expected a number, found "3"`},
		{small, ``, "x: expected a JSON value, found an empty file"},
	} {
		in, _, err := tou.NewReader().Read(strings.NewReader(strings.Replace(small, c.old, c.with, 1)), "x")
		if in != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.with, err, c.want)
		}
	}
}

func TestBounded(t *testing.T) {
	long := readertest.Long{Head: `{"price": [`, Body: strings.Repeat("7,", 1<<19), Times: 4}
	readertest.Bounded(t, &long, func(r io.Reader) error {
		_, _, err := tou.NewReader().Read(r, "x")
		return err
	}, "the file ends early")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"processing_times": [], "price": [0.5], "power": {"busy": 0, "idle": 0, "off": []}, "horizon": 1}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		in, report, err := tou.NewReader().Read(bytes.NewReader(file), "f.json")
		readertest.Check(t, "f.json", in, report, err)
	})
}
