package picture

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		first, last float64
		unit        string
		labels      string
		caption     string
	}{
		{0, 242, "s", "0 50 100 150 200", "time (s)"},
		{0, 1, "", "0.0 0.2 0.4 0.6 0.8 1.0", "time"},
		{3, 60, "h", "0 10 20 30 40 50 60", "time (h)"},
		{100, 180, "s", "100 120 140 160 180", "time (s)"},
		{0, 65000, "s", "0 20,000 40,000 60,000", "time (s)"},
		{0, 3e7, "s", "0 5 10 15 20 25 30", "time (10⁶ s)"},
		{0, 7e-9, "s", "0 2 4 6", "time (10⁻⁹ s)"},
		{1.5e9, 1.5e9 + 200, "s", "0 50 100 150 200", "time − 1,500,000,000 (s)"},
		{1500000123, 1500000200, "s", "40 60 80 100", "time − 1,500,000,100 (s)"},
		{1.5e9, 1.502e9, "s", "0 500,000 1,000,000 1,500,000 2,000,000", "time − 1,500,000,000 (s)"},
		{5, 5, "s", "0 1 2 3 4 5", "time (s)"},
		{0, 0, "", "0.0 0.2 0.4 0.6 0.8 1.0", "time"},
		{-40, 300, "", "0 100 200 300", "time"},
		{-1, -0.1, "", "-1.0 -0.8 -0.6 -0.4 -0.2 0.0", "time"},
		{-7, -7, "", "-6 -4 -2 0", "time"},
		{-101, -100, "", "-101.0 -100.8 -100.6 -100.4 -100.2 -100.0", "time"},
		{-1.5e9 - 200, -1.5e9, "", "800 850 900 950 1000", "time + 1,500,001,000"},
		{-3e7, 0, "", "-30 -25 -20 -15 -10 -5 0", "time (10⁶)"},
		{0, math.MaxFloat64, "", "0 50 100 150", "time (10³⁰⁶)"},
	} {
		a := NewAxis("time", c.first, c.last, c.unit, 6)
		var labels []string
		for _, tick := range a.Ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.labels || a.Caption != c.caption {
			t.Errorf("%v to %v: %q, %q; want %q, %q", c.first, c.last, got, a.Caption, c.labels, c.caption)
		}
	}
}

func TestTicksRiseAndDiffer(t *testing.T) {
	moment := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Float64Range(0, 1000), rapid.Float64Range(1e9, 2e9))
	rapid.Check(t, func(t *rapid.T) {
		x, y := moment.Draw(t, "x"), moment.Draw(t, "y")
		if rapid.Bool().Draw(t, "near") {
			y = x * (1 + rapid.Float64Range(0, 1e-12).Draw(t, "apart"))
		}
		if math.IsInf(y, 0) {
			return
		}
		switch rapid.IntRange(0, 2).Draw(t, "sign") {
		case 1:
			x, y = -x, -y
		case 2:
			x, y = -x/2, y/2
		}
		most := rapid.IntRange(2, 100).Draw(t, "most")
		a := NewAxis("time", min(x, y), max(x, y), "s", most)
		if len(a.Ticks) > most+1 {
			t.Fatalf("%d ticks, want at most %d", len(a.Ticks), most+1)
		}
		for k, tick := range a.Ticks {
			if math.IsNaN(tick.At) || tick.At < 0 || tick.At > 1 || len(tick.Label) > 12 {
				t.Fatalf("tick %q at %v", tick.Label, tick.At)
			}
			if k > 0 && (tick.At <= a.Ticks[k-1].At || tick.Label == a.Ticks[k-1].Label) {
				t.Fatalf("ticks %v and %v", a.Ticks[k-1], tick)
			}
		}
		for _, z := range []float64{x, y} {
			if share := a.At(z); math.IsNaN(share) || share < 0 || share > 1 {
				t.Fatalf("%v lies at %v", z, share)
			}
		}
	})
}

func TestLogAxis(t *testing.T) {
	for _, c := range []struct {
		first, last float64
		labels      string
	}{
		{0.0004, 58, "0.001 0.01 0.1 1 10"},
		{0.5, 7, "0.5 1 2 5"},
		{1, 1, "1 2"},
		{3e-6, 0.2, "10⁻⁵ 0.0001 0.001 0.01 0.1"},
		{1e-300, 1e18, "10⁻⁵ 1 100,000 10¹⁰ 10¹⁵"},
		{1, math.Inf(1), "1 10⁵² 10¹⁰⁴ 10¹⁵⁶ 10²⁰⁸ 10²⁶⁰"},
		{0, math.Inf(1), "1 10⁵³ 10¹⁰⁶ 10¹⁵⁹ 10²¹² 10²⁶⁵"},
	} {
		a := NewLogAxis("time", c.first, c.last, "s", 6)
		var labels []string
		for k, tick := range a.Ticks {
			if math.IsNaN(tick.At) || tick.At < 0 || tick.At > 1 || k > 0 && tick.At <= a.Ticks[k-1].At {
				t.Errorf("%v to %v: tick %q at %v", c.first, c.last, tick.Label, tick.At)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.labels || a.Caption != "time (s, logarithmic)" {
			t.Errorf("%v to %v: %q, %q; want %q", c.first, c.last, got, a.Caption, c.labels)
		}
	}
}
