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

// A load above the cores while runs ended is stated with the environment of these runs; no other load and no other environment is touched.
func TestRunFileStatesTheLoad(t *testing.T) {
	path := writeSuite(t, oneSuite)
	suite, err := ReadSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, above := range []bool{false, true} {
		plan, err := suite.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		opt := RunOptions{Dir: t.TempDir()}
		folder, err := openRun(t.Context(), plan, opt)
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(plan, folder, opt)
		if r.peak = float64(folder.began.Cores); above {
			r.peak += 0.5
		}
		if err := folder.state(t.Context(), plan, func(file *RunFile) { // another program
			file.Environments = append(file.Environments, Environment{Host: "other", Date: folder.began.Date, Cores: 1})
		}); err != nil {
			t.Fatal(err)
		}
		if err := r.tellLoad(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := folder.close(); err != nil {
			t.Fatal(err)
		}
		file, err := ReadRun(opt.Dir)
		if err != nil || len(file.Environments) != 2 {
			t.Fatalf("%v, %v", file, err)
		}
		want := 0.0
		if above {
			want = r.peak
		}
		if e := file.Environments; e[0].PeakLoad != want || e[1].PeakLoad != 0 {
			t.Errorf("peak loads %v and %v, expected %v and none", e[0].PeakLoad, e[1].PeakLoad, want)
		}
	}
}

// A fault is that of a solver that does not support the instance, a wrong schedule or a failure; a crash after the last schedule is none.
func TestFailedAndCrashed(t *testing.T) {
	for _, c := range []struct {
		row             Row
		failed, crashed bool
	}{
		{Row{}, false, false}, {Row{Fault: "the program failed: exit status 1"}, true, false}, {Row{Fault: "unsupported: memory", Kind: kindOf("unsupported: memory")}, false, false},
		{Row{Fault: "refused by the checker: x", Kind: WrongSchedule}, true, false}, {Row{Warning: "the program failed after its last solution: exit status 5"}, false, true},
		{Row{Warning: "the program failed after the last line: exit status 3"}, false, true}, {Row{Warning: "a bound above the objective"}, false, false},
	} {
		if c.row.Failed() != c.failed || c.row.Crashed() != c.crashed {
			t.Errorf("%+v: failed %v, crashed %v", c.row, c.row.Failed(), c.row.Crashed())
		}
	}
}
