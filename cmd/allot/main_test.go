package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/milp"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"allot": main})
}

// terminals says that pseudo-terminals can be opened here.
var terminals = func() bool {
	shown, terminal, err := pty.Open()
	if err != nil {
		return false
	}
	return shown.Close() == nil && terminal.Close() == nil
}()

// TestScripts runs the transcripts in testdata/script: what a user types, what the command writes, and the exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examplesFolder(t))
			data, err := filepath.Abs(realdata.Root(t))
			env.Setenv("DATA", data)
			env.Vars = append(env.Vars, noRaceSleep)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "terminal": onTerminal, "interrupted": interruptedRun},
		Condition: func(name string) (bool, error) {
			switch name {
			case "highs":
				return milp.Missing() == nil, nil
			case "terminals": // pseudo-terminals can be opened
				return terminals, nil
			case "race": // under the race detector a search takes ten times as long
				return race.Enabled, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// TestInterrupted: an interrupted command says what it has not done and has the exit status of a run without solution.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	status := run(ctx, []string{"allot", "compare", examplesFolder(t) + "/table1.json"}, &stdout, &stderr)
	if status != exitNoSolution || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, expected %d\n%s%s", status, exitNoSolution, stdout.String(), stderr.String())
	}
}

// TestWrongParameters: wrong parameters are errors of usage and are found before the instance is read.
func TestWrongParameters(t *testing.T) {
	for _, c := range []struct{ solver, param, want string }{
		{"search", "effort=-1", "parameter effort: expected a finite number above 0, found -1"},
		{"search", "effort=NaN", "parameter effort: expected a finite number above 0, found NaN"},
		{"search", "effort=Inf", "parameter effort: expected a finite number above 0, found +Inf"},
		{"dll+titan", "population=-1", "parameter titan.population: expected a whole number from 1 to 1000000, found -1"},
		{"search", "effort=0", "parameter effort: expected a finite number above 0, found 0"},
		{"dll+titan", "population=0", "parameter titan.population: expected a whole number from 1 to 1000000, found 0"},
		{"dll+titan", "coding=bits", "expected one of mask, list, found"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), []string{"allot", "solve", "--solver", c.solver, "--param", c.param, "missing.json"}, &stdout, &stderr)
		if status != exitInput || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s of %s: status %d, expected %d and %q\n%s", c.param, c.solver, status, exitInput, c.want, stderr.String())
		}
	}
}

// TestPrintable: no name can steer the terminal or change the direction of writing.
func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31m\r\u202eb\u2066\nπ 网格 ж"); got != "a\uFFFD[31m\uFFFD\uFFFDb\uFFFD\nπ 网格 ж" {
		t.Errorf("%q", got)
	}
}
