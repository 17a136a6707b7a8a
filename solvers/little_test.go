package solvers

import (
	"testing"

	"github.com/allot-opt/allot/formats"
	_ "github.com/allot-opt/allot/formats/swf" // its reader
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// Data that bind a little make the answer at most a little worse: the first 1,000 jobs of a trace with one thing added that changes few of their schedules. What they cost
// is tested beside the engine that searches most of them.
func TestLittleThatBinds(t *testing.T) {
	race.OneGoroutine(t)
	alone := littleAnswer(t, littleTrace(t))
	for k, a := range testkit.Little {
		if k%race.Fewer(1, 4) != 0 {
			continue
		}
		in := testkit.With(littleTrace(t), a)
		if in == nil {
			t.Fatalf("no room for %s", a.Name)
		}
		if objective := littleAnswer(t, in); objective > 1.02*alone {
			t.Errorf("%s: bounded slowdown %v, %v without", a.Name, objective, alone)
		}
	}
}

// littleTrace is the first 1,000 jobs of a trace, on one cluster.
func littleTrace(t *testing.T) *model.Instance {
	t.Helper()
	info, known := formats.Named("swf")
	if !known {
		t.Fatal("no reader of traces")
	}
	const file = "KTH-SP2-1996-2.swf.gz"
	reader := info.New()
	if err := params.Set(reader, "jobs", "1000"); err != nil {
		t.Fatal(err)
	}
	in, _, err := reader.Read(realdata.Open(t, "swf", file), file)
	if err != nil {
		t.Fatal(err)
	}
	if in, err = in.WithObjective(map[string]float64{"bounded_slowdown": 1}); err != nil {
		t.Fatal(err)
	}
	return in
}

// littleAnswer is the objective of the default answer after some evaluations.
func littleAnswer(t *testing.T, in *model.Instance) float64 {
	t.Helper()
	choice, err := solve.Choose("auto")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1, MaxEvals: 300, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return *result.Solution.Objective
}
