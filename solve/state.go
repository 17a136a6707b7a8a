package solve

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/model"
)

// RefutedBound is a lower bound that a checked schedule shows to be false, of the objective or of the jobs owed. The method that stated it has a bug.
type RefutedBound struct {
	Method    string  // the method that stated the bound
	Bound     float64 // the bound that it stated
	Objective float64 // of the checked schedule
	Owed      [2]int  // the number of jobs that the method stated, and that the schedule owes; only if the former is larger the bound is of jobs owed
	Instance  string  // SHA-256 of the instance
}

// Error describes the false bound and asks for a report.
func (r *RefutedBound) Error() string {
	claim := fmt.Sprintf("the lower bound %v of %s is false, as a checked schedule has the objective %v", r.Bound, r.Method, r.Objective)
	if r.Owed[0] > r.Owed[1] {
		claim = fmt.Sprintf("that every schedule owes %d jobs, as %s states, is false, as a checked schedule owes %d", r.Owed[0], r.Method, r.Owed[1])
	}
	return claim + "; it was dropped. This is a bug: please report it with the instance, SHA-256 " + r.Instance
}

// state fills in the figures of a checked schedule and what is proved: the solver's own or what is known of the instance. A bound is of schedules
// that owe as few jobs as is proved that every schedule does. It says nothing of one that owes more, and such a schedule is not
// optimal, however low its objective.
func state(result *Result, in *model.Instance, evaluation model.Evaluation, known *SharedBound, solver string) {
	sol := result.Solution
	sol.Metrics, sol.Objective = evaluation.WithMetrics().Metrics, nil
	if !math.IsInf(evaluation.Objective, 0) {
		sol.Objective = &evaluation.Objective
	}
	owes, owed := in.Owed(sol), 0
	var best model.Bound
	offer := func(of int, stated model.Bound, method string) {
		switch {
		case of > owes:
			result.Refuted = &RefutedBound{Method: method, Objective: evaluation.Objective, Owed: [2]int{of, owes}}
			return
		case of < owed:
			return
		case of > owed:
			owed, best = of, model.Bound{}
		}
		switch {
		case owes > of:
		case evaluation.Refutes(stated):
			value, _ := stated.Value()
			result.Refuted = &RefutedBound{Method: method, Bound: value, Objective: evaluation.Objective, Owed: [2]int{of, owes}}
		default:
			best = best.Max(stated)
		}
	}
	offer(max(result.Owed, known.Owed()), result.Bound, solver)
	offer(known.Owed(), known.Bound(), known.methods())
	claimed := result.Status == model.Optimal
	result.Status, result.Bound, sol.Bound, result.Owed, sol.Owed = model.Feasible, best, best, owed, owed
	proved := evaluation.Proves(best) || claimed && result.Tolerance <= model.MostTolerance && evaluation.ProvesWithin(best, result.Tolerance)
	if proved { // so the schedule owes no more
		result.Status = model.Optimal
	}
	sol.Status = result.Status
}

// methods names the methods that prove the best bound.
func (p *SharedBound) methods() string {
	var names []string
	for _, part := range p.Parts() {
		if part.Best {
			names = append(names, fmt.Sprintf("method %s for %s", part.Method, part.Metric))
		}
	}
	return strings.Join(names, ", ")
}
