package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/claim"
)

// foreignClaim writes the claim of a cell by a program on another host that was silent for a while.
func foreignClaim(t *testing.T, dir, key string, silent time.Duration) (path string) {
	t.Helper()
	folder := filepath.Join(dir, claimsFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claim.Holder{Token: "other", Host: "elsewhere", Machine: "another boot", PID: 1, Beat: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, key)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-silent)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// Four programs share the cells of a suite. Two are killed and the others run what those had claimed: the rows are those of a local run, none is there twice.
func TestStealFromTheKilled(t *testing.T) {
	path, dir := writeSuite(t, smallSuite()), t.TempDir()
	want := smallRows(t)
	var children []*exec.Cmd
	for range 4 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), runSuite+"="+path, runInto+"="+dir, runStealing+"=1")
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, child)
	}
	lines := 0
	for deadline := time.Now().Add(time.Minute); lines < 5 && time.Now().Before(deadline); lines, _ = linesSoFar(t, dir) {
		time.Sleep(time.Millisecond)
	}
	for k, child := range children {
		if k < 2 {
			_ = child.Process.Kill() // it may have ended
		}
	}
	t.Logf("killed with at least %d of 54 rows", lines)
	for k, child := range children {
		if err := child.Wait(); err != nil && k >= 2 {
			t.Error(err)
		}
	}
	sameRows(t, "two of four killed", want, dir)
}

// A claim of a host that died is taken over; its cell runs once.
func TestStealFromAnotherHost(t *testing.T) {
	path, dir := writeSuite(t, oneSuite), t.TempDir()
	plan := planOf(t, oneSuite)
	foreignClaim(t, dir, plan.Cells[0].Key, time.Hour)
	foreignClaim(t, dir, plan.Cells[1].Key, 0) // this one will be found dead later
	began := time.Now()
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Steal: true, Stale: 300 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d < 200*time.Millisecond {
		t.Errorf("the claim of a host that had just given a sign was taken over after %s", d)
	}
	sameRows(t, "claims of a host that died", rowsOf(t, undisturbed(t, path, 1)), dir)
	if lines := linesIn(t, dir); lines != 2 {
		t.Errorf("%d rows", lines)
	}
}

// What another program runs is waited for: once it has a row, nothing is left to do.
func TestStealWaits(t *testing.T) {
	path, dir := writeSuite(t, oneSuite), t.TempDir()
	plan := planOf(t, oneSuite)
	other := undisturbed(t, path, 1)
	text, err := os.ReadFile(filepath.Join(other, rowsFile))
	if err != nil {
		t.Fatal(err)
	}
	held := foreignClaim(t, dir, plan.Cells[0].Key, 0)
	var group sync.WaitGroup
	group.Go(func() {
		time.Sleep(100 * time.Millisecond)
		line, _, _ := strings.Cut(string(text), "\n")
		if err := os.WriteFile(filepath.Join(dir, "rows-w9.jsonl"), []byte(line+"\n"), 0o666); err != nil {
			t.Error(err)
		}
		if err := os.Remove(held); err != nil {
			t.Error(err)
		}
	})
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Steal: true}); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if lines := linesIn(t, dir); lines != 2 || len(rowsOf(t, dir)) != 2 {
		t.Errorf("%d rows, expected each cell once", lines)
	}
}

// A cell whose row comes between the look at the rows and the claim is not run again: of many short cells that eight programs claim, none runs twice.
func TestStealOnce(t *testing.T) {
	const suite = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}, "seeds": 80}], "solvers": ["minmin", "mct", "olb"]}`
	plan, dir := planOf(t, suite), t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := Run(t.Context(), plan, RunOptions{Dir: dir, Steal: true, Bare: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if lines := linesIn(t, dir); lines != len(plan.Cells) {
		t.Errorf("%d rows of %d cells", lines, len(plan.Cells))
	}
}

// A program that was held up for long, and has lost its claim to another, writes no row of that cell. It waits for the row of the other one.
func TestStolenMeanwhile(t *testing.T) {
	plan, dir := planOf(t, oneSuite), t.TempDir()
	text, err := os.ReadFile(filepath.Join(undisturbed(t, writeSuite(t, oneSuite), 1), rowsFile))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	stolen := false
	err = Run(t.Context(), plan, RunOptions{Dir: dir, Steal: true, Progress: func(Progress) {
		if stolen {
			return
		}
		stolen = true
		for k := range plan.Cells {
			if path := filepath.Join(dir, claimsFolder, plan.Cells[k].Key); exists(path) {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
				foreignClaim(t, dir, plan.Cells[k].Key, 0)
				group.Go(func() {
					time.Sleep(100 * time.Millisecond)
					line := strings.SplitAfter(string(text), "\n")[k]
					if err := os.WriteFile(filepath.Join(dir, "rows-w9.jsonl"), []byte(line), 0o666); err != nil {
						t.Error(err)
					}
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}})
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if lines := linesIn(t, dir); !stolen || lines != 2 || len(rowsOf(t, dir)) != 2 {
		t.Errorf("%d rows, expected each cell once", lines)
	}
}

// A program whose file of rows was taken over, as it was held up for long, stops: two programs do not write to one file.
func TestFileTakenOver(t *testing.T) {
	plan, dir := planOf(t, oneSuite), t.TempDir()
	lock := filepath.Join(dir, "rows-1.jsonl"+lockSuffix)
	err := Run(t.Context(), plan, RunOptions{Dir: dir, Shard: Shard{1, 2}, Progress: func(Progress) {
		if err := os.WriteFile(lock, []byte(`{"token": "other"}`), 0o666); err != nil {
			t.Error(err)
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "took this program for dead") {
		t.Errorf("%v, expected that the lock is lost", err)
	}
	if lines := linesIn(t, dir); lines != 0 {
		t.Errorf("%d rows were written to the file of another program", lines)
	}
	if !exists(lock) {
		t.Error("the lock of the other program was removed")
	}
}

// A program of another host died while it wrote to the folder of the best solutions. Who runs on waits as long as it was told, not longer, and ends when
// the user stops it.
func TestBestOfAnotherHost(t *testing.T) {
	path := writeSuite(t, oneSuite)
	for _, test := range []struct {
		what  string
		stale time.Duration // 0: the user stops it
	}{{"taken over", 200 * time.Millisecond}, {"stopped", 0}} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, bestFolder), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(foreignClaim(t, dir, "x", 0), filepath.Join(dir, bestFolder, "best"+lockSuffix)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		if test.stale == 0 {
			time.AfterFunc(100*time.Millisecond, stop)
		}
		ended := make(chan error, 1)
		go func() { ended <- runOf(ctx, path, RunOptions{Dir: dir, Stale: test.stale}) }()
		select {
		case err := <-ended:
			if test.stale > 0 && (err != nil || len(rowsOf(t, dir)) != 2) || test.stale == 0 && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", test.what, err)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s: it still waits", test.what)
		}
		stop()
	}
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A cell that its solver refuses is asked about once by each program, and stated in the run folder whoever writes there later.
func TestRefusalsOfShards(t *testing.T) {
	const suite = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}],
 "solvers": ["minmin", {"solver": "broken", "label": "picky", "parameters": {"way": "refuse"}}]}`
	path, dir := writeSuite(t, suite), t.TempDir()
	for k := range 2 {
		if err := runOf(t.Context(), path, RunOptions{Dir: dir, Shard: Shard{2 - k, 2}}); err != nil {
			t.Fatal(err)
		}
	}
	run, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Cells != 1 || len(run.Skipped) != 1 || run.Skipped[0].Solver != "picky" {
		t.Errorf("%d cells, %v is skipped", run.Cells, run.Skipped)
	}
	if missing, err := planOf(t, suite).Missing(dir, false); err != nil || len(missing) != 0 {
		t.Errorf("%v are missing: %v", missing, err)
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: t.TempDir(), Steal: true, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
}
