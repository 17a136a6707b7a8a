package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/race"
)

// sweepSuite has 200 runs, each of that many evaluations.
func sweepSuite(t *testing.T, folder string, evaluations int) (path string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, "suite.json")
	text := fmt.Sprintf(`{"format": "allot-suite/1", "name": "a sweep",
 "instances": [{"generate": "muscle", "parameters": {"jobs": [%d, %d]}, "seeds": 10}],
 "solvers": ["search", {"solver": "minmin", "seeds": 1}, {"solver": "mct", "seeds": 1}], "seeds": 8, "budget": {"evaluations": %d}}`, race.Fewer(20, 5), race.Fewer(60, 10), evaluations)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// timeless returns the rows of a run folder by their key, without times. There must be 200 lines in its files, each a row.
func timeless(t *testing.T, dir string) map[string]bench.Row {
	t.Helper()
	rows, err := bench.ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]bench.Row{}
	for _, row := range rows {
		row.Elapsed = 0
		byKey[row.Key] = row
	}
	if len(byKey) != 200 {
		t.Errorf("%s: %d rows, expected 200", dir, len(byKey))
	}
	return byKey
}

// oneLineEach checks that the files of rows have 200 lines, each of which is a row.
func oneLineEach(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "rows*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			lines++
			if !strings.HasSuffix(line, "\n") || !json.Valid([]byte(line)) {
				t.Errorf("%s has half a row: %q", file, line)
			}
		}
	}
	if lines != 200 {
		t.Errorf("%d rows, expected 200, each once", lines)
	}
}

// allot runs the command, which has to succeed, and returns what it writes.
func allot(t *testing.T, arguments ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	command := exec.Command("allot", arguments...)
	command.Stdout, command.Stderr = &out, &errs
	command.Env = append(os.Environ(), noRaceSleep)
	if err := command.Run(); err != nil {
		t.Fatalf("allot %s: %v\n%s%s", strings.Join(arguments, " "), err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// rowsSoFar counts the rows in a run folder that others write to.
func rowsSoFar(dir string) int {
	rows, err := bench.ReadRows(dir)
	if err != nil {
		return 0
	}
	return len(rows)
}

// TestSweepBySteal: four programs claim the runs of a suite; two are killed. The others run what is left, and the rows are those of one program.
func TestSweepBySteal(t *testing.T) {
	suite, dir := sweepSuite(t, t.TempDir(), race.Fewer(1000, 100)), t.TempDir()
	whole, shared := filepath.Join(dir, "whole"), filepath.Join(dir, "shared")
	allot(t, "bench", suite, "-o", whole, "--jobs", "1")
	var programs []*exec.Cmd
	for range 4 {
		program := exec.Command("allot", "bench", suite, "-o", shared, "--jobs", "1", "--steal")
		program.Env = append(os.Environ(), noRaceSleep)
		program.Stderr = os.Stderr
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
	}
	for k, program := range programs {
		if k < 2 {
			for deadline := time.Now().Add(time.Minute); rowsSoFar(shared) < 20*(k+1) && time.Now().Before(deadline); {
				time.Sleep(5 * time.Millisecond)
			}
			_ = program.Process.Kill() // it may have ended
			_ = program.Wait()
			t.Logf("killed one with %d rows", rowsSoFar(shared))
			continue
		}
		if err := program.Wait(); err != nil {
			t.Error(err)
		}
	}
	oneLineEach(t, shared)
	if diff := cmp.Diff(timeless(t, whole), timeless(t, shared)); diff != "" {
		t.Errorf("other rows (-expected +found)\n%s", diff)
	}
}
