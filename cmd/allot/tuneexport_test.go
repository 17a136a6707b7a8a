package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
)

// exportedSpace exports a small tuning and returns its folder.
func exportedSpace(t *testing.T, program, runs string) string {
	t.Helper()
	folder := t.TempDir()
	suite := `{"format": "allot-suite/1", "name": "batches", "solvers": ["titan"], "budget": {"evaluations": 300},
 "instances": [{"generate": "muscle", "parameters": {"jobs": 15}, "seeds": 18}]}`
	if err := os.WriteFile(filepath.Join(folder, "batches.json"), []byte(suite), 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("allot", "tune", "export", program, "-o", "out", "--runs", runs, "--suite", "batches.json", "dll+titan:patience=20",
		"--vary", "titan.population=4..100:log", "--vary", "titan.swap", "--vary", "titan.coding")
	command.Dir = folder
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, text)
	}
	return filepath.Join(folder, "out")
}

// runIn runs a program in a folder and returns what it prints.
func runIn(t *testing.T, folder, name string, words ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, words...)
	command.Dir = folder
	var errors strings.Builder
	command.Stderr = &errors
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %s\n%s%s", name, err, text, errors.String())
	}
	return string(text)
}

// judged checks that a configuration that another program has found is judged.
func judged(t *testing.T, folder, found string) {
	t.Helper()
	words := strings.Fields(found)
	if len(words) != 3 {
		t.Fatalf("found %q, expected three parameters", found)
	}
	answer := strings.Join(strings.Fields(runIn(t, folder, "allot", append([]string{"tune", "judge", "."}, words...)...)), " ")
	for _, want := range []string{"dll+titan:", ":population=", "on the instances that the races did not see", "of 6 instances", "12 runs; seed 1."} {
		if !strings.Contains(answer, want) {
			t.Errorf("the judgement of %s has no %q:\n%s", found, want, answer)
		}
	}
}

// irace runs an exported scenario as it stands, and its best configuration is judged.
func TestIraceRunsAnExport(t *testing.T) {
	irace := needs.Program(t, "irace")
	if race.Enabled {
		t.Skip("it starts allot often: under the race detector that takes too long")
	}
	t.Parallel()
	folder := exportedSpace(t, "irace", "130")
	told := runIn(t, folder, irace, "--scenario", "scenario.txt")
	_, best, ok := strings.Cut(told, "Best configurations as commandlines")
	lines := strings.Split(best, "\n")
	if !ok || len(lines) < 2 {
		t.Fatalf("irace does not end:\n%s", told)
	}
	_, found, _ := strings.Cut(lines[1], " ")
	judged(t, folder, found)
}

// SMAC runs an exported scenario as it stands, and its best configuration is judged.
func TestSMACRunsAnExport(t *testing.T) {
	python := needs.Python(t, "smac")
	if race.Enabled {
		t.Skip("it starts allot often: under the race detector that takes too long")
	}
	t.Parallel()
	folder := exportedSpace(t, "smac", "32")
	lines := strings.Split(strings.TrimSpace(runIn(t, folder, python, "tune.py")), "\n")
	judged(t, folder, lines[len(lines)-1])
}
