package solve

import (
	"cmp"
	"context"
	"strings"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// verified verifies the certificates of the run's own proof and of the solver, before anything is stated of the bound. What is refuted is dropped, and so is a bound
// of the solver without a certificate, as it may be what was refuted. It returns the certificate of the run's own proof.
func (r *Result) verified(ctx context.Context, in *model.Instance, known *SharedBound, solver string) *proof.Certificate {
	var certificate *proof.Certificate
	var refuted []*bound.Refutation
	unverified := false
	if r.Certificate != nil {
		own := *r.Certificate
		own.Owed, own.OwedBy = max(r.Owed, known.Owed()), known.OwedBy() // see Result.Owed
		r.Certificate = &own
		switch report, of := verify(ctx, in, known.of, &own); {
		case report.Verdict == proof.Refuted:
			value, _ := own.Bound.Value()
			refuted = append(refuted, &bound.Refutation{Method: "solver " + solver, Bound: value, Report: report, Instance: in.SHA256()})
			r.Certificate = nil
		case !of:
			r.Certificate = nil
		default:
			unverified = cutOff(report)
		}
	}
	if r.Certificate == nil || r.Certificate.Bound.Max(known.Bound()) != r.Certificate.Bound { // otherwise nothing of the run's own proof counts
		var report proof.Report
		var dropped []*bound.Refutation
		certificate, report, dropped = known.Verified(ctx)
		refuted, unverified = append(refuted, dropped...), unverified || certificate != nil && cutOff(report)
	}
	if len(refuted) > 0 {
		r.Unproved, r.Warning = refuted[0], cmp.Or(r.Warning, refuted[0].Error())
		if r.Bound = (model.Bound{}); r.Certificate != nil {
			r.Bound = r.Certificate.Bound
		}
	} else if unverified {
		r.Warning = cmp.Or(r.Warning, "the certificate was not verified within the time; allot check --proof does it")
	}
	return certificate
}

// verify verifies a certificate of a solver that got the reduced instance. of is false where it proves its claim of that one only: it may name what the stated
// instance has otherwise.
func verify(ctx context.Context, in, reduced *model.Instance, c *proof.Certificate) (report proof.Report, of bool) {
	report = bound.Verify(ctx, in, identified(c, in))
	if in == reduced || report.Verdict == proof.Verified || cutOff(report) {
		return report, true
	}
	return bound.Verify(ctx, reduced, identified(c, reduced)), false
}

// cutOff says that a certificate was not verified because there was no time.
func cutOff(report proof.Report) bool {
	return report.Verdict == proof.NotCertified && strings.HasSuffix(report.Reason, "the check was cut off")
}

// certify chooses the certificate of the result's bound: that of own, the result that the solver returned, or that of known, the run's own proof. A
// certificate that states less than the bound will do if it still proves that the schedule is optimal, or, of a schedule that is not called optimal,
// if it is near the bound. If neither will do, certify takes the better one and notes which bound is not certified.
func (r *Result) certify(in *model.Instance, evaluation model.Evaluation, own, known *proof.Certificate, shared *SharedBound, solver string) {
	r.Certificate = nil
	value, bounded := r.Bound.Value()
	if !bounded {
		return
	}
	best := &proof.Certificate{}
	for _, c := range []*proof.Certificate{own, known} {
		if c == nil || !c.Bound.Known() || evaluation.Refutes(c.Bound) || r.Owed > shared.Owed() {
			continue // in the last case it is of schedules that owe fewer jobs, and there is none
		}
		if best.Bound.Max(c.Bound) != best.Bound {
			best = c
		}
	}
	certified := *best
	certified.Owed, certified.OwedBy = r.Owed, shared.OwedBy()
	certified.Stated, certified.NotCertified = model.Bound{}, ""
	enough := func(stated float64) bool {
		if r.Status == model.Optimal {
			return evaluation.Proves(best.Bound) || r.Tolerance <= model.MostTolerance && evaluation.ProvesWithin(best.Bound, r.Tolerance)
		}
		return near(stated, value)
	}
	if stated, ok := best.Bound.Value(); !ok || stated < value && !enough(stated) {
		certified.Stated, certified.NotCertified = r.Bound, "solver "+solver+" states a bound without a certificate"
	}
	r.Certificate = identified(&certified, in)
}

// near reports whether a certificate states the bound, apart from the small amount that its prover took off for rounding.
func near(stated, bound float64) bool { return stated >= bound-model.Tolerance*max(bound, -bound) }

// certifyInfeasible completes the certificate of an instance without a solution, and verifies it. If it is refuted, nothing is known.
func (r *Result) certifyInfeasible(ctx context.Context, in, reduced *model.Instance, solver string) {
	c := r.Certificate
	r.Certificate = nil
	switch {
	case r.Status != model.Infeasible:
		return
	case c == nil || c.Infeasible == nil:
		c = &proof.Certificate{NotCertified: "solver " + solver + " proves without a certificate that the instance is infeasible"}
	}
	report, of := verify(ctx, in, reduced, c)
	if report.Verdict == proof.Refuted {
		r.Unproved = &bound.Refutation{Method: "solver " + solver, Report: report, Instance: in.SHA256()}
		r.Status, r.Reason, r.Warning = model.Unknown, "", cmp.Or(r.Warning, r.Unproved.Error())
		return
	}
	if !of {
		c = &proof.Certificate{NotCertified: "solver " + solver + " proves it of the presolved instance"}
	}
	r.Certificate = identified(c, in)
}

// identified adds the schema, the instance and the objective.
func identified(c *proof.Certificate, in *model.Instance) *proof.Certificate {
	stated := *c
	stated.Schema, stated.Instance, stated.InstanceSHA256, stated.Objective = proof.Schema, in.Name(), in.SHA256(), in.StatedObjective()
	return &stated
}
