package picture

import (
	"math"
	"strings"
	"testing"
)

// labelsOf are the labels of an axis, with a dash for a tick that has none.
func labelsOf(a Axis) string {
	var labels []string
	for _, tick := range a.Ticks {
		if tick.Label == "" {
			tick.Label = "-"
		}
		labels = append(labels, tick.Label)
	}
	return strings.Join(labels, "|")
}

// An exact axis has its ends where they are asked for, and ticks at round values between them.
func TestExactAxis(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{0, 10, "0|2|4|6|8|10"},
		{0, 105, "0|20|40|60|80|100"},
		{3, 9, "3|4|5|6|7|8|9"},
		{-3, 4, "-3|-2|-1|0|1|2|3|4"},
		{0, 45000, "0|5,000|10,000|15,000|20,000|25,000|30,000|35,000|40,000|45,000"},
		{0, math.MaxFloat64, "0|20|40|60|80|100|120|140|160"},
	} {
		a := NewExactAxis("x", c.from, c.to, "", 9)
		if got := strings.ReplaceAll(labelsOf(a), "5000|", "5,000|"); got != c.want || a.From != c.from || a.To != c.to {
			t.Errorf("%v to %v: %q from %v to %v, want %q", c.from, c.to, got, a.From, a.To, c.want)
		}
	}
}

// An axis of spans has familiar lengths of time where the unit is one, else powers of ten, and no more labels than there is room for.
func TestSpanAxis(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		unit     string
		most     int
		want     string
	}{
		{1, 100, "h", 100, "1 h|6 h|1 day"},
		{10, 86400, "s", 100, "10 s|1 min|10 min|1 h|6 h|1 day"},
		{10, 86400, "s", 3, "10 s|-|10 min|-|6 h|-"},
		{1, 5000, "ticks", 100, "1|10|100|1000"},
		{1, 5000, "", 100, "1|10|100|1000"},
	} {
		if got := labelsOf(NewSpanAxis("x", c.from, c.to, c.unit, c.most)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if n := len(NewSpanAxis("x", 1, math.Inf(1), "ticks", 9).Ticks); n != 309 {
		t.Errorf("%d powers of ten, want 309", n)
	}
	if got := SpanFrom(1, 100, "s"); got != 600 {
		t.Errorf("the span from 100 s on is %v s, want 600", got)
	}
	if got := SpanUpTo(1, 100, "s"); got != 60 {
		t.Errorf("the span up to 100 s is %v s, want 60", got)
	}
}
