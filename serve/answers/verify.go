package answers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Verified is what a check of a certificate has found.
type Verified struct {
	proof.Report
	Bound     model.Bound `json:"bound,omitzero"`
	Objective *float64    `json:"objective,omitempty"`
	Optimal   *bool       `json:"optimal,omitempty"`
	Why       string      `json:"why,omitempty"`
	Gap       *float64    `json:"gap_percent,omitempty"`
}

// Verify checks a certificate, and whether it proves a solution optimal; nil: there is none. The figures that the solution states are judged too, as a wrong one
// breaks a rule; but if the objective of the instance is replaced, a solution that names none states its figures of another, and its placements alone are judged.
func Verify(ctx context.Context, in *model.Instance, certificate *proof.Certificate, sol *model.Solution, replaced bool) (proof.Outcome, *Verified) {
	var out proof.Outcome
	if sol != nil {
		out = proof.CheckSolution(ctx, in, certificate, sol)
		if stated := model.Check(in, sol); !out.Wrong && !stated.OK() && !(replaced && sol.Minimised == nil) {
			out.Wrong, out.Optimal, out.Gap, out.Why = true, false, nil, "the solution breaks a rule: "+stated.Violations[0].Error()
		}
	} else {
		out.Report = proof.Check(ctx, in, certificate)
	}
	found := &Verified{out.Report, certificate.Bound, out.Objective, nil, out.Why, out.Gap}
	if sol != nil {
		found.Optimal = &out.Optimal
	}
	return out, found
}
