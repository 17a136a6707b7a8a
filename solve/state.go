package solve

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// RefutedBound is a lower bound that a checked schedule shows to be false. The method that stated it has a bug.
type RefutedBound struct {
	Method    string  // the method that stated the bound
	Bound     float64 // the bound that it stated
	Objective float64 // of the checked schedule
	Instance  string  // SHA-256 of the instance
}

// Error describes the false bound and asks for a report.
func (r *RefutedBound) Error() string {
	return fmt.Sprintf("the lower bound %v of %s is false, as a checked schedule has the objective %v; it was dropped. This is a bug: please report it with the instance, SHA-256 %s",
		r.Bound, r.Method, r.Objective, r.Instance)
}

// state fills in the figures of a checked schedule and the best bound: the solver's own or the one known of the instance. A bound is for
// schedules that place all jobs that have to be placed. It says nothing of a schedule that leaves one of them out, and such a schedule is not
// optimal, however low its objective.
func state(result *Result, evaluation model.Evaluation, known *SharedBound, solver string) {
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
	proved := evaluation.Proves(best) || claimed && result.Tolerance <= model.MostTolerance && evaluation.ProvesWithin(best, result.Tolerance)
	if worst == bound.MustLeave && proved {
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
