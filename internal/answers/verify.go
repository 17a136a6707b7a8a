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

// Verify checks a certificate, and whether it proves a solution optimal; nil: there is none.
func Verify(ctx context.Context, in *model.Instance, certificate *proof.Certificate, sol *model.Solution) (proof.Outcome, *Verified) {
	var out proof.Outcome
	if sol != nil {
		out = proof.CheckSolution(ctx, in, certificate, sol)
	} else {
		out.Report = proof.Check(ctx, in, certificate)
	}
	found := &Verified{out.Report, certificate.Bound, out.Objective, nil, out.Why, out.Gap}
	if sol != nil {
		found.Optimal = &out.Optimal
	}
	return out, found
}
