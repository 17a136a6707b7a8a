package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// target is the gap to the best known, in per cent, at which a schedule solves its problem in a data profile.
const target = 1

// grid is at how many moments convergence is computed, more than a plot has room for.
const grid = 240

// plots draws the pictures of a group, whose section has the id. Solvers beyond the styles are faint.
func (g *group) plots(section string, preferred map[string]int) []*document.Drawn {
	style := g.styles(preferred)
	if c := g.reference(); c != nil {
		style[c.name] = document.Reference
	}
	var list []*document.Drawn
	for _, draw := range []func(string, map[string]int) *document.Drawn{g.performanceProfile, g.dataProfile, g.meanConvergence, g.medianConvergence} {
		if p := draw(fmt.Sprintf("%s-p%d", section, len(list)), style); p != nil {
			if n := p.Faint; n > 0 {
				p.Note = "Faint, and named where the pointer rests: " + numtext.CountedGrouped(n, "solver") + " of worse mean rank. " + p.Note
			}
			list = append(list, p)
		}
	}
	return list
}

// dataProfileTitle is the title of a data profile.
const dataProfileTitle = "Data profile"

// missingPlots says why a group lacks pictures over time, and what a data profile is made of, where the runs have no trace.
func (g *group) missingPlots(drawn []*document.Drawn) []string {
	solvers, _ := g.compared()
	profile := slices.ContainsFunc(drawn, func(p *document.Drawn) bool { return p.Title == dataProfileTitle })
	var notes []string
	if !g.traced() {
		note := `The runs have no trace ("trace": true in the suite keeps one), so there is no picture of the gap over time`
		if profile {
			note += ", and the data profile knows of each run only its end"
		}
		notes = append(notes, note+".")
	}
	if !profile && len(solvers) > 0 {
		notes = append(notes, fmt.Sprintf("There is no data profile, because no solver came within %d %% of the best known objective of an instance at a time above 0.", target))
	}
	return notes
}

// traced says whether a run states how its schedule came to be.
func (g *group) traced() bool {
	return slices.ContainsFunc(g.solvers, func(c *contender) bool {
		return slices.ContainsFunc(c.rows, func(row *bench.Row) bool { return len(row.Incumbents) > 0 })
	})
}

// styles gives the best solvers of the group a style each, the one that they have in other groups where that is free. Preferred has a
// number of each solver.
func (g *group) styles(preferred map[string]int) map[string]int {
	style := map[string]int{}
	taken := [picture.Styles]bool{}
	shown := g.solvers[:min(len(g.solvers), picture.Styles)]
	for _, c := range g.solvers {
		style[c.name] = document.Faint
	}
	for _, wanted := range []func(name string) int{
		func(name string) int { return preferred[name] },
		func(name string) int { return preferred[name] % picture.Styles },
		func(string) int { return slices.Index(taken[:], false) },
	} {
		for _, c := range shown {
			if k := wanted(c.name); style[c.name] == document.Faint && k < picture.Styles && !taken[k] {
				style[c.name], taken[k] = k, true
			}
		}
	}
	return style
}

// curvesOf makes a curve of each solver, in order of rank.
func curvesOf(solvers []string, style map[string]int, points func(k int) []picture.Point) []document.Curve {
	var list []document.Curve
	for k, name := range solvers {
		shown := document.Printable(name)
		if style[name] == document.Reference {
			shown += ", for reference"
		}
		list = append(list, document.Curve{Name: shown, Style: style[name], Points: points(k)})
	}
	return list
}

// compared are the solvers that are compared, in order of rank, and the problems that they are compared on. A profile of one problem
// would be a step a solver: none are compared then.
func (g *group) compared() ([]string, []*problem) {
	if g.test == nil || len(g.test.cases) < 2 {
		return nil, nil
	}
	names := kit.Each(g.test.order(), func(k int) string { return g.test.solvers[k] })
	return names, g.test.cases
}

// performanceProfile is the profile of Dolan and Moré. It is nil if costs are negative, because then there
// are no ratios.
func (g *group) performanceProfile(id string, style map[string]int) *document.Drawn {
	solvers, cases := g.compared()
	matrix := costsOf(cases, solvers)
	profiles, err := statistics.PerformanceProfile(matrix)
	if err != nil || len(solvers) == 0 {
		return nil
	}
	x, last := ratioAxis(widest(matrix, func(k int) bool { return style[solvers[k]] != document.Faint }))
	p := document.NewPlot(id, "Performance profile", x, shareAxis("share of instances"), curvesOf(solvers, style, func(k int) []picture.Point {
		return clipped(steps(1, profiles[k]), last)
	}))
	p.Description = "For each solver the share of instances on which its objective is at most this factor times the best of all solvers'. Higher is better."
	p.Note = "How often a solver is within a factor of the best one. Left edge: how often it is the best. The axis ends where 95 % of all results are."
	return p
}

// steps are the corners of a profile, which is 0 from the given place on.
func steps(from float64, profile statistics.Profile) []picture.Point {
	points := []picture.Point{{X: from}}
	for i := range profile.X {
		points = append(points, picture.Point{X: profile.X[i], Y: profile.Y[i]})
	}
	return points
}

// widest is the ratio to the best of its problem that 95 % of the costs of the solvers that count are within.
func widest(matrix [][]float64, counts func(k int) bool) float64 {
	var ratios []float64
	for _, costs := range matrix {
		least := math.Inf(1)
		for _, c := range costs {
			if c < least { // false for NaN
				least = c
			}
		}
		for k, c := range costs {
			if ratio := c / least; counts(k) && !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
				ratios = append(ratios, ratio)
			}
		}
	}
	last, err := statistics.Quantile(ratios, 0.95)
	if err != nil {
		return 1
	}
	return last
}

// ratioAxis is from 1 to a little beyond the last ratio, by logarithms where that is far, and where it ends.
func ratioAxis(last float64) (picture.Axis, float64) {
	const far, least, what = 3, 0.001, "objective over the best"
	if last > far {
		return picture.NewLogAxis(what, 1, 1.1*last, "", document.Ticks), 1.1 * last
	}
	end := 1 + 1.05*max(last-1, least)
	return picture.NewAxis(what, 1, end, "", document.Ticks), end
}

// shareAxis is from 0 to 1.
func shareAxis(what string) picture.Axis { return picture.NewAxis(what, 0, 1.02, "", document.Ticks) }

// clipped is the points up to a place.
func clipped(points []picture.Point, last float64) []picture.Point {
	for k, p := range points {
		if p.X > last {
			return points[:k]
		}
	}
	return points
}

// dataProfile is that of Moré and Wild over seconds, with the target for their test of convergence.
func (g *group) dataProfile(id string, style map[string]int) *document.Drawn {
	solvers, cases := g.compared()
	solvers = g.withReference(solvers)
	spent := make([][]float64, 0, len(cases))
	first, last := math.Inf(1), 0.0
	for _, p := range cases {
		row := make([]float64, len(solvers))
		for k, name := range solvers {
			row[k] = p.timeToTarget(name)
			if x := row[k]; x > 0 && !math.IsInf(x, 0) {
				first, last = min(first, x), max(last, x)
			}
		}
		spent = append(spent, row)
	}
	profiles, err := statistics.DataProfile(spent)
	if err != nil || last == 0 {
		return nil
	}
	_, longest := g.span()
	x := picture.NewLogAxis("time", first, max(last, longest), "s", document.Ticks)
	p := document.NewPlot(id, dataProfileTitle, x, shareAxis("share of instances"), curvesOf(solvers, style, func(k int) []picture.Point {
		return steps(0, profiles[k])
	}))
	p.Description = "For each solver the share of instances on which it came within 1 % of the best known objective in so much time. Higher is better."
	p.Note = "How soon a solver is within 1 % of the best known."
	return p
}

// timeToTarget is the median over seeds of when a solver came near the best known; +Inf: never.
func (p *problem) timeToTarget(solver string) float64 {
	var times []float64
	for _, row := range p.cells[solver] {
		t := math.Inf(1)
		for _, at := range p.incumbents(row) {
			if gapTo(at.Objective, p.known) <= target {
				t = at.Elapsed
				break
			}
		}
		times = append(times, t)
	}
	median, err := statistics.Quantile(times, 0.5)
	if err != nil || math.IsNaN(median) {
		return math.Inf(1)
	}
	return median
}

// incumbentsOf lists the incumbents of a run in order of time; the last is its schedule at the end. A run that failed has none.
func incumbentsOf(row *bench.Row) []model.Incumbent {
	x := objective(row)
	if math.IsNaN(x) {
		return nil
	}
	list := slices.Clone(row.Incumbents)
	slices.SortStableFunc(list, func(a, b model.Incumbent) int { return cmp.Compare(a.Elapsed, b.Elapsed) })
	if n := len(list); n == 0 || list[n-1].Objective > x {
		list = append(list, model.Incumbent{Elapsed: max(row.Elapsed, 0), Objective: x})
	}
	return list
}

// incumbents lists the incumbents of a run that owes as few jobs as the best known schedule. For any other run the list is empty, because its
// objectives cannot be compared.
func (p *problem) incumbents(row *bench.Row) []model.Incumbent {
	if row.Owed() != p.left {
		return nil
	}
	return incumbentsOf(row)
}

// names are those of the solvers, in order of rank.
func (g *group) names() []string {
	return kit.Each(g.solvers, func(c *contender) string { return c.name })
}

// withReference are the solvers and behind them the one that is there for reference.
func (g *group) withReference(solvers []string) []string {
	if c := g.reference(); c != nil && len(solvers) > 0 {
		return append(slices.Clone(solvers), c.name)
	}
	return solvers
}

// span is the first time at which any run had a schedule and the last at which one ended.
func (g *group) span() (first, last float64) {
	first = math.Inf(1)
	for _, c := range g.solvers {
		for _, row := range c.rows {
			last = max(last, row.Elapsed)
			if list := incumbentsOf(row); len(list) > 0 && list[0].Elapsed > 0 {
				first = min(first, list[0].Elapsed)
			}
		}
	}
	if math.IsInf(first, 1) {
		first = last
	}
	return first, last
}

// meanConvergence is the mean gap over time.
func (g *group) meanConvergence(id string, style map[string]int) *document.Drawn {
	return g.convergence(id, "Mean gap over time", style, func(gaps []float64) float64 {
		return statistics.Sum(gaps) / float64(len(gaps))
	})
}

// medianConvergence is the median gap over time, which a few hard instances do not rule.
func (g *group) medianConvergence(id string, style map[string]int) *document.Drawn {
	return g.convergence(id, "Median gap over time", style, func(gaps []float64) float64 {
		median, err := statistics.Quantile(gaps, 0.5)
		if err != nil {
			return math.NaN()
		}
		return median
	})
}

// convergence draws a summary over the problems of the gap over time; nil where no run has incumbents, since the ends of runs are
// no convergence.
func (g *group) convergence(id, title string, style map[string]int, summary func([]float64) float64) *document.Drawn {
	if !g.traced() {
		return nil
	}
	first, last := g.span()
	if !(last > 0) {
		return nil
	}
	x := picture.NewLogAxis("time", first, last, "s", document.Ticks)
	moments := logMoments(x, last)
	names := g.withReference(g.names())
	series := make([][]float64, len(names))
	least := math.Inf(1)
	for k, name := range names {
		series[k] = g.gapsAt(name, moments, summary)
		for _, y := range series[k] {
			if y > 0 {
				least = min(least, y)
			}
		}
	}
	floor := gapFloor(least)
	y := picture.NewLogAxis("gap to the best known", floor, 1, "", document.Ticks)
	percentTicks(&y, floor)
	p := document.NewPlot(id, title, x, y, curvesOf(names, style, func(k int) []picture.Point {
		var points []picture.Point
		for i, gap := range series[k] {
			if !math.IsNaN(gap) {
				points = append(points, picture.Point{X: moments[i], Y: max(gap, floor)})
			}
		}
		return points
	}))
	p.Description = "For each solver the gap of its best schedule so far to the best known, over the time of its run, both logarithmic. Lower is better."
	p.Note = "100 % before the first schedule. The lowest line stands for everything below it."
	return p
}

// gapFloor is the power of ten that the axis of gaps begins at.
func gapFloor(least float64) float64 {
	const lowest, highest = -6, -2 // 0.0001 % and 1 %
	if math.IsInf(least, 0) {
		return math.Pow10(highest)
	}
	return math.Pow10(min(max(int(math.Floor(math.Log10(least))), lowest), highest))
}

// percentTicks writes the labels of shares in per cent.
func percentTicks(a *picture.Axis, floor float64) {
	decades := -math.Log10(floor)
	a.Caption = "gap to the best known (%)"
	for k := range a.Ticks {
		if a.Ticks[k].Label == "" {
			continue
		}
		share := floor * math.Pow(10, a.Ticks[k].At*decades)
		a.Ticks[k].Label = document.Rounded(100*share, 1)
	}
}

// logMoments are moments along an axis, evenly spread by its logarithms.
func logMoments(x picture.Axis, last float64) []float64 {
	first := x.From
	moments := make([]float64, grid)
	for k := range moments {
		moments[k] = first * math.Pow(last/first, float64(k)/(grid-1))
	}
	return moments
}

// gapsAt is the summary, over the problems that a solver ran on, of its mean gap to the best known over seeds at each moment, as a share; 1 before the first schedule, and at most.
func (g *group) gapsAt(name string, moments []float64, summary func([]float64) float64) []float64 {
	at := make([][]float64, len(moments)) // moment × problem
	for _, p := range g.cases {
		rows := p.cells[name]
		if len(rows) == 0 || math.IsNaN(p.known) {
			continue
		}
		sums := make([]float64, len(moments))
		for _, row := range rows {
			list, next, gap := p.incumbents(row), 0, 1.0
			for k, t := range moments {
				for ; next < len(list) && list[next].Elapsed <= t; next++ {
					gap = min(gap, gapTo(list[next].Objective, p.known)/100)
				}
				sums[k] += gap
			}
		}
		for k := range moments {
			at[k] = append(at[k], sums[k]/float64(len(rows)))
		}
	}
	list := make([]float64, len(moments))
	for k := range list {
		if list[k] = math.NaN(); len(at[k]) > 0 {
			list[k] = summary(at[k])
		}
	}
	return list
}
