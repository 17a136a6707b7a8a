package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/whatif"
	"github.com/allot-opt/allot/solve"
)

// reasonsOf runs the on-line solver of a solution again, with its seed and parameters, and returns what its policy says about the job. It returns
// nothing if the solver is not an on-line policy, if the policy gives no reasons, or if the job starts at another time than in the solution: then the
// reasons would belong to another schedule.
func reasonsOf(ctx context.Context, in *model.Instance, sol *model.Solution, job int) ([]whatif.Decision, error) {
	policy := onlinePolicy(sol)
	if policy == nil || policy.Supports(in) != nil {
		return nil, nil
	}
	id := in.Jobs()[job].ID
	answer, err := whatif.Submit(ctx, sol.Solver, policy, in, id, sol.Seed)
	if err != nil {
		return nil, stoppedOr(ctx, err)
	}
	at := slices.IndexFunc(sol.Jobs, func(p model.Placement) bool { return p.Job == id })
	placed := at >= 0
	ran := answer.Start != nil && answer.Reason == ""
	if placed != ran || placed && sol.Jobs[at].Start != *answer.Start {
		return nil, nil
	}
	return answer.Reasons, nil
}

// rulesOf runs the on-line solver of a solution again and returns, by job, which rules decided when the job started. It leaves out jobs that the run starts
// at another time than the solution. It returns nothing if the solver is not an on-line policy that gives reasons.
func rulesOf(ctx context.Context, in *model.Instance, sol *model.Solution) (map[string]string, error) {
	policy := onlinePolicy(sol)
	if policy == nil || policy.Supports(in) != nil {
		return nil, nil
	}
	rules, err := whatif.Rules(ctx, sol.Solver, policy, in, sol.Seed)
	if err != nil {
		return nil, stoppedOr(ctx, err)
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

// writeReasons writes which rules of the policy decided about a job.
func writeReasons(b *strings.Builder, solver string, reasons []whatif.Decision, dates dates) {
	if len(reasons) > 0 {
		fmt.Fprintf(b, "what decided in %s:\n", solver)
	}
	for _, r := range reasons {
		fmt.Fprintf(b, "  at %s, %s: %s\n", dates.at(r.At), r.Rule, r.Text)
		table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, term := range r.Terms {
			fmt.Fprintf(table, "    %s\t%s\n", term.Name, numtext.Figure(term.Value))
		}
		_ = table.Flush() // into memory
	}
}
