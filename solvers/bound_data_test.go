package solvers_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// tightStripPackings counts the strip packings whose best height is proved optimal without contiguity, and those of them of which
// the bound is that height.
func tightStripPackings(t testing.TB) (proved, reached int) {
	for _, row := range records(t, "strip_packing", "best_known.csv") {
		if row[8] != "yes" {
			continue
		}
		in, _, err := (&jobcsv.Reader{Processors: int(number(t, row[3])), Cluster: "cluster"}).Read(realdata.Open(t, "strip_packing", row[0], row[1]+".csv"), row[1])
		if err != nil {
			t.Fatal(err)
		}
		proved++
		if best := number(t, row[7]); lowerBound(in) >= best*(1-1e-9) {
			reached++
		}
	}
	return proved, reached
}

func TestBoundIsTheOptimumOfStripPackings(t *testing.T) {
	proved, reached := tightStripPackings(t)
	t.Logf("%d of %d", reached, proved)
	if 10*reached < 9*proved {
		t.Errorf("the bound is the optimum of %d of %d, expected nine in ten", reached, proved)
	}
}

// workflowGains calls yield for each workflow on 4, 16 and 64 processors with its bound and the larger of its critical path and its
// area over the processors, to three decimals.
func workflowGains(t testing.TB, yield func(name string, processors int, found, plain float64)) {
	for _, row := range records(t, "wfformat", "summary.csv") {
		for _, processors := range []int{4, 16, 64} {
			in, _, err := (&wfformat.Reader{Processors: processors, Cluster: "cluster", MissingRuntime: "keep"}).Read(realdata.Open(t, "wfformat", row[0]), row[0])
			if err != nil {
				t.Fatal(err)
			}
			yield(row[0], processors, lowerBound(in), max(number(t, row[6]), number(t, row[5])/float64(processors)))
		}
	}
}

func TestBoundOfWorkflows(t *testing.T) {
	race.OneGoroutine(t)
	sum, loose := 0.0, 0
	workflowGains(t, func(name string, processors int, found, plain float64) {
		if found < plain-0.0005 {
			t.Errorf("%s on %d: %v, weaker than %v", name, processors, found, plain)
		}
		if gain := found/plain - 1; gain > 1e-4 {
			sum, loose = sum+gain, loose+1
			t.Logf("%s on %d: %v, %.2f %% above the plain bounds", name, processors, found, 100*gain)
		}
	})
	if loose == 0 || sum/float64(loose) < 0.01 {
		t.Errorf("%d better, by %.2f %% on average: expected 1 %%", loose, 100*sum/float64(max(1, loose)))
	}
}

// The schedules beside the best known values of mcp are right and cost as much as the table says.
func TestBestKnownSchedules(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(realdata.Path(t, "mcp", "best"), "*.sol.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %v: %v", paths, err)
	}
	for _, row := range records(t, "mcp", "best_known.csv") {
		path := filepath.Join(realdata.Path(t, "mcp", "best"), row[0]+".sol.json")
		if !slices.Contains(paths, path) {
			continue
		}
		in, err := model.ReadInstanceFile(realdata.Path(t, "mcp", row[0]+".json"))
		if err != nil {
			t.Fatal(err)
		}
		sol, err := model.ReadSolutionFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); len(report.Violations) > 0 {
			t.Errorf("%s: %v", row[0], report.Violations)
		}
		e, err := model.Evaluate(in, sol)
		if err != nil || math.Abs(e.Objective-number(t, row[2])) > 1e-6 {
			t.Errorf("%s: %v, %v; the table says %s", row[0], e.Objective, err, row[2])
		}
	}
}
