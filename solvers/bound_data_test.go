package solvers_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
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

// The schedules beside the best known values are right and cost as much as the tables say; each belongs to a row.
func TestBestKnownSchedules(t *testing.T) {
	matrix := func(t *testing.T, name string) (*model.Instance, error) {
		in, _, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", name+".gz"), name)
		return in, err
	}
	project := func(t *testing.T, name string) (*model.Instance, error) {
		in, _, err := rcpsp.NewReader().Read(realdata.Open(t, "rcpsp", "RG300", name+".txt.gz"), name+".txt")
		return in, err
	}
	batch := func(t *testing.T, name string) (*model.Instance, error) {
		return model.ReadInstanceFile(realdata.Path(t, "mcp", name+".json"))
	}
	for _, c := range []struct {
		folder, suffix          string
		name, column, published string // columns of the table: of the instance, of our value and of the published one, which ours is below
		read                    func(*testing.T, string) (*model.Instance, error)
	}{
		{"mcp", ".sol.json", "instance", "best_known", "", batch},
		{"braun_etc", ".sol.json.gz", "instance", "best_schedule_here", "best_known_MS", matrix},
		{"rcpsp", ".sol.json.gz", "psplib_name", "best_schedule_here", "ub", project},
	} {
		files, err := os.ReadDir(realdata.Path(t, c.folder, "best"))
		if err != nil {
			t.Fatal(err)
		}
		stored, proved := map[string]bool{}, map[string]bool{}
		for _, f := range files {
			if name, isProof := strings.CutSuffix(f.Name(), ".proof.json"); isProof {
				proved[name] = true
			} else {
				stored[strings.TrimSuffix(f.Name(), c.suffix)] = true
			}
		}
		checked := 0
		for _, row := range realdata.Table(t, c.folder, "best_known.csv") {
			name := row[c.name]
			if !stored[name] {
				continue
			}
			checked++
			in, err := c.read(t, name)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := model.ReadSolutionFile(realdata.Path(t, c.folder, "best", name+c.suffix))
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, sol); len(report.Violations) > 0 {
				t.Errorf("%s: %v", name, report.Violations)
			}
			e, err := model.Evaluate(in, sol)
			if want := row.Number(t, c.column); err != nil || math.Abs(e.Objective-want) > 1e-6 {
				t.Errorf("%s: %v, %v; the table says %v", name, e.Objective, err, want)
			}
			if c.published != "" && e.Objective >= row.Number(t, c.published) {
				t.Errorf("%s: %v, no better than the published %s", name, e.Objective, row[c.published])
			}
			if proved[name] {
				certificate, err := proof.ReadFile(realdata.Path(t, c.folder, "best", name+".proof.json"))
				if err != nil {
					t.Fatal(err)
				}
				if report := proof.Check(t.Context(), in, certificate); report.Verdict != proof.Verified || !e.Proves(certificate.Bound) {
					t.Errorf("%s: %+v; the schedule costs %v, the certificate states %v", name, report, e.Objective, certificate.Bound)
				}
				delete(proved, name)
			}
		}
		if checked == 0 || checked != len(stored) || len(proved) > 0 {
			t.Errorf("%s: %d schedules checked of %d; certificates without a schedule: %v", c.folder, checked, len(stored), proved)
		}
	}
}
