//go:build unix

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// confidence is the confidence of the intervals.
const confidence = 0.95

// columns of a row below the name of its benchmark.
var columns = []string{"unit", "baseline", "now", "change", "target", ""}

// table is the table to print.
type table struct {
	groups      []group
	met, missed int
	misses      []string // the targets that were missed, in words
	unmeasured  []string // the targets whose benchmark was requested but has no figure
	absent      int      // number of targets whose benchmark is not part of the run
	sources     []string // the origins of the baseline
}

// group is a benchmark with its rows.
type group struct {
	name string
	rows [][]string
}

// newTable compares the figures of the requested benchmarks.
func newTable(baseline, now *figures, targets []target, asked choice) *table {
	t := &table{}
	measured := make([]bool, len(targets))
	for _, b := range now.sorted() {
		g := group{name: b.pkg + " " + b.name}
		before := baseline.find(b.id)
		if before != nil {
			t.source(before)
		}
		for _, unit := range b.units {
			if unit == "sec/op" && slices.Max(b.values[unit]) == 0 {
				continue // a summary, in which no time was measured
			}
			var old []float64
			if before != nil {
				old = before.values[unit]
			}
			rows := t.rows(b, unit, old, targets, measured, direction(baseline, now, unit))
			g.rows = append(g.rows, rows...)
		}
		t.groups = append(t.groups, g)
	}
	for k, found := range measured {
		switch {
		case found:
		case asked.holds(targets[k].Benchmark):
			t.unmeasured = append(t.unmeasured, targets[k].Package+" "+targets[k].Benchmark+", "+targets[k].Unit+": "+targets[k].Target)
		default:
			t.absent++
		}
	}
	return t
}

// direction returns +1 for a unit of which more is better, −1 if less is better, and 0 if that is unknown.
func direction(baseline, now *figures, unit string) int {
	for _, units := range []benchfmt.UnitMetadataMap{now.units, baseline.units} {
		if better := units.GetBetter(unit); better != 0 {
			return better
		}
	}
	return 0
}

// source records the origin of the baseline of a benchmark.
func (t *table) source(b *benchmark) {
	r := b.results[0]
	var parts []string
	for _, key := range []string{"commit", "date", "go", "cores", "memory", "load"} {
		if value := r.GetConfig(key); value != "" {
			parts = append(parts, key+" "+value)
		}
	}
	if line := strings.Join(parts, ", "); line != "" && !slices.Contains(t.sources, line) {
		t.sources = append(t.sources, line)
	}
}

// rows makes the rows of one unit: one for each of its targets, or a single one.
func (t *table) rows(b *benchmark, unit string, old []float64, targets []target, measured []bool, better int) [][]string {
	var mine []*target
	for k := range targets {
		if targets[k].Unit == unit && targets[k].covers(b.id) {
			mine = append(mine, &targets[k])
			measured[k] = true
		}
	}
	now := mean(b.values[unit])
	row := func(limit, verdict string, better int) []string {
		return []string{unit, formatted(old, unit), formatted(b.values[unit], unit), change(old, b.values[unit], better), limit, verdict}
	}
	if len(mine) == 0 {
		return [][]string{row("", "", better)}
	}
	var rows [][]string
	for _, target := range mine {
		verdict := "met"
		if target.met(now) {
			t.met++
		} else {
			verdict = "MISSED"
			t.missed++
			t.misses = append(t.misses, fmt.Sprintf("%s %s: %s %s, target %s (issue %d: %s)", b.pkg, b.name, number(now, unit), unit, target.limit(), target.Issue, target.Target))
		}
		rows = append(rows, row(target.limit(), verdict, target.better()))
	}
	return rows
}

// summary computes the mean of the values with its confidence interval.
func summary(values []float64) benchmath.Summary {
	return benchmath.AssumeNormal.Summary(sample(values), confidence)
}

// mean computes the mean of the values.
func mean(values []float64) float64 {
	return summary(values).Center //nolint:misspell // the library's name
}

// sample copies the values for the statistics library, which sorts its argument.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// formatted formats mean ± spread. The spread is in per cent, if that has a meaning.
func formatted(values []float64, unit string) string {
	if len(values) == 0 {
		return "–"
	}
	s := summary(values)
	text := number(mean(values), unit)
	if len(values) == 1 {
		return text
	}
	spread := s.PctRangeString()
	if spread == "?" { // the interval contains 0
		spread = number((s.Hi-s.Lo)/2, unit)
	}
	return text + " ± " + spread
}

// number formats a value with four significant digits. Times, rates and bytes have prefixes; ratios, percentages and counts have none.
func number(value float64, unit string) string {
	value += 0 // no −0
	if strings.HasPrefix(unit, "sec") {
		return benchunit.Scale(value, benchunit.Decimal) + "s" // without the s, 5.0m could mean minutes
	}
	if strings.Contains(unit, "sec") || strings.Contains(unit, "/s") || benchunit.ClassOf(unit) == benchunit.Binary {
		return benchunit.Scale(value, benchunit.ClassOf(unit))
	}
	if magnitude := math.Abs(value); magnitude >= 1000 && magnitude < 1e9 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// change says by how much the mean differs, and, if there are enough repetitions to tell, whether it is better.
func change(old, now []float64, better int) string {
	if len(old) == 0 {
		return "new"
	}
	a, b := mean(old), mean(now)
	comparison := benchmath.AssumeNormal.Compare(sample(old), sample(now))
	comparison.Alpha = benchmath.DefaultThresholds.CompareAlpha
	constant := func(values []float64) bool { return slices.Min(values) == slices.Max(values) }
	switch {
	case a == b:
		return "0.00%"
	case constant(old) && constant(now) && len(old) > 1 && len(now) > 1:
		comparison.P = 0 // the values have no variance, so the test cannot be computed
	case len(old) == 1 || len(now) == 1:
		comparison.P = 0
		return fmt.Sprintf("(%s) n=%d+%d", comparison.FormatDelta(a, b), len(old), len(now))
	}
	text := comparison.FormatDelta(a, b) + " " + comparison.String()
	if comparison.P > comparison.Alpha || better == 0 {
		return text
	}
	if (b > a) == (better > 0) {
		return text + " better"
	}
	return text + " worse"
}

// writeTable prints the table with aligned columns, and a few remarks.
func writeTable(w *strings.Builder, t *table) {
	widths := make([]int, len(columns))
	measure := func(row []string) {
		for k, cell := range row {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	measure(columns)
	for _, g := range t.groups {
		for _, row := range g.rows {
			measure(row)
		}
	}
	line := func(row []string) {
		var text strings.Builder
		for k, cell := range row {
			text.WriteString("  " + cell + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell)))
		}
		w.WriteString(strings.TrimRight("  "+text.String(), " ") + "\n")
	}
	line(columns)
	for _, g := range t.groups {
		w.WriteString(g.name + "\n")
		for _, row := range g.rows {
			line(row)
		}
	}
	w.WriteString("\n")
	for _, source := range t.sources {
		fmt.Fprintln(w, "Baseline:", source)
	}
	if len(t.sources) == 0 {
		fmt.Fprintln(w, "Baseline: none of these benchmarks has one")
	}
	t.writeTargets(w)
}

// writeTargets counts the targets and names those that were missed or not measured.
func (t *table) writeTargets(w *strings.Builder) {
	for _, list := range []struct {
		word  string
		texts []string
	}{{"missed", t.misses}, {"not measured", t.unmeasured}} {
		for _, text := range list.texts {
			fmt.Fprintf(w, "%s: %s\n", list.word, text)
		}
	}
	fmt.Fprintf(w, "Targets: %d met, %d missed, %d not measured", t.met, t.missed, len(t.unmeasured))
	if t.absent > 0 {
		fmt.Fprintf(w, "; %d are of other benchmarks", t.absent)
	}
	w.WriteString("\n")
}
