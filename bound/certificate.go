package bound

import (
	"context"
	"maps"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Certificate states what proves the bound, for the checker of package proof. It is nil if there is no bound. The best method of a metric may not
// show what proves its bound, and a portfolio made by [New] shows nothing. Then the certificate states the best bound as not certified, and certifies
// the bound that other methods show.
func (p *Portfolio) Certificate() *proof.Certificate {
	plain := p.plainCertificate()
	if chosen := p.chosenCertificate(); chosen != nil && (plain == nil || plain.Bound.Max(chosen.Bound) != plain.Bound) {
		return chosen
	}
	if value := p.Bound(); plain != nil && value != p.plain() {
		plain.Stated, plain.NotCertified = value, "a choice of the jobs left out has no certificate"
	}
	return plain
}

// plainCertificate is that of the bound whichever jobs are left out.
func (p *Portfolio) plainCertificate() *proof.Certificate {
	value := p.plain()
	if !value.Known() {
		return nil
	}
	c := &proof.Certificate{Schema: proof.Schema, Instance: p.in.Name(), InstanceSHA256: p.in.SHA256(), Objective: p.in.StatedObjective(), Owed: p.owed, OwedBy: p.OwedBy()}
	bounds := make([]float64, len(p.terms))
	for k, t := range p.terms {
		bounds[k] = t.floor()
		if part, ok := t.certificate(); ok {
			c.Parts = append(c.Parts, part)
			bounds[k] = part.Bound
		}
	}
	stated := p.total(bounds)
	if part, ok := p.together.part(); ok && part.By != nil {
		if sum := p.with(p.together, bounds); stated.Max(sum) != stated {
			stated = sum
			var others []proof.Part
			for _, other := range c.Parts {
				if _, covered := part.Sum[other.Metric]; !covered {
					others = append(others, other)
				}
			}
			c.Parts = append(others, part)
		}
	}
	if stated.Max(value) == stated {
		c.Bound = value
	} else {
		c.Bound, c.Stated, c.NotCertified = stated, value, "the method that proves the bound has no certificate"
	}
	return c
}

// alone is an objective of some of the metrics under which the same jobs are owed as under the whole: where that counts what is left out, this one counts it too.
func (p *Portfolio) alone(weights map[string]float64) map[string]float64 {
	objective := maps.Clone(weights)
	alone, err := p.in.WithObjective(objective)
	for j := range p.in.Jobs() {
		if err == nil && alone.Owes(j) && !p.in.Owes(j) {
			objective["unfinished"] = 1 // which is at least 0, so the bound holds with it
			break
		}
	}
	return objective
}

// Certificates returns one certificate for each entry of [Portfolio.Parts], in the same order. Each certifies what one method proves of its metric, of
// schedules that owe no more than they must under the whole objective.
func (p *Portfolio) Certificates() []*proof.Certificate {
	var list []*proof.Certificate
	if c := p.chosenCertificate(); c != nil {
		list = append(list, c)
	}
	if part, known := p.together.part(); known {
		list = append(list, &proof.Certificate{Schema: proof.Schema, Instance: p.in.Name(), InstanceSHA256: p.in.SHA256(), Objective: p.alone(part.Sum), Owed: p.owed, OwedBy: p.OwedBy(), Bound: model.ProvedBound(part.Bound), Parts: []proof.Part{part}})
	}
	for _, t := range p.terms {
		for k := range t.gates {
			if part, ok := t.shown(k); ok {
				weight := 1.0
				if metric, _ := model.MetricNamed(t.metric); metric.HighBetter && !t.lacks {
					weight = -1 // an objective takes it negated
				}
				value := model.ProvedBound(part.Bound)
				if t.lacks {
					most, _ := t.of.most(context.Background(), t.metric) // known, as there is such a term
					value = (&Portfolio{constant: most.Neg(most), terms: []*term{{weight: 1}}}).total([]float64{part.Bound})
				}
				list = append(list, &proof.Certificate{Schema: proof.Schema, Instance: p.in.Name(), InstanceSHA256: p.in.SHA256(),
					Objective: p.alone(map[string]float64{t.metric: weight}), Owed: p.owed, OwedBy: p.OwedBy(), Bound: value, Parts: []proof.Part{part}})
			}
		}
	}
	return list
}

// certificate is the best bound of the metric that a method shows.
func (t *term) certificate() (best proof.Part, ok bool) {
	for k := range t.gates {
		if part, proved := t.shown(k); proved && part.By != nil && (!ok || part.Bound > best.Bound) {
			best, ok = part, true
		}
	}
	return best, ok
}

// shown is the bound that method k proves of the metric, with what proves it. It returns false if the method proves none.
func (t *term) shown(k int) (part proof.Part, ok bool) {
	raw, ok := t.gates[k].Bound().Value()
	if !ok {
		return part, false
	}
	part = proof.Part{Metric: t.metric, Bound: max(t.floor(), raw, t.roundUp(raw)), Lacks: t.lacks, Method: t.methods[k].Name}
	if part.Bound > t.floor() {
		part.By = t.gates[k].Argument()
	}
	if part.Bound > max(t.floor(), raw) {
		part.Step, _ = t.of.statedStep(t.metric)
	}
	return part, true
}

// statedStep is the step of time that a certificate states. For a mean the checker divides it by the number of jobs.
func (r *Relaxation) statedStep(metric string) (step float64, ok bool) {
	switch metric {
	case "missed":
		return 1, true
	case "over_deadline":
		step = r.grainOf(true).step
	default:
		step = r.grainOf(false).step
	}
	return step, step > 0
}
