package bound

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// together bounds the weighted sum of several metrics of the objective at once: what power costs, and sums over the jobs. Where it is cheap a job may have to
// wait, so that the sum is more than the least of each.
type together struct {
	terms   []*term
	weights map[string]float64
	prover  Prover
	gate    *Gate
	busy    bool
}

// newTogether finds what can be bounded together; nil: nothing, or one metric alone.
func (p *Portfolio) newTogether(r *Relaxation, certified bool) *together {
	s := &together{weights: map[string]float64{}, gate: &Gate{}, busy: true}
	for _, t := range p.terms {
		if slices.Contains(proof.Together, t.metric) && !t.lacks {
			s.terms, s.weights[t.metric] = append(s.terms, t), t.weight
		}
	}
	w := powerWeights{energy: s.weights["energy"], cost: s.weights["energy_cost"], carbon: s.weights["carbon"],
		wait: s.weights["mean_wait"], response: s.weights["mean_response"], over: s.weights["over_deadline"]}
	if len(s.terms) < 2 || w.energy == 0 && w.cost == 0 && w.carbon == 0 {
		return nil
	}
	if certified {
		s.gate.Ask()
	}
	s.prover = &ascent{r: r, proved: s.gate, kind: pricedPower{w}}
	return s
}

// improve continues. It returns whether more work may raise the bound.
func (s *together) improve(ctx context.Context, work int64) bool {
	s.busy = s.prover.Improve(ctx, work) && !s.gate.Closed()
	return s.busy
}

// name is the metrics.
func (s *together) name() string { return strings.Join(slices.Sorted(maps.Keys(s.weights)), " + ") }

// covers says whether the metric of the term is one of them.
func (s *together) covers(t *term) bool { return s != nil && slices.Contains(s.terms, t) }

// helps says whether more is proved of the metrics together than of each.
func (s *together) helps() bool {
	if s == nil {
		return false
	}
	value, known := s.gate.Bound().Value()
	least := 0.0
	for _, t := range s.terms {
		least += t.weight * t.best()
	}
	return known && value > least
}

// part is what a certificate states; false: nothing is proved.
func (s *together) part() (proof.Part, bool) {
	if s == nil {
		return proof.Part{}, false
	}
	value, known := s.gate.Bound().Value()
	return proof.Part{Metric: s.terms[0].metric, Sum: s.weights, Bound: value, Method: pricedPowerName, By: s.gate.Argument()}, known
}

// with is the bound of the objective with the metrics together, where the others have the given bounds.
func (p *Portfolio) with(s *together, bounds []float64) model.Bound {
	value, known := s.gate.Bound().Value()
	if !known {
		return model.Bound{}
	}
	others := &Portfolio{constant: p.constant, terms: []*term{{weight: 1}}}
	list := []float64{value}
	for k, t := range p.terms {
		if !s.covers(t) {
			others.terms, list = append(others.terms, t), append(list, bounds[k])
		}
	}
	return others.total(list)
}
