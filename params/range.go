package params

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Range is an interval of numbers. As text it is written as in the tag `range`: "[0, 1]"; "(0, 1]" excludes 0; "[1, inf)" has no upper limit.
type Range struct {
	Low, High         float64 // infinite: no limit
	OpenLow, OpenHigh bool    // the end itself is not in the interval
}

// UnmarshalText reads an interval.
func (r *Range) UnmarshalText(text []byte) error {
	s := string(text)
	low, high, ok := strings.Cut(strings.Trim(s, "[]()"), ",")
	from, errLow := strconv.ParseFloat(strings.TrimSpace(low), 64)
	to, errHigh := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errLow != nil || errHigh != nil || !(from <= to) || !strings.ContainsAny(s[:1], "[(") || !strings.ContainsAny(s[len(s)-1:], "])") {
		return fmt.Errorf(`expected an interval such as "[0, 1)" or "(0, inf)", found %q`, s)
	}
	*r = Range{from, to, s[0] == '(', s[len(s)-1] == ')'}
	return nil
}

// MarshalText writes the interval in the form that UnmarshalText reads.
func (r *Range) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String formats the interval as in the tag `range`.
func (r *Range) String() string {
	open, end := "[", "]"
	if r.OpenLow || math.IsInf(r.Low, -1) {
		open = "("
	}
	if r.OpenHigh || math.IsInf(r.High, 1) {
		end = ")"
	}
	return open + limit(r.Low) + ", " + limit(r.High) + end
}

// limit formats one end of an interval.
func limit(x float64) string {
	if math.IsInf(x, 0) {
		return strings.ToLower(strings.TrimPrefix(number(x), "+"))
	}
	return number(x)
}

// Contains reports whether the number is in the interval. NaN and infinite numbers are in none.
func (r *Range) Contains(x float64) bool {
	if math.IsInf(x, 0) || !(x >= r.Low && x <= r.High) {
		return false
	}
	return !(r.OpenLow && x == r.Low) && !(r.OpenHigh && x == r.High)
}

// words describes the interval in words, such as "above 0 and at most 1".
func (r *Range) words() string {
	low, high := "at least "+number(r.Low), "at most "+number(r.High)
	if r.OpenLow {
		low = "above " + number(r.Low)
	}
	if r.OpenHigh {
		high = "below " + number(r.High)
	}
	switch {
	case math.IsInf(r.Low, -1):
		return high
	case math.IsInf(r.High, 1):
		return low
	case !r.OpenLow && !r.OpenHigh:
		return "from " + number(r.Low) + " to " + number(r.High)
	}
	return low + " and " + high
}

// everything is the interval of all finite numbers.
var everything = &Range{math.Inf(-1), math.Inf(1), true, true}
