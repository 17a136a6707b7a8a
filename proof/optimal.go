package proof

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Outcome is what the checker says of a certificate together with a solution.
type Outcome struct {
	Report
	Objective *float64 `json:"objective,omitempty"`   // of the solution, computed by the evaluator; absent: not finite
	Optimal   bool     `json:"optimal"`               // the bound reaches the objective, within the tolerance of the model
	Why       string   `json:"why,omitempty"`         // why the solution is not proved optimal
	Gap       *float64 `json:"gap_percent,omitempty"` // of the objective to the verified bound, see model.Gap; absent: optimal, or there is none
	Wrong     bool     `json:"-"`                     // the solution breaks a rule
}

// CheckSolution verifies a certificate and whether it proves the solution optimal: the solution is right, owes no more jobs than every schedule, and costs as much as the bound within the tolerance of the model, see [model.Evaluation.Proves]. A solution that costs less than the bound
// refutes the certificate. The objective is that of the instance, or the one that the solution states in its field minimised.
func CheckSolution(ctx context.Context, in *model.Instance, c *Certificate, sol *model.Solution) Outcome {
	if sol.Minimised != nil {
		target, err := in.WithObjective(sol.Minimised)
		if err != nil {
			return Outcome{Report: report(nil), Wrong: true, Why: "the solution breaks a rule: minimised: " + err.Error()}
		}
		in = target
	}
	out := Outcome{Report: Check(ctx, in, c)}
	if c.InstanceSHA256 != in.SHA256() || checkNumbers(c) != nil {
		return out
	}
	found := model.Check(in, &model.Solution{Schema: model.SolutionSchema, Jobs: sol.Jobs, Unscheduled: sol.Unscheduled, Loads: sol.Loads})
	if !found.OK() {
		out.Wrong, out.Why = true, "the solution breaks a rule: "+found.Violations[0].Error()
		return out
	}
	if !math.IsInf(found.Objective, 0) {
		out.Objective = &found.Objective
	}
	out.judge(in, c, found.Evaluation, in.Owed(sol))
	return out
}

// judge compares the certificate with a solution that breaks no rule and owes the given number of jobs, and its verdict.
func (out *Outcome) judge(in *model.Instance, c *Certificate, found model.Evaluation, owes int) {
	switch {
	case !sameObjective(c.Objective, in.StatedObjective()):
		out.Why = "the certificate is of another objective"
	case c.Infeasible != nil && out.Objective != nil && out.Verdict == Verified:
		out.Report = Report{Refuted, "infeasible", "the solution has a finite cost"}
	case owes < c.Owed:
		out.Report = Report{Refuted, "owed", fmt.Sprintf("the solution owes %d jobs", owes)}
	case owes > c.Owed:
		out.Why = fmt.Sprintf("the solution owes %d jobs, and at least %d are proved to be owed: the bound says nothing of it", owes, c.Owed)
	case c.Infeasible == nil && found.Refutes(c.Bound):
		out.Report = Report{Refuted, "bound", "the solution costs less than the bound"}
	case out.Verdict != Verified:
		out.Why = "the bound is " + string(out.Verdict)
	case c.Infeasible != nil:
		out.Why = "no allocation has a finite cost"
	case !found.Proves(c.Bound):
		out.Why = "the bound is below the objective"
		if gap, ok := model.Gap(found.Objective, c.Bound); ok {
			out.Gap = &gap
		}
	default:
		out.Optimal = true
	}
}
