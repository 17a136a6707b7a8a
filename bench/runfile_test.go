package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

const oneSuite = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}], "solvers": ["minmin", "mct"]}`

// Files that do not come from a run are not changed: a suite of the user named suite.json, and a rows.jsonl without rows of a run.
func TestForeignFilesStay(t *testing.T) {
	path := writeSuite(t, oneSuite)
	for name, text := range map[string]string{
		"suite.json":   oneSuite,
		"suite.json ":  "{",
		"suite.json\t": "",
		"rows.jsonl":   "not a line that was torn",
		"rows.jsonl ":  "{\"objective\": 1",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, strings.TrimSpace(name))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := runOf(t.Context(), path, RunOptions{Dir: dir})
		if !errors.Is(err, ErrForeign) && !errors.As(err, new(*model.InputError)) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, expected an error that names it", name, err)
		}
		if found, err := os.ReadFile(file); err != nil || string(found) != text {
			t.Errorf("%s was touched: %v", name, err)
		}
	}
}

// After a row that could not be written, or only in part, no other row is written: the two would become one line.
func TestNoRowBehindOneThatFailed(t *testing.T) {
	dir := t.TempDir()
	folder, err := openRun(t.Context(), planOf(t, oneSuite), RunOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	whole := folder.rows
	if folder.rows, err = os.Open(filepath.Join(dir, rowsFile)); err != nil { // read-only, so that writing fails
		t.Fatal(err)
	}
	if err := folder.append(&Row{Key: "a"}); err == nil {
		t.Error("a row was written to a file that cannot be written")
	}
	if err := folder.rows.Close(); err != nil {
		t.Fatal(err)
	}
	folder.rows = whole
	if err := folder.append(&Row{Key: "b"}); err == nil {
		t.Error("a row was written behind one that failed")
	}
	if err := folder.close(); err != nil {
		t.Fatal(err)
	}
}

// If a solver refuses an instance only when it runs, that is not a fault: the cell has no row, the user is warned, and the run folder lists it among
// the skipped ones.
func TestRefusalsAreSkipped(t *testing.T) {
	path := writeSuite(t, `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}],
 "solvers": ["minmin", "broker", {"solver": "broken", "label": "picky", "parameters": {"way": "refuse"}}], "seeds": 3}`)
	dir := t.TempDir()
	for range 2 { // the second run asks the solver again
		var told []string
		if err := runOf(t.Context(), path, RunOptions{Dir: dir, Jobs: 2, Warn: func(text string) { told = append(told, text) }}); err != nil {
			t.Fatal(err)
		}
		if want := "picky skipped on 1 instance: unsupported: not today"; len(told) != 1 || told[0] != want {
			t.Errorf("told %q, expected %q", told, want)
		}
		if n := len(rowsOf(t, dir)); n != 3 {
			t.Errorf("%d rows, expected 3", n)
		}
		run, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		if run.Cells != 3 {
			t.Errorf("the folder says that it has %d cells, expected those 3 that are no refusals", run.Cells)
		}
		if len(run.Skipped) != 2 || run.Skipped[0].Solver != "broker" || run.Skipped[1].Solver != "picky" {
			t.Errorf("the folder says that it skips %v", run.Skipped)
		}
	}
}

// Runs end in any order. Own returns their rows in the order of the suite, without rows of other runs.
func TestOwnRows(t *testing.T) {
	plan := planOf(t, oneSuite)
	own := plan.Own([]Row{{Key: "other"}, {Key: plan.Cells[1].Key}, {Key: plan.Cells[0].Key}})
	if len(own) != 2 || own[0].Key != plan.Cells[0].Key || own[1].Key != plan.Cells[1].Key {
		t.Errorf("found %v", own)
	}
	if own := plan.Own([]Row{{Key: plan.Cells[1].Key}}); len(own) != 1 {
		t.Errorf("found %v of a run that goes on", own)
	}
}
