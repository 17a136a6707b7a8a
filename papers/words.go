package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
)

// signed formats a number with its sign and one decimal place, or two decimal places if it is below one.
func signed(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	digits := 1
	if math.Abs(x) < 1 {
		digits = 2
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	switch {
	case strings.Trim(text, "0.") == "":
		return "0"
	case x < 0:
		return "−" + text
	}
	return "+" + text
}

// plain formats a number like signed, without a plus sign.
func plain(x float64) string { return strings.TrimPrefix(signed(x), "+") }

// number gives the format of our numbers: differences show their sign, the value of one policy alone has no plus sign.
func (c *Claim) number() func(float64) string {
	if c.Form == Limit && c.Against == "" {
		return plain
	}
	return signed
}

// span formats an estimate of the claim's quantity with its interval.
func (c *Claim) span(i statistics.Interval) string {
	unit, number := c.Unit(), c.number()
	if unit != "" {
		unit += " "
	}
	return fmt.Sprintf("%s %s[%s, %s]", number(i.Estimate), unit, number(i.Low), number(i.High))
}

// States formats the statement of the claim, such as "−12.1 %", "less" or "less and less".
func (c *Claim) States() string {
	switch c.Form {
	case Percent:
		return stated(*c.Value, c.Unit())
	case Sign:
		return c.Direction
	case Trend:
		if c.Direction == "none" {
			return "no trend"
		}
		return c.Direction + " and " + c.Direction
	case Peak:
		return c.Direction + " in the middle"
	case Interaction:
		return c.Direction
	case Statement:
		return "of the algorithm"
	case Equivalence:
		if c.Target == nil {
			return "the same"
		}
	case Limit:
		if c.Value != nil {
			return map[string]string{"less": "at most ", "more": "at least "}[c.Direction] + stated(*c.Value, c.Unit())
		}
	}
	if c.Target != nil {
		values := kit.Each(slices.Sorted(maps.Keys(c.Target)), func(name string) string { return strconv.FormatFloat(c.Target[name], 'f', -1, 64) })
		return strings.Join(values, "/")
	}
	return "these values"
}

// stated formats a number of the paper with as many digits as it has there.
func stated(x float64, unit string) string {
	sign := ""
	switch {
	case x < 0:
		sign = "−"
	case unit == "%":
		sign = "+"
	}
	return strings.TrimSpace(sign + strconv.FormatFloat(math.Abs(x), 'f', -1, 64) + " " + unit)
}

// Unit is the unit of our number.
func (c *Claim) Unit() string {
	switch {
	case c.Form == Trend && c.Method == "kendall":
		return "τ"
	case c.Target != nil || c.Absolute && c.Form != Percent || c.Form == Limit && c.Against == "":
		return c.Measure
	case c.Form == Trend || c.Form == Interaction:
		return "points"
	}
	return "%"
}

// Tolerance says what our number must keep to for the claim to replicate.
func (c *Claim) Tolerance() string {
	switch c.Form {
	case Percent:
		return fmt.Sprintf("half width at most %.3g points; the paper's number in the interval, or ours within %.3g points of it",
			verdict.Widest(*c.Value), verdict.Tolerance*math.Abs(*c.Value))
	case Equivalence:
		return fmt.Sprintf("within ±%g by two one-sided tests at 5 %%", *c.Within)
	case Sign:
		return "the whole interval on that side of 0, at each point"
	case Peak:
		return "a point between the ends beyond both, at a confidence of 1 − 0.05 for each such point"
	case Limit:
		return "the whole interval within the limit"
	case Nearest:
		return "the whole interval of the difference from each other distance above 0"
	case Trend:
		if c.Direction == "none" {
			return fmt.Sprintf("within ±%g points over the axis by two one-sided tests at 5 %%", *c.Within)
		}
		return "the whole interval on that side of 0, over all points"
	case Interaction:
		return "the whole interval on that side of 0"
	case Statement:
		return "nothing can be run"
	}
	return "equal up to rounding"
}

// Ours formats our number.
func (f *Finding) Ours() string {
	unit, number := f.Claim.Unit(), f.Claim.number()
	if f.clocked() && f.Claim.Form == Limit {
		return f.roughly()
	}
	steps := func() string {
		list := kit.Each(f.At, func(p verdict.At) string { return number(p.Value.Estimate) })
		return strings.Join(list, " → ")
	}
	switch {
	case len(f.At) == 1 && f.Claim.Form != Interaction:
		return f.Claim.span(f.At[0].Value)
	case f.Value.N > 0 && (f.Claim.Form == Trend || f.Claim.Form == Interaction):
		if len(f.At) > 4 {
			return f.Claim.span(f.Value)
		}
		percent := " %"
		if f.Claim.Absolute {
			percent = ""
		}
		return steps() + percent + ": " + f.Claim.span(f.Value)
	case f.Claim.Form == Peak && len(f.At) > 1:
		return strings.TrimSpace(steps() + " " + unit)
	case len(f.At) > 1:
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range f.At {
			low, high = min(low, p.Value.Estimate), max(high, p.Value.Estimate)
		}
		return strings.TrimSpace(fmt.Sprintf("%s to %s %s", number(low), number(high), unit))
	case f.Value.N > 0:
		return f.Claim.span(f.Value)
	}
	return "–"
}

// clocked reports whether our number was measured by the clock, so that it differs from run to run.
func (f *Finding) clocked() bool { return f.Claim.Quantity == clockQuantity }

// clockQuantity is the name of quantities that are measured by the clock.
const clockQuantity = "computation time"

// roughly gives the power of ten that all values stay below, which is the same from run to run.
func (f *Finding) roughly() string {
	highest := math.Inf(-1)
	for _, p := range f.At {
		highest = max(highest, p.Value.Estimate)
	}
	return "below " + strconv.FormatFloat(math.Pow(10, math.Floor(math.Log10(max(highest, 1e-9)))+1), 'f', -1, 64)
}

// Subject says what the claim is about: the quantity, the policies and the points.
func (c *Claim) Subject() string {
	text := c.Quantity
	if c.Target != nil && text == "" {
		text = strings.Join(slices.Sorted(maps.Keys(c.Target)), ", ")
	}
	switch {
	case text == "":
		return c.Text
	case c.Policy != "":
		text += " of " + c.Policy
	}
	if c.Against != "" {
		text += " against " + c.Against
	}
	if c.Form == Interaction {
		return text + ": " + c.contrastText()
	}
	if len(c.At) > 0 {
		text += " at " + shortened(c.At)
	}
	return text
}

// contrastText is the sum that the claim is about, such as "at b − at a".
func (c *Claim) contrastText() string {
	var list []string
	for _, sign := range []float64{1, -1} { // what is added comes first
		for _, id := range slices.Sorted(maps.Keys(c.Contrast)) {
			x := sign * c.Contrast[id]
			if !(x > 0) {
				continue
			}
			term := "at " + id
			if x != 1 {
				term = strconv.FormatFloat(x, 'g', 3, 64) + " · " + term
			}
			switch {
			case sign < 0:
				term = "− " + term
			case len(list) > 0:
				term = "+ " + term
			}
			list = append(list, term)
		}
	}
	if n := len(list); n > 4 {
		list = append(list[:2], "…", list[n-1])
	}
	return strings.Join(list, " ")
}

// shortened lists the points if they are few, and otherwise only the first and the last.
func shortened(ids []string) string {
	if len(ids) > 3 {
		return ids[0] + " … " + ids[len(ids)-1]
	}
	return strings.Join(ids, ", ")
}

// Citation formats the source in one line.
func (s *Source) Citation() string { return s.paper() + "; " + s.Figure }

// paper formats the source without the figure.
func (s *Source) paper() string {
	text := fmt.Sprintf("%s (%d), %s, %s", s.Authors, s.Year, s.Title, s.In)
	if s.DOI != "" {
		text += ", doi:" + s.DOI
	}
	return text
}
