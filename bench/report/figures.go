package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/model"
)

// figures are what a table says of a solver in a group. NaN is missing.
type figures struct {
	rank       float64
	problems   int // that it ran on
	runs       int
	results    int                 // runs with a schedule
	wins       int                 // problems on which no solver was better
	mean       statistics.Interval // NaN too where objectives are of several metrics
	gap, bound float64             // means, in per cent
	rpd        float64             // mean deviation from the best found, in per cent, see [tables.RPD]
	proved     int                 // runs with a schedule that is proved optimal
	time       float64             // mean, s
	speed      float64             // evaluations/s
	left       int
	faults     int
}

// figuresOf sums a solver up over the problems of its group.
func (g *group) figuresOf(c *contender) figures {
	f := figures{rank: c.rank, runs: len(c.rows), gap: g.meanGap(c), rpd: g.meanRPD(c), bound: g.meanBoundGap(c), time: math.NaN(), speed: math.NaN()}
	f.mean.Estimate = math.NaN()
	var objectives, means, times []float64
	evaluations, elapsed := 0.0, 0.0
	for _, p := range g.cases {
		var values []float64
		if len(p.cells[c.name]) > 0 {
			f.problems++
		}
		for _, row := range p.cells[c.name] {
			times = append(times, row.Elapsed)
			evaluations, elapsed = evaluations+float64(row.Evaluations), elapsed+row.Elapsed
			if row.Fault != "" {
				f.faults++
			}
			if x := objective(row); !math.IsNaN(x) {
				f.results++
				f.left += row.Left
				values = append(values, x)
				if row.ProvedBy(p.bound) {
					f.proved++
				}
			}
		}
		if len(values) > 0 {
			objectives = append(objectives, values...)
			means = append(means, statistics.Sum(values)/float64(len(values)))
		}
		if g.wins(p, c.name) {
			f.wins++
		}
	}
	if len(g.cases) == 1 {
		means = objectives // the runs are the sample
	}
	mixed := slices.ContainsFunc(g.cases, func(p *problem) bool { return p.metric != g.cases[0].metric })
	if mean, err := statistics.Mean(means, confidence); err == nil && !mixed {
		f.mean = mean
	}
	if len(times) > 0 {
		f.time = statistics.Sum(times) / float64(len(times))
	}
	if evaluations > 0 && elapsed > 0 {
		f.speed = evaluations / elapsed
	}
	return f
}

// wins says whether no other solver did better on the problem.
func (g *group) wins(p *problem, name string) bool {
	own := p.result(name)
	return !math.IsNaN(own.Objective) && !slices.ContainsFunc(g.solvers, func(c *contender) bool { return p.result(c.name).Better(own) })
}

// meanGap is the mean over problems of the mean gap to the best known, in per cent; NaN: none.
func (g *group) meanGap(c *contender) float64 { return meanOf(g.gaps(c)) }

// gaps are the mean gaps to the best known, in per cent, of each problem on which the solver has one.
func (g *group) gaps(c *contender) []float64 {
	return g.means(c, func(p *problem, row *bench.Row) float64 { return p.gap(row) })
}

// meanRPD is the mean over problems of the mean deviation from the best found, in per cent: NaN where the solver has none, and infinite where one is, beside a best of 0.
func (g *group) meanRPD(c *contender) float64 {
	isInfinite := false
	mean := meanOf(g.means(c, func(p *problem, row *bench.Row) float64 {
		deviation := tables.RPD(row, p.found)
		isInfinite = isInfinite || math.IsInf(deviation, 1)
		return deviation
	}))
	if isInfinite {
		return math.Inf(1)
	}
	return mean
}

// meanBoundGap is the mean gap to the best bound, in per cent; runs below the bound, which leave jobs out that it counts on, do not
// count.
func (g *group) meanBoundGap(c *contender) float64 {
	return meanOf(g.means(c, func(p *problem, row *bench.Row) float64 {
		x := objective(row)
		bound, ok := p.bound.Value()
		if !ok || x < bound-model.Tolerance*math.Abs(x) {
			return math.NaN()
		}
		return gapTo(x, bound)
	}))
}

// means are the means over seeds of a figure, problem by problem. What is not finite is left out.
func (g *group) means(c *contender, figure func(*problem, *bench.Row) float64) []float64 {
	var means []float64
	for _, p := range g.cases {
		var values []float64
		for _, row := range p.cells[c.name] {
			if x := figure(p, row); !math.IsNaN(x) && !math.IsInf(x, 0) {
				values = append(values, x)
			}
		}
		if len(values) > 0 {
			means = append(means, statistics.Sum(values)/float64(len(values)))
		}
	}
	return means
}

// meanOf is the mean of values; NaN: there are none.
func meanOf(values []float64) float64 { return statistics.Sum(values) / float64(len(values)) }

// percent writes a percentage with at most two decimals. It never writes a number above 0 as 0.
func percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return document.Missing
	case math.IsInf(x, 1):
		return "∞"
	case x > 0 && x < 0.005:
		return "<0.01"
	case x < 1000:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return document.Rounded(x, 4)
}

// interval writes a mean with the half width of its interval, to two digits of that.
func interval(i statistics.Interval) string {
	half := (i.High - i.Low) / 2
	if math.IsNaN(i.Estimate) || math.IsNaN(half) || math.IsInf(half, 0) {
		return document.Rounded(i.Estimate, 6)
	}
	digits := 6
	if half > 0 && i.Estimate != 0 {
		digits = min(max(2+int(math.Floor(math.Log10(math.Abs(i.Estimate))))-int(math.Floor(math.Log10(half))), 2), 9)
	}
	return document.Rounded(i.Estimate, digits) + " ± " + document.Rounded(half, 2)
}

// probability writes a p-value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return document.Missing
	case p < 0.001:
		return "<0.001"
	case p >= 0.9995:
		return "1"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// seconds writes a time.
func seconds(s float64) string {
	switch {
	case math.IsNaN(s):
		return document.Missing
	case s < 1e-6:
		return document.Rounded(s, 2) + " s"
	case s < 1e-3:
		return document.Rounded(s*1e6, 3) + " µs"
	case s < 1:
		return document.Rounded(s*1e3, 3) + " ms"
	}
	return document.Rounded(s, 3) + " s"
}
