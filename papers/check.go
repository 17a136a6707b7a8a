package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// check lists every reference to a thing that does not exist, and every claim that lacks a field that its form needs.
func (e *Experiment) check(name string) error {
	c := &checker{lines.NewFaults(name)}
	paper, figure, found := strings.Cut(e.ID, "/")
	c.expect(found && paper != "" && figure != "" && !strings.Contains(figure, "/"), "id", "expected PAPER/FIGURE, found %q", e.ID)
	c.expect(len(e.Readings) > 0, "readings", "expected at least one, found none")
	c.expect(len(e.Claims) > 0, "claims", "expected at least one, found none")
	kinds := 0
	for _, has := range []bool{e.Suite != nil, e.Worked != nil, e.NotYet != ""} {
		if has {
			kinds++
		}
	}
	c.expect(kinds == 1, "suite", "expected one of suite, worked and not_yet, found %d", kinds)
	points, quantities := map[string]bool{}, map[string]bool{}
	for k, p := range e.Points {
		c.once(points, fmt.Sprintf("points[%d].id", k), p.ID)
	}
	for k, q := range e.Quantities {
		at := fmt.Sprintf("quantities[%d]", k)
		c.once(quantities, at+".name", q.Name)
		c.terms(e, at+".terms", q.Terms)
		c.expect(q.Range == nil || q.Range.Floor < q.Range.Ceiling, at+".range", "expected a floor below the ceiling")
		c.expect(q.Range == nil || q.Range.QuickCeiling == nil || q.Range.Floor < *q.Range.QuickCeiling, at+".range.quick_ceiling", "expected it above the floor")
	}
	readings := map[string]bool{}
	for k := range e.Readings {
		at := fmt.Sprintf("readings[%d]", k)
		c.once(readings, at+".id", e.Readings[k].ID)
		c.expect(k > 0 || !e.Readings[k].PostHoc, at+".post_hoc", "expected it not at the first reading, which is the headline")
		c.expect(e.Readings[k].Registered == nil || k > 0 && !e.Readings[k].PostHoc, at+".registered", "expected it neither at the first reading nor at one that is post hoc")
		some := len(e.Readings[k].Points) > 0
		c.expect(some || e.Readings[k].Only == "", at+".only", "expected points beside it")
		c.expect(!some || e.Readings[k].Only != "" || e.Readings[k].Registered == nil, at+".only", "expected the reason why the registered reading is of some points alone")
		if e.Suite != nil {
			c.reading(e, at, &e.Readings[k], quantities)
		}
	}
	claims := map[string]bool{}
	for k := range e.Claims {
		at := fmt.Sprintf("claims[%d]", k)
		c.once(claims, at+".id", e.Claims[k].ID)
		if e.NotYet == "" {
			c.claim(e, at, &e.Claims[k], points, quantities)
		}
	}
	return c.faults.Err()
}

// checker lists faults.
type checker struct{ faults *lines.Faults }

// expect adds a fault unless the condition holds.
func (c *checker) expect(holds bool, at, format string, args ...any) {
	if !holds {
		c.faults.At(at, format, args...)
	}
}

// once adds a fault if the name was seen before.
func (c *checker) once(seen map[string]bool, at, name string) {
	c.expect(!seen[name], at, "expected another name, found %q again", name)
	seen[name] = true
}

// terms adds a fault for each metric that does not exist, or that has a value for each cluster where no cluster is named.
func (c *checker) terms(e *Experiment, at string, terms Terms) {
	c.expect(len(terms) > 0, at, "expected at least one metric, found none")
	clusters := len(e.Points) > 0 && !slices.ContainsFunc(e.Points, func(p Point) bool { return p.Cluster == "" })
	for _, term := range slices.Sorted(maps.Keys(terms)) {
		name, _, named := strings.Cut(term, "@")
		m, ok := model.MetricNamed(name)
		ok = ok || !named && rowTerms[name] != nil
		c.expect(ok && m.PerCluster == (m.PerCluster && (named || clusters)) && (m.PerCluster || !named), at,
			"expected metrics with one value, or METRIC@CLUSTER, see allot metrics; found %q", term)
	}
}

// reading checks that, at every point, the suite has the reading's group and the label of every policy.
func (c *checker) reading(e *Experiment, at string, r *Reading, quantities map[string]bool) {
	for _, list := range []struct {
		field string
		terms map[string]Terms
	}{{".quantities", r.Quantities}, {".base", r.Base}} {
		for _, name := range slices.Sorted(maps.Keys(list.terms)) {
			c.expect(quantities[name], at+list.field, "expected one of the quantities, found %q", name)
			c.terms(e, at+list.field+"."+name, list.terms[name])
		}
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

// fill puts the point's ID and its values into a template.
func (p Point) fill(template string) string {
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		template = strings.ReplaceAll(template, "{"+name+"}", p.Values[name])
	}
	return strings.ReplaceAll(template, "{point}", p.ID)
}

// needs are the fields that the forms of claims need. A field that is not listed for a form must be absent.
var needs = map[string][]string{
	Percent: {"value"}, Sign: {"direction"}, Trend: {"direction"}, Peak: {"direction"}, Equivalence: {"within"}, Interaction: {"direction", "contrast"},
	Limit: {"direction", "value"}, Nearest: {"target"}, Table: {"table"}, Schedule: {"schedule"}, Figures: {"metrics"}, Statement: nil,
}

// claim checks that the claim has the fields that its form needs.
func (c *checker) claim(e *Experiment, at string, claim *Claim, points, quantities map[string]bool) {
	given := map[string]bool{
		"value": claim.Value != nil, "direction": claim.Direction != "", "contrast": claim.Contrast != nil, "within": claim.Within != nil,
		"target": claim.Target != nil, "table": claim.Table != nil, "schedule": claim.Schedule != nil, "metrics": claim.Metrics != nil,
	}
	if n := claim.NotTestable; n != nil {
		c.expect(n.Kind != degenerateRegime, at+".not_testable.kind", "expected a kind that is not computed from the figures, found %q", n.Kind)
		for k, id := range n.Readings {
			known := slices.ContainsFunc(e.Readings, func(r Reading) bool { return r.ID == id })
			c.expect(known, fmt.Sprintf("%s.not_testable.readings[%d]", at, k), "expected one of the readings, found %q", id)
		}
	}
	c.expect(claim.Repeats == "" || strings.Count(claim.Repeats, "/") == 2 && claim.Repeats != e.ID+"/"+claim.ID, at+".repeats", "expected another claim, PAPER/FIGURE/CLAIM, found %q", claim.Repeats)
	for _, field := range slices.Sorted(maps.Keys(given)) {
		needed := slices.Contains(needs[claim.Form], field)
		optional := field == "within" && claim.Direction == "none" || field == "target" && claim.Form == Equivalence
		c.expect(optional || given[field] == needed, at+"."+field, "expected it where the form needs it, and only there; the form %s needs %s",
			claim.Form, strings.Join(needs[claim.Form], " and "))
	}
	if claim.Form == Statement {
		c.expect(claim.NotTestable != nil, at+".not_testable", "expected why it can't be run, found nothing")
		return
	}
	worked := claim.Form == Table || claim.Form == Schedule || claim.Form == Figures
	c.expect(worked == (e.Worked != nil), at+".form", "expected %s, %s or %s where there are worked values, and only there", Table, Schedule, Figures)
	if worked {
		if claim.Metrics != nil {
			c.terms(e, at+".metrics", claim.Metrics)
		}
		return
	}
	c.comparison(e, at, claim, points, quantities)
}

// comparison checks a claim about quantities of policies.
func (c *checker) comparison(e *Experiment, at string, claim *Claim, points, quantities map[string]bool) {
	c.expect(quantities[claim.Quantity] || claim.Target != nil && claim.Quantity == "", at+".quantity", "expected one of the quantities, found %q", claim.Quantity)
	c.expect(slices.Contains(e.Policies, claim.Policy), at+".policy", "expected one of the policies, found %q", claim.Policy)
	alone := claim.Against == "" && (claim.Form == Trend || claim.Form == Peak || claim.Form == Limit || claim.Form == Interaction || claim.Target != nil)
	c.expect(alone || slices.Contains(e.Policies, claim.Against) && claim.Against != claim.Policy, at+".against",
		"expected another of the policies, found %q", claim.Against)
	for k, id := range claim.At {
		c.expect(points[id], fmt.Sprintf("%s.at[%d]", at, k), "expected one of the points, found %q", id)
	}
	for _, id := range slices.Sorted(maps.Keys(claim.Contrast)) {
		c.expect(points[id], at+".contrast", "expected one of the points, found %q", id)
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(claim.Contrast)) {
		sum += claim.Contrast[id]
	}
	c.expect(math.Abs(sum) < model.Tolerance, at+".contrast", "expected coefficients that add up to 0, found %g", sum)
	for _, name := range slices.Sorted(maps.Keys(claim.Target)) {
		c.expect(quantities[name], at+".target", "expected one of the quantities, found %q", name)
	}
	if claim.Base != nil {
		c.terms(e, at+".base", claim.Base)
	}
	c.expect(claim.Form != Percent || claim.Value == nil || *claim.Value != 0, at+".value", "expected a number other than 0")
	c.expect(claim.Direction != "none" || claim.Form == Trend && claim.Within != nil, at+".direction", "expected none only for a trend with within")
	c.expect(claim.Within == nil || *claim.Within > 0, at+".within", "expected a number above 0")
	several := map[string]int{Trend: 2, Peak: 3, Nearest: 1}[claim.Form]
	c.expect(len(claim.At) >= several || len(claim.At) == 0 && len(e.Points) >= several && claim.Form != Nearest, at+".at",
		"expected at least %d points, found %d", several, len(claim.At))
}
