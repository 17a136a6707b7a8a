package draw

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/picture"
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

// periodsOf divides jobs by their arrival into periods of the given length, from first on. A job at the very end belongs to the last
// period. Periods without jobs are left out. The values must be in the order of arrivals.
func periodsOf(values []change, first, last, each float64) []period {
	var list []period
	final := max(0, math.Ceil((last-first)/each)-1)
	number := func(c change) float64 { return min(final, max(0, math.Floor((c.time-first)/each))) }
	for k := 0; k < len(values); {
		n := number(values[k])
		p := period{from: first + n*each, to: min(first+(n+1)*each, last)}
		var of []float64
		sum := 0.0
		for ; k < len(values) && number(values[k]) == n; k++ {
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
		case known && seconds >= picture.LeastTimeSpan && seconds <= picture.MostTimeSpan:
			length = picture.TimeStep(seconds/some) / each
		default:
			mantissa, exponent := picture.NiceStep(max(span, 1e-290) / some)
			length = mantissa * math.Pow10(exponent)
		}
	}
	if !(length > 0) || math.IsInf(length, 1) {
		return 0, fmt.Errorf("period %v: expected a time above 0", asked)
	}
	if span/length > mostPeriods {
		return 0, fmt.Errorf("period %s: expected at least %s, for at most %s periods", timetext.Of(length, unit, picture.Number), timetext.Of(span/mostPeriods, unit, picture.Number), picture.Number(mostPeriods))
	}
	return length, nil
}

// periodName names the periods in titles.
func periodName(length float64, unit string) string {
	if each, known := timetext.Seconds(unit); known && math.Abs(length*each-7*86400) < 1 {
		return "by week of arrival"
	}
	return "by time of arrival, " + timetext.Of(length, picture.Printable(unit), picture.Number) + " each"
}

// addPeriods adds a panel for each schedule with the quantiles of its periods.
func (c *curves) addPeriods(chart *picture.Chart) {
	first := 0
	if c.opt.View == Difference {
		first = 1 // the first colour is that of the schedule the others are compared with, as in pictures of them all
	}
	most := 0.0
	for _, list := range c.periods {
		_, high := rangeOf(list)
		most = max(most, high)
	}
	for k, list := range c.periods {
		panel := &picture.Panel{Title: c.names[k], X: times(c.in, c.from, c.to), Y: c.quantileAxis(most), Draw: func(p *picture.Plot) { c.drawPeriods(p, picture.StyleOf(first+k), list) }}
		if c.opt.View == Difference {
			low, high := rangeOf(list)
			panel.Y = c.differenceAxis(low, high)
		}
		chart.Panels = append(chart.Panels, panel)
	}
	ink := picture.StyleOf(first).Ink()
	if len(c.periods) > 1 {
		ink = picture.Quiet // each panel has a colour of its own
	}
	chart.Key = []picture.KeyEntry{
		picture.FillEntry("80 % of the jobs: 10 % have less, 10 % more", picture.Faded(ink, 0.22), nil), picture.FillEntry("the middle 50 %", picture.Faded(ink, 0.5), nil),
		picture.LineEntry("median", picture.Pen{Width: medianWidth, Ink: ink}, nil), picture.LineEntry("mean", meanPen, nil),
	}
}

// rangeOf is the least and the greatest value of periods; without periods they are infinite.
func rangeOf(periods []period) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for k := range periods {
		p := &periods[k]
		low, high = min(low, p.quantiles[0], p.mean), max(high, p.quantiles[len(shares)-1], p.mean)
	}
	return low, high
}

// medianWidth is the width of the lines of medians.
const medianWidth = 2.6

// meanPen draws the means.
var meanPen = picture.Pen{Width: 1.6, Ink: picture.Ink, Dash: []float64{2.5, 2.5}}

// drawPeriods draws for each period a light band from the first to the last of the quantiles, a darker one between the quartiles, the median and the mean.
// Differences have a line at 0.
func (c *curves) drawPeriods(p *picture.Plot, style picture.Style, periods []period) {
	place := func(q *period) (x0, x1 float64, isSeen bool) {
		x0, x1 = p.AtX(max(q.from, c.from)), p.AtX(min(q.to, c.to))
		return x0, x1, x1 > x0
	}
	for _, band := range []struct {
		low, high int
		opacity   float64
	}{{0, 4, 0.22}, {1, 3, 0.35}} {
		for k := range periods {
			q := &periods[k]
			if x0, x1, isSeen := place(q); isSeen {
				p.FillRect(picture.Rect{X0: x0, Y0: p.AtY(q.quantiles[band.high]), X1: x1, Y1: p.AtY(q.quantiles[band.low])}, picture.Faded(style.Ink(), band.opacity))
			}
		}
	}
	for k := range periods {
		q := &periods[k]
		if x0, x1, isSeen := place(q); isSeen {
			p.Line(x0, p.AtY(q.quantiles[2]), x1, p.AtY(q.quantiles[2]), style.Solid(medianWidth))
			p.Line(x0, p.AtY(q.mean), x1, p.AtY(q.mean), meanPen)
		}
	}
	if c.opt.View == Difference {
		p.Line(p.Area.X0, p.AtY(0), p.Area.X1, p.AtY(0), picture.Pen{Width: 1, Ink: picture.Quiet})
	}
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
