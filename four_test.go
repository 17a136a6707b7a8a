package allot_test

import (
	"compress/gzip"
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// fourRecord holds the rows that the tables of docs/four.md and of the README are made of. The figures that only the clock changes are those of the machine that
// the page names.
const fourRecord = "bench/suites/four.rows.jsonl.gz"

var fourRun = flag.String("four", "", "with -update: run folder of bench/suites/four.json whose rows become the record")

// fourPlan is the plan of the suite.
func fourPlan(t *testing.T) *bench.Plan {
	t.Helper()
	suite, err := bench.ReadSuite("bench/suites/four.json")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// fourRows are the rows of the record, in the order of the plan.
func fourRows(t *testing.T, plan *bench.Plan) []bench.Row {
	t.Helper()
	if *update && *fourRun != "" {
		recordFour(t)
	}
	rows, err := bench.ReadRows(fourRecord)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Own(rows)
}

// recordFour writes the record from a run folder: its rows without the metrics, which no table shows.
func recordFour(t *testing.T) {
	t.Helper()
	rows, err := bench.ReadRows(*fourRun)
	if err != nil {
		t.Fatal(err)
	}
	for k := range rows {
		rows[k].Metrics, rows[k].MeanArrival, rows[k].Version = nil, 0, ""
	}
	slices.SortFunc(rows, func(a, b bench.Row) int { return strings.Compare(a.Key, b.Key) })
	file, err := os.Create(fourRecord)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	for _, err := range []error{bench.WriteJSON(packed, rows), packed.Close(), file.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// fourParts are the generated parts of the pages that show the suite.
func fourParts(t *testing.T) []part {
	t.Helper()
	plan := fourPlan(t)
	runs := []report.Run{{Name: "four", File: &bench.RunFile{Suite: *plan.Suite, Cells: len(plan.Cells), Instances: plan.Instances}, Rows: fourRows(t, plan)}}
	summary := func(solvers ...string) string {
		var text strings.Builder
		if err := report.WriteSummary(&text, runs, report.SummaryOptions{Against: "minmin", Solvers: solvers}); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	var tables, skipped strings.Builder
	if err := report.WriteTable(&tables, runs, report.Markdown); err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Skipped {
		skipped.WriteString("- " + s.String() + "\n")
	}
	table, _, _ := strings.Cut(summary("muscle", "titan", "mts", "ggone", "minmin", "search"), "\n\n") // the page has what follows in words
	parts := []part{
		{"README.md", "four", table + "\n"},
		{"docs/four.md", "four", summary()},
		{"docs/four.md", "tables", tables.String()},
	}
	if !withHighs() { // the page has what the pure build skips
		parts = append(parts, part{"docs/four.md", "skipped", skipped.String()})
	}
	return parts
}

// withHighs says whether this build has HiGHS.
func withHighs() bool {
	info, err := solve.Lookup("ggone-milp")
	return err == nil && info.Absent == ""
}

// The record has a row for each run of the suite, as it is planned now, and none has failed. The runs on the smallest batches, made again, give the same.
func TestFourRecord(t *testing.T) {
	race.OneGoroutine(t)
	if withHighs() {
		t.Skip("the record is of the pure build")
	}
	plan := fourPlan(t)
	rows := fourRows(t, plan)
	if len(plan.Instances) != 200 || len(rows) != len(plan.Cells) {
		t.Fatalf("%d instances, %d rows of %d runs; make four RECORD=1 measures again", len(plan.Instances), len(rows), len(plan.Cells))
	}
	recorded, smallest := map[string]*bench.Row{}, plan.Instances[0].Jobs
	for k := range rows {
		if recorded[rows[k].Key] = &rows[k]; rows[k].Fault != "" {
			t.Errorf("%s on %s: %s", rows[k].Solver, rows[k].Instance, rows[k].Fault)
		}
		smallest = min(smallest, rows[k].Jobs)
	}
	plan.Cells = slices.DeleteFunc(plan.Cells, func(c bench.Cell) bool {
		return plan.Instances[c.Instance].Jobs > smallest || testing.Short() && c.Instance%9 > 0
	})
	dir := filepath.Join(t.TempDir(), "run")
	if err := bench.Run(context.Background(), plan, bench.RunOptions{Dir: dir, Jobs: runtime.GOMAXPROCS(0)}); err != nil {
		t.Fatal(err)
	}
	again, err := bench.ReadRows(dir)
	if err != nil || len(again) != len(plan.Cells) {
		t.Fatalf("%d rows of %d runs: %v", len(again), len(plan.Cells), err)
	}
	for k := range again {
		now, then := &again[k], recorded[again[k].Key]
		if !same(now.Objective, then.Objective) || now.Bound != then.Bound || now.Left != then.Left {
			t.Errorf("%s on %s: objective %s and bound %v, recorded %s and %v; make four RECORD=1 measures again", now.Solver, now.Instance,
				optional(now.Objective), now.Bound, optional(then.Objective), then.Bound)
		}
	}
}

// same compares two figures that may be missing, but for the rounding of other processors.
func same(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return !model.NewRank(0, *a).Better(model.NewRank(0, *b)) && !model.NewRank(0, *b).Better(model.NewRank(0, *a))
}

// optional is a figure that may be missing.
func optional(x *float64) string {
	if x == nil {
		return "none"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
