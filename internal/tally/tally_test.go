package main

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
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

// What this machine lacks is told by the attribute of a test, not by its words, and listed last with the way to get it.
func TestWhatIsLacking(t *testing.T) {
	var c count
	var out strings.Builder
	w := bufio.NewWriter(&out)
	lacks := func(test, value string) {
		c.add(event{Action: "attr", Package: "p", Test: test, Key: needs.Key, Value: value}, w)
		c.add(event{Action: "output", Package: "p", Test: test, Output: "    a_test.go:1: words\n"}, w)
		c.add(event{Action: "skip", Package: "p", Test: test}, w)
	}
	lacks("TestA", `{"kind":"program","name":"parallel","get":"apt-get install parallel"}`)
	lacks("TestB", "no need at all")
	lacks("TestC", `{"kind":"program","name":"parallel","get":"apt-get install parallel"}`)
	c.write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "\n0 tests passed, 0 failed, 3 skipped\n   1 × words\n         p: TestB\nthis machine lacks what these tests need:\n" +
		"   2 × program parallel: apt-get install parallel\n         p: TestA, p: TestC\n"
	if out.String() != want {
		t.Errorf("%q, expected %q", out.String(), want)
	}
}

// A test that go test runs says what it lacks where tally reads it.
func TestAttributesAreRead(t *testing.T) {
	text := "package tried\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Attr(\"needs\", `{\"kind\":\"font\",\"name\":\"A Font\",\"get\":\"buy it\"}`); t.Skip(\"x\") }\n"
	dir := testfolder.Module(t, map[string]string{"go.mod": "module tried\n\ngo 1.26\n", "tried_test.go": text})
	for range 2 { // the second result comes from the cache
		var out strings.Builder
		if status, err := run(t.Context(), []string{"-C", dir, "."}, &out); status != 0 || err != nil || !strings.Contains(out.String(), "\n   1 × font A Font: buy it\n         tried: TestX\n") {
			t.Errorf("status %d, %v\n%s", status, err, out.String())
		}
	}
}
