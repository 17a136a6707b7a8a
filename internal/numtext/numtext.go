// Package numtext writes numbers for people, figures and how many there are of something, and says which of them JSON can state.
package numtext

import (
	"math"
	"strconv"
	"strings"
)

// Figure writes a number with six significant digits. A whole number has no decimals.
func Figure(x float64) string {
	switch a := math.Abs(x); {
	case x == math.Trunc(x) && a < 1e12:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case a >= 1e12 || a < 1e-4:
		return strconv.FormatFloat(x, 'e', 5, 64)
	default:
		digits := max(0, 5-int(math.Floor(math.Log10(a))))
		return strconv.FormatFloat(x, 'f', min(digits, 6), 64)
	}
}

// Significant writes a number to the given number of significant digits, or to a whole number where more digits stand before
// the point: thousands grouped, no zeros at the end. Sizes below 1e-4 or from 1e15 on have an exponent.
func Significant(x float64, digits int) string {
	if x == 0 {
		return "0" // also for -0
	}
	size := math.Abs(x)
	if math.IsInf(x, 0) || math.IsNaN(x) || size < 1e-4 || size >= 1e15 {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(size))))
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return Grouped(text)
}

// Grouped puts a comma between the thousands of a number of five digits or more.
func Grouped(text string) string {
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

// Counted writes a number of things, such as "1 job" or "2 jobs". The plural has an s unless it is given.
func Counted(n int, thing string, plural ...string) string {
	return strconv.Itoa(n) + " " + Word(n, thing, plural...)
}

// CountedGrouped is [Counted] with the thousands grouped.
func CountedGrouped(n int, thing string, plural ...string) string {
	return Grouped(strconv.Itoa(n)) + " " + Word(n, thing, plural...)
}

// Word is the word for n things, or for what n things do. The plural has an s unless it is given.
func Word(n int, thing string, plural ...string) string {
	switch {
	case n == 1:
		return thing
	case len(plural) > 0:
		return plural[0]
	}
	return thing + "s"
}

// Exact writes a number without loss; nothing for nil.
func Exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// Finite returns a pointer to the number, or nil if it is not finite: JSON cannot state it then.
func Finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
