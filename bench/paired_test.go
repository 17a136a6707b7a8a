package bench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// pairedSuite has solvers that run on some instances only, one of them in rolling use. The solvers take the workload's seeds.
const pairedSuite = `{
 "format": "allot-suite/1", "name": "paired", "paired": true,
 "instances": [{"generate": "muscle", "parameters": {"jobs": 8}, "seeds": {"first": 7, "count": 2}, "group": "batch", "solvers": ["wrand", "dll"]},
  {"generate": "muscle", "parameters": {"jobs": 30, "rate": 0.5}, "group": "stream", "solvers": ["each 20", "each 40"]}],
 "solvers": ["wrand", "dll", {"solver": "dll+titan", "label": "each {rolling_period}", "parameters": {"rolling_period": [20, 40], "titan.coding": "list"}}]
}`

// With paired seeds, each instance is solved with the seed that made it. The solvers of a source run on that source only, and rolling use plans in
// rounds.
func TestPairedSuite(t *testing.T) {
	path := writeSuite(t, pairedSuite)
	dir := t.TempDir()
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Bare: true}); err != nil {
		t.Fatal(err)
	}
	makespans := map[string]float64{}
	count := map[string]int{}
	rows, err := ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Fault != "" {
			t.Errorf("%s: %s", row.Solver, row.Fault)
		}
		count[row.Group+" "+row.Solver]++
		makespans[row.Solver] = row.Metrics["makespan"].Total
		if row.Group == "batch" && row.Seed != 7 && row.Seed != 8 || row.Group == "stream" && row.Seed != 1 {
			t.Errorf("%s in %s runs with seed %d", row.Solver, row.Group, row.Seed)
		}
	}
	if len(rows) != 6 || count["batch wrand"] != 2 || count["batch dll"] != 2 || count["stream each 20"] != 1 || count["stream each 40"] != 1 {
		t.Errorf("rows by group and solver: %v", count)
	}
	if makespans["each 20"] == makespans["each 40"] {
		t.Errorf("both periods make %v", makespans["each 20"])
	}
	if _, err := os.Stat(filepath.Join(dir, bestFolder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a bare run keeps solutions: %v", err)
	}
	file, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if known, err := file.Known(nil); err != nil || len(known) > 0 {
		t.Errorf("a bare run knows %v, %v", known, err)
	}
}
