//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const tiny = "testdata/module"

// runMutants runs the program and returns what it prints.
func runMutants(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	var out, progress bytes.Buffer
	err = run(ctx, append([]string{"-C", tiny, "-faults", "faults.toml"}, args...), &out, &progress)
	return out.String(), progress.String(), err
}

// apart makes the program use a temporary folder of the test, and returns that folder.
func apart(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	return folder
}

// left lists the copies that the program has not removed.
func left(t *testing.T, folder string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "mutants-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOutcomes(t *testing.T) {
	folder := apart(t)
	before, err := os.ReadFile(filepath.Join(tiny, "tiny.go"))
	if err != nil {
		t.Fatal(err)
	}
	found, progress, err := runMutants(context.Background(), "-timeout", "2s", "-jobs", "2")
	if err == nil || !strings.Contains(err.Error(), "6 faults say nothing of the tests") {
		t.Errorf("expected a failure for 6 faults, found %v", err)
	}
	for id, want := range map[string]string{
		"sum":          `killed .*TestSum$`,
		"least":        `killed .*TestLeast/of_two$`,
		"least-equal":  `SURVIVED .*Nothing: this one survives\.$`,
		"panics":       `killed .*TestSum$`,
		"hangs":        `killed `,
		"hangs-unsaid": `TIMED OUT `,
		"stale":        `STALE .*the line occurs 0 times$`,
		"ambiguous":    `STALE .*the line occurs \d+ times$`,
		"uncompiled":   `DOES NOT COMPILE .*undefined: most$`,
		"no-tests":     `TESTS NOT RUN .*fails without the fault: no tests to run$`,
		"fails-anyway": `TESTS NOT RUN .*fails without the fault: TestThatFails$`,
	} {
		line := regexp.MustCompile(`(?m)^.*  ` + id + `  .*$`).FindString(found)
		if !regexp.MustCompile(`^` + want).MatchString(strings.TrimSpace(line)) {
			t.Errorf("%s: expected %s, found %q", id, want, line)
		}
	}
	if !strings.Contains(found, "11 faults: 4 killed, 1 survived, 2 stale, 1 does not compile, 1 timed out, 2 tests not run\n") {
		t.Errorf("found\n%s", found)
	}
	if !strings.Contains(progress, "11/11  ") {
		t.Errorf("expected a line of progress each, found\n%s", progress)
	}
	if after, err := os.ReadFile(filepath.Join(tiny, "tiny.go")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file itself was changed: %v", err)
	}
	if still := left(t, folder); len(still) > 0 {
		t.Errorf("left behind: %v", still)
	}
}

func TestSurvivorsThatAreAllowed(t *testing.T) {
	apart(t)
	if _, _, err := runMutants(context.Background(), "-run", "^least", "-allow", "1"); err != nil {
		t.Errorf("one may survive, and one does: %v", err)
	}
	if _, _, err := runMutants(context.Background(), "-run", "^least", "-allow", "0"); err == nil || !strings.Contains(err.Error(), "1 faults survive, 0 may") {
		t.Errorf("none may survive, and one does: %v", err)
	}
}

func TestInterruptLeavesNothingBehind(t *testing.T) {
	folder := apart(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(2*time.Second, cancel)
	_, _, err := runMutants(ctx, "-run", "^hangs$", "-sound=false", "-timeout", "24h") // if it waits for that, this test runs into its own limit
	if err == nil || !strings.Contains(err.Error(), "interrupted after 0 of 1 faults") {
		t.Errorf("expected that it was interrupted, found %v", err)
	}
	if still := left(t, folder); len(still) > 0 {
		t.Errorf("left behind: %v", still)
	}
}

func TestList(t *testing.T) {
	found, _, err := runMutants(context.Background(), "-list", "-run", "sum|stale|least")
	if err == nil || !strings.Contains(err.Error(), "1 faults no longer fit the code") {
		t.Errorf("expected one stale fault, found %v", err)
	}
	for _, want := range []string{"sum          tiny.go  A sum is a difference.\n", "(stale: the line occurs 0 times)\n", "4 faults\n"} {
		if !strings.Contains(found, want) {
			t.Errorf("expected %q in\n%s", want, found)
		}
	}
}

// The faults of the repository fit its code. A change that moves or changes a line must also mend the faults that quote it.
func TestFaultsOfTheRepositoryFit(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-C", "../..", "-list"}, &out, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestMalformedListsAreRefused(t *testing.T) {
	const whole = "[[mutant]]\nid = \"a\"\nfile = \"a.go\"\nline = \"x\"\nfault = \"y\"\nwrong = \"z\"\n"
	for _, c := range []struct{ text, want string }{
		{"", "no mutant of that id"},
		{whole + whole, `two mutants "a"`},
		{whole + "depth = 3\n", "unknown key mutant.depth"},
		{strings.Replace(whole, "\"y\"", "\" x\"", 1), "the fault is the line itself"},
		{strings.Replace(whole, "a.go", "../a.go", 1), "expected a file of the repository"},
		{strings.Replace(whole, "wrong", "#", 1), "expected id, file, line, fault and wrong"},
		{"[[mutant", "faults.toml"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "faults.toml"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := run(context.Background(), []string{"-C", folder, "-faults", "faults.toml"}, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: expected %q, found %v", c.text, c.want, err)
		} else if !errors.As(err, new(usageError)) {
			t.Errorf("%q: expected a mistake of the user, found %v", c.text, err)
		}
	}
}
