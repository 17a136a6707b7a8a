package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/allot-opt/allot/internal/timetext"
)

// shares are the quantiles of the jobs of a period: two bands and the median between them.
var shares = [5]float64{0.1, 0.25, 0.5, 0.75, 0.9}

// period is what the jobs that arrive in a period have of a quantity.
type period struct {
	from, to  float64
	jobs      int
	quantiles [5]float64 // by shares: the least value that at least the share of the jobs do not exceed
	mean      float64
}

// periodsOf divides jobs by their arrival into periods of the given length, from first on. Periods without jobs are left out. The values must be in the order
// of arrivals.
func periodsOf(values []change, first, last, each float64) []period {
	var list []period
	for k := 0; k < len(values); {
		n := max(0, math.Floor((values[k].time-first)/each))
		p := period{from: first + n*each, to: min(first+(n+1)*each, last)}
		if !(p.to > p.from) { // at the very end
			p.from, p.to = max(first, last-each), last
		}
		var of []float64
		sum := 0.0
		for ; k < len(values) && math.Floor((values[k].time-first)/each) <= n; k++ {
			of = append(of, values[k].by)
			sum += values[k].by
		}
		slices.Sort(of)
		for s, share := range shares {
			p.quantiles[s] = of[max(1, int(math.Ceil(share*float64(len(of)))))-1]
		}
		p.jobs, p.mean = len(of), sum/float64(len(of))
		list = append(list, p)
	}
	return list
}

// mostPeriods is the largest number of periods on a picture.
const mostPeriods = 2_000

// periodLength is the length of the periods of a picture, in the unit of the instance. Where none is asked for it is a week if there are three of them at least,
// else a familiar length of which there are about twenty.
func periodLength(asked, span float64, unit string) (float64, error) {
	each, known := timetext.Seconds(unit)
	length := asked
	if asked == 0 {
		const week, weeks, some = 7 * 86400, 3, 20
		switch seconds := span * each; {
		case known && seconds >= weeks*week && seconds <= week*mostPeriods:
			length = week / each
		case known && seconds >= leastTimeSpan && seconds <= mostTimeSpan:
			length = timeStep(seconds/some) / each
		default:
			mantissa, exponent := niceStep(max(span, 1e-290) / some)
			length = mantissa * math.Pow10(exponent)
		}
	}
	if !(length > 0) || math.IsInf(length, 1) {
		return 0, fmt.Errorf("period %v: expected a time above 0", asked)
	}
	if span/length > mostPeriods {
		return 0, fmt.Errorf("period %s: expected at least %s, for at most %s periods", timetext.Of(length, unit, number), timetext.Of(span/mostPeriods, unit, number), number(mostPeriods))
	}
	return length, nil
}

// periodName names the periods in titles.
func periodName(length float64, unit string) string {
	if each, known := timetext.Seconds(unit); known && math.Abs(length*each-7*86400) < 1 {
		return "by week of arrival"
	}
	return "by time of arrival, " + timetext.Of(length, printable(unit), number) + " each"
}

// bandsPlot draws periods: for each a light band from the first to the last of the quantiles, a darker one between the quartiles, the median and the mean.
type bandsPlot struct {
	periods []period
	tint    int     // colour, as of curves
	least   float64 // smaller values stand here; −Inf: none
}

// DataRange implements plot.DataRanger.
func (b *bandsPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for k := range b.periods {
		p := &b.periods[k]
		xmin, xmax = min(xmin, p.from), max(xmax, p.to)
		ymin, ymax = min(ymin, p.quantiles[0], p.mean), max(ymax, p.quantiles[len(shares)-1], p.mean)
	}
	return xmin, xmax, max(ymin, b.least), max(ymax, b.least)
}

// Plot implements plot.Plotter.
func (b *bandsPlot) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(value float64) vg.Length { return y(max(value, b.least)) }
	area := func(low, high int, opacity float64) {
		c.SetColor(faded(panelInks[b.tint%len(panelInks)], opacity))
		for k := range b.periods {
			q := &b.periods[k]
			x0, x1, y0, y1 := x(max(q.from, p.X.Min)), x(min(q.to, p.X.Max)), at(q.quantiles[low]), at(q.quantiles[high])
			if x1 <= x0 || y1 <= y0 {
				continue
			}
			var path vg.Path
			path.Move(vg.Point{X: x0, Y: y0})
			path.Line(vg.Point{X: x1, Y: y0})
			path.Line(vg.Point{X: x1, Y: y1})
			path.Line(vg.Point{X: x0, Y: y1})
			path.Close()
			c.Fill(path)
		}
	}
	area(0, 4, 0.22)
	area(1, 3, 0.35)
	line := func(style vgdraw.LineStyle, value func(*period) float64) {
		for k := range b.periods {
			q := &b.periods[k]
			if x0, x1 := x(max(q.from, p.X.Min)), x(min(q.to, p.X.Max)); x1 > x0 {
				c.StrokeLine2(style, x0, at(value(q)), x1, at(value(q)))
			}
		}
	}
	line(b.median(), func(q *period) float64 { return q.quantiles[2] })
	line(b.meanStyle(), func(q *period) float64 { return q.mean })
}

// median is the line of medians.
func (b *bandsPlot) median() vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: panelInks[b.tint%len(panelInks)], Width: vg.Points(2)}
}

// meanStyle is the line of means.
func (b *bandsPlot) meanStyle() vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: ink, Width: vg.Points(1.2), Dashes: dashes[2]}
}

// paired lists, in the order of arrivals, how much more each job has of a quantity in one schedule than in another. It looks at the jobs that count in both.
func paired(of, against []jobValue) []change {
	base := make(map[int]float64, len(against))
	for _, v := range against {
		base[v.job] = v.value
	}
	var list []change
	for _, v := range of {
		if value, both := base[v.job]; both {
			list = append(list, change{v.arrival, v.value - value})
		}
	}
	return list
}

// jobValue is what a job has of a quantity.
type jobValue struct {
	job            int
	arrival, value float64
}

// sortValues brings values in the order of arrivals, and jobs that arrive together in that of the instance.
func sortValues(values []jobValue) {
	slices.SortFunc(values, func(a, b jobValue) int { return cmp.Or(cmp.Compare(a.arrival, b.arrival), cmp.Compare(a.job, b.job)) })
}
