package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The run file says what runs were made on: an entry for each time that some were begun, none for a time that found nothing to do. A run file
// without any, as older versions wrote, is read and goes on.
func TestRunFileSaysWhatItRanOn(t *testing.T) {
	path, dir := writeSuite(t, oneSuite), t.TempDir()
	run := func(want int) []Environment {
		t.Helper()
		if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		file, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Environments) != want {
			t.Fatalf("%d environments, expected %d", len(file.Environments), want)
		}
		return file.Environments
	}
	first := run(1)
	run(1) // nothing was left to run
	e := first[0]
	began, err := time.Parse(time.RFC3339, e.Date)
	if err != nil || time.Since(began) > time.Hour || e.Cores < 1 || e.Go == "" || e.System == "" || e.Load < 0 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := os.Stat("/proc/cpuinfo"); err == nil && (e.Memory < 1<<20 || e.CPU == "") {
		t.Errorf("this system tells its memory and processor: %+v", e)
	}
	rows := filepath.Join(dir, rowsFile)
	text, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(rows, []byte(lines[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := run(2); !slices.Equal(again[:1], first) {
		t.Errorf("the first environment became %+v", again[0])
	}

	old, err := os.ReadFile(filepath.Join(dir, runFile))
	if err != nil {
		t.Fatal(err)
	}
	old = regexp.MustCompile(`(?s),\s*"environments": \[.*\]`).ReplaceAll(old, nil)
	if err := os.WriteFile(filepath.Join(dir, runFile), old, 0o666); err != nil {
		t.Fatal(err)
	}
	run(0)
}
