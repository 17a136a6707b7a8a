package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// checkError demands that an error of reading lists something and says of which file.
func checkError(t *testing.T, err error) {
	t.Helper()
	var faults *model.InputError
	if !errors.As(err, &faults) || len(faults.Faults) == 0 || faults.File != "fuzz" || err.Error() == "" {
		t.Fatalf("got %v", err)
	}
}

// FuzzReadInstance demands that what is not an instance gives an error and no panic, that what is can be written, read
// again and is the same, and that a schedule of it can be checked.
func FuzzReadInstance(f *testing.F) {
	f.Add([]byte(richInstance))
	f.Add([]byte(smallGrid))
	f.Add([]byte(times))
	f.Add([]byte(document(`"queueing": {"rate": 1},`, oneCluster, oneJob)))
	all := rapid.Custom(func(t *rapid.T) *model.Instance {
		return modeltest.Generator{Features: modeltest.AllFeatures, Wild: true}.Instance(t)
	})
	for seed := range 10 {
		var text bytes.Buffer
		if err := model.WriteInstance(&text, all.Example(seed)); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := model.ReadInstance(bytes.NewReader(data), "fuzz")
		if err != nil {
			checkError(t, err)
			return
		}
		text := written(t, in)
		if again := reread(t, text); !same(in, again) || written(t, again) != text {
			t.Fatalf("read %s\nwrote %s\nthen %s", data, text, written(t, again))
		}
		checkFirstProcessors(t, in)
	})
}

// checkFirstProcessors checks a schedule that puts every job on the first processors of the first cluster at once.
func checkFirstProcessors(t *testing.T, in *model.Instance) {
	sol := &model.Solution{Status: model.Feasible}
	c := &in.Clusters()[0]
	for j := range in.Jobs() {
		least, _ := in.Width(j, 0)
		start := in.Jobs()[j].Arrival
		whole := model.NewProcessorSet(model.Range{First: 0, Last: min(least, c.Processors) - 1})
		end := start + in.Duration(j, 0, whole)
		if math.IsNaN(end) { // cannot run there
			end = start
		}
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: c.ID, Processors: whole, Start: start, End: end})
	}
	report := model.Check(in, sol)
	for _, v := range report.Violations {
		if v.Code == "wrong-end" || v.Code == "foreign-processor" || v.Code == "missing-job" {
			t.Errorf("%v", v)
		}
	}
	if _, err := json.Marshal(report.Violations); err != nil {
		t.Error(err)
	}
	sol.Metrics = report.Metrics
	var text bytes.Buffer
	if err := model.WriteSolution(&text, sol); err != nil {
		t.Error(err)
	}
	if _, err := model.ReadSolution(&text, "written"); err != nil {
		t.Error(err)
	}
}

// FuzzReadSolution demands that what is not a solution gives an error and no panic, and that what is can be written, read
// again and is the same.
func FuzzReadSolution(f *testing.F) {
	addSolutions(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		sol, err := model.ReadSolution(bytes.NewReader(data), "fuzz")
		if err != nil {
			checkError(t, err)
			return
		}
		var first, second bytes.Buffer
		if err := model.WriteSolution(&first, sol); err != nil {
			t.Fatal(err)
		}
		again, err := model.ReadSolution(bytes.NewReader(first.Bytes()), "written")
		if err != nil {
			t.Fatalf("read %s\nwrote %s\n%v", data, first.String(), err)
		}
		if err := model.WriteSolution(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("wrote %s\nthen %s, %v", first.String(), second.String(), err)
		}
	})
}

// addSolutions adds solutions as seeds.
func addSolutions(f *testing.F) {
	in, full := rich(f), richSolution()
	evaluation := evaluated(f, in, full)
	full.Metrics, full.Objective, full.Bound = evaluation.Metrics, &evaluation.Objective, model.ProvedBound(1)
	full.Parameters = map[string]any{"number": 1.5, "text": "x", "truth": true}
	full.Stats = &model.Stats{Evaluations: 3, Elapsed: 0.5}
	queue := ggone(f, 0.3)
	for _, sol := range []*model.Solution{full, richSolution(), assignment(queue, "112", []float64{0.2, 0.1}), {Status: model.Infeasible}} {
		var text bytes.Buffer
		if err := model.WriteSolution(&text, sol); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
}

// FuzzCheck demands that any solution can be checked and evaluated against any instance, and the report written.
func FuzzCheck(f *testing.F) {
	addSolutions(f)
	instances := []*model.Instance{rich(f), ggone(f, 0.4)}
	f.Fuzz(func(t *testing.T, data []byte) {
		sol, err := model.ReadSolution(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		for _, in := range instances {
			report := model.Check(in, sol)
			if _, err := json.Marshal(report.Violations); err != nil {
				t.Errorf("violations: %v", err)
			}
			if _, err := json.Marshal(report.Metrics); err != nil {
				t.Errorf("metrics: %v", err)
			}
			for _, v := range report.Violations {
				if v.Error() == "" || v.Code == "" || v.Message == "" {
					t.Errorf("empty: %+v", v)
				}
			}
			evaluation, err := model.Evaluate(in, sol)
			if err == nil && evaluation.Objective != report.Objective {
				t.Errorf("objective %v of Evaluate, %v of Check", evaluation.Objective, report.Objective)
			}
		}
	})
}

// FuzzParseProcessorSet demands that a text is refused or is a set that its own text gives again.
func FuzzParseProcessorSet(f *testing.F) {
	for _, text := range []string{"0", "0-3,7", "5-6,1-2", "0-2147483647", "1-", "", "00,1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := model.ParseProcessorSet(text)
		if err != nil {
			return
		}
		again, err := model.ParseProcessorSet(set.String())
		if err != nil || again.String() != set.String() || set.Len() < 1 || set.Min() < 0 || set.Max() < set.Min() {
			t.Errorf("%q is %v, then %v, %v", text, set, again, err)
		}
	})
}
