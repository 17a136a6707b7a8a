package answers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Explained is why a job of a solution runs where and when it does.
type Explained struct {
	plan.Explanation
	Reasons []whatif.Decision `json:"reasons,omitempty"` // the rules of the on-line policy that decided
	Causes  []whatif.Cause    `json:"causes,omitempty"`  // why the on-line policy let the job wait
}

// Explain explains a job of a solution that the checker accepts.
func Explain(ctx context.Context, in *model.Instance, sol *model.Solution, job int) (*Explained, error) {
	answer, err := replayOf(ctx, in, sol, job)
	if err != nil {
		return nil, err
	}
	explained := &Explained{Explanation: plan.Explain(in, sol, job)}
	if answer != nil {
		explained.Reasons, explained.Causes = answer.Reasons, answer.Causes
	}
	return explained, nil
}

// replayOf runs the on-line solver of a solution again, with its seed and parameters, and returns what its policy says about the job. It returns
// nothing if the solver is not an on-line policy, or if some job starts at another time than in the solution: then the reasons would belong to another schedule.
func replayOf(ctx context.Context, in *model.Instance, sol *model.Solution, job int) (*whatif.Answer, error) {
	policy := onlinePolicy(sol)
	if policy == nil {
		return nil, nil
	}
	for _, run := range []solve.Policy{policy, asStated{policy}} { // the run was one of them
		if solve.Supports(solve.OnLine(run), in, false) != nil {
			continue
		}
		made, _, err := solve.Simulate(ctx, run, in, sim.Options{Seed: sol.Seed})
		if err != nil {
			return nil, err
		}
		if sameStarts(made, sol) {
			return whatif.Submit(ctx, sol.Solver, run, in, in.Jobs()[job].ID, sol.Seed)
		}
	}
	return nil, nil
}

// asStated is a policy that gets instances as they are stated, also with what cannot bind.
type asStated struct{ solve.Policy }

// Discipline implements [solve.Policy].
func (p asStated) Discipline() sim.Discipline {
	rules := p.Policy.Discipline()
	rules.Stated = true
	return rules
}

// sameStarts says whether the same jobs start at the same times in two schedules.
func sameStarts(a, b *model.Solution) bool {
	starts := map[string]float64{}
	for k := range a.Jobs {
		starts[a.Jobs[k].Job] = a.Jobs[k].Start
	}
	for k := range b.Jobs {
		if at, placed := starts[b.Jobs[k].Job]; !placed || at != b.Jobs[k].Start {
			return false
		}
	}
	return len(a.Jobs) == len(b.Jobs)
}

// RulesOf runs the on-line solver of a solution again and returns, by job, which rules decided when the job started. It leaves out jobs that the run starts
// at another time than the solution. It returns nothing if the solver is not an on-line policy that gives reasons.
func RulesOf(ctx context.Context, in *model.Instance, sol *model.Solution) (map[string]string, error) {
	policy := onlinePolicy(sol)
	if policy == nil || solve.Supports(solve.OnLine(policy), in, false) != nil {
		return nil, nil
	}
	rules, err := whatif.Rules(ctx, sol.Solver, policy, in, sol.Seed)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		if said, known := rules[p.Job]; known && said.Start == p.Start {
			texts[p.Job] = said.Text()
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return texts, nil
}

// onlinePolicy makes the on-line solver that a solution names, with its parameters; nil: it names none that this program has.
func onlinePolicy(sol *model.Solution) solve.Policy {
	choice, err := choiceOf(sol)
	if err != nil {
		return nil
	}
	policy, _ := solve.PolicyOf(choice.Solver)
	return policy
}

// choiceOf makes the solver that a solution names, with its parameters. It runs no command that a file names.
func choiceOf(sol *model.Solution) (solve.Choice, error) {
	if sol.Solver == "" {
		return solve.Choice{}, errors.New("solver: expected the name of the solver that made the schedule, found none")
	}
	if solve.External(sol.Solver) {
		return solve.Choice{}, fmt.Errorf("solver: expected a solver of allot, found the command %q; allot runs no command that a file names", sol.Solver)
	}
	info, err := solve.Lookup(sol.Solver)
	if err != nil {
		return solve.Choice{}, fmt.Errorf("solver: %w", err)
	}
	choice := info.Choice()
	for _, name := range slices.Sorted(maps.Keys(sol.Parameters)) {
		text := ""
		switch value := sol.Parameters[name].(type) {
		case string:
			text = value
		case bool:
			text = strconv.FormatBool(value)
		case float64:
			text = strconv.FormatFloat(value, 'f', -1, 64) // also the form of a whole number
		default:
			return choice, fmt.Errorf("parameters.%s: expected a text, a number, true or false, found %v", name, value)
		}
		if err := choice.Set(name, text); err != nil {
			return choice, fmt.Errorf("parameters: solver %s: %w", sol.Solver, err)
		}
	}
	return choice, nil
}
