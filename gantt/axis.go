package gantt

import (
	"math"
	"strconv"
	"strings"
)

// axis maps times to shares of the picture's width and holds its ticks.
type axis struct {
	from, to float64
	ticks    []tick
	caption  string // what the labels count: "time (s)"
}

// tick is a mark on an axis.
type tick struct {
	at    float64 // share of the width, 0 to 1
	label string
}

// Labels of largePlain or more, or in steps below smallPlain, are in powers of 1,000.
const (
	largePlain = 1e7
	smallPlain = 1e-3
)

// newAxis makes an axis that shows all times from first to last with about so many ticks, or fewer.
func newAxis(first, last float64, unit string, most int) axis {
	a := axis{from: first, to: last}
	if first < (last-first)/4 || first == last {
		a.from = 0
	}
	// Below this length powers of ten underflow.
	const shortest = 1e-290
	if a.to == 0 {
		a.to = 1
	}
	a.to = max(a.to, a.from+shortest)
	a.mark(unit, max(most, 2))
	return a
}

// at is the share of the width that lies before the time.
func (a *axis) at(t float64) float64 { return min(max((t-a.from)/(a.to-a.from), 0), 1) }

// mark sets the ticks, at multiples of 1, 2 or 5 times a power of ten, and the caption.
//
// Times far from 0 would have labels that differ in their last digits only. They count from a round time that the caption
// names instead; very large or small labels are in powers of 1,000 that the caption names too.
func (a *axis) mark(unit string, most int) {
	mantissa, exponent := niceStep((a.to - a.from) / float64(most))
	step := mantissa * math.Pow10(exponent)
	base := 0.0
	if ratio := a.to / step; ratio > 1e5 || ratio > 1e3 && a.to >= largePlain {
		round := math.Pow10(int(math.Ceil(math.Log10(a.to - a.from))))
		// Neighbouring numbers have no round one between them.
		base = min(math.Floor(a.from/round)*round, a.from)
	}
	low, high := a.from-base, a.to-base
	scale := 0
	if high >= largePlain || step < smallPlain {
		scale = 3 * int(math.Floor(math.Log10(high)/3))
	}
	decimals := max(0, scale-exponent)
	// Half a thousandth of a step forgives rounding at both ends.
	const slack = 5e-4
	start := math.Ceil(low/step - slack)
	for k := 0; k <= 2*most+2; k++ {
		n := start + float64(k)
		if n > high/step+slack {
			break
		}
		value := n * mantissa * math.Pow10(exponent-scale)
		label := grouped(strconv.FormatFloat(value, 'f', decimals, 64))
		a.ticks = append(a.ticks, tick{min(max((n*step-low)/(high-low), 0), 1), label})
	}
	a.caption = caption(unit, base, a.to-a.from, scale)
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is not below the least step.
func niceStep(least float64) (mantissa float64, exponent int) {
	exponent = int(math.Floor(math.Log10(least)))
	for _, mantissa := range []float64{1, 2, 5} {
		if mantissa*math.Pow10(exponent) >= least*(1-1e-9) {
			return mantissa, exponent
		}
	}
	return 1, exponent + 1
}

// caption says what the labels of an axis count.
func caption(unit string, base, span float64, scale int) string {
	text := "time"
	if base != 0 {
		// The digits that tell base from its neighbours a span away, and no more.
		digits := 2 + int(math.Ceil(math.Log10(base/span)))
		text += " − " + exact(base, min(max(digits, 6), 17))
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

// number writes a value for people: six digits, thousands grouped.
func number(x float64) string { return exact(x, 6) }

// exact writes a value with so many significant digits, thousands grouped, no zeros at the end.
func exact(x float64, digits int) string {
	size := math.Abs(x)
	if math.IsInf(x, 0) || math.IsNaN(x) || size != 0 && (size < 1e-4 || size >= 1e15) {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	decimals := 0
	if size > 0 {
		decimals = max(0, digits-1-int(math.Floor(math.Log10(size))))
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return grouped(text)
}

// grouped puts a comma between the thousands of a number of five digits or more.
func grouped(text string) string {
	whole, fraction, isFraction := strings.Cut(text, ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	if len(whole) > 4 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + "," + whole[at:]
		}
	}
	if isFraction {
		return sign + whole + "." + fraction
	}
	return sign + whole
}
