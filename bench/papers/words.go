package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
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

// span formats an estimate with its interval.
func span(i statistics.Interval, unit string) string {
	return fmt.Sprintf("%s %s [%s, %s]", signed(i.Estimate), unit, signed(i.Low), signed(i.High))
}

// States formats the statement of the claim, such as "−12.1 %", "less" or "less and less".
func (c *Claim) States() string {
	switch c.Form {
	case Percent:
		sign := "+"
		if *c.Value < 0 {
			sign = "−"
		}
		return sign + strconv.FormatFloat(math.Abs(*c.Value), 'f', -1, 64) + " %" // as many digits as in the paper
	case Sign:
		return c.Direction
	case Order:
		return c.Direction + " and " + c.Direction
	}
	return "these values"
}

// Ours formats our number.
func (f *Finding) Ours() string {
	switch {
	case f.Claim.Form == Percent && f.Value.N > 0:
		return span(f.Value, "%")
	case f.Claim.Form == Order && f.Value.N > 0:
		var steps []string
		for _, p := range f.At {
			steps = append(steps, signed(p.Value.Estimate))
		}
		return fmt.Sprintf("%s %%: %s", strings.Join(steps, " → "), span(f.Value, "points"))
	case len(f.At) == 1:
		return span(f.At[0].Value, "%")
	case len(f.At) > 1:
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range f.At {
			low, high = min(low, p.Value.Estimate), max(high, p.Value.Estimate)
		}
		return fmt.Sprintf("%s to %s %%", signed(low), signed(high))
	}
	return "–"
}

// Subject says what the claim is about: the quantity, the two policies and the points.
func (c *Claim) Subject() string {
	if c.Quantity == "" {
		return c.ID
	}
	text := fmt.Sprintf("%s of %s against %s", c.Quantity, c.Policy, c.Against)
	if len(c.At) > 0 {
		text += " at " + shortened(c.At)
	}
	return text
}

// shortened lists the points if they are few, and otherwise only the first and the last.
func shortened(ids []string) string {
	if len(ids) > 3 {
		return ids[0] + " … " + ids[len(ids)-1]
	}
	return strings.Join(ids, ", ")
}

// Citation formats the source in one line.
func (s *Source) Citation() string {
	text := fmt.Sprintf("%s (%d), %s, %s", s.Authors, s.Year, s.Title, s.In)
	if s.DOI != "" {
		text += ", doi:" + s.DOI
	}
	return text + "; " + s.Figure
}

// Tally counts the verdicts of a reading.
func Tally(findings []Finding, r *Reading) map[Verdict]int {
	count := map[Verdict]int{}
	for k := range findings {
		if findings[k].Reading == r {
			count[findings[k].Verdict]++
		}
	}
	return count
}

// TallyText describes a tally in words.
func TallyText(count map[Verdict]int) string {
	var parts []string
	for _, v := range []Verdict{Reproduces, DirectionOnly, Fails, NotRun} {
		n, words := count[v], string(v)
		switch {
		case n == 0:
			continue
		case v == Reproduces && n > 1:
			words = "reproduce"
		case v == Fails && n > 1:
			words = "do not reproduce"
		case v == DirectionOnly:
			words = "in the direction only"
		case v == NotRun:
			words = "not run"
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, words))
	}
	return strings.Join(parts, ", ")
}
