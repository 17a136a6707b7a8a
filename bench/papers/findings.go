package papers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
)

// Findings judges every claim under every reading from the rows. The findings are ordered by claim. Points without rows are left out; a claim all of
// whose points lack rows counts as not run. Repetitions are paired by seed, because all policies run on the same instances. A row with a fault is an
// error, because the missing value could decide the claim.
func (e *Experiment) Findings(rows []bench.Row) ([]Finding, error) {
	table, err := tableOf(rows)
	if err != nil {
		return nil, err
	}
	return e.findings(table)
}

// findings judges every claim under every reading.
func (e *Experiment) findings(table sampleTable) ([]Finding, error) {
	var list []Finding
	for k := range e.Claims {
		for r := range e.Readings {
			f := Finding{Claim: &e.Claims[k], Reading: &e.Readings[r]}
			if err := e.find(table, &f); err != nil {
				return nil, fmt.Errorf("claim %s, reading %s: %w", f.Claim.ID, f.Reading.ID, err)
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// tableOf sorts rows into a table.
func tableOf(rows []bench.Row) (sampleTable, error) {
	table := sampleTable{}
	for k := range rows {
		if err := table.add(&rows[k]); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// find judges one claim under one reading.
func (e *Experiment) find(table sampleTable, f *Finding) error {
	var all []Point
	for _, p := range e.Points {
		wanted := len(f.Claim.At) == 0 || slices.Contains(f.Claim.At, p.ID)
		if wanted && len(e.sample(table, f.Reading, f.Claim.Quantity, f.Claim.Policy, p)) > 0 {
			all = append(all, p)
		}
	}
	f.Verdict = NotRun
	if len(all) == 0 || f.Claim.Form == Order && len(all) < 2 {
		return nil
	}
	together, err := e.difference(table, f, all)
	if err != nil {
		return err
	}
	if f.Value, err = statistics.Mean(together, Confidence); err != nil {
		return err
	}
	if f.Claim.Form == Percent {
		f.Verdict, f.Reason = Judge(*f.Claim.Value, f.Value)
		return nil
	}
	var first, last []float64
	for k, p := range all {
		values, err := e.difference(table, f, []Point{p})
		if err != nil {
			return err
		}
		value, err := statistics.Mean(values, Confidence)
		if err != nil {
			return err
		}
		f.At = append(f.At, PointValue{p.ID, value})
		if last = values; k == 0 {
			first = values
		}
	}
	if f.Claim.Form == Sign {
		f.Verdict, f.Reason = judgeSigns(f.Claim.Direction, f.At)
		return nil
	}
	change := make([]float64, min(len(first), len(last)))
	for k := range change {
		change[k] = last[k] - first[k]
	}
	if f.Value, err = statistics.Mean(change, Confidence); err != nil {
		return err
	}
	shown, reason := side(sense(f.Claim.Direction), f.Value)
	if f.Verdict, f.Reason = Fails, reason; shown {
		f.Verdict = Reproduces
	}
	return nil
}

// difference returns the linearised difference in percent of each repetition, over all points together.
func (e *Experiment) difference(table sampleTable, f *Finding, at []Point) ([]float64, error) {
	var own, rival []float64
	for k, p := range at {
		a := e.sample(table, f.Reading, f.Claim.Quantity, f.Claim.Policy, p)
		b := e.sample(table, f.Reading, f.Claim.Quantity, f.Claim.Against, p)
		if !slices.EqualFunc(a, b, func(x, y repetition) bool { return x.seed == y.seed }) || k > 0 && len(a) != len(own) {
			return nil, fmt.Errorf("at %s: expected the same repetitions of %s and %s and at all points, found %d and %d",
				p.ID, f.Claim.Policy, f.Claim.Against, len(a), len(b))
		}
		if k == 0 {
			own, rival = make([]float64, len(a)), make([]float64, len(b))
		}
		for i := range a {
			own[i] += a[i].value
			rival[i] += b[i].value
		}
	}
	values, ok := linearised(own, rival, f.Reading.Percent == "of its own")
	if !ok {
		return nil, fmt.Errorf("a mean of %s is 0, so that there is no difference in percent", f.Claim.Quantity)
	}
	return values, nil
}

// sampleTable holds the metrics of rows by group, label and seed.
type sampleTable map[[2]string]map[uint64]*bench.Row

// add adds a row.
func (t sampleTable) add(row *bench.Row) error {
	if row.Fault != "" || row.Metrics == nil {
		return fmt.Errorf("%s on %s (%s), seed %d: expected a schedule, found none: %s", row.Solver, row.Instance, row.Group, row.Seed,
			cmp.Or(row.Fault, string(row.Stop)))
	}
	at := [2]string{row.Group, row.Solver}
	if t[at] == nil {
		t[at] = map[uint64]*bench.Row{}
	}
	if t[at][row.Seed] != nil {
		return fmt.Errorf("%s in %s, seed %d: expected one row, found another", row.Solver, row.Group, row.Seed)
	}
	t[at][row.Seed] = row
	return nil
}

// repetition is the value of a quantity in one repetition.
type repetition struct {
	seed  uint64
	value float64
}

// sample returns the values of a policy's quantity at a point under a reading, ordered by seed. A value is NaN if a metric is missing.
func (e *Experiment) sample(table sampleTable, r *Reading, quantity, policy string, p Point) []repetition {
	if !r.has(p) {
		return nil
	}
	rows := table[[2]string{p.fill(r.Group), p.fill(r.Policies[policy])}]
	terms := e.terms(r, quantity)
	var list []repetition
	for seed, row := range rows {
		list = append(list, repetition{seed, terms.of(row)})
	}
	slices.SortFunc(list, func(a, b repetition) int { return cmp.Compare(a.seed, b.seed) })
	return list
}

// terms returns the metrics and weights of a quantity under a reading.
func (e *Experiment) terms(r *Reading, quantity string) weighted {
	terms := r.Quantities[quantity]
	if terms == nil {
		for _, q := range e.Quantities {
			if q.Name == quantity {
				terms = q.Terms
			}
		}
	}
	return weighted(terms)
}

// weighted is a sum of metrics.
type weighted Terms

// of computes the sum for a row.
func (w weighted) of(row *bench.Row) float64 {
	sum := 0.0
	for _, m := range slices.Sorted(maps.Keys(w)) {
		value, ok := row.Metrics.Get(m)
		if !ok {
			return math.NaN()
		}
		sum += w[m] * value
	}
	return sum
}

// Closest returns the finding of one claim that comes closest to the paper: the one with the best verdict, and among those the one with the number
// nearest to the paper's. Of equals it is the reading named first. It returns nil if the claim was not run.
func Closest(findings []Finding, claim *Claim) *Finding {
	var best *Finding
	for k := range findings {
		f := &findings[k]
		if f.Claim == claim && f.Verdict != NotRun && (best == nil || f.nearness().less(best.nearness())) {
			best = f
		}
	}
	return best
}

// nearness orders findings and readings: fewer claims that fail or go only in the direction come first, then nearer numbers.
type nearness struct {
	fails, direction int
	distance         float64
}

func (a nearness) less(b nearness) bool {
	return cmp.Or(cmp.Compare(a.fails, b.fails), cmp.Compare(a.direction, b.direction), cmp.Compare(a.distance, b.distance)) < 0
}

// nearness computes the nearness of one finding. Its distance is relative to the paper's number.
func (f *Finding) nearness() (n nearness) {
	switch f.Verdict {
	case Fails:
		n.fails = 1
	case DirectionOnly:
		n.direction = 1
	}
	if f.Claim.Value != nil && f.Value.N > 0 {
		n.distance = math.Abs(f.Value.Estimate-*f.Claim.Value) / math.Abs(*f.Claim.Value)
	}
	return n
}

// ClosestOverall returns the reading that comes closest over all claims. Fewer claims that do not reproduce are better, then fewer claims of which
// only the direction reproduces, then a smaller sum of relative distances from the paper's numbers. It leaves out a reading under which a claim was
// not run that was run under another reading. Of equals it returns the reading named first.
func (e *Experiment) ClosestOverall(findings []Finding) *Reading {
	var best *Reading
	var least nearness
	most := 0
	for r := range e.Readings {
		var sum nearness
		run := 0
		for k := range findings {
			if f := &findings[k]; f.Reading == &e.Readings[r] && f.Verdict != NotRun {
				n := f.nearness()
				sum = nearness{sum.fails + n.fails, sum.direction + n.direction, sum.distance + n.distance}
				run++
			}
		}
		if run > most || run > 0 && run == most && sum.less(least) {
			best, least, most = &e.Readings[r], sum, run
		}
	}
	return best
}
