package solvers_test

import (
	"context"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// readTrace reads a trace as allot import swf does: requested processors first, estimates raised to the run time.
func readTrace(t testing.TB, file string, jobs int) *model.Instance {
	t.Helper()
	trace := swf.NewReader()
	trace.Jobs = jobs
	in, _, err := trace.Read(realdata.Open(t, "swf", file), file)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestEASYReference compares with the figures of easy_reference.csv, on which an independent program and two public
// simulators agree start by start. The tolerance is that of the file's digits.
func TestEASYReference(t *testing.T) {
	rows, err := csv.NewReader(realdata.Open(t, "swf", "easy_reference.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 4 {
		t.Fatalf("%d rows, expected a header and three traces or more", len(rows))
	}
	info, err := solve.Lookup("easy")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		t.Run(row[0], func(t *testing.T) {
			name, jobs := row[0], 0
			if head, first, cut := strings.Cut(name, "-first"); cut && !strings.HasSuffix(first, "jobs") {
				name = head
				if jobs, err = strconv.Atoi(first); err != nil {
					t.Fatal(err)
				}
			}
			in := readTrace(t, name+".swf.gz", jobs)
			result, err := info.New().Solve(context.Background(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Fatal(report.Violations[0])
			}
			evaluation, err := model.Evaluate(in, result.Solution)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{"jobs_kept": float64(len(in.Jobs())), "processors": float64(in.Processors())}
			for column, metric := range map[string]string{"mean_wait": "mean_wait", "mean_bounded_slowdown": "bounded_slowdown", "makespan": "makespan", "utilisation": "utilisation"} {
				got[column], _ = evaluation.Metrics.Get(metric)
			}
			got["utilisation"] /= 100
			for k, column := range rows[0][1:] {
				want, err := strconv.ParseFloat(row[k+1], 64)
				if err != nil {
					t.Fatal(err)
				}
				_, decimals, _ := strings.Cut(row[k+1], ".")
				rounding := 0.5 * math.Pow10(-len(decimals)) // the file's last digit
				if off := math.Abs(got[column] - want); off > max(1e-6*math.Abs(want), rounding*(1+1e-9)) {
					t.Errorf("%s: got %v, want %v", column, got[column], want)
				}
			}
		})
	}
}
