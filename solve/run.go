package solve

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// Run solves an instance with a solver and hands back its result with the solution completed: what the evaluator says of
// it, who made it and from what. The solver's own figures are not trusted: a bound or status that the evaluation
// contradicts is an error.
//
// A solver found no schedule where Result.Solution is nil.
func Run(ctx context.Context, info Info, solver Solver, in *model.Instance, opt Options) (Result, error) {
	if err := solver.Supports(in); err != nil {
		return Result{}, &RunError{info.Name, err}
	}
	opt.proof = &proof{in: in}
	began := time.Now()
	result, err := solver.Solve(ctx, in, opt)
	if err != nil {
		return Result{}, &RunError{info.Name, err}
	}
	result.Elapsed = time.Since(began)
	if result.Solution == nil {
		return result, nil
	}
	if err := complete(ctx, &result, info, solver, in, opt); err != nil {
		return Result{}, &RunError{info.Name, err}
	}
	return result, nil
}

// RunError is an error of a solver, with its name.
type RunError struct {
	Solver string
	Err    error
}

// Error implements error.
func (e *RunError) Error() string { return "solver " + e.Solver + ": " + e.Err.Error() }

// Unwrap is the error itself.
func (e *RunError) Unwrap() error { return e.Err }

// complete fills in what a solution says of itself.
func complete(ctx context.Context, result *Result, info Info, solver Solver, in *model.Instance, opt Options) error {
	sol := result.Solution
	sol.Schema = model.SolutionSchema
	sol.Instance, sol.InstanceSHA256 = in.Name(), in.SHA256()
	sol.Solver, sol.Version, sol.Seed = info.Name, Version(), opt.Seed
	if auto, ok := solver.(*Auto); ok {
		sol.Solver = auto.Chosen()
	}
	sol.Parameters = Parameters(solver)
	sol.Stop = result.Stop
	sol.Stats = &model.Stats{Evaluations: result.Evaluations}
	return state(ctx, result, in, opt.proof)
}

// Restate makes the result of a solver that ran for another objective, see [model.Instance.WithObjective], one for the objective of
// the instance: a bound or proof for the other says nothing of this one.
func Restate(ctx context.Context, result *Result, in *model.Instance) error {
	result.HasBound, result.Bound = false, 0
	if result.Status == model.Optimal {
		result.Status = model.Feasible
	}
	return state(ctx, result, in, &proof{in: in})
}

// state evaluates the solution and states its figures, with the best bound there is. A bound says nothing of a schedule that leaves out
// jobs it counts on, and a schedule that leaves out more than it has to is not optimal, however low its objective is.
func state(ctx context.Context, result *Result, in *model.Instance, known *proof) error {
	sol := result.Solution
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		return err
	}
	sol.Metrics, sol.Objective, sol.Bound = evaluation.Metrics, nil, nil
	if !math.IsInf(evaluation.Objective, 0) {
		sol.Objective = &evaluation.Objective
	}
	known.find(ctx)
	if proved, ok := known.Value(); ok && (!result.HasBound || proved > result.Bound) {
		result.Bound, result.HasBound = proved, true
	}
	worst := known.worstLeft(sol)
	if worst == bound.MustPlace {
		result.Bound, result.HasBound = 0, false
	}
	slack := model.Tolerance * math.Abs(evaluation.Objective)
	switch {
	case worst != bound.MustLeave:
		if result.Status == model.Optimal {
			result.Status = model.Feasible
		}
	case result.HasBound && result.Bound >= evaluation.Objective-slack:
		result.Status = model.Optimal
	}
	if result.HasBound {
		sol.Bound = &result.Bound
		if result.Bound > evaluation.Objective+slack {
			return fmt.Errorf("the lower bound %v is above the objective %v", result.Bound, evaluation.Objective)
		}
	}
	sol.Status = result.Status
	return nil
}

// Version is the version of the program: of the module where it was built as one, else the revision it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return "devel-" + setting.Value[:12]
		}
	}
	return "devel"
}
