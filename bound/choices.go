package bound

import (
	"context"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/proof"
)

// This file bounds the objective for each choice of the jobs left out, where some jobs exclude each other: a schedule that owes no more than it must leaves out just so many of
// each set. With a choice made all others of the sets have to be placed. The least bound over all choices is a bound.

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

// subsets are all sets of so many of the jobs; nil: there are more than most.
func subsets(jobs []int, count, most int) (list [][]int) {
	if combinations(len(jobs), count, most) > most {
		return nil
	}
	if count == 0 {
		return [][]int{nil}
	}
	for k := range len(jobs) - count + 1 {
		for _, rest := range subsets(jobs[k+1:], count-1, most) { // they are no more than all
			list = append(list, append([]int{jobs[k]}, rest...))
		}
	}
	return list
}

// combinations is the number of sets of k of n things, 0 to n; where it is above most, some number above most.
func combinations(n, k, most int) int {
	number := 1
	for i := range min(k, n-k) {
		if number > most {
			break // it only grows
		}
		number = number * (n - i) / (i + 1)
	}
	return number
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
		if value, _ := own.Bound.Value(); k == 0 || value < lowest(c.Bound) {
			c.Bound = own.Bound
		}
		if stated, known := own.Stated.Value(); known && stated > lowest(own.Bound) {
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

// lowest is the value of a bound that is known.
func lowest(b model.Bound) float64 {
	value, _ := b.Value()
	return value
}
