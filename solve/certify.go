package solve

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// certify chooses the certificate of the result's bound: that of the solver, which returned own, or that of what is known of the instance. A
// certificate may state a little less than the bound where it shows the same: that the schedule is optimal.
func (r *Result) certify(in *model.Instance, evaluation model.Evaluation, own Result, known *Proof, solver string) {
	r.Certificate = nil
	value, bounded := r.Bound.Value()
	if !bounded {
		return
	}
	instance := known.Certificate()
	for _, c := range []*proof.Certificate{own.Certificate, instance} {
		if c == nil || c.NotCertified != "" || c.Infeasible != nil || !shown(c) {
			continue
		}
		if stated, _ := c.Bound.Value(); stated >= value || !evaluation.Refutes(c.Bound) && (evaluation.Proves(c.Bound) || near(stated, value)) {
			r.Certificate = identified(c, in)
			return
		}
	}
	if stated := known.Bound(); instance != nil && stated == r.Bound {
		r.Certificate = identified(instance, in) // which says of which part nothing can be checked
		return
	}
	r.Certificate = identified(&proof.Certificate{Bound: r.Bound, NotCertified: "solver " + solver + " proves it without a certificate"}, in)
}

// near says that a certificate states the bound but for what its maker took off for rounding.
func near(stated, bound float64) bool { return stated >= bound-model.Tolerance*max(bound, -bound) }

// shown says that all parts of the certificate can be checked.
func shown(c *proof.Certificate) bool {
	for k := range c.Parts {
		if c.Parts[k].By == nil && c.Parts[k].Bound > 0 {
			return false
		}
	}
	return true
}

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
