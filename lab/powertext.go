package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// quantity is what of a bill is compared: the cost, or the carbon.
type quantity struct {
	name     string // in a sentence
	saves    string // what less of it is called
	unit     string
	possible *Possible
	total    func(*Bill) *float64
	change   func(*Bill) *Difference
	share    func(*Bill) *float64
}

// quantities are those that the bills of the report have.
func (r *Report) quantities() []quantity {
	if r.Power == nil {
		return nil
	}
	all := []quantity{
		{"cost", "cheaper", r.Power.Unit, r.Power.Cost, func(b *Bill) *float64 { return b.Cost }, func(b *Bill) *Difference { return b.CostDifference }, func(b *Bill) *float64 { return b.CostShare }},
		{"carbon", "cleaner", "", r.Power.Carbon, func(b *Bill) *float64 { return b.Carbon }, func(b *Bill) *Difference { return b.CarbonDifference }, func(b *Bill) *float64 { return b.CarbonShare }},
	}
	first := r.Groups[0].Policies[0].Power
	return slices.DeleteFunc(all, func(q quantity) bool { return first == nil || q.total(first) == nil })
}

// amount is an amount of a quantity for people.
func (q *quantity) amount(x float64) string { return strings.TrimSpace(sum(x) + " " + q.unit) }

// sum is a large sum for people, with all its digits before the point.
func sum(x float64) string {
	if math.Abs(x) < 1e4 || math.Abs(x) >= 1e15 {
		return figure(x)
	}
	return numtext.Grouped(fmt.Sprintf("%.0f", x))
}

// ofBill is a change of the whole bill, in per cent where that of the first is above 0.
func (q *quantity) ofBill(first, b *Bill) string {
	before, after := q.total(first), q.total(b)
	switch {
	case before == nil || after == nil || b.OtherJobs:
		return document.Missing
	case *before > 0:
		return signed(100*(*after / *before - 1), func(x float64) string { return fmt.Sprintf("%.2g %%", x) })
	}
	return signed(*after-*before, q.amount)
}

// ofJobs is the change of what the jobs that both policies place take while they run, with its interval: in per cent where under the first they take more than 0, otherwise for a
// job on average.
func (q *quantity) ofJobs(r *Report, d *Difference) string {
	if d.First > 0 || d.Greater+d.Less == 0 {
		return r.share(d)
	}
	text := signed(d.Mean, q.amount) + " a job"
	if d.Low != nil {
		text += fmt.Sprintf(" [%s, %s]", signed(*d.Low, q.amount), signed(*d.High, q.amount))
	}
	return text
}

// powerAnswer says what is shown of the bills, and what was possible.
func (g *Group) powerAnswer(r *Report) (list []string) {
	if len(g.Policies) < 2 {
		return nil
	}
	first := g.Policies[0].Power
	name := r.short(g.Policies[0].Name)
	for _, q := range r.quantities() {
		var best *Policy
		var less, more, open []*Policy
		for k := 1; k < len(g.Policies); k++ {
			p := &g.Policies[k]
			switch d := q.change(p.Power); {
			case d == nil:
			case d.Shown(r.Confidence) && d.Mean < 0:
				less = append(less, p)
				switch {
				case best == nil, best.Power.OtherJobs && !p.Power.OtherJobs:
					best = p
				case best.Power.OtherJobs == p.Power.OtherJobs && *q.total(p.Power) < *q.total(best.Power):
					best = p
				}
			case d.Shown(r.Confidence):
				more = append(more, p)
			default:
				open = append(open, p)
			}
		}
		named := func(policies []*Policy) string {
			return document.Listed(kit.Each(policies, func(p *Policy) string {
				change := q.ofBill(first, p.Power)
				if p.Power.OtherJobs {
					change = q.ofJobs(r, q.change(p.Power)) + " of the jobs that both place"
				}
				return r.short(p.Name) + " (" + change + ")"
			}))
		}
		if best != nil {
			text := fmt.Sprintf("%s is shown to be %s than %s: ", r.short(best.Name), q.saves, name)
			if best.Power.OtherJobs {
				text += "while they run, the jobs that both place take " + q.ofJobs(r, q.change(best.Power))
			} else {
				text += fmt.Sprintf("%s of %s, from %s to %s; while they run, the jobs take %s", q.ofBill(first, best.Power), q.name, q.amount(*q.total(first)), q.amount(*q.total(best.Power)),
					q.ofJobs(r, q.change(best.Power)))
			}
			if share := q.share(best.Power); share != nil {
				text += fmt.Sprintf(". That is %s of what was possible at all", percent(*share))
			}
			list = append(list, text+".")
			if others := slices.DeleteFunc(less, func(p *Policy) bool { return p == best }); len(others) > 0 {
				list = append(list, fmt.Sprintf("Shown to be %s too: %s.", q.saves, named(others)))
			}
		}
		if len(more) > 0 {
			list = append(list, fmt.Sprintf("Shown to take more %s than %s: %s.", q.name, name, named(more)))
		}
		if len(open) > 0 {
			list = append(list, fmt.Sprintf("No difference from %s in %s is shown for %s.", name, q.name, named(open)))
		}
		if text := g.front(r, &q); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// onFront says whether no other policy of the group takes no more of the quantity and has no longer mean wait, and less of one of them. Policies that place other jobs than the first
// are not compared.
func (g *Group) onFront(p *Policy, q *quantity) bool {
	if p.Power.OtherJobs {
		return false
	}
	wait := func(p *Policy) float64 { return p.Classes[0].Wait.Mean }
	for k := range g.Policies {
		other := &g.Policies[k]
		if other.Classes[0].Wait == nil || q.total(other.Power) == nil || other.Power.OtherJobs {
			continue
		}
		a, b := *q.total(other.Power), *q.total(p.Power)
		if a <= b && wait(other) <= wait(p) && (a < b || wait(other) < wait(p)) {
			return false
		}
	}
	return true
}

// front says which policies are worth having: of each quantity saved, at what mean wait.
func (g *Group) front(r *Report, q *quantity) string {
	var list []*Policy
	for k := range g.Policies {
		if p := &g.Policies[k]; p.Classes[0].Wait != nil && q.total(p.Power) != nil && g.onFront(p, q) {
			list = append(list, p)
		}
	}
	if len(list) < 2 || len(g.Policies) < 3 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b *Policy) int {
		if a.Classes[0].Wait.Mean < b.Classes[0].Wait.Mean {
			return -1
		}
		return 1
	})
	first := g.Policies[0].Power
	return fmt.Sprintf("The front of %s over wait, where nothing is had for nothing: %s.", q.name, strings.Join(kit.Each(list, func(p *Policy) string {
		return fmt.Sprintf("%s (%s, mean wait %s)", r.short(p.Name), q.ofBill(first, p.Power), r.time(p.Classes[0].Wait.Mean))
	}), ", "))
}

// powerLine says what a bill counts.
func (r *Report) powerLine() string {
	text := "power, of all machines from the first arrival to the last end under any of the policies; differences from the first: of all of it, and of what the jobs take while they run"
	for _, q := range r.quantities() {
		if q.possible != nil {
			text += fmt.Sprintf("; no schedule that runs all of these jobs has a %s below %s (%s)", q.name, q.amount(q.possible.Bound), q.possible.Method)
		}
	}
	if slices.ContainsFunc(r.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Policies, func(p Policy) bool { return p.Power != nil && p.Power.LeftOut > 0 })
	}) {
		text += "; jobs without a place do not count, nor what they took before they were killed"
	}
	return text
}
