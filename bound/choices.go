package bound

import (
	"context"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/proof"
)

// This file bounds the objective where some jobs exclude each other. A schedule that owes no more jobs than it must leaves out conflict.least jobs of each set, and no more. There is
// a bound for each choice of these jobs: all other jobs of the sets have to be placed then. The least of these bounds holds for every such schedule.

// Limits of what is looked at: choices, and choices times jobs.
const (
	mostChoices    = 32
	mostChoiceJobs = 4_096
)

// choice is the bound of the schedules that leave out these jobs of the sets.
type choice struct {
	left []int // ascending
	*Portfolio
}

// choicesName names the bound in results.
const choicesName = "each-choice"

// choose prepares a portfolio for each choice that some schedule may make; nil: there are no sets, or too many choices.
func (p *Portfolio) choose(ctx context.Context, r *Relaxation, certified bool) {
	if len(r.conflict) == 0 {
		return
	}
	lefts := [][]int{nil}
	for k := range r.conflict {
		var next [][]int
		for _, some := range subsets(r.conflict[k].jobs, r.conflict[k].least, mostChoices) {
			for _, left := range lefts {
				next = append(next, append(slices.Clone(left), some...))
			}
		}
		if lefts = next; len(lefts) == 0 || len(lefts) > mostChoices || len(lefts)*len(r.duties) > mostChoiceJobs {
			return
		}
	}
	for _, left := range lefts {
		slices.Sort(left)
		of := r.leaving(left)
		if of == nil {
			continue
		}
		if ctx.Err() != nil {
			p.choices = nil
			return
		}
		p.choices = append(p.choices, choice{left, newPortfolio(ctx, of, certified)})
	}
}

// subsets lists all sets of count of the jobs; nil: there are more sets than most.
func subsets(jobs []int, count, most int) [][]int {
	if count > len(jobs) || combin.GeneralizedBinomial(float64(len(jobs)), float64(count)) > float64(most)+0.5 { // it rounds
		return nil
	}
	sets := combin.Combinations(len(jobs), count)
	for _, set := range sets {
		for k, at := range set {
			set[k] = jobs[at]
		}
	}
	return sets
}

// leaving is the relaxation of the schedules that leave out these jobs and owe no more than they must; nil: there is none, as more jobs that are owed wait for these.
func (r *Relaxation) leaving(left []int) *Relaxation {
	of := *r
	of.duties, of.excluded, of.conflict = slices.Clone(r.duties), nil, nil
	of.prices, of.sets, of.areaRows, of.mosts, of.scaled, of.whole, of.refuted, of.refutes = Prices{}, nil, nil, nil, false, nil, 0, nil
	owed := 0
	for _, j := range plan.ArrivalOrder(r.in) {
		if slices.Contains(left, j) || slices.ContainsFunc(r.in.Jobs()[j].After, func(b int) bool { return of.duties[b] == MustLeave }) {
			of.duties[j] = MustLeave
		}
		if of.duties[j] == MustLeave && r.in.Owes(j) {
			owed++
		}
	}
	if owed > r.owed {
		return nil
	}
	of.settle(r.in.Owes)
	return &of
}

// leastChoice is the least bound of all choices; false: there is none, or nothing is known of one.
func (p *Portfolio) leastChoice() (least model.Bound, known bool) {
	for k := range p.choices {
		bound := p.choices[k].Bound()
		value, found := bound.Value()
		if !found {
			return model.Bound{}, false
		}
		if other, _ := least.Value(); k == 0 || value < other {
			least = bound
		}
	}
	return least, len(p.choices) > 0
}

// chosen is what the choices prove, as a part of the results; false: nothing.
func (p *Portfolio) chosen() (Part, bool) {
	least, known := p.leastChoice()
	if !known {
		return Part{}, false
	}
	var metrics []string
	for _, t := range p.in.ObjectiveTerms() {
		metrics = append(metrics, t.Metric)
	}
	value, _ := least.Value()
	return Part{Metric: strings.Join(metrics, " + "), Method: choicesName, Value: value, Together: true, Best: least != p.plain() && p.plain().Max(least) == least}, true
}

// chosenCertificate certifies what the choices prove; nil: it is not all certified.
func (p *Portfolio) chosenCertificate() *proof.Certificate {
	if _, known := p.leastChoice(); !known {
		return nil
	}
	c := &proof.Certificate{Schema: proof.Schema, Instance: p.in.Name(), InstanceSHA256: p.in.SHA256(), Objective: p.in.StatedObjective(), Owed: p.owed, OwedBy: p.OwedBy()}
	for k := range p.choices {
		own := p.choices[k].Certificate()
		if own == nil {
			return nil
		}
		if value, _ := own.Bound.Value(); k == 0 || value < c.Bound.Or(0) {
			c.Bound = own.Bound
		}
		if stated, known := own.Stated.Value(); known && stated > own.Bound.Or(0) {
			c.NotCertified = own.NotCertified
		}
		c.Choices = append(c.Choices, proof.Choice{Left: p.choices[k].left, Parts: own.Parts})
	}
	if least, _ := p.leastChoice(); c.Bound.Max(least) == c.Bound {
		c.NotCertified = ""
	} else if c.NotCertified != "" {
		c.Stated = least
	}
	return c
}
