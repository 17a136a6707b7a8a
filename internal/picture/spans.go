package picture

import (
	"math"

	"github.com/allot-opt/allot/internal/timetext"
)

// NewExactAxis makes an axis that begins and ends just at the given values, with at most about most ticks. For the rest it is as [NewAxis] makes it.
func NewExactAxis(what string, from, to float64, unit string, most int) Axis {
	a := Axis{From: from, To: to}
	a.mark(what, unit, max(most, 2))
	return a
}

// span is a length that people know.
type span struct {
	value float64
	label string
}

// familiar are lengths of time that people know, in seconds.
var familiar = []span{{1, "1 s"}, {10, "10 s"}, {60, "1 min"}, {600, "10 min"}, {3600, "1 h"}, {6 * 3600, "6 h"}, {86400, "1 day"}, {7 * 86400, "1 week"},
	{30 * 86400, "30 days"}, {365 * 86400, "1 year"}}

// spans are the familiar lengths of time from low to high in a unit. Without a unit of time they are powers of ten from low on.
func spans(low, high float64, unit string) []span {
	var list []span
	each, known := timetext.Seconds(unit)
	if !known {
		for x := low; x <= high*(1+1e-9) && !math.IsInf(x, 0); x *= 10 {
			list = append(list, span{x, Number(x)})
		}
		return list
	}
	for _, s := range familiar {
		if s.value /= each; s.value >= low*(1-1e-9) && s.value <= high*(1+1e-9) {
			list = append(list, s)
		}
	}
	return list
}

// SpanFrom is the first familiar length, or power of ten, that is at least the value; the value itself where there is none.
func SpanFrom(least, value float64, unit string) float64 {
	for _, s := range spans(least, 1e3*value, unit) {
		if s.value >= value {
			return s.value
		}
	}
	return value
}

// SpanUpTo is the last familiar length, or power of ten, from least to the value; least where there is none.
func SpanUpTo(least, value float64, unit string) float64 {
	for _, s := range spans(least, value, unit) {
		least = max(least, s.value)
	}
	return least
}

// NewSpanAxis makes a logarithmic axis from one value to another with ticks at familiar lengths of time, or at powers of ten without a unit of time. At most
// about most ticks have labels. Smaller values lie at the start of the axis.
func NewSpanAxis(caption string, from, to float64, unit string, most int) Axis {
	a := Axis{From: from, To: to, Caption: caption, isLog: true}
	free := math.Inf(-1)
	for _, s := range spans(1, to, unit) {
		if s.value < from {
			continue
		}
		t := Tick{At: a.At(s.value), Label: s.label}
		if t.At < free {
			t.Label = ""
		} else {
			free = t.At + 1/float64(max(most, 1))
		}
		a.Ticks = append(a.Ticks, t)
	}
	return a
}
