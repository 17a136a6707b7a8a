package allocation

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/queueing/ggone"
)

// certificate is that of the bound of an allocation.
func certificate(weight float64, found ggone.Result) *proof.Certificate {
	value, known := found.Certified.Value()
	if !known {
		return nil
	}
	value = max(0, value)
	part := proof.Part{Metric: "qos_penalty", Bound: value, Method: "ggone", By: &proof.Argument{Levels: found.Proof}}
	return &proof.Certificate{Bound: weighted(weight, model.ProvedBound(value)), Parts: []proof.Part{part}}
}

// certifyInfeasible is the certificate of an instance without a stable allocation; nil: the problem is not that of the instance.
func (p *Stated) certifyInfeasible(e *ggone.InfeasibleError) *proof.Certificate {
	switch {
	case !p.given:
		return nil
	case e.Room < e.Tasks:
		return &proof.Certificate{Infeasible: &proof.Infeasible{Condition: "room", Most: float64(e.Room), Needed: float64(e.Tasks)}}
	}
	return &proof.Certificate{Infeasible: &proof.Infeasible{Condition: "rate", Most: e.Most, Needed: p.Rate}}
}
