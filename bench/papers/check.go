package papers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// check lists every reference to a thing that does not exist, and every claim that lacks a field that its form needs.
func (e *Experiment) check(name string) error {
	c := &checker{faults: &model.InputError{File: name}}
	paper, figure, found := strings.Cut(e.ID, "/")
	c.expect(found && paper != "" && figure != "" && !strings.Contains(figure, "/"), "id", "expected PAPER/FIGURE, found %q", e.ID)
	c.expect(len(e.Readings) > 0, "readings", "expected at least one, found none")
	c.expect(len(e.Claims) > 0, "claims", "expected at least one, found none")
	c.expect((e.Suite == nil) != (e.Worked == nil), "suite", "expected either suite or worked")
	points, quantities := map[string]bool{}, map[string]bool{}
	for k, p := range e.Points {
		c.once(points, fmt.Sprintf("points[%d].id", k), p.ID)
	}
	for k, q := range e.Quantities {
		at := fmt.Sprintf("quantities[%d]", k)
		c.once(quantities, at+".name", q.Name)
		c.terms(at+".terms", q.Terms)
	}
	readings := map[string]bool{}
	for k := range e.Readings {
		at := fmt.Sprintf("readings[%d]", k)
		c.once(readings, at+".id", e.Readings[k].ID)
		if e.Suite != nil {
			c.reading(e, at, &e.Readings[k], quantities)
		}
	}
	claims := map[string]bool{}
	for k := range e.Claims {
		at := fmt.Sprintf("claims[%d]", k)
		c.once(claims, at+".id", e.Claims[k].ID)
		c.claim(e, at, &e.Claims[k], points, quantities)
	}
	if len(c.faults.Faults) > 0 {
		return c.faults
	}
	return nil
}

// checker lists faults.
type checker struct{ faults *model.InputError }

// expect adds a fault unless the condition holds.
func (c *checker) expect(holds bool, at, format string, args ...any) {
	if !holds {
		c.faults.Faults = append(c.faults.Faults, model.Fault{Path: at, Message: fmt.Sprintf(format, args...)})
	}
}

// once adds a fault if the name was seen before.
func (c *checker) once(seen map[string]bool, at, name string) {
	c.expect(!seen[name], at, "expected another name, found %q again", name)
	seen[name] = true
}

// terms adds a fault for each metric that does not exist.
func (c *checker) terms(at string, terms Terms) {
	c.expect(len(terms) > 0, at, "expected at least one metric, found none")
	for _, name := range slices.Sorted(maps.Keys(terms)) {
		m, ok := model.MetricNamed(name)
		c.expect(ok && !m.PerCluster, at, "expected metrics with one value, see allot metrics; found %q", name)
	}
}

// reading checks that, at every point, the suite has the reading's group and the label of every policy.
func (c *checker) reading(e *Experiment, at string, r *Reading, quantities map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(r.Quantities)) {
		c.expect(quantities[name], at+".quantities", "expected one of the quantities, found %q", name)
		c.terms(at+".quantities."+name, r.Quantities[name])
	}
	for k, id := range r.Points {
		known := slices.ContainsFunc(e.Points, func(p Point) bool { return p.ID == id })
		c.expect(known, fmt.Sprintf("%s.points[%d]", at, k), "expected one of the points, found %q", id)
	}
	labels := map[string]bool{}
	for _, s := range e.Suite.Solvers {
		labels[s.Label] = true
		if chosen, err := solve.Choose(s.Solver); s.Label == "" && err == nil {
			labels[chosen.Label] = true
		}
	}
	c.expect(r.Group != "", at+".group", "expected the suite's group of a point, found none")
	for _, policy := range e.Policies {
		template, ok := r.Policies[policy]
		c.expect(ok, at+".policies", "expected the label of %q, found none", policy)
		for _, p := range e.Points {
			label := p.fill(template)
			c.expect(!ok || labels[label], at+".policies."+policy, "expected the label of one of the suite's solvers, found %q", label)
		}
	}
	for _, policy := range slices.Sorted(maps.Keys(r.Policies)) {
		c.expect(slices.Contains(e.Policies, policy), at+".policies", "expected one of %s, found %q", strings.Join(e.Policies, ", "), policy)
	}
}

// has reports whether the reading has the point.
func (r *Reading) has(p Point) bool { return len(r.Points) == 0 || slices.Contains(r.Points, p.ID) }

// fill puts the point's ID into a template.
func (p Point) fill(template string) string { return strings.ReplaceAll(template, "{point}", p.ID) }

// claim checks that the claim has the fields that its form needs.
func (c *checker) claim(e *Experiment, at string, claim *Claim, points, quantities map[string]bool) {
	switch claim.Form {
	case Table, Schedule, Figures:
		c.expect(e.Worked != nil, at+".form", "expected %s, %s or %s in an experiment without worked values", Percent, Sign, Order)
		c.expect((claim.Form == Table) == (claim.Table != nil), at+".table", "expected it where the form is %s, and only there", Table)
		c.expect((claim.Form == Schedule) == (claim.Schedule != nil), at+".schedule", "expected it where the form is %s, and only there", Schedule)
		c.expect((claim.Form == Figures) == (claim.Metrics != nil), at+".metrics", "expected it where the form is %s, and only there", Figures)
		if claim.Metrics != nil {
			c.terms(at+".metrics", claim.Metrics)
		}
		return
	}
	c.expect(e.Suite != nil, at+".form", "expected %s, %s or %s where there are worked values", Table, Schedule, Figures)
	c.expect(quantities[claim.Quantity], at+".quantity", "expected one of the quantities, found %q", claim.Quantity)
	c.expect(slices.Contains(e.Policies, claim.Policy), at+".policy", "expected one of the policies, found %q", claim.Policy)
	c.expect(slices.Contains(e.Policies, claim.Against) && claim.Against != claim.Policy, at+".against",
		"expected another of the policies, found %q", claim.Against)
	for k, id := range claim.At {
		c.expect(points[id], fmt.Sprintf("%s.at[%d]", at, k), "expected one of the points, found %q", id)
	}
	percent := claim.Form == Percent
	c.expect(percent == (claim.Value != nil), at+".value", "expected it where the form is %s, and only there", Percent)
	c.expect(claim.Value == nil || *claim.Value != 0, at+".value", "expected a number other than 0")
	c.expect(percent == (claim.Direction == ""), at+".direction", "expected it where the form is %s or %s, and only there", Sign, Order)
	c.expect(claim.Form != Order || len(claim.At) > 1, at+".at", "expected at least two points, found %d", len(claim.At))
}
