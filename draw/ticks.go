package draw

import (
	"math"

	"gonum.org/v1/plot"
)

// nextTick returns the first tick of the axis of waits that is at least the value, or the value if there is no such tick.
func nextTick(marker plot.Ticker, value float64) float64 {
	for _, t := range marker.Ticks(leastWait, 1e3*value) {
		if t.Value >= value {
			return t.Value
		}
	}
	return value
}

// decades makes the ticks of the logarithmic axis of waits: familiar durations if the unit is the second, otherwise powers of ten.
func decades(unit string) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		if unit != "s" {
			for x := low; x <= high*(1+1e-9) && !math.IsInf(x, 0); x *= 10 {
				ticks = append(ticks, plot.Tick{Value: x, Label: number(x)})
			}
			return ticks
		}
		for _, t := range []plot.Tick{{Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}, {Value: 60, Label: "1 min"}, {Value: 600, Label: "10 min"},
			{Value: 3600, Label: "1 h"}, {Value: 6 * 3600, Label: "6 h"}, {Value: 86400, Label: "1 day"}, {Value: 7 * 86400, Label: "1 week"},
			{Value: 30 * 86400, Label: "30 days"}, {Value: 365 * 86400, Label: "1 year"}} {
			if t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
		return ticks
	})
}

// clock makes the ticks of an axis of time, counted from an origin in a unit that suits the axis' length.
type clock struct {
	origin, scale float64
	unit, label   string
}

// newClock chooses the unit. If the instance's unit is the second, it may be the minute, the hour or the day.
func newClock(origin, length float64, unit string) clock {
	c := clock{origin, 1, printable(unit), ""}
	if unit == "s" {
		for _, u := range []struct {
			seconds float64
			name    string
		}{{86400, "days"}, {3600, "hours"}, {60, "minutes"}} {
			if length >= 3*u.seconds {
				c.scale, c.unit = u.seconds, u.name
				break
			}
		}
	}
	c.label = "time since the first arrival (" + c.unit + ")"
	return c
}

// Ticks implements plot.Ticker.
func (c clock) Ticks(low, high float64) []plot.Tick {
	ticks := roundTicks{}.Ticks((low-c.origin)/c.scale, (high-c.origin)/c.scale)
	for k := range ticks {
		ticks[k].Value = c.origin + ticks[k].Value*c.scale
	}
	return ticks
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
