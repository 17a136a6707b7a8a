package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/mts"
	"github.com/allot-opt/allot/solvers/muscle"
	"github.com/allot-opt/allot/solvers/titan"
)

// tinyFor is a tiny instance that the solver supports.
func tinyFor(t *testing.T, info solve.Info) *model.Instance {
	t.Helper()
	for _, in := range []*model.Instance{solvecases.Built(t, solvecases.Tiny(2, "mcp")), solvecases.Built(t, solvecases.Grid(1, 6)), solvecases.Built(t, workedQueues(t, 0.3)), solvecases.Built(t, solvecases.Power(1))} {
		if info.New().Supports(in) == nil {
			return in
		}
	}
	t.Fatalf("%s supports none of the tiny instances", info.Name)
	return nil
}

// A new solver has defaults that its own check accepts and of which a solution states none. Each number of each solver, set from text to something odd,
// either works or is refused with an error that names it.
func TestParametersAtTheEdges(t *testing.T) {
	numbers := 0
	for _, info := range slices.Concat(solve.Solvers(), []solve.Info{mustLookup(t, "dll+titan")}) {
		if info.Absent != "" {
			continue
		}
		in := tinyFor(t, info)
		if err := params.Check(info.New()); err != nil {
			t.Errorf("%s: the defaults are refused: %v", info.Name, err)
		}
		if stated := params.Stated(info.New(), info.New()); len(stated) > 0 {
			t.Errorf("%s: a new solver states %v", info.Name, stated)
		}
		for _, p := range params.Of(info.New()) {
			if p.Type == "string" || p.Type == "bool" {
				continue
			}
			numbers++
			for _, value := range []string{"0", "-1", "NaN", "+Inf", "1e308"} {
				result, err := runWith(info, p.Name, value, in)
				wrong := (*params.Error)(nil)
				switch {
				case errors.As(err, &wrong) && wrong.Name == p.Name:
				case err != nil:
					t.Errorf("%s, %s=%s: expected a schedule, or an error that names the parameter; found %v", info.Name, p.Name, value, err)
				case value == "NaN" || value == "+Inf":
					t.Errorf("%s, %s=%s is accepted", info.Name, p.Name, value)
				case result.Solution.Parameters[p.Name] == nil && value != p.Default:
					t.Errorf("%s, %s=%s: the solution does not state it", info.Name, p.Name, value)
				}
			}
		}
	}
	if numbers < 30 {
		t.Errorf("%d numbers only: the test proves little", numbers)
	}
}

// runWith runs the solver with one parameter set.
func runWith(info solve.Info, name, value string, in *model.Instance) (solve.Result, error) {
	solver := info.New()
	if err := params.Set(solver, name, value); err != nil {
		return solve.Result{}, err
	}
	return solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: 1, MaxEvals: 300, Strict: true})
}

// A struct that was not made by New has zeros, and the run refuses those that make no sense, whoever calls.
func TestRunRefusesZeroStructs(t *testing.T) {
	for name, c := range map[string]struct {
		solver    solve.Solver
		parameter string
	}{
		"titan":        {&titan.Solver{}, "coding"},
		"search":       {&solvers.Search{}, "effort"},
		"mts":          {&mts.Solver{}, "processor_share"},
		"muscle":       {&muscle.Solver{}, "reading"},
		"easy":         {solve.OnLine(&solvers.EASY{}), "step"},
		"conservative": {solve.OnLine(&solvers.Conservative{}), "step"},
		"flexible":     {solve.OnLine(&solvers.Flexible{}), "step"},
		"spaceshare":   {solve.OnLine(&solvers.SpaceShare{}), "start"},
		"map":          {solve.OnLine(&solvers.MAP{}), "rounding"},
		"asjs":         {&solvers.ASJS{}, "wait"},
		"mrs":          {&solvers.MRS{}, "wait"},
		"ggone":        {&solvers.GGOne{}, "slack"},
	} {
		info := mustLookup(t, name)
		in := tinyFor(t, info)
		_, run := solve.Run(context.Background(), solve.Choice{Info: info, Solver: c.solver}, in, solve.Options{MaxEvals: 10})
		_, direct := c.solver.Solve(context.Background(), in, solve.Options{MaxEvals: 10})
		for _, err := range []error{run, direct} {
			if wrong := (*params.Error)(nil); !errors.As(err, &wrong) || wrong.Name != c.parameter {
				t.Errorf("%s: error %v, expected one of parameter %s", name, err, c.parameter)
			}
		}
	}
}

// Of asjs a weight of 0 is one: power alone decides. Without any it is the share of the jobs that have files.
func TestASJSWeightOfZero(t *testing.T) {
	info := mustLookup(t, "asjs")
	differs := false
	for seed := range uint64(20) {
		in := solvecases.Built(t, solvecases.Grid(seed, 24))
		none, err := runWith(info, "q", "0", in)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(none.Solution.Parameters); got != "map[q:0]" {
			t.Errorf("the solution states %s, expected q:0", got)
		}
		share, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: info.New()}, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(share.Solution.Parameters) > 0 {
			t.Errorf("the defaults are stated: %v", share.Solution.Parameters)
		}
		differs = differs || !reflect.DeepEqual(none.Solution.Jobs, share.Solution.Jobs)
	}
	if !differs {
		t.Error("q=0 decides as the share of jobs with files in all 20 instances")
	}
}
