package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// smallEvaluations is the budget of a run of smallSuite.
func smallEvaluations() int64 { return int64(race.Fewer(3000, 300)) }

// smallSuite has runs of a few milliseconds. Their only limit is in evaluations, so that rows can be compared.
func smallSuite() string {
	return fmt.Sprintf(`{
 "format": "allot-suite/1", "name": "small",
 "instances": [{"generate": "muscle", "parameters": {"jobs": [8, 20]}, "seeds": 3}],
 "solvers": ["minmin", "muscle+titan", {"solver": "search", "label": "search, one core"}],
 "seeds": 3, "budget": {"evaluations": %d}, "trace": true
}`, smallEvaluations())
}

// rowsOf returns the rows of a run folder by their key, without the times, which may differ.
func rowsOf(t *testing.T, dir string) map[string]Row {
	t.Helper()
	rows, err := ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]Row{}
	for _, row := range rows {
		row.Elapsed = 0
		for k := range row.Incumbents {
			row.Incumbents[k].Elapsed = 0
		}
		byKey[row.Key] = row
	}
	if len(byKey) != len(rows) {
		t.Fatalf("%d rows of %d cells", len(rows), len(byKey))
	}
	return byKey
}

// undisturbed runs the suite in a new folder.
func undisturbed(t *testing.T, path string, jobs int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Jobs: jobs}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// smallRows are the rows of the small suite that runs one after the other, undisturbed. The tests share them.
var smallRows = func() func(t *testing.T) map[string]Row {
	var once sync.Once
	var rows map[string]Row
	return func(t *testing.T) map[string]Row {
		t.Helper()
		once.Do(func() { rows = rowsOf(t, undisturbed(t, writeSuite(t, smallSuite()), 1)) })
		return rows
	}
}()

// sameRows compares rows with those of a folder.
func sameRows(t *testing.T, what string, want map[string]Row, found string) {
	t.Helper()
	if diff := cmp.Diff(want, rowsOf(t, found)); diff != "" {
		t.Errorf("%s: other rows (-expected +found)\n%s", what, diff)
	}
}

// The rows depend neither on the number of runs at the same time nor on the other entries of the suite.
func TestRowsAreTheSameWithMoreJobs(t *testing.T) {
	path := writeSuite(t, smallSuite())
	rows := smallRows(t)
	sameRows(t, "four at a time", rows, undisturbed(t, path, 4))
	if len(rows) != 6*3*3 {
		t.Errorf("%d rows, expected 54", len(rows))
	}
	for _, row := range rows {
		if row.Fault != "" || row.Objective == nil || row.Group == "" || row.Version == "" || row.MaxEvals != smallEvaluations() || row.Workers != 1 || row.Jobs == 0 || len(row.Incumbents) == 0 {
			t.Errorf("a row lacks something: %+v", row)
		}
		if (row.Solver == "search, one core") != (row.Algorithm == "search") {
			t.Errorf("the solver %q is called %q", row.Algorithm, row.Solver)
		}
	}
}

// A run that is killed three times at random moments and goes on each time ends with the rows of an undisturbed run.
func TestKilledRunGoesOn(t *testing.T) {
	path, want := writeSuite(t, smallSuite()), smallRows(t)
	total := len(want)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for kill := range 3 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), runSuite+"="+path, runInto+"="+dir)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = child.Wait() // it is killed
			close(ended)
		}()
		least := linesOf(dir) + rng.IntN(total/4)
		for running := true; running && linesOf(dir) < least; {
			select {
			case <-ended:
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(time.Duration(rng.IntN(20_000)) * time.Microsecond)
		_ = child.Process.Kill() // it may have ended
		<-ended
		t.Logf("killed with %d of %d rows (%d)", linesOf(dir), total, kill)
	}
	if err := os.WriteFile(filepath.Join(dir, bestFolder, ".allot-0"), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	sameRows(t, "killed", want, dir)
	for _, dir := range []string{dir, filepath.Join(dir, bestFolder)} {
		if left, _ := filepath.Glob(filepath.Join(dir, ".allot-*")); len(left) > 0 {
			t.Errorf("what was half-written is still there: %q", left)
		}
	}
}

// linesOf counts the rows written so far.
func linesOf(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, rowsFile))
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte("\n"))
}

// If the last line is cut off anywhere, its cell is run again, and no other is.
func TestTornLine(t *testing.T) {
	path := writeSuite(t, strings.Replace(smallSuite(), "[8, 20]", "8", 1))
	undisturbed := undisturbed(t, path, 2)
	want := rowsOf(t, undisturbed)
	whole, err := os.ReadFile(filepath.Join(undisturbed, rowsFile))
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for _, keep := range []int{last, last + 1, last + 10, (last + len(whole)) / 2, len(whole) - 1, len(whole)} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, rowsFile), whole[:keep], 0o666); err != nil {
			t.Fatal(err)
		}
		if rows, err := ReadRows(dir); err != nil || len(rows) < 26 {
			t.Errorf("cut at byte %d: %d rows, %v; a torn line is no error", keep-last, len(rows), err)
		}
		if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		sameRows(t, "torn", want, dir)
		text, err := os.ReadFile(filepath.Join(dir, rowsFile))
		if err != nil || !bytes.HasPrefix(text, whole[:last]) || bytes.Count(text, []byte("\n")) != 27 {
			t.Errorf("cut at byte %d: the rows before were touched, or there are too many: %v", keep-last, err)
		}
	}
	dir := t.TempDir() // a killed run cannot damage a line in the middle, so this is an error
	if err := os.WriteFile(filepath.Join(dir, rowsFile), append([]byte("{\"key\":\n"), whole...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), rowsFile+":1: ") {
		t.Errorf("a corrupt line: %v, expected an error that names it", err)
	}
}

// Two runners cannot use a folder at the same time.
func TestLock(t *testing.T) {
	plan := planOf(t, smallSuite())
	dir := t.TempDir()
	folder, err := openRun(t.Context(), plan, RunOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), plan, RunOptions{Dir: dir}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v, expected %v", err, ErrBusy)
	}
	if err := folder.close(); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), plan, RunOptions{Dir: dir}); err != nil {
		t.Errorf("after the first run: %v", err)
	}
}

// A run may go on in a folder with more cells. With other cells it may do so only if it is told to.
func TestOtherSuiteInTheFolder(t *testing.T) {
	const some = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}, "group": "g"}], "solvers": ["minmin"]}`
	dir := t.TempDir()
	run := func(text string, mixed bool) error {
		return runOf(t.Context(), writeSuite(t, text), RunOptions{Dir: dir, Mixed: mixed})
	}
	if err := run(some, false); err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(some, `["minmin"]`, `["minmin", "mct"]`, 1)
	if err := run(more, false); err != nil || len(rowsOf(t, dir)) != 2 {
		t.Errorf("more cells: %v and %d rows, expected 2", err, len(rowsOf(t, dir)))
	}
	for what, other := range map[string]string{
		"fewer cells":   some,
		"another limit": strings.Replace(more, `"x",`, `"x", "budget": {"evaluations": 7},`, 1),
		"another label": strings.Replace(more, `"minmin"`, `{"solver": "minmin", "label": "other"}`, 1),
		"another group": strings.Replace(more, `"g"`, `"h"`, 1),
	} {
		if err := run(other, false); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), rowsFile+":") {
			t.Errorf("%s: %v, expected %v and the line", what, err, ErrOtherRun)
		}
	}
	path := filepath.Join(dir, rowsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := bytes.ReplaceAll(text, []byte(`"version":"`+solve.Version()+`"`), []byte(`"version":"v0.0.1"`))
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(more, false); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), "v0.0.1") {
		t.Errorf("another version: %v, expected %v", err, ErrOtherRun)
	}
	if err := run(strings.Replace(more, `"x",`, `"x", "budget": {"evaluations": 7},`, 1), true); err != nil || len(rowsOf(t, dir)) != 4 {
		t.Errorf("mixed: %v and %d rows, expected 4", err, len(rowsOf(t, dir)))
	}
}

// A solver's mistake becomes the fault of its row, and the other solvers go on.
func TestFaultsAreRows(t *testing.T) {
	path := writeSuite(t, `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}],
 "solvers": ["minmin", {"solver": "broken", "label": "{way}", "parameters": {"way": ["panic", "error", "wrong", "nothing"]}}]}`)
	dir := undisturbed(t, path, 2)
	rows := map[string]Row{}
	for _, row := range rowsOf(t, dir) {
		rows[row.Solver] = row
	}
	for solver, want := range map[string]string{
		"minmin": "", "nothing": "", "error": "no luck",
		"panic": "panic: runtime error: index out of range [3] with length 0 at main_test.go:",
		"wrong": "refused by the checker: ",
	} {
		row := rows[solver]
		if !strings.HasPrefix(row.Fault, want) || (want == "") != (row.Fault == "") {
			t.Errorf("%s: the fault is %q, expected %q", solver, row.Fault, want)
		}
		if (row.Kind == WrongSchedule) != (solver == "wrong") {
			t.Errorf("%s: the kind of the fault is %d", solver, row.Kind)
		}
		if (row.Objective != nil) != (solver == "minmin") {
			t.Errorf("%s: the objective is %v", solver, row.Objective)
		}
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err != nil || len(rowsOf(t, dir)) != 5 {
		t.Errorf("a second time: %v and %d rows", err, len(rowsOf(t, dir)))
	}
}

// A cell that the user interrupts has no row, and the same call runs it again.
func TestInterruptedRun(t *testing.T) {
	plan := planOf(t, smallSuite())
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := Progress{}
	err := Run(ctx, plan, RunOptions{Dir: dir, Jobs: 2, Progress: func(p Progress) {
		if last = p; p.Done >= 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected %v", err, context.Canceled)
	}
	if n := len(rowsOf(t, dir)); n < 20 || n > 21 {
		t.Errorf("%d rows, expected 20, or 21 where one ended at the same time", n)
	}
	if last.Total != 54 || last.Left <= 0 || len(last.Running) == 0 {
		t.Errorf("the progress says %+v", last)
	}
	first := -1
	err = Run(t.Context(), plan, RunOptions{Dir: dir, Jobs: 2, Progress: func(p Progress) {
		if first < 0 {
			first = p.Done
		}
	}})
	if err != nil || first < 20 {
		t.Errorf("%v; it goes on at %d", err, first)
	}
	if lines := linesIn(t, dir); lines != 54 {
		t.Errorf("%d rows of 54 runs", lines)
	}
	sameRows(t, "interrupted", smallRows(t), dir)
}

// An instance whose file has changed since the plan ends the run.
func TestChangedInstance(t *testing.T) {
	path := writeSuite(t, `{"format": "allot-suite/1", "name": "x", "instances": [{"files": ["in*.json"]}], "solvers": ["minmin"]}`)
	file := filepath.Join(filepath.Dir(path), "in.json")
	write := func(jobs string) {
		text := `{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m"}]}], "jobs": [` + jobs + `]}`
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"id": "a", "work": 1}`)
	suite, err := ReadSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(`{"id": "a", "work": 2}`)
	if err := Run(t.Context(), plan, RunOptions{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "changed since the run was planned") {
		t.Errorf("%v, expected an error that says so", err)
	}
}

// The file suite.json of a run folder is enough to make the instances again and to find the best schedules.
func TestReadRun(t *testing.T) {
	dir := undisturbed(t, writeSuite(t, smallSuite()), 2)
	run, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Cells != 54 || len(run.Instances) != 6 || run.Suite.Name != "small" || run.Best != filepath.Join(dir, bestFolder) {
		t.Errorf("found %d cells, %d instances, suite %q, best in %s", run.Cells, len(run.Instances), run.Suite.Name, run.Best)
	}
	known, err := run.Known(func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	best := map[[2]string]model.Rank{}
	for _, row := range rows {
		at := [2]string{row.InstanceSHA256, row.Minimised}
		if _, met := best[at]; !met {
			best[at] = model.NoRank()
		}
		if row.Objective == nil {
			continue
		}
		if rank := model.NewRank(row.Left, *row.Objective); rank.Better(best[at]) {
			best[at] = rank
		}
	}
	if len(known) != 6 || len(best) != 6 {
		t.Fatalf("%d solutions and %d best rows of 6 instances", len(known), len(best))
	}
	for _, row := range known {
		if best[[2]string{row.InstanceSHA256, row.Minimised}] != model.NewRank(row.Left, *row.Objective) {
			t.Errorf("%s: the best row and the best solution differ", row.Instance)
		}
	}
	for _, other := range []string{"{}", "", `{"format": "allot-run/2"}`} {
		if err := os.WriteFile(filepath.Join(dir, runFile), []byte(other), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRun(dir); err == nil || !strings.Contains(err.Error(), runFile+": ") {
			t.Errorf("%q: %v, expected an error", other, err)
		}
	}
}
