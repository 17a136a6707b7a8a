package draw

import (
	"math"
	"strings"
	"testing"
)

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		labels    string
	}{
		{0, 10, "0 2 4 6 8 10"},
		{0, 105, "0 20 40 60 80 100"},
		{0, 0.9, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
		{-3, 4, "-3 -2 -1 0 1 2 3 4"},
		{0, 1e-5, "0 2e-06 4e-06 6e-06 8e-06 1e-05"},
		{0, 45000, "0 5000 10,000 15,000 20,000 25,000 30,000 35,000 40,000 45,000"},
		{0, 3e7, "0 5,000,000 10,000,000 15,000,000 20,000,000 25,000,000 30,000,000"},
		{0, math.MaxFloat64, "0 2e+307 4e+307 6e+307 8e+307 1e+308 1.2e+308 1.4e+308 1.6e+308"},
	} {
		var labels []string
		for _, tick := range (roundTicks{}).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.labels)
		}
	}
	if ticks := decades("ticks").Ticks(1, math.Inf(1)); len(ticks) != 309 {
		t.Errorf("%d powers of ten, want 309", len(ticks))
	}
	if ticks := decades("h").Ticks(1, 100); len(ticks) != 3 || ticks[0].Label != "1 h" || ticks[2].Value != 24 {
		t.Errorf("hours: %v", ticks)
	}
	c := clock{1.5e9, "s", 5}
	ticks := c.Ticks(1.5e9, 1.5e9+86400)
	if n := len(ticks); n != 5 || ticks[0].Label != "0" || ticks[0].Value != 1.5e9 || ticks[1].Label != "6 h" || c.caption(1.5e9, 1.5e9+86400) != "time since the first arrival" {
		t.Errorf("%+v", ticks)
	}
}
