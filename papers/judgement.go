package papers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/papers/verdict"
)

// NotTestable says why the numbers of a claim are no evidence for or against it. The verdict of the numbers stays as it is; the judgement stands
// beside it, see [Finding.Judged].
type NotTestable struct {
	Kind     string   `json:"kind" enum:"follows from the set-up,policies coincide,another measure,degenerate regime"`
	Reason   string   `json:"reason" check:"text"`
	Readings []string `json:"readings,omitempty" check:"id"` // under which it holds; absent: under all
}

// degenerateRegime is the kind of judgement that is computed from the recorded figures, so data files do not state it.
const degenerateRegime = "degenerate regime"

// Range bounds what a quantity can be. Where a policy is at a bound it can't get better or worse, so a comparison there shows nothing of the policies.
type Range struct {
	Floor        float64  `json:"floor" check:"figure"`
	Ceiling      float64  `json:"ceiling" check:"figure"`
	QuickCeiling *float64 `json:"quick_ceiling,omitempty" check:"figure"` // in quick mode, if it is another one
}

// nearBound is the share of its range within which a quantity counts as being at its floor or ceiling.
const nearBound = 0.02

// at says which bound the value is at, in words; empty: at neither.
func (r *Range) at(value float64, quick bool) string {
	ceiling := r.Ceiling
	if quick && r.QuickCeiling != nil {
		ceiling = *r.QuickCeiling
	}
	margin := nearBound * (ceiling - r.Floor)
	switch {
	case value <= r.Floor+margin:
		return fmt.Sprintf("the floor of %g", r.Floor)
	case value >= ceiling-margin:
		return fmt.Sprintf("the ceiling of %g", ceiling)
	}
	return ""
}

// Judged is the verdict after the judgement: the numbers' own, or that the claim is not testable here, with what the numbers alone say.
func (f *Finding) Judged() (verdict.Verdict, string) {
	switch {
	case f.isOutside():
		return verdict.NotYet, "it is of " + cmp.Or(f.Reading.Only, shortened(f.Reading.Points)+" alone")
	case f.NotTestable == nil || f.Verdict == verdict.NotYet:
		return f.Verdict, f.Reason
	case f.Verdict == verdict.NotTestable:
		return f.Verdict, f.NotTestable.Kind + ": " + f.NotTestable.Reason
	}
	return verdict.NotTestable, fmt.Sprintf("%s: %s (by the numbers alone: %s)", f.NotTestable.Kind, f.NotTestable.Reason, f.Verdict)
}

// isOutside reports whether the claim needs a point that its reading is not about, so that the reading never judges it.
func (f *Finding) isOutside() bool {
	r := f.Reading
	if f.Verdict != verdict.NotYet || len(r.Points) == 0 {
		return false
	}
	needed := f.Claim.At
	if f.Claim.Form == interaction {
		needed = slices.Collect(maps.Keys(f.Claim.Contrast))
	}
	return f.Claim.Form == nearest || len(needed) == 0 || slices.ContainsFunc(needed, func(point string) bool { return !slices.Contains(r.Points, point) })
}

// word is the judged verdict in a word or two.
func (f *Finding) word() string {
	if f.isOutside() {
		return "outside of this reading"
	}
	judged, _ := f.Judged()
	return string(judged)
}

// isEvidence reports whether the finding was run and says something about the paper's claim that no other claim says.
func (f *Finding) isEvidence() bool { return f.isRun() && f.NotTestable == nil && f.Claim.counts() }

// counts reports whether the claim is the paper's and repeats no other.
func (c *Claim) counts() bool { return c.Repeats == "" && c.NotStated == "" }

// judgeTestable decides for every finding whether it is testable: first by what the data file says of the claim, then by the regime.
func (o *Outcome) judgeTestable() {
	lines := map[lineKey]*Series{}
	for k := range o.Series {
		s := &o.Series[k]
		lines[lineKey{s.Quantity, s.Panel, s.Policy, s.Reading.ID}] = s
	}
	for k := range o.Findings {
		f := &o.Findings[k]
		f.NotTestable = nil
		if n := f.Claim.NotTestable; n != nil && (n.Readings == nil || slices.Contains(n.Readings, f.Reading.ID)) {
			f.NotTestable = n
		} else if reason := o.regime(f, lines); reason != "" {
			f.NotTestable = &NotTestable{Kind: degenerateRegime, Reason: reason}
		}
	}
}

// lineKey identifies a line of a figure.
type lineKey struct{ quantity, panel, policy, reading string }

// regime names the places at which a policy of the claim is at a bound of the quantity, at points that the claim needs; empty: at none. A reading that
// measures the quantity by other metrics has no known range.
func (o *Outcome) regime(f *Finding, lines map[lineKey]*Series) string {
	c := f.Claim
	quantities := slices.Sorted(maps.Keys(c.Target))
	if c.Quantity != "" {
		quantities = append(quantities, c.Quantity)
	}
	places := map[string][]string{} // policy and bound: points
	for _, name := range quantities {
		q := o.quantity(name)
		if q.Range == nil || f.Reading.Quantities[name] != nil {
			continue
		}
		for _, policy := range []string{c.Policy, c.Against} {
			for _, p := range o.Experiment.Points {
				line := lines[lineKey{name, p.Panel, policy, f.Reading.ID}]
				if line == nil || !c.needs(p.ID) || !f.Reading.has(p) {
					continue
				}
				k := slices.IndexFunc(line.Points, func(s SeriesPoint) bool { return s.X == p.X })
				if k < 0 {
					continue
				}
				if bound := q.Range.at(line.Points[k].Value.Estimate, o.Quick); bound != "" {
					where := policy + " is at " + bound
					places[where] = append(places[where], p.ID)
				}
			}
		}
	}
	var list []string
	for _, where := range slices.Sorted(maps.Keys(places)) {
		list = append(list, where+" at "+shortened(places[where]))
	}
	return strings.Join(list, "; ")
}

// needs reports whether the claim is about the point.
func (c *Claim) needs(point string) bool {
	switch {
	case c.Form == interaction:
		_, has := c.Contrast[point]
		return has
	case c.Form == nearest || len(c.At) == 0:
		return true
	}
	return slices.Contains(c.At, point)
}

// countedNote says why the claim does not count by itself; empty: it does.
func (c *Claim) countedNote() string {
	switch {
	case c.NotStated != "":
		return " (not counted: a test of ours)"
	case c.Repeats != "":
		return " (counted with " + c.Repeats + ")"
	}
	return ""
}

// judgement is what a record says of a finding that is no evidence, without the readings.
func (f *Finding) judgement() *NotTestable {
	if f.NotTestable == nil || f.Verdict == verdict.NotYet {
		return nil
	}
	return &NotTestable{Kind: f.NotTestable.Kind, Reason: f.NotTestable.Reason}
}
