package answers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/proof"
)

// ProvedBound is a lower bound of the objective of an instance.
type ProvedBound struct {
	Objective string       `json:"objective"`
	Bound     float64      `json:"bound"`
	Owed      int          `json:"owed,omitempty"` // jobs that every schedule owes at least; the bound is of those that owe no more
	Parts     []bound.Part `json:"parts"`
	More      bool         `json:"more"` // more time may improve the bound
	Elapsed   float64      `json:"elapsed_s"`
	Unproved  []string     `json:"-"` // metrics that no method bounds

	Certificate *proof.Certificate `json:"-"` // where one was asked for: verified, as far as there is time and the checker covers the instance
	Warning     string             `json:"-"` // of a certificate that the checker refutes, whose bound was dropped
	verified    bool               // the checker accepts the certificate
}

// ErrNoBound says that nothing was proved. Errors wrap it.
var ErrNoBound = errors.New("no bound")

// noBound is an [ErrNoBound] that says why.
type noBound string

func (e noBound) Error() string        { return string(e) }
func (e noBound) Is(target error) bool { return target == ErrNoBound }

// Bound proves a lower bound. It works for about a second of work that depends only on the instance, and where long is true for as long as ctx lets it and work
// improves the bound; improved is then told the bound before each further second. certify asks for a certificate; what the checker refutes is then no part of the bound.
func Bound(ctx context.Context, in *model.Instance, long, certify bool, improved func(model.Bound)) (*ProvedBound, error) {
	const second = 1_000_000_000
	prepare := bound.New
	if certify {
		prepare = bound.NewCertified
	}
	began, portfolio := time.Now(), prepare(ctx, in)
	more := portfolio.Improve(ctx, second)
	for more && long && ctx.Err() == nil {
		improved(portfolio.Bound())
		more = portfolio.Improve(ctx, second)
	}
	var certificate *proof.Certificate
	var report proof.Report
	var refuted []*bound.Refutation
	if certify {
		certificate, report, refuted = portfolio.Verified(ctx)
	}
	value, ok := portfolio.Bound().Value()
	if !ok {
		return nil, noBound(cmp.Or(shown.Unbounded(in), "stopped before anything was proved of "+shown.Objective(in)))
	}
	found := &ProvedBound{shown.Objective(in), value, portfolio.Owed(), portfolio.Parts(), more, time.Since(began).Seconds(), nil, certificate, "", report.Verdict == proof.Verified}
	if len(refuted) > 0 {
		found.Warning = refuted[0].Error()
	}
	for _, t := range in.ObjectiveTerms() {
		if t.Weight > 0 && !slices.ContainsFunc(found.Parts, func(p bound.Part) bool { return p.Metric == t.Metric }) {
			found.Unproved = append(found.Unproved, t.Metric)
		}
	}
	return found, nil
}
