package solve

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// certify chooses the certificate of the result's bound: that of own, the result that the solver returned, or that of known, the run's own proof. A
// certificate that states less than the bound will do if it still proves that the schedule is optimal, or, of a schedule that is not called optimal,
// if it is near the bound. If neither will do, certify takes the better one and notes which bound is not certified.
func (r *Result) certify(in *model.Instance, evaluation model.Evaluation, own Result, known *SharedBound, solver string) {
	r.Certificate = nil
	value, bounded := r.Bound.Value()
	if !bounded {
		return
	}
	best := &proof.Certificate{}
	for _, c := range []*proof.Certificate{own.Certificate, known.Certificate()} {
		if c == nil || !c.Bound.Known() || evaluation.Refutes(c.Bound) || r.Owed > known.Owed() {
			continue // in the last case it is of schedules that owe fewer jobs, and there is none
		}
		if best.Bound.Max(c.Bound) != best.Bound {
			best = c
		}
	}
	certified := *best
	certified.Owed, certified.OwedBy = r.Owed, known.OwedBy()
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

// certifyInfeasible completes the certificate of an instance without a solution.
func (r *Result) certifyInfeasible(in *model.Instance, solver string) {
	c := r.Certificate
	switch {
	case r.Status != model.Infeasible:
		r.Certificate = nil
		return
	case c == nil || c.Infeasible == nil:
		c = &proof.Certificate{NotCertified: "solver " + solver + " proves without a certificate that the instance is infeasible"}
	}
	r.Certificate = identified(c, in)
}

// identified adds the schema, the instance and the objective.
func identified(c *proof.Certificate, in *model.Instance) *proof.Certificate {
	stated := *c
	stated.Schema, stated.Instance, stated.InstanceSHA256, stated.Objective = proof.Schema, in.Name(), in.SHA256(), in.StatedObjective()
	return &stated
}
