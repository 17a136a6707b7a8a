package main

import "testing"

// Times for people, in the units that have names; others stay as they are.
func TestDuration(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "s", "0 s"}, {45.5, "s", "45.5000 s"}, {59.9, "s", "59.9000 s"}, {60, "s", "1 min"}, {80, "s", "1 min 20 s"}, {3599.6, "s", "1 h"}, {105600, "s", "29 h 20 min"},
		{3600, "s", "1 h"}, {359999, "s", "100 h"}, {360000, "s", "4 d 4 h"}, {432000, "s", "5 d"}, {90, "min", "1 h 30 min"}, {29.5, "h", "29 h 30 min"}, {3, "d", "72 h"},
		{5, "d", "5 d"}, {1e17, "s", "1.00000e+17 s"}, {90, "ticks", "90 ticks"}, {0.5, "h", "30 min"},
	} {
		if got := duration(c.x, c.unit); got != c.want {
			t.Errorf("%v %s: %q, expected %q", c.x, c.unit, got, c.want)
		}
	}
}
