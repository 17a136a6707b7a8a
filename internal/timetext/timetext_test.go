package timetext

import (
	"strconv"
	"strings"
	"testing"
)

func figure(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Times for people, in the units that have names; others stay as they are.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "s", "0 s"}, {45.5, "s", "45.5 s"}, {59.9, "s", "59.9 s"}, {60, "s", "1 min"}, {80, "s", "1 min 20 s"}, {3599.6, "s", "1 h"}, {105600, "s", "29 h 20 min"},
		{3600, "s", "1 h"}, {359999, "s", "4 d 4 h"}, {360000, "s", "4 d 4 h"}, {432000, "s", "5 d"}, {90, "min", "1 h 30 min"}, {29.5, "h", "29 h 30 min"}, {3, "d", "3 d"}, {172769, "s", "47 h 59 min"},
		{5, "d", "5 d"}, {90000, "ms", "1 min 30 s"}, {45500, "ms", "45500 ms"}, {1e17, "s", "1e+17 s"}, {90, "ticks", "90 ticks"}, {90, "", "90"}, {0.5, "h", "30 min"}, {59.96, "s", "1 min"}, {-30, "s", "-30 s"}, {-90, "s", "−1 min 30 s"}, {-2, "h", "−2 h"},
	} {
		if got := Of(c.x, c.unit, figure); got != c.want {
			t.Errorf("%v %s: %q, expected %q", c.x, c.unit, got, c.want)
		}
	}
}

// A unit that nobody knows has no length.
func TestSeconds(t *testing.T) {
	for unit, want := range map[string]float64{"s": 1, "ms": 1e-3, "min": 60, "h": 3600, "d": 86400} {
		if got, known := Seconds(unit); !known || got != want {
			t.Errorf("%q: %v, %v", unit, got, known)
		}
	}
	for _, unit := range []string{"ticks", ""} {
		if got, known := Seconds(unit); known {
			t.Errorf("%q: %v s", unit, got)
		}
	}
}

// What people write for a length of time, in the unit of an instance; anything else is an error that repeats it.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"90", "ticks", 90}, {"1e3", "s", 1000}, {"2d12h", "s", 216000}, {" 2 d 12 h ", "h", 60}, {"1.5h", "min", 90}, {"30min", "h", 0.5}, {"500ms", "s", 0.5}, {"-5", "s", -5}, {"1min30s", "ms", 90000},
	} {
		if got, err := Parse(c.text, c.unit); err != nil || got != c.want {
			t.Errorf("%q in %s: %v, %v; expected %v", c.text, c.unit, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, unit string }{
		{"", "s"}, {"x", "s"}, {"3 weeks", "s"}, {"d", "s"}, {"3dd", "s"}, {"2d", "ticks"}, {"2d", ""}, {"NaN", "s"}, {"inf", "s"}, {"1..2h", "s"}, {"-2d", "s"},
	} {
		if got, err := Parse(c.text, c.unit); err == nil || !strings.Contains(err.Error(), "found "+strconv.Quote(c.text)) {
			t.Errorf("%q in %q: %v, %v", c.text, c.unit, got, err)
		}
	}
}
