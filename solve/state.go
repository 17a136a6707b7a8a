package solve

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// RefutedBound is a lower bound that a checked schedule shows to be false: a bug of the method that stated it.
type RefutedBound struct {
	Method    string  // that stated it
	Bound     float64 // what it stated
	Objective float64 // of the checked schedule
	Instance  string  // SHA-256 of the instance
}

// Error asks for a report.
func (r *RefutedBound) Error() string {
	return fmt.Sprintf("the lower bound %v of %s is false, as a checked schedule has the objective %v; it was dropped. This is a bug: please report it with the instance, SHA-256 %s",
		r.Bound, r.Method, r.Objective, r.Instance)
}

// state states the figures of a checked schedule, with the best bound there is: the solver's own or what is known of the instance.
// A bound says nothing of a schedule that leaves out jobs it counts on, and a schedule that leaves out more than it has to is not
// optimal, however low its objective is.
func state(result *Result, evaluation model.Evaluation, known *Proof, solver string) {
	sol := result.Solution
	sol.Metrics, sol.Objective = evaluation.Metrics, nil
	if !math.IsInf(evaluation.Objective, 0) {
		sol.Objective = &evaluation.Objective
	}
	worst := known.WorstLeft(sol)
	var best model.Bound
	offer := func(stated model.Bound, method string) {
		switch {
		case worst == bound.MustPlace:
		case evaluation.Refutes(stated):
			value, _ := stated.Value()
			result.Refuted = &RefutedBound{Method: method, Bound: value, Objective: evaluation.Objective}
		default:
			best = best.Max(stated)
		}
	}
	offer(result.Bound, solver)
	offer(known.Bound(), known.methods())
	claimed := result.Status == model.Optimal
	result.Status, result.Bound, sol.Bound = model.Feasible, best, best
	proved := evaluation.Proves(best) || claimed && result.Tolerance <= MostTolerance && evaluation.ProvesWithin(best, result.Tolerance)
	if worst == bound.MustLeave && proved {
		result.Status = model.Optimal
	}
	sol.Status = result.Status
}

// methods names the methods that hold the bound.
func (p *Proof) methods() string {
	var names []string
	for _, part := range p.Parts() {
		if part.Best {
			names = append(names, fmt.Sprintf("method %s for %s", part.Method, part.Metric))
		}
	}
	return strings.Join(names, ", ")
}
