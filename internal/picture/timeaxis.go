package picture

import (
	"math"

	"github.com/allot-opt/allot/internal/timetext"
)

// timeSteps are the distances of ticks on an axis of time, in seconds. Days are counted in ones, twos and fives.
var timeSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600}

// TimeStep is the smallest familiar length of time that is not below the given number of seconds.
func TimeStep(least float64) float64 {
	for _, step := range timeSteps {
		if step >= least*(1-1e-9) {
			return step
		}
	}
	mantissa, exponent := NiceStep(max(least/86400, 1))
	return 86400 * mantissa * math.Pow10(exponent)
}

// The range, in seconds, within which an axis has familiar times. Beyond it times are plain numbers.
const (
	LeastTimeSpan = 180
	MostTimeSpan  = 1e12
)

// NewTimeAxis makes an axis that shows the times from first to last in a unit, with at most about most ticks. Ticks stand at whole minutes, hours or days after
// the origin where the unit is known and the times are not shorter than that. Otherwise the ticks are plain numbers.
//
// A windowed axis begins and ends just at first and last.
func NewTimeAxis(first, last, origin float64, unit string, most int, windowed bool) Axis {
	each, known := timetext.Seconds(unit)
	low, high := (first-origin)*each, (last-origin)*each
	if !known || high-low < LeastTimeSpan || high > MostTimeSpan || low < -MostTimeSpan {
		return plainTimeAxis(first, last, origin, unit, most, windowed)
	}
	if !windowed && low > 0 && low < (high-low)/4 {
		low = 0
	}
	a := Axis{From: origin + low/each, To: last}
	step := TimeStep((high - low) / float64(max(most, 2)))
	base, caption := 0.0, "time"
	// A label states two units, such as days and hours. Finer steps count from a moment that the caption states.
	switch {
	case step < 60 && high >= 3600:
		base = math.Floor(low/3600) * 3600
	case step < 3600 && high >= 48*3600-30:
		base = math.Floor(low/86400) * 86400
	}
	switch {
	case high-base >= 48*3600-30:
		step = max(step, 3600)
	case high-base >= 3600:
		step = max(step, 60)
	}
	if base != 0 {
		caption = "time after " + timetext.Of(base, "s", Number)
	}
	if origin != 0 {
		caption += " since the first arrival"
	}
	a.Caption = caption
	start := math.Ceil((low-base)/step - 1e-9)
	for k := 0.0; k <= 2*float64(most)+2; k++ {
		t := (start + k) * step
		if t > high-base+1e-9*step {
			break
		}
		a.Ticks = append(a.Ticks, Tick{min(max((base+t-low)/(high-low), 0), 1), timeLabel(t)})
	}
	return a
}

// plainTimeAxis makes an axis whose ticks are plain numbers.
func plainTimeAxis(first, last, origin float64, unit string, most int, windowed bool) Axis {
	what := "time"
	if origin != 0 {
		what = "time since the first arrival"
	}
	a := Axis{From: first - origin, To: last - origin}
	if windowed {
		a.mark(what, unit, max(most, 2))
	} else {
		a = NewAxis(what, a.From, a.To, unit, most)
	}
	shifted := a
	shifted.From, shifted.To = a.From+origin, a.To+origin
	if !(shifted.From < shifted.To) { // the difference is lost to rounding
		return NewAxis("time", first, last, unit, most)
	}
	return shifted
}

// timeLabel writes a number of seconds on an axis.
func timeLabel(t float64) string {
	if t == 0 {
		return "0"
	}
	return timetext.Of(t, "s", Number)
}
