package bound

import "github.com/allot-opt/allot/proof"

// Certificate states the bound and what proves it, for the checker of package proof; nil: there is no bound. Of a metric whose best method does not
// show what proves its bound, or of a proof that [New] made, it says that nothing can be checked.
func (p *Proof) Certificate() *proof.Certificate {
	value := p.Bound()
	if !value.Known() {
		return nil
	}
	c := &proof.Certificate{Schema: proof.Schema, Instance: p.in.Name(), InstanceSHA256: p.in.SHA256(), Objective: p.in.StatedObjective(), Bound: value}
	for _, t := range p.terms {
		if part, ok := t.certificate(); ok {
			c.Parts = append(c.Parts, part)
		}
	}
	return c
}

// certificate is the part of the metric. Of several methods that prove the same it takes one that shows what proves it.
func (t *term) certificate() (part proof.Part, ok bool) {
	best, ok := t.best()
	if !ok || best <= 0 {
		return part, false // no metric is negative
	}
	part = proof.Part{Metric: t.metric, Bound: best}
	for k, gate := range t.gates {
		raw, found := gate.Bound().Value()
		if !found || max(raw, t.of.roundUp(t.metric, raw)) < best {
			continue
		}
		by := gate.Argument()
		if part.Method == "" || by != nil {
			part.Method, part.By, part.Step = t.methods[k].Name, by, 0
			if raw < best {
				part.Step, _ = t.of.statedStep(t.metric)
			}
		}
		if by != nil {
			break
		}
	}
	return part, true
}

// statedStep is the step of time of which a certificate speaks: the checker divides it by the number of jobs for a mean.
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
