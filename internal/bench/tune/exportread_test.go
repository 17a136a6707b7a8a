package tune

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
)

// taken checks configurations that another program has drawn from an exported space: each can be read, none is refused, and both sides of the condition occur.
func taken(t *testing.T, z *Frozen, lines []string) {
	t.Helper()
	if len(lines) < 50 {
		t.Fatalf("%d configurations, expected at least 50:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	deep := 0
	for _, line := range lines {
		config, err := z.space.Config(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %s", line, err)
		}
		choice, err := z.space.Choice(config)
		if err != nil {
			t.Fatalf("%s: %s", line, err)
		}
		if err := choice.Solver.Supports(nil); err != nil {
			t.Fatalf("%s: %s", line, err)
		}
		if strings.Contains(line, "depth=") {
			deep++
		}
	}
	if deep == 0 || deep == len(lines) {
		t.Errorf("%d of %d configurations state the depth, which matters in some", deep, len(lines))
	}
}

// irace draws from an exported space what the solver takes: kinds, scale, condition, forbidden parts.
func TestIraceDrawsWhatTheSolverTakes(t *testing.T) {
	irace := needs.Program(t, "irace")
	z := exportedTo(t, "irace", "picky", "mode", "order", "depth", "weight")
	if err := z.writeProgram("target-runner", "#!/bin/sh\nshift 4\necho \"$*\" >>calls.txt\nprintf '%s' \"$*\" | cksum | cut -d ' ' -f 1\n"); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), irace, "--scenario", "scenario.txt", "--max-experiments", "300")
	command.Dir = z.dir
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, text)
	}
	calls, err := os.ReadFile(z.path("calls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	taken(t, z, strings.Split(strings.TrimSpace(string(calls)), "\n"))
}

// ConfigSpace, which SMAC uses, draws from an exported space what the solver takes.
func TestConfigSpaceDrawsWhatTheSolverTakes(t *testing.T) {
	python := needs.Python(t, "ConfigSpace")
	z := exportedTo(t, "smac", "picky", "mode", "order", "depth", "weight")
	command := exec.CommandContext(t.Context(), python, "-c", `
from ConfigSpace import ConfigurationSpace
space = ConfigurationSpace.from_json("configspace.json")
space.seed(1)
for c in [space.get_default_configuration(), *space.sample_configuration(200)]:
    print(*[f"{name}={value}" for name, value in dict(c).items()])
`)
	command.Dir = z.dir
	var errors strings.Builder
	command.Stderr = &errors
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %s%s", err, text, errors.String())
	}
	taken(t, z, strings.Split(strings.TrimSpace(string(text)), "\n"))
}
