//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// runTable runs the program and returns what it prints.
func runTable(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, faults bytes.Buffer
	err = run(context.Background(), args, &out, &faults)
	return out.String(), faults.String(), err
}

// golden compares a text with a file.
func golden(t *testing.T, file, found string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(found), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if found != string(want) {
		t.Errorf("%s: found\n%s\nexpected\n%s", path, found, want)
	}
}

func TestTableOfFiles(t *testing.T) {
	found, _, err := runTable(t, "-baseline", "testdata/baseline", "testdata/now.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", found)
}

// baselineOf is a folder of a baseline with these targets and files.
func baselineOf(t *testing.T, targets string, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	write(t, filepath.Join(folder, "thresholds.json"), targets)
	return folder
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutBaselineEverythingIsNew(t *testing.T) {
	folder := baselineOf(t, `{"thresholds": []}`, nil)
	found, _, err := runTable(t, "-baseline", folder, "testdata/now.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(found, "Baseline: none of these benchmarks has one\nTargets: 0 met, 0 missed, 0 not measured\n") {
		t.Errorf("found\n%s", found)
	}
	if rows := strings.Count(found, "new"); rows != 10 {
		t.Errorf("%d new rows, expected 10:\n%s", rows, found)
	}
}

func TestBadInput(t *testing.T) {
	fine := `{"thresholds": []}`
	entry := func(text string) string { return `{"thresholds": [` + text + `]}` }
	for _, c := range []struct {
		name, targets, kept, now string
		expected                 []string
	}{
		{"figures", fine, "", "testdata/malformed.txt", []string{"testdata/malformed.txt:3: parsing iteration count", "testdata/malformed.txt:4: parsing measurement"}},
		{"baseline", fine, "pkg: p\nBenchmarkX-2 1 2\n", "testdata/now.txt", []string{"old.txt:2: missing units"}},
		{"unit", fine, "Unit jobs/s better\n", "testdata/now.txt", []string{"old.txt:1: expected key=value"}},
		{"nothing", fine, "", "main.go", []string{"main.go: no benchmark was measured"}},
		{"syntax", "{\"thresholds\": [\n{]}", "", "testdata/now.txt", []string{"thresholds.json:2: invalid character ']'"}},
		{"behind", fine + " {}", "", "testdata/now.txt", []string{"thresholds.json: expected one JSON value"}},
		{"unknown", entry(`{"isue": 4}`), "", "testdata/now.txt", []string{`thresholds[0]: json: unknown field "isue"`}},
		{"no unit", entry(`{"issue": 4, "package": "p", "benchmark": "B", "target": "t", "at_most": 1}`), "", "testdata/now.txt", []string{"thresholds[0].unit: expected a text, found none"}},
		{"both", entry(`{"issue": 4, "package": "p", "benchmark": "B", "unit": "u", "target": "t", "at_most": 1, "at_least": 1}`), "", "testdata/now.txt", []string{"thresholds[0].at_most: expected exactly one of at_most and at_least"}},
		{"neither, and a pattern", entry(`{"issue": 4, "package": "p", "benchmark": "B", "unit": "u", "target": "t"}, {"issue": 4, "package": "p", "benchmark": "B[", "unit": "u", "target": "t", "at_most": 1}`),
			"", "testdata/now.txt", []string{"thresholds[0].at_most: expected exactly one", `thresholds[1].benchmark: "B[": syntax error in pattern`}},
		{"issue", entry(`{"package": "p", "benchmark": "B", "unit": "u", "target": "t", "at_most": 1}`), "", "testdata/now.txt", []string{"thresholds[0].issue: expected a positive number, found 0"}},
	} {
		folder := baselineOf(t, c.targets, map[string]string{"old.txt": c.kept})
		out, _, err := runTable(t, "-baseline", folder, c.now)
		var use usageError
		if out != "" || !errors.As(err, &use) {
			t.Errorf("%s: printed %q, error %v, expected a usage error alone", c.name, out, err)
			continue
		}
		for _, expected := range c.expected {
			if !strings.Contains(err.Error(), expected) {
				t.Errorf("%s: error\n%v\nexpected\n%s", c.name, err, expected)
			}
		}
	}
	for _, args := range [][]string{{}, {"-nonsense"}} {
		var use usageError
		if _, stderr, err := runTable(t, args...); !errors.As(err, &use) || !strings.Contains(stderr, "usage: benchtable") {
			t.Errorf("%q: error %v, printed %q", args, err, stderr)
		}
	}
	if _, _, err := runTable(t, "-baseline", "testdata/baseline", "testdata/absent.txt"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func TestChange(t *testing.T) {
	for _, c := range []struct {
		old, now []float64
		better   int
		expected string
	}{
		{nil, []float64{1}, 1, "new"},
		{[]float64{2}, []float64{2}, 1, "0.00%"},
		{[]float64{2}, []float64{3}, 1, "(+50.00%) n=1+1"},
		{[]float64{2, 2.1, 1.9}, []float64{3}, 1, "(+50.00%) n=3+1"},
		{[]float64{2, 2.1, 1.9}, []float64{3, 3.1, 2.9}, +1, "+50.00% p=0.000 n=3 better"},
		{[]float64{2, 2.1, 1.9}, []float64{3, 3.1, 2.9}, -1, "+50.00% p=0.000 n=3 worse"},
		{[]float64{2, 2.1, 1.9}, []float64{3, 3.1, 2.9}, 0, "+50.00% p=0.000 n=3"},
		{[]float64{3, 3.1, 2.9}, []float64{2, 2.1, 1.9}, -1, "-33.33% p=0.000 n=3 better"},
		{[]float64{2, 4}, []float64{3, 5, 4}, -1, "~ p=0.492 n=2+3"},
		{[]float64{2, 2}, []float64{3, 3}, -1, "+50.00% n=2 worse"},
		{[]float64{0, 0}, []float64{3, 3}, -1, "? n=2 worse"},
	} {
		if found := change(c.old, c.now, c.better); found != c.expected {
			t.Errorf("%v → %v: %q, expected %q", c.old, c.now, found, c.expected)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		values   []float64
		unit     string
		expected string
	}{
		{nil, "sec/op", "–"},
		{[]float64{0.0125}, "sec/op", "12.50ms"},
		{[]float64{1234567}, "jobs/s", "1.235M"},
		{[]float64{1 << 20}, "B/op", "1.000Mi"},
		{[]float64{0.985}, "ratio-best", "0.985"},
		{[]float64{0.0004}, "gap%", "0.0004"},
		{[]float64{28481}, "jobs", "28481"},
		{[]float64{math.Copysign(0, -1)}, "gap%", "0"},
		// Student's t for 95 % and two degrees of freedom is 4.303: 4.303·0.1/√3 = 0.2484, 12.4 % of 2.
		{[]float64{1.9, 2, 2.1}, "ratio", "2 ± 12%"},
		{[]float64{-1, 0, 1}, "gap%", "0 ± 2.484"},
		{[]float64{5, 5, 5}, "gap%", "5 ± 0%"},
	} {
		if found := formatted(c.values, c.unit); found != c.expected {
			t.Errorf("%v %s: %q, expected %q", c.values, c.unit, found, c.expected)
		}
	}
}

func TestProcessorsAreNoPartOfAName(t *testing.T) {
	read := func(lines ...string) []string {
		path := filepath.Join(t.TempDir(), "new.txt")
		write(t, path, strings.Join(lines, " 1 1 ns/op\n")+" 1 1 ns/op\n")
		f, err := readFigures(path)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range f.benchmarks {
			names = append(names, b.name)
		}
		return names
	}
	for _, c := range []struct{ lines, expected []string }{
		{[]string{"BenchmarkX/n040-1-2", "BenchmarkY-2"}, []string{"X/n040-1", "Y"}},
		{[]string{"BenchmarkX/n040-16", "BenchmarkY-16"}, []string{"X/n040", "Y"}},
		{[]string{"BenchmarkX/n040-1", "BenchmarkX/n100-1"}, []string{"X/n040-1", "X/n100-1"}}, // one processor has no suffix
		{[]string{"BenchmarkX/n040-4", "BenchmarkY"}, []string{"X/n040-4", "Y"}},
	} {
		if found := read(c.lines...); !slices.Equal(found, c.expected) {
			t.Errorf("%q: %q, expected %q", c.lines, found, c.expected)
		}
	}
}

func TestAskedIsAsGoTestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		expected      bool
	}{
		{"", "Search", false}, // nobody knows
		{".", "Search/data=mcp", true},
		{"Search", "Search/data=mcp", true},
		{"Search$", "SearchPeer", false},
		{"^BenchmarkSearch$", "Search/data=mcp", true},
		{"Search/mcp", "Search/data=mcp/time=2s", true},
		{"Search/mcp", "Search/data=swf", false},
		{"Search/mcp|Bound/swf", "Bound/data=swf", true},
		{"Search/mcp|Bound/swf", "Bound/data=mcp", false},
		{"Search/(mcp|swf)", "Search/data=swf", true},
		{"Search/BKW[/|]", "Search/BKW1", false},
	} {
		if found := (choice{bench: c.pattern}).holds(c.name); found != c.expected {
			t.Errorf("%q, %q: %v, expected %v", c.pattern, c.name, found, c.expected)
		}
	}
	for _, c := range []struct {
		skip, name string
		expected   bool
	}{
		{"^BenchmarkSearch", "SearchPeer/data=mcp", false},
		{"^BenchmarkSearch", "Bound/data=mcp", true},
		{"Search/swf", "Search/data=swf/instance=a", false},
		{"Search/swf", "Search", true},
		{"Search/mcp|Bound", "Bound/data=swf", false},
	} {
		args := []string{"go", "test", "-bench=.", "-skip", c.skip}
		if found := choiceOf(args).holds(c.name); found != c.expected {
			t.Errorf("without %q, %q: %v, expected %v", c.skip, c.name, found, c.expected)
		}
	}
}

// script writes a program that stands for go test.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gotest")
	write(t, path, "#!/bin/sh\n"+text)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunKeepsTheTextAndSaysWhatRuns(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new.txt")
	now, err := filepath.Abs("testdata/now.txt")
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := runTable(t, "-baseline", "testdata/baseline", "-o", out, "-run", script(t, "cat "+now), "-bench", "Plan|New|Replay")
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []string{
		"by the baseline, 2 benchmarks × 1 take 5s or more",                  // 3 × 1 s and 1 × 2 s
		"bench Plan/solver=a/instance=n040-1  0.0 s", "8 measurements in 0s", // three of a, b, the mean, two of New and Root
	} {
		if !strings.Contains(stderr, expected) {
			t.Errorf("progress\n%s\nexpected %q", stderr, expected)
		}
	}
	if !strings.Contains(stdout, "Targets: 2 met, 2 missed, 2 not measured\n") || !strings.Contains(stdout, "not measured: sim Replay, jobs/s: replays\n") {
		t.Errorf("printed\n%s", stdout)
	}
	kept, err := readFigures(out)
	if err != nil {
		t.Fatal(err)
	}
	if kept.units.GetBetter("jobs/s") != +1 || len(kept.benchmarks) != 5 || kept.benchmarks[0].results[0].GetConfig("cores") == "" {
		t.Errorf("kept %d benchmarks, units %v", len(kept.benchmarks), kept.units)
	}
	if left, _ := filepath.Glob(out + ".*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestAFailureOfTheCommandIsOneAfterTheTable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new.txt")
	folder := baselineOf(t, `{"thresholds": []}`, nil)
	command := script(t, "echo 'pkg: "+module+"/bench'\necho 'BenchmarkX-2 1 2 ns/op'\necho '--- FAIL: BenchmarkY'\nexit 1\n")
	stdout, stderr, err := runTable(t, "-baseline", folder, "-record", "-o", out, "-run", command)
	if err == nil || !strings.Contains(err.Error(), "exit status 1") || !strings.Contains(stdout, "bench X\n") || !strings.Contains(stderr, "--- FAIL: BenchmarkY") {
		t.Errorf("error %v, printed\n%s\n%s", err, stdout, stderr)
	}
	if recorded, _ := filepath.Glob(filepath.Join(folder, "*.txt")); len(recorded) > 0 {
		t.Errorf("recorded %v", recorded)
	}
	if _, _, err := runTable(t, "-baseline", folder, "-o", out, "-run", "/nonsense/command"); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such command: %v", err)
	}
	if _, err := readFigures(out); err != nil {
		t.Errorf("the figures of before: %v", err)
	}
}

func TestAnInterruptEndsTheCommandAndKeepsWhatWasMeasured(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new.txt")
	folder := baselineOf(t, `{"thresholds": []}`, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// The child of the command must end too.
	command := script(t, "echo 'pkg: "+module+"/bench'\necho 'BenchmarkX-2 1 2 ns/op'\necho BenchmarkY\nsleep 600\n")
	var stdout bytes.Buffer
	stderr := writerFunc(func(text []byte) (int, error) {
		if bytes.Contains(text, []byte("bench Y")) {
			cancel()
		}
		return len(text), nil
	})
	err := run(ctx, []string{"-baseline", folder, "-o", out, "-run", command}, &stdout, stderr)
	if err == nil || !strings.Contains(err.Error(), "interrupted") || !strings.Contains(stdout.String(), "bench X\n") {
		t.Errorf("error %v, printed\n%s", err, &stdout)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(text []byte) (int, error) { return f(text) }

func TestRecordReplacesWhatWasMeasured(t *testing.T) {
	kept, err := os.ReadFile("testdata/baseline/bench.txt")
	if err != nil {
		t.Fatal(err)
	}
	folder := baselineOf(t, `{"thresholds": []}`, map[string]string{"bench.txt": string(kept), "sim-backfill.txt": "pkg: " + module + "/sim/backfill\nBenchmarkReplay-2 1 7 ns/op\n"})
	_, stderr, err := runTable(t, "-baseline", folder, "-record", "testdata/now.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr, "recorded 5 benchmarks") || !strings.Contains(stderr, "; 1 others") {
		t.Errorf("said %q", stderr)
	}
	text, err := os.ReadFile(filepath.Join(folder, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "recorded.txt", string(text))
	// What is recorded is read again, each benchmark with its own configuration, and nothing has changed since.
	found, _, err := runTable(t, "-baseline", folder, "testdata/now.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(found, "new") || strings.Count(found, "0.00%") != 10 || !strings.Contains(found, "Baseline: commit fedcba987654\n") {
		t.Errorf("found\n%s", found)
	}
	f, err := readFigures(filepath.Join(folder, "bench.txt"), filepath.Join(folder, "sim-backfill.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if gone := f.find(id{"bench", "Gone"}); gone == nil || gone.results[0].GetConfig("commit") != "0123456789ab" {
		t.Errorf("the benchmark that is no more: %v", gone)
	}
	if f.find(id{"sim/backfill", "Replay"}) == nil {
		t.Error("another package's file was touched")
	}
}

// The targets of the project are read, name packages that there are, and units whose direction is known.
func TestTargetsOfTheProject(t *testing.T) {
	folder := "../../bench/baseline"
	targets, err := readTargets(filepath.Join(folder, "thresholds.json"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := readFigures(filepath.Join(folder, "units.txt"))
	if err != nil {
		t.Fatal(err)
	}
	benchmark := regexp.MustCompile(`func Benchmark(\w*)\(b \*testing\.B\)`)
	for _, target := range targets {
		files, err := filepath.Glob(filepath.Join("../..", target.Package, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(target.Benchmark, "/")
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && slices.ContainsFunc(benchmark.FindAllStringSubmatch(string(text), -1), func(m []string) bool { return m[1] == first })
		}) {
			t.Errorf("%s has no Benchmark%s", target.Package, first)
		}
		if better := kept.units.GetBetter(target.Unit); better != target.better() {
			t.Errorf("%s, %s: units.txt says %+d, the target %+d", target.Benchmark, target.Unit, better, target.better())
		}
	}
}

func TestDurations(t *testing.T) {
	if found := duration(3725400 * time.Millisecond); found != "1h2m5s" {
		t.Errorf("found %s", found)
	}
}
