//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ops runs the program on the package of the test.
func ops(t *testing.T, equivalent string, args ...string) (found []string, out, progress string, err error) {
	t.Helper()
	folder := apart(t)
	var stdout, stderr bytes.Buffer
	err = run(context.Background(), append([]string{"-C", "testdata/operators", "-operators", ".", "-jobs", "2", "-equivalent", equivalent}, args...), &stdout, &stderr)
	for line := range strings.Lines(stdout.String()) {
		if words := strings.Split(strings.TrimSpace(line), "\t"); words[0] == "SURVIVED" {
			found = append(found, words[1]+" "+words[3])
		}
	}
	if still := left(t, folder); len(still) > 0 {
		t.Errorf("left behind: %v", still)
	}
	return found, stdout.String(), stderr.String(), err
}

func TestOperators(t *testing.T) {
	// Of line 25 both are loops without end.
	found, out, progress, err := ops(t, "equivalent.toml", "-allow", "0", "-run", "ops.go:(11|13|14|25|34|36|4.|51)")
	want := []string{
		"ops.go:44 60 → + 1", "ops.go:45 x += 1 << 2 → left out", "ops.go:45 x += 1 << 2 → -=", "ops.go:45 1 → + 1", "ops.go:45 1 → 0", "ops.go:45 2 → + 1",
		"ops.go:51 true → false",
	}
	for _, line := range want {
		if !slices.Contains(found, line) {
			t.Errorf("%s: expected that it survives", line)
		}
	}
	for _, line := range found {
		if !slices.Contains(want, line) {
			t.Errorf("%s: survives", line)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "survive, 0 may") || !strings.Contains(out, " 1 change nothing") {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(progress, "fails without a mutant, and is left out: . TestThatFails") {
		t.Errorf("found\n%s", progress)
	}
	if !strings.Contains(out, "Never") || !strings.Contains(out, "no test reaches it") {
		t.Errorf("expected that it names what no test reaches:\n%s", out)
	}
	earlier := filepath.Join(t.TempDir(), "earlier")
	if err := os.WriteFile(earlier, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, _, _, _ := ops(t, "equivalent.toml", "-again", earlier, "-run", "ops.go:45"); len(again) != 5 {
		t.Errorf("tried again: %q", again)
	}
}

// Each operator has its mutants.
func TestListOfOperators(t *testing.T) {
	_, out, _, err := ops(t, "none", "-list")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"v < least → <=", "v < least → >", "least = v → left out", "most → + 1", "n > 0 → >=", "0 → 1", "n-- → left out", "n-- → ++", "steps += 2 → -=", "2 → + 1",
		"sum.Add(sum, new(big.Rat).SetFloat64(max(0, y))) → Sub", "max(0, y) → min", "math.Floor(value) → Ceil", "!(x >= low) → without !", "return false → left out",
		"false → true", "1 → 0", "x <= high && x == x&0xff → ||", "x == x & 0xff → !=", "x & 0xff → |",
	} {
		if !strings.Contains(out, "\t"+change+"\n") {
			t.Errorf("expected %q in\n%s", change, out)
		}
	}
}

// A sample has as many changes as were asked for; another seed draws others; and of a sample a part can be chosen.
func TestSampleOfOperators(t *testing.T) {
	draw := func(args ...string) []string {
		_, out, _, err := ops(t, "none", append([]string{"-list"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[:len(lines)-1] // the last is their number
	}
	all, one, again, other := draw(), draw("-sample", "12", "-seed", "1"), draw("-sample", "12", "-seed", "1"), draw("-sample", "12", "-seed", "2")
	if len(one) != 12 || len(other) != 12 || !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("samples of 12:\n%q\n%q\n%q", one, again, other)
	}
	left := all
	for _, line := range one {
		at := slices.Index(left, line)
		if at < 0 {
			t.Fatalf("%s: expected a change of the package, once and in the order of all", line)
		}
		left = left[at+1:]
	}
	if more := draw("-sample", "13", "-seed", "1"); len(more) != 13 || slices.ContainsFunc(one, func(line string) bool { return !slices.Contains(more, line) }) {
		t.Errorf("expected one more than\n%q\nfound\n%q", one, more)
	}
	if every := draw("-sample", "1000"); !slices.Equal(every, all) {
		t.Errorf("expected all, found %d of %d", len(every), len(all))
	}
	_, place, _ := strings.Cut(one[0], ":")
	place, _, _ = strings.Cut(place, "\t")
	part := draw("-sample", "12", "-seed", "1", "-run", ":"+place+" ")
	if len(part) == 0 || len(part) == len(all) || slices.ContainsFunc(part, func(line string) bool { return !slices.Contains(one, line) }) {
		t.Errorf("expected those of line %s of\n%q\nfound\n%q", place, one, part)
	}
}

// An entry that fits no mutant, or one that a test finds, is an error.
func TestWrongEquivalents(t *testing.T) {
	for text, want := range map[string]string{
		"[[equivalent]]\nfile = \"ops.go\"\nline = \"if v < least {\"\nchanges = [\"v < least → ==\"]\nreason = \"none\"\n": `has no mutant "v < least → =="`,
		"[[equivalent]]\nfile = \"ops.go\"\nline = \"if v < least {\"\nchanges = [\"v < least → >\"]\nreason = \"none\"\n":  "said to change nothing and fail a test",
		"[[equivalent]]\nfile = \"ops.go\"\n": "expected file, line or lines, changes and reason",
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/operators")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "wrong.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := run(context.Background(), []string{"-C", folder, "-operators", ".", "-equivalent", "wrong.toml", "-run", "v < least"}, &out, &out)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
}

// The changes that are said to change nothing are there.
func TestEquivalentsOfTheRepositoryFit(t *testing.T) {
	apart(t)
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-C", "../..", "-operators", "./proof,./model", "-list"}, &out, &out); err != nil {
		t.Error(err)
	}
}
