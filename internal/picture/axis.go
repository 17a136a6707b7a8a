package picture

import (
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// Axis maps values, such as times, to shares of the picture's width or height and holds its ticks.
type Axis struct {
	From, To float64
	Ticks    []Tick
	Caption  string // names the values and their unit: "time (s)"
	isLog    bool
}

// Tick is a mark on an axis.
type Tick struct {
	At    float64 // share of the axis, 0 to 1
	Label string  // empty: a minor tick between labelled ones
}

// Labels of largePlain or more, or in steps below smallPlain, are in powers of 1,000.
const (
	largePlain = 1e7
	smallPlain = 1e-3
)

// NewAxis makes an axis that shows all values from first to last, with at most about most ticks. It begins or ends at 0 if 0 is
// near. The caption is made of what, the name of the values, and their unit, which may be empty.
func NewAxis(what string, first, last float64, unit string, most int) Axis {
	a := Axis{From: first, To: last}
	switch near := (last - first) / 4; {
	case first >= 0 && (first < near || first == last):
		a.From = 0
	case last <= 0 && (-last < near || first == last):
		a.To = 0
	}
	// Below this length powers of ten underflow.
	const shortest = 1e-290
	if a.From == 0 && a.To == 0 {
		a.To = 1
	}
	a.To = max(a.To, a.From+shortest)
	a.mark(what, unit, max(most, 2))
	return a
}

// At is the share of the axis that lies before the value.
func (a *Axis) At(t float64) float64 {
	if a.isLog {
		if t <= a.From {
			return 0
		}
		return min((math.Log(t)-math.Log(a.From))/(math.Log(a.To)-math.Log(a.From)), 1)
	}
	return min(max((t-a.From)/(a.To-a.From), 0), 1)
}

// mark sets the ticks, at multiples of 1, 2 or 5 times a power of ten, and the caption.
//
// Values far from 0 would have labels that differ in their last digits only. They count from a round time that the caption
// names instead; very large or small labels are in powers of 1,000 that the caption names too.
func (a *Axis) mark(what, unit string, most int) {
	mantissa, exponent := NiceStep((a.To - a.From) / float64(most))
	step := mantissa * math.Pow10(exponent)
	base, size := 0.0, max(math.Abs(a.From), math.Abs(a.To))
	if ratio := size / step; ratio > 1e5 || ratio > 1e3 && size >= largePlain {
		round := math.Pow10(int(math.Ceil(math.Log10(a.To - a.From))))
		// If first and last are neighbouring floats, no round number lies between them.
		base = min(math.Floor(a.From/round)*round, a.From)
	}
	low, high := a.From-base, a.To-base
	scale := 0
	if size := max(math.Abs(low), math.Abs(high)); size >= largePlain || step < smallPlain {
		scale = 3 * int(math.Floor(math.Log10(size)/3))
	}
	decimals := max(0, scale-exponent)
	// Half a thousandth of a step forgives rounding at both ends.
	const rounding = 5e-4
	start := math.Ceil(low/step - rounding)
	for k := 0; k <= 2*most+2; k++ {
		n := start + float64(k)
		if n > high/step+rounding {
			break
		}
		value := n * mantissa * math.Pow10(exponent-scale)
		label := numtext.Grouped(strconv.FormatFloat(value, 'f', decimals, 64))
		a.Ticks = append(a.Ticks, Tick{min(max((n*step-low)/(high-low), 0), 1), label})
	}
	a.Caption = axisCaption(what, unit, base, a.To-a.From, scale)
}

// NewLogAxis makes a logarithmic axis that shows the values up to last, with at most about most labels. It begins below first, but
// not below a billionth, and ends at the latest at the largest float. Smaller values lie at its start.
func NewLogAxis(what string, first, last float64, unit string, most int) Axis {
	const least, greatest = 1e-9, math.MaxFloat64 / 4 // the double of it is finite
	first, last = min(max(first, least), greatest), min(last, greatest)
	mantissa, exponent := NiceStep(first)
	if mantissa*math.Pow10(exponent) > first*(1+1e-9) { // above first: begin one power earlier
		mantissa, exponent = NiceStep(first / 2.5)
	}
	a := Axis{From: mantissa * math.Pow10(exponent), isLog: true, Caption: what + " (logarithmic)"}
	if unit != "" {
		a.Caption = what + " (" + unit + ", logarithmic)"
	}
	a.To = max(last, 2*a.From)
	decades := math.Log10(a.To) - math.Log10(a.From)
	each := max(1, int(math.Ceil(decades/float64(max(most, 2))))) // one of each decades has a label
	for power := exponent; math.Pow10(power) <= a.To; power++ {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(power)
			if value < a.From*(1-1e-9) || value > a.To*(1+1e-9) {
				continue
			}
			t := Tick{At: a.At(value)}
			if digit == 1 && power%each == 0 || (digit == 2 || digit == 5) && 3*decades <= float64(most) {
				t.Label = powerLabel(digit, power)
			}
			if t.Label != "" || each == 1 {
				a.Ticks = append(a.Ticks, t)
			}
		}
	}
	return a
}

// powerLabel writes a digit times a power of ten.
func powerLabel(digit, power int) string {
	switch {
	case power >= -4 && power <= 5:
		return Number(float64(digit) * math.Pow10(power))
	case digit == 1:
		return "10" + superscript(power)
	}
	return strconv.Itoa(digit) + "·10" + superscript(power)
}

// NiceStep is the smallest of 1, 2 and 5 times a power of ten that is not below the least step.
func NiceStep(least float64) (mantissa float64, exponent int) {
	exponent = int(math.Floor(math.Log10(least)))
	for _, mantissa := range []float64{1, 2, 5} {
		if mantissa*math.Pow10(exponent) >= least*(1-1e-9) {
			return mantissa, exponent
		}
	}
	return 1, exponent + 1
}

// axisCaption says what the labels of an axis count.
func axisCaption(what, unit string, base, span float64, scale int) string {
	text := what
	if base != 0 {
		sign := " − "
		if base < 0 {
			base, sign = -base, " + "
		}
		// As many digits as distinguish base from base ± span.
		digits := 2 + int(math.Ceil(math.Log10(base/span)))
		text += sign + numtext.Significant(base, min(max(digits, 6), 17))
	}
	if scale != 0 {
		unit = strings.TrimSpace("10" + superscript(scale) + " " + unit)
	}
	if unit != "" {
		text += " (" + unit + ")"
	}
	return text
}

// superscript writes a number in raised digits.
func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷",
		"8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}

// Number writes a value for people: six digits, thousands grouped.
func Number(x float64) string { return numtext.Significant(x, 6) }
