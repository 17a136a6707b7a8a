package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/testfolder"
)

// The output of go test for tests that pass, fail and are skipped becomes a count with reasons.
func TestTally(t *testing.T) {
	dir := testfolder.Module(t, map[string]string{
		"go.mod": "module tried\n\ngo 1.26\n",
		"tried_test.go": `package tried

import "testing"

func TestGood(t *testing.T) { t.Log("nobody wants to read this") }

func TestBad(t *testing.T) { t.Error("wrong here") }

func TestSkipped(t *testing.T) {
	t.Log("some words before")
	t.Skip("no node")
}

func TestParts(t *testing.T) {
	for _, name := range []string{"a", "b", "c", "d"} {
		t.Run(name, func(t *testing.T) { t.Skipf("no %s", "browser") })
	}
}

func TestSilent(t *testing.T) { t.SkipNow() }
`,
		"exits/exits_test.go": "package exits\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestX(*testing.T) { fmt.Println(\"last words\"); os.Exit(3) }\n",
		"broken/broken.go":    "package broken\n\nvar x int = \"text\"\n", "broken/broken_test.go": "package broken\n\nimport \"testing\"\n\nfunc TestX(*testing.T) {}\n",
	})
	var out strings.Builder
	status, err := run(t.Context(), []string{"-C", dir, "./..."}, &out)
	if err != nil || status != 1 {
		t.Errorf("status %d, %v", status, err)
	}
	for _, want := range []string{
		"tried_test.go:7: wrong here", "FAIL\ttried\t", "last words", "FAIL\ttried/exits\t", "cannot use \"text\"", "\n2 tests passed, 1 failed, 6 skipped\nfailed packages: tried, tried/broken, tried/exits\n",
		"   4 × no browser\n         tried: TestParts/a, tried: TestParts/b, tried: TestParts/c and 1 more\n",
		"   1 × no node\n         tried: TestSkipped\n", "   1 × no reason given\n         tried: TestSilent\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "nobody wants") {
		t.Errorf("the output of a test that passed is shown:\n%s", out.String())
	}
}

// writes notes what is written at a time.
type writes []string

func (w *writes) Write(text []byte) (int, error) {
	*w = append(*w, string(text))
	return len(text), nil
}

// With -whole everything is written at once, and a failure is one as without.
func TestWhole(t *testing.T) {
	dir := testfolder.Module(t, map[string]string{
		"go.mod":          "module tried\n\ngo 1.26\n",
		"a/a_test.go":     "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"bad/bad_test.go": "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Error(\"wrong here\") }\n",
	})
	for first, want := range map[string]int{"./...": 1, "./a": 0} {
		var out writes
		status, err := start(t.Context(), []string{"-whole", "-C", dir, first}, &out)
		if err != nil || status != want || len(out) != 1 || !strings.HasPrefix(out[0], "\ngo test -C "+dir+" "+first+"\n") || !strings.Contains(out[0], "1 tests passed") ||
			strings.Contains(out[0], "wrong here") != (want == 1) {
			t.Errorf("%s: status %d, %v, written %q", first, status, err, out)
		}
	}
}

// With the seed 0, property tests draw new cases in every run, so nothing comes from the cache.
func TestSeedZeroRunsAgain(t *testing.T) {
	dir := testfolder.Module(t, map[string]string{"go.mod": "module tried\n\ngo 1.26\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"})
	for _, seed := range []string{"1", "1", "0", "0"} { // the first run fills the cache
		t.Setenv("RAPID_SEED", seed)
		var out strings.Builder
		status, err := run(t.Context(), []string{"-C", dir, "./..."}, &out)
		if err != nil || status != 0 || seed == "0" && strings.Contains(out.String(), "(cached)") {
			t.Errorf("RAPID_SEED=%s: status %d, %v\n%s", seed, status, err, out.String())
		}
	}
}

// Where a signal ends go itself, which has no exit status then, the status is 1.
func TestStatusAfterASignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nkill -9 $$\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out strings.Builder
	if status, err := run(t.Context(), nil, &out); status != 1 || err != nil {
		t.Errorf("status %d, %v\n%s", status, err, out.String())
	}
}

// Subtests do not count as tests, passed or failed; the reason that most tests were skipped for comes first.
func TestCountOfEvents(t *testing.T) {
	var c count
	var shown, out strings.Builder
	w := bufio.NewWriter(&shown)
	for _, e := range []event{
		{Action: "output", Package: "p", Test: "TestA/x", Output: "    a_test.go:1: rare\n"}, {Action: "skip", Package: "p", Test: "TestA/x"},
		{Action: "pass", Package: "p", Test: "TestA"},
		{Action: "fail", Package: "p", Test: "TestB/x"}, {Action: "fail", Package: "p", Test: "TestB/y"}, {Action: "fail", Package: "p", Test: "TestB"},
		{Action: "pass", Package: "p", Test: "TestC/x"}, {Action: "pass", Package: "p", Test: "TestC"},
		{Action: "output", Package: "p", Test: "TestD", Output: "    a_test.go:1: usual\n"}, {Action: "skip", Package: "p", Test: "TestD"},
		{Action: "output", Package: "p", Test: "TestE", Output: "    a_test.go:1: usual\n"}, {Action: "skip", Package: "p", Test: "TestE"},
	} {
		c.add(e, w)
	}
	w = bufio.NewWriter(&out)
	c.write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "\n2 tests passed, 1 failed, 3 skipped\n   2 × usual\n         p: TestD, p: TestE\n   1 × rare\n         p: TestA/x\n"
	if out.String() != want {
		t.Errorf("%q, expected %q", out.String(), want)
	}
}

// On a machine that should have every program, a test that is skipped for want of one is a failure; one that is skipped for another reason is not.
func TestSkipsThatFail(t *testing.T) {
	for _, c := range []struct {
		reason, skips string
		fails         bool
	}{
		{"no node", "fail", true}, {"Slurm is not installed", "fail", true}, {"exec: \"x\": executable file not found in $PATH", "fail", true},
		{"no node", "", false}, {"a single goroutine", "fail", false},
	} {
		text := fmt.Sprintf("package tried\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Skip(%q) }\n", c.reason)
		dir := testfolder.Module(t, map[string]string{"go.mod": "module tried\n\ngo 1.26\n", "tried_test.go": text})
		t.Setenv("ALLOT_SKIPS", c.skips)
		var out strings.Builder
		status, err := run(t.Context(), []string{"-C", dir, "."}, &out)
		if (status != 0) != c.fails || (err != nil) != c.fails {
			t.Errorf("%+v: status %d, %v\n%s", c, status, err, out.String())
		}
	}
}
