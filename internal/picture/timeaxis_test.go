package picture

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/timetext"
)

// TestTimeAxis: ticks at whole minutes, hours and days, whatever the unit.
func TestTimeAxis(t *testing.T) {
	for _, c := range []struct {
		first, last, origin float64
		unit                string
		most                int
		windowed            bool
		want, caption       string
	}{
		{0, 95, 0, "s", 10, false, "0 10 20 30 40 50 60 70 80 90", "time (s)"},
		{0, 115, 0, "min", 8, false, "0|15 min|30 min|45 min|1 h|1 h 15 min|1 h 30 min|1 h 45 min", "time"},
		{0, 29363626, 0, "s", 8, false, "0|50 d|100 d|150 d|200 d|250 d|300 d", "time"},
		{1e9, 1e9 + 86400, 1e9, "s", 5, false, "0|6 h|12 h|18 h|24 h", "time since the first arrival"},
		{8640000, 8640000 + 3*86400, 0, "s", 7, true, "100 d|100 d 12 h|101 d|101 d 12 h|102 d|102 d 12 h|103 d", "time"},
		{8640000, 8640000 + 7200, 0, "s", 5, true, "0|30 min|1 h|1 h 30 min|2 h", "time after 100 d"},
		{50, 60, 0, "h", 5, true, "2 d 2 h|2 d 4 h|2 d 6 h|2 d 8 h|2 d 10 h|2 d 12 h", "time"},
		{0, 50, 0, "ticks", 5, false, "0 10 20 30 40 50", "time (ticks)"},
		{7, 57, 7, "ticks", 5, false, "0 10 20 30 40 50", "time since the first arrival (ticks)"},
	} {
		a := NewTimeAxis(c.first, c.last, c.origin, c.unit, c.most, c.windowed)
		var labels []string
		for _, tick := range a.Ticks {
			labels = append(labels, tick.Label)
		}
		separator := " "
		if strings.Contains(c.want, "|") {
			separator = "|"
		}
		if got := strings.Join(labels, separator); got != c.want || a.Caption != c.caption {
			t.Errorf("%v to %v %s: %q, %q; want %q, %q", c.first, c.last, c.unit, got, a.Caption, c.want, c.caption)
		}
	}
}

// TestTimeLabelsAreTrue: a label states its tick's time, counted from what the caption says.
func TestTimeLabelsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"s", "min", "h", "d", "ms"}).Draw(t, "unit")
		each, _ := timetext.Seconds(unit)
		first := rapid.Float64Range(0, 4e7).Draw(t, "first") / each
		last := first + math.Pow(10, rapid.Float64Range(math.Log10(LeastTimeSpan)+0.01, 8).Draw(t, "length"))/each
		a := NewTimeAxis(first, last, 0, unit, rapid.IntRange(2, 30).Draw(t, "most"), true)
		base := 0.0
		if after, found := strings.CutPrefix(a.Caption, "time after "); found {
			var err error
			if base, err = timetext.Parse(after, unit); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]bool{}
		for _, tick := range a.Ticks {
			said, err := timetext.Parse(tick.Label, unit)
			if tick.Label == "0" {
				said, err = 0, nil
			}
			at := first + tick.At*(last-first)
			if err != nil || math.Abs(base+said-at) > 1e-6*(last-first) || seen[tick.Label] {
				t.Fatalf("the tick at %v says %q after %v (%v)", at, tick.Label, base, err)
			}
			seen[tick.Label] = true
		}
	})
}
