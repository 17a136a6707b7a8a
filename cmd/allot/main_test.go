package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/allot-opt/allot/milp"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"allot": main})
}

// TestScripts runs the transcripts in testdata/script: what a user types and what comes back, with the exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examplesFolder(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Condition: func(name string) (bool, error) {
			if name != "highs" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return milp.Missing() == nil, nil
		},
	})
}

// TestInterrupted says what it left undone and has the status of a run with no solution.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	status := run(ctx, []string{"allot", "compare", examplesFolder(t) + "/table1.json"}, &stdout, &stderr)
	if status != exitNoSolution || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, expected %d\n%s%s", status, exitNoSolution, stdout.String(), stderr.String())
	}
}
