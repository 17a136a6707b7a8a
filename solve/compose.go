package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// compose makes the Info of the chain a+b+… from the names of its stages.
func compose(name string, parts []string) (Info, error) {
	var stages []Info
	var docs, sources []string
	for _, part := range parts {
		info, err := Lookup(part)
		if err != nil {
			return Info{}, err
		}
		if len(stages) > 0 && !info.Starts {
			return Info{}, fmt.Errorf("expected solvers after the first of %q to start from a solution (%s); %s does not",
				name, strings.Join(starters(), ", "), part)
		}
		stages = append(stages, info)
		docs = append(docs, info.Doc)
		sources = append(sources, info.Source)
	}
	return Info{
		Name:   name,
		Doc:    strings.Join(docs, " Then: "),
		Source: strings.Join(sources, "; "),
		Starts: stages[0].Starts,
		New: func() Solver {
			chain := make(Chain, len(stages))
			for k, info := range stages {
				chain[k] = info.Choice()
			}
			return chain
		},
	}, nil
}

// starters lists the names of the solvers that can start from a solution.
func starters() []string {
	var names []string
	for _, info := range Solvers() {
		if info.Starts {
			names = append(names, info.Name)
		}
	}
	return names
}

// Chain runs solvers one after another. Each starts from the solution of the one before.
type Chain []Choice

// Parts implements [params.Composite].
func (c Chain) Parts() []params.Part {
	parts := make([]params.Part, len(c))
	for k, stage := range c {
		parts[k] = params.Part{Name: stage.Info.Name, Of: stage.Solver}
	}
	return parts
}

// Supports implements [Solver]: every stage must support the instance.
func (c Chain) Supports(in *model.Instance) error {
	for _, stage := range c {
		if err := stage.Solver.Supports(in); err != nil {
			return err
		}
	}
	return nil
}

// Solve implements [Solver]. MaxEvals limits the evaluations of all stages together: each stage may use what the stages before it have left
// over. A stage that finds no solution ends the chain, and the result of the stage before it is returned. One whose schedule is wrong is passed over.
func (c Chain) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	run, start := NewStages(opt), opt.Start
	last := Result{Status: model.Unknown, Stop: model.StopDone}
	for _, stage := range c {
		rest, ok := run.Next()
		if !ok {
			last.Stop = model.StopEvaluations
			break
		}
		rest.Start = start
		result, _ := run.Run(ctx, in, stage.Info, stage.Solver, rest)
		result.Solver = "" // the name of the chain names its solvers already
		if result.Solution == nil && last.Solution != nil {
			result.Solution, result.Status = last.Solution, last.Status
		}
		result.Warning = cmp.Or(last.Warning, result.Warning)
		if last = result; last.Solution != nil {
			start = last.Solution
		} else if last.Dropped == nil || !errors.As(last.Dropped, new(*WrongScheduleError)) {
			break
		}
		if ctx.Err() != nil || last.Stop == model.StopTime || last.Stop == model.StopCancelled {
			break
		}
	}
	return last, nil
}
