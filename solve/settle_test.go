package solve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// planted is a solver that returns a given result or error, or beside it what it has besides.
type planted struct {
	result solve.Result
	err    error
}

// Supports implements [solve.Solver].
func (*planted) Supports(*model.Instance) error { return nil }

// Solve implements [solve.Solver].
func (p *planted) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	return p.result, p.err
}

// named is the choice of a planted solver.
func named(name string, result solve.Result, err error) solve.Choice {
	return solve.Info{Name: name, Starts: true, New: func() solve.Solver { return &planted{result, err} }}.Choice()
}

// gathered runs solvers as auto does: the best schedule of all.
type gathered []solve.Choice

// Supports implements [solve.Solver].
func (gathered) Supports(*model.Instance) error { return nil }

// Solve implements [solve.Solver].
func (g gathered) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	var infos []solve.Info
	for _, choice := range g {
		infos = append(infos, choice.Info)
	}
	return solve.NewStages(opt).Best(ctx, in, infos), nil
}

// A solver that makes a wrong schedule, or fails, never ends a run that has a right one besides, whichever of them comes first: the right one is returned with a warning
// that names the solver and the instance. Strict makes it an error, and where there is nothing right, it is one in any case.
func TestOneWrongCandidateEndsNoRun(t *testing.T) {
	in := twoJobs(t)
	wrong := named("liar", solve.Result{Solution: schedule(0, 1), Status: model.Optimal, Bound: model.ProvedBound(9)}, nil)
	broken := named("broken", solve.Result{}, errors.New("no path"))
	right, better := named("plain", solve.Result{Solution: schedule(4, 0)}, nil), named("best", solve.Result{Solution: schedule(0, 2)}, nil)
	besides := func(err error) solve.Choice {
		result := solve.Result{Solution: schedule(0, 1), Else: &solve.Result{Solution: schedule(0, 1), Solver: "also wrong", Else: &solve.Result{Solution: schedule(0, 2), Solver: "first"}}}
		if err != nil {
			result.Solution = nil
		}
		return named("liar", result, err)
	}
	for _, c := range []struct {
		name    string
		solver  solve.Solver
		start   *model.Solution
		least   float64 // 0: an error
		dropped string  // the solver
		by      string  // the solver of the solution
	}{
		{"the first of several", gathered{wrong, right, better}, nil, 5, "liar", "best"},
		{"the last of several", gathered{right, wrong}, nil, 6, "liar", "plain"},
		{"a failure among several", gathered{right, broken}, nil, 6, "broken", "plain"},
		{"all of several", gathered{wrong, broken}, nil, 0, "liar", ""},
		{"the first of a chain", solve.Chain{wrong, better}, nil, 5, "liar", "whole"},
		{"the last of a chain", solve.Chain{right, wrong}, nil, 6, "liar", "whole"},
		{"a failure at the end of a chain", solve.Chain{right, broken}, nil, 6, "broken", "whole"},
		{"a failure at the begin of a chain", solve.Chain{broken, right}, nil, 0, "broken", ""},
		{"all of a chain", solve.Chain{wrong, wrong}, nil, 0, "liar", ""},
		{"what a solver has besides", besides(nil).Solver, nil, 5, "whole", "first"},
		{"what a solver has beside an error", besides(errors.New("no path")).Solver, nil, 5, "whole", "first"},
		{"the start", wrong.Solver, schedule(0, 2), 5, "whole", "whole"},
		{"nothing else", wrong.Solver, nil, 0, "whole", ""},
	} {
		choice := solve.Choice{Info: solve.Info{Name: "whole", Starts: true}, Solver: c.solver}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{Start: c.start})
		_, strict := solve.Run(t.Context(), choice, in, solve.Options{Start: c.start, Strict: true})
		if strict == nil {
			t.Errorf("%s: no error under strict", c.name)
		}
		if c.least == 0 {
			if err == nil || c.dropped == "liar" && !errors.As(err, new(*solve.WrongScheduleError)) {
				t.Errorf("%s: expected an error, found %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sol := result.Solution
		if report := model.Check(in, sol); !report.OK() || report.Objective != c.least || sol.Solver != c.by || *sol.Objective != c.least {
			t.Errorf("%s: objective %v by %s, expected %v by %s; %v", c.name, report.Objective, sol.Solver, c.least, c.by, report.Violations)
		}
		if result.Dropped == nil || result.Dropped.Solver != c.dropped {
			t.Errorf("%s: dropped %v, expected that of %s", c.name, result.Dropped, c.dropped)
		}
		if bound, _ := result.Bound.Value(); bound > c.least || result.Refuted != nil {
			t.Errorf("%s: bound %v, refuted %v: of what the wrong schedule came with", c.name, bound, result.Refuted)
		}
		for _, part := range []string{in.SHA256(), "report", result.Dropped.Solver} {
			if !strings.Contains(result.Warning, part) {
				t.Errorf("%s: warning %q does not say %s", c.name, result.Warning, part)
			}
		}
	}
}
