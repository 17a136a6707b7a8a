package solvers

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// TestTwoLevelParameters: the defaults are the specification's, a zero is a zero, and what is out of range is refused.
func TestTwoLevelParameters(t *testing.T) {
	info, err := solve.Lookup("twolevel")
	if err != nil {
		t.Fatal(err)
	}
	if !info.Online {
		t.Error("twolevel is not on line")
	}
	defaults := map[string]string{"heuristics": "ls", "kill": "false", "step": "1", "levels": "10", "window": "100", "ms_deadline": "1", "ms_licences": "1",
		"ms_user": "1", "aging": "0.001", "deadline": "1", "deadline_low": "0.1", "deadline_high": "10", "deadline_k": "2", "licences": "1", "wait": "1"}
	for _, p := range params.Of(info.New()) {
		if p.Default != defaults[p.Name] {
			t.Errorf("default of %s: %s, expected %s", p.Name, p.Default, defaults[p.Name])
		}
		delete(defaults, p.Name)
	}
	if len(defaults) > 0 {
		t.Errorf("no parameters %v", defaults)
	}
	for _, wrong := range [][2]string{{"heuristics", "fast"}, {"levels", "61"}, {"levels", "-1"}, {"window", "0"}, {"ms_user", "-1"}, {"step", "0"}, {"wait", "NaN"}} {
		if err := params.Set(info.New(), wrong[0], wrong[1]); err == nil {
			t.Errorf("%s=%s is accepted", wrong[0], wrong[1])
		}
	}
	in := solvecases.Built(t, solvecases.Grid(1, 100))
	for _, zero := range []string{"levels", "ms_deadline", "ms_licences", "ms_user", "aging", "deadline", "deadline_low", "deadline_high", "deadline_k", "licences", "wait"} {
		solver := info.New()
		if err := params.Set(solver, zero, "0"); err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if stated, ok := result.Solution.Parameters[zero]; !ok || stated != any(0) && stated != any(0.0) || len(result.Solution.Parameters) != 1 {
			t.Errorf("%s: the solution states %v", zero, result.Solution.Parameters)
		}
	}
}
