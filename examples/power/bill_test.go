// Package power compares what two policies cost on a trace with a second computation in Python, bill.py.
package power

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

const (
	trace = "../../data/swf/KTH-SP2-1996-2.swf.gz"
	table = "../../data/tariff/generated.csv"
)

// open opens a file, packed or not.
func open(t *testing.T, path string) io.Reader {
	t.Helper()
	file, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// bought is the trace with prices, and machines of 100 W that take 200 W more when they are busy.
func bought(t *testing.T) *model.Instance {
	t.Helper()
	in, _, err := swf.NewReader().Read(open(t, trace), trace)
	if err != nil {
		t.Fatal(err)
	}
	spec := in.Spec()
	for g := range spec.Clusters[0].Machines {
		spec.Clusters[0].Machines[g].Power = &model.PowerSpec{Idle: 100, Busy: 200}
	}
	if in, err = model.New(spec); err != nil {
		t.Fatal(err)
	}
	series, err := tariff.Read(open(t, table), table, tariff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if in, err = series.Join(in, false, tariff.Joined{}); err != nil {
		t.Fatal(err)
	}
	return in
}

// TestSecondComputation: the start of every job of a real trace, and with them costs, energy, waits and savings, are those that a program finds that shares no code
// with allot, reading included: under EASY, and where jobs wait up to six hours for a cheaper start.
func TestSecondComputation(t *testing.T) {
	interpreter := needs.Program(t, "python3")
	if _, err := os.ReadFile("bill.py"); err != nil { // go test repeats a stored result unless the test itself reads what has changed
		t.Fatal(err)
	}
	command := exec.Command(interpreter, "bill.py", trace, table, "100", "200", "6")
	var wrong bytes.Buffer
	command.Stderr = &wrong
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &wrong)
	}
	var second []struct {
		Cost, Energy, Jobs, Wait float64
		Starts                   map[string]float64
	}
	if err := json.Unmarshal(out, &second); err != nil {
		t.Fatal(err)
	}

	in := bought(t)
	var runs []lab.Run
	for _, name := range []string{"easy", "easy:price_budget=6h"} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, lab.Run{Policy: name, Online: true, Solution: result.Solution})
	}
	usual, known := lab.Defaults().In(in.Units().Time)
	if !known {
		t.Fatal("the unit of time is not known")
	}
	report, err := lab.Compare(t.Context(), in, runs, usual)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v, second %v", name, got, want)
		}
	}
	for k, run := range runs {
		if len(second[k].Starts) != len(run.Solution.Jobs) || len(run.Solution.Jobs) < 28_000 {
			t.Fatalf("%s: %d jobs, second %d", run.Policy, len(run.Solution.Jobs), len(second[k].Starts))
		}
		for _, p := range run.Solution.Jobs {
			if start := second[k].Starts[p.Job]; start != p.Start {
				t.Fatalf("%s: job %s starts at %v, second %v", run.Policy, p.Job, p.Start, start)
			}
		}
		p := &report.Groups[0].Policies[k]
		same(run.Policy+": cost", *p.Power.Cost, second[k].Cost)
		same(run.Policy+": energy", p.Power.Energy, second[k].Energy)
		same(run.Policy+": mean wait", p.Classes[0].Wait.Mean, second[k].Wait)
	}
	same("saving", *report.Groups[0].Policies[0].Power.Cost-*report.Groups[0].Policies[1].Power.Cost, second[0].Cost-second[1].Cost)
	ratio := report.Groups[0].Policies[1].Power.CostDifference.Ratio
	if ratio == nil {
		t.Fatal("the ratio of the jobs' costs is not known")
	}
	same("ratio of what jobs cost while they run", *ratio, second[1].Jobs/second[0].Jobs)
}
