package draw

import (
	"math"

	"gonum.org/v1/plot"

	"github.com/allot-opt/allot/internal/timetext"
)

// nextTick returns the first tick of a logarithmic axis that is at least the value, or the value if there is no such tick.
func nextTick(marker plot.Ticker, value float64) float64 {
	for _, t := range marker.Ticks(leastValue, 1e3*value) {
		if t.Value >= value {
			return t.Value
		}
	}
	return value
}

// familiar are lengths of time that people know, in seconds.
var familiar = []plot.Tick{{Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}, {Value: 60, Label: "1 min"}, {Value: 600, Label: "10 min"},
	{Value: 3600, Label: "1 h"}, {Value: 6 * 3600, Label: "6 h"}, {Value: 86400, Label: "1 day"}, {Value: 7 * 86400, Label: "1 week"},
	{Value: 30 * 86400, Label: "30 days"}, {Value: 365 * 86400, Label: "1 year"}}

// hasFamiliarTimes reports whether lengths of time in the unit are written in units that people know.
func hasFamiliarTimes(unit string) bool {
	_, known := timetext.Seconds(unit)
	return known
}

// decades makes the ticks of a logarithmic axis: familiar durations if the unit of time is known, otherwise powers of ten.
func decades(unit string) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		each, known := timetext.Seconds(unit)
		if !known {
			for x := low; x <= high*(1+1e-9) && !math.IsInf(x, 0); x *= 10 {
				ticks = append(ticks, plot.Tick{Value: x, Label: number(x)})
			}
			return ticks
		}
		for _, t := range familiar {
			if t.Value /= each; t.Value >= low*(1-1e-9) && t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
		return ticks
	})
}

// clock makes the ticks of an axis of times in a unit, which count from an origin.
type clock struct {
	origin float64
	unit   string
	most   int // ticks, about
}

// Ticks implements plot.Ticker.
func (c clock) Ticks(low, high float64) []plot.Tick {
	if !(high > low) || math.IsInf(high-low, 0) {
		return nil
	}
	axis := newTimeAxis(low, high, c.origin, printable(c.unit), c.most, true)
	var ticks []plot.Tick
	for _, t := range axis.Ticks {
		ticks = append(ticks, plot.Tick{Value: low + t.At*(high-low), Label: t.Label})
	}
	return ticks
}

// caption names the axis from low to high.
func (c clock) caption(low, high float64) string {
	return newTimeAxis(low, high, c.origin, printable(c.unit), c.most, true).Caption
}

// roundTicks are ticks at round numbers.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(low, high float64) []plot.Tick {
	const most = 9
	mantissa, exponent := niceStep((high - low) / most)
	step := mantissa * math.Pow10(exponent)
	var ticks []plot.Tick
	first := math.Ceil(low/step - 1e-9)
	for k := range most + 2 { // both ends and one more for rounding; the count is limited, because adding a step to huge values changes nothing
		n := first + float64(k)
		if !(n*step <= high*(1+1e-9)) || math.IsInf(n*step, 0) {
			break
		}
		ticks = append(ticks, plot.Tick{Value: n * step, Label: number(n * step)})
	}
	return ticks
}
