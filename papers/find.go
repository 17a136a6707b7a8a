package papers

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
)

// errZero says that a difference in percent does not exist.
var errZero = errors.New("a mean is 0, so there is no difference in percent")

// notRunFor says that a reading has no rows for a claim.
const notRunFor = "this reading was not run for it"

// find judges one claim under one reading.
func (e *Experiment) find(table sampleTable, f *Finding) error {
	if f.Claim.Form == Statement {
		f.Verdict = verdict.NotTestable
		return nil
	}
	points := e.measured(table, f)
	if len(points) < map[string]int{Trend: 2, Interaction: len(f.Claim.Contrast), Nearest: 2}[f.Claim.Form] || len(points) == 0 {
		f.Verdict, f.Reason = verdict.NotYet, notRunFor
		return nil
	}
	if f.Reading.Registered != nil && len(points) < len(e.wanted(f.Claim)) {
		f.Verdict, f.Reason = verdict.NotYet, "this reading was not run at all its points"
		return nil
	}
	err := e.judge(table, f, points)
	if errors.Is(err, errZero) {
		f.Verdict, f.Reason = verdict.Undecided, err.Error()
		return nil
	}
	return err
}

// measured lists the points of the claim that have rows.
func (e *Experiment) measured(table sampleTable, f *Finding) []Point {
	return slices.DeleteFunc(e.wanted(f.Claim), func(p Point) bool { return !f.Reading.has(p) || len(table[f.Reading.cell(p, f.Claim.Policy)]) == 0 })
}

// wanted lists the points that the claim is about.
func (e *Experiment) wanted(c *Claim) []Point {
	return kit.That(e.Points, func(p Point) bool { return c.needs(p.ID) })
}

// judge applies the rule for the claim's form.
func (e *Experiment) judge(table sampleTable, f *Finding, points []Point) error {
	c := f.Claim
	if c.Target != nil {
		return e.judgeTarget(table, f, points)
	}
	together, err := e.values(table, f, points)
	if err != nil {
		return err
	}
	if f.Value, err = statistics.Mean(together, verdict.Confidence); err != nil {
		return err
	}
	switch {
	case c.Form == Percent:
		f.Verdict, f.Reason = verdict.Percentage(*c.Value, f.Value)
		return nil
	case c.Together:
		f.Verdict, f.Reason = verdict.Limits(c.side(), *c.Value, []verdict.At{{Point: "all points together", Value: f.Value}})
		return nil
	}
	at, err := e.samples(table, f, points)
	if err != nil {
		return err
	}
	if err := f.addMeans(at); err != nil {
		return err
	}
	return f.judgePoints(at)
}

// addMeans adds the mean at each point.
func (f *Finding) addMeans(at []verdict.Sample) error {
	for k := range at {
		value, err := statistics.Mean(at[k].Values, verdict.Confidence)
		if err != nil {
			return err
		}
		f.At = append(f.At, verdict.At{Point: at[k].Point, Value: value})
	}
	return nil
}

// judgePoints applies the rule for a claim about the values at several points.
func (f *Finding) judgePoints(at []verdict.Sample) (err error) {
	switch c := f.Claim; c.Form {
	case Sign:
		f.Verdict, f.Reason = verdict.Signs(c.side(), f.At)
	case Limit:
		f.Verdict, f.Reason = verdict.Limits(c.side(), *c.Value, f.At)
	case Peak:
		f.Verdict, f.Reason, err = verdict.Peak(c.side(), at)
	case Equivalence:
		f.Verdict, f.Reason, err = verdict.Equivalent(*c.Within, at)
	case Interaction:
		coefficients := make([]float64, len(at))
		for k := range at {
			coefficients[k] = c.Contrast[at[k].Point]
		}
		if f.Value, err = statistics.Mean(verdict.Contrast(at, coefficients), verdict.Confidence); err == nil {
			f.Verdict, f.Reason = verdict.Difference(c.side(), f.Value)
		}
	case Trend:
		err = f.judgeTrend(at)
	default:
		err = fmt.Errorf("expected a form of a claim, found %q", c.Form)
	}
	return err
}

// judgeTrend applies the rule for a trend along the axis, or from panel to panel.
func (f *Finding) judgeTrend(at []verdict.Sample) error {
	c := f.Claim
	if c.Along == "panels" {
		places := map[string]float64{}
		for k := range at {
			panel := at[k].Panel
			if _, known := places[panel]; !known {
				places[panel] = float64(len(places))
			}
			at[k].Panel, at[k].X = strconv.FormatFloat(at[k].X, 'g', -1, 64), places[panel]
		}
	}
	trend := verdict.Changes
	if c.Method == "kendall" {
		trend = verdict.Correlations
	}
	values, ok := trend(at)
	if !ok {
		f.Verdict, f.Reason = verdict.NotYet, "fewer than two places of the axis were run"
		return nil
	}
	var err error
	if f.Value, err = statistics.Mean(values, verdict.Confidence); err != nil {
		return err
	}
	switch {
	case c.Direction == "none":
		f.Verdict, f.Reason, err = verdict.Equivalent(*c.Within, []verdict.Sample{{Point: "the trend", Values: values}})
	case c.Method == "kendall":
		f.Verdict, f.Reason = verdict.Correlation(c.side(), f.Value)
	default:
		f.Verdict, f.Reason = verdict.Difference(c.side(), f.Value)
	}
	return err
}

// judgeTarget compares quantities with values that the paper states.
func (e *Experiment) judgeTarget(table sampleTable, f *Finding, points []Point) (err error) {
	c := f.Claim
	names := slices.Sorted(maps.Keys(c.Target))
	var distances, differences []verdict.Sample
	for _, p := range points {
		var squares []float64
		for _, name := range names {
			sample := e.sample(table, f.Reading, name, c.Policy, p, nil)
			if squares == nil {
				squares = make([]float64, len(sample))
			}
			if len(sample) != len(squares) {
				return fmt.Errorf("at %s: expected %d repetitions, found %d", p.ID, len(squares), len(sample))
			}
			d := verdict.Sample{Point: p.ID + ", " + name, X: p.X}
			for i := range sample {
				d.Values = append(d.Values, sample[i].value-c.Target[name])
				squares[i] += d.Values[i] * d.Values[i]
			}
			differences = append(differences, d)
		}
		for i := range squares {
			squares[i] = math.Sqrt(squares[i])
		}
		distances = append(distances, verdict.Sample{Point: p.ID, X: p.X, Values: squares})
	}
	if c.Form == Equivalence {
		if err := f.addMeans(differences); err != nil {
			return err
		}
		f.Verdict, f.Reason, err = verdict.Equivalent(*c.Within, differences)
		return err
	}
	if err := f.addMeans(distances); err != nil {
		return err
	}
	f.Verdict, f.Reason, err = verdict.Nearest(c.At[0], distances)
	return err
}

// side is the claimed direction.
func (c *Claim) side() verdict.Direction {
	if c.Direction == "less" {
		return verdict.Less
	}
	return verdict.More
}

// samples returns the values at each of the points.
func (e *Experiment) samples(table sampleTable, f *Finding, points []Point) ([]verdict.Sample, error) {
	scale := 1.0
	if alone := f.Claim.Against == "" && f.Claim.Form != Limit && !f.Claim.Absolute; alone { // in percent of the mean over the points
		all, err := e.values(table, f, points)
		if err != nil {
			return nil, err
		}
		if scale = math.Abs(statistics.Sum(all)) / float64(len(all)) / 100; !(scale > 0) {
			return nil, errZero
		}
	}
	var at []verdict.Sample
	for _, p := range points {
		values, err := e.values(table, f, []Point{p})
		if err != nil {
			return nil, err
		}
		for i := range values {
			values[i] /= scale
		}
		at = append(at, verdict.Sample{Point: p.ID, X: p.X, Panel: p.Panel, Values: values})
	}
	return at, nil
}

// values returns what the claim is about in each repetition, over all points together: the policy's value, its difference from the rival's, or this
// in percent.
func (e *Experiment) values(table sampleTable, f *Finding, at []Point) ([]float64, error) {
	c := f.Claim
	own, err := e.means(table, f, c.Policy, nil, at)
	if err != nil || c.Against == "" {
		return own, err
	}
	rival, err := e.means(table, f, c.Against, nil, at)
	if err != nil {
		return nil, err
	}
	if len(own) != len(rival) {
		return nil, fmt.Errorf("expected the same repetitions of %s and %s, found %d and %d", c.Policy, c.Against, len(own), len(rival))
	}
	difference := make([]float64, len(own))
	for i := range own {
		difference[i] = own[i] - rival[i]
	}
	if c.Absolute {
		return difference, nil
	}
	base, terms := rival, c.Base
	if terms == nil {
		terms = f.Reading.Base[c.Quantity]
	}
	switch {
	case terms != nil:
		if base, err = e.means(table, f, c.Policy, terms, at); err != nil {
			return nil, err
		}
	case f.Reading.Percent == "of its own":
		base = own
	}
	values, ok := linearised(difference, base)
	if !ok {
		return nil, errZero
	}
	return values, nil
}

// means returns the mean of a policy's values over the points in each repetition. All points must have the same repetitions.
func (e *Experiment) means(table sampleTable, f *Finding, policy string, base Terms, at []Point) ([]float64, error) {
	var total []float64
	var seeds []uint64
	for k, p := range at {
		sample := e.sample(table, f.Reading, f.Claim.Quantity, policy, p, base)
		if k == 0 {
			total, seeds = make([]float64, len(sample)), make([]uint64, len(sample))
			for i := range sample {
				seeds[i] = sample[i].seed
			}
		}
		if len(sample) != len(total) {
			return nil, fmt.Errorf("at %s: expected %d repetitions of %s as at %s, found %d", p.ID, len(total), policy, at[0].ID, len(sample))
		}
		for i := range sample {
			total[i] += sample[i].value / float64(len(at))
		}
	}
	if err := e.samePairs(table, f, at, seeds); err != nil {
		return nil, err
	}
	return total, nil
}

// samePairs reports repetitions that only one of the two policies has.
func (e *Experiment) samePairs(table sampleTable, f *Finding, at []Point, seeds []uint64) error {
	if f.Claim.Against == "" {
		return nil
	}
	for _, policy := range []string{f.Claim.Policy, f.Claim.Against} {
		rows := table[f.Reading.cell(at[0], policy)]
		for _, seed := range seeds {
			if rows[seed] == nil {
				return fmt.Errorf("at %s: expected the same repetitions of %s and %s, found none of %s with seed %d",
					at[0].ID, f.Claim.Policy, f.Claim.Against, policy, seed)
			}
		}
	}
	return nil
}

// linearised returns values whose mean is 100·(mean of the difference)/(mean of the base). Their spread is the spread of this ratio to first order
// (the delta method). With R the ratio, value i is 100·R + 100·(differenceᵢ − R·baseᵢ)/(mean of the base). Values with the same index come from the
// same instance (common random numbers). ok is false if the mean of the base is 0.
//
// W. G. Cochran (1977), Sampling Techniques, 3rd edition, §2.11 and §6.3, the ratio estimator and its variance.
func linearised(difference, base []float64) (values []float64, ok bool) {
	n := float64(len(base))
	mean := statistics.Sum(base) / n
	if !(math.Abs(mean) > 0) && !math.IsNaN(mean) {
		return nil, false
	}
	ratio := statistics.Sum(difference) / n / mean
	for i := range difference {
		values = append(values, 100*(ratio+(difference[i]-ratio*base[i])/mean))
	}
	return values, true
}
