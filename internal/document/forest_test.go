package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// Ticks are round ratios between the ends, 1 among them, and not more than have room.
func TestRatioTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0.98, 1.02, []float64{0.98, 0.99, 1, 1.01, 1.02}},
		{0.8, 1.5, []float64{0.8, 1, 1.2, 1.4}},
		{0.6, 3.2, []float64{0.7, 1, 1.5, 2, 3}},
		{0.15, 3, []float64{0.2, 0.5, 1, 2}},
		{0.02, 50, []float64{0.1, 1, 10}},
		{0.05, 9, []float64{0.1, 0.3, 1, 3}},
		{1.0 / 1.02, 700, []float64{1, 3, 10, 30, 100, 300}},
	} {
		got := ratioTicks(c.low, c.high)
		same := slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		if !same {
			t.Errorf("%v to %v: %v, expected %v", c.low, c.high, got, c.want)
		}
	}
}

// The axis holds 1 and what the rows have, as far as the widest ratio and the widest interval; plots that are far apart have an axis each.
func TestReach(t *testing.T) {
	row := func(ratio, low, high float64) Forest {
		return Forest{Blocks: []ForestBlock{{Rows: []ForestRow{{Ratio: ratio, Low: low, High: high}}}}}
	}
	none := math.NaN()
	for _, c := range []struct {
		forests   []Forest
		low, high float64
	}{
		{nil, 1 / 1.02, 1.02},
		{[]Forest{row(none, none, none)}, 1 / 1.02, 1.02},
		{[]Forest{row(0.5, 0.4, 0.7), row(1.5, 1.1, 2)}, 0.4, 2},
		{[]Forest{row(0, none, none), row(2, 1e-9, math.Inf(1))}, 1.0 / 50, 2},
		{[]Forest{row(80, 1, 90)}, 1 / 1.02, 80},
		{[]Forest{row(1e9, 1, 1e12)}, 1 / 1.02, 1000},
	} {
		if low, high := reach(c.forests); math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%+v: %v to %v, expected %v to %v", c.forests, low, high, c.low, c.high)
		}
	}
}

// Each row has its name and its figures, a marker for what is shown, and an arrow for what goes beyond the axis; rows stand at their ratios. Whatever texts hold is text.
func TestForest(t *testing.T) {
	none := math.NaN()
	f := &Forest{Title: "<b>", Note: "note", Axis: "mine ÷ yours", Less: "less", More: "more", Blocks: []ForestBlock{
		{Rows: []ForestRow{{"all", 0.5, 0.4, 0.6, true}}},
		{Name: "by <user>", Rows: []ForestRow{{"<i>a</i>", 2, 1.5, 2.5, true}, {strings.Repeat("long ", 30), 1.2, 0.9, 1e6, false}, {"c", 0.9, none, none, false}, {"d", none, none, none, false}, {"e", 0, none, none, false}}},
	}}
	p := f.placed("f", 0.25, 4)
	text := string(p.Elements)
	for _, want := range []string{"all: 0.5 [0.4, 0.6]", "&lt;i&gt;a&lt;/i&gt;: 2 [1.5, 2.5]", "c: 0.9, without an interval", "d: no ratio", ">no ratio<", "by &lt;user&gt;", "mine ÷ yours (logarithmic)", "…"} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader([]byte(text)))
	rows := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && slices.ContainsFunc(start.Attr, func(a xml.Attr) bool { return a.Value == "row" }) {
			rows++
		}
	}
	if rows != 6 || len(p.Legend) != 4 || !strings.Contains(p.Description, "all 0.5 [0.4, 0.6]; ") {
		t.Errorf("%d rows, %+v", rows, p)
	}
	for k, want := range []int{0, 1, Faint, Faint, Faint, Faint} {
		row := append(f.Blocks[0].Rows[:1:1], f.Blocks[1].Rows...)[k]
		if style, _ := row.look(); style != want {
			t.Errorf("%+v has the style %d, expected %d", row, style, want)
		}
	}
	// On a logarithmic axis from a quarter to four, 1 is in the middle, 0.5 a quarter and 2 three quarters of the way.
	a := f.axis(0.25, 4)
	if math.Abs(a.At(1)-0.5) > 1e-9 || math.Abs(a.At(0.5)+a.At(2)-1) > 1e-9 || math.Abs((a.At(2)-a.At(1))-(a.At(4)-a.At(2))) > 1e-9 {
		t.Errorf("1 at %v, 0.5 at %v, 2 at %v, 4 at %v", a.At(1), a.At(0.5), a.At(2), a.At(4))
	}
}

// Names of places never overlap: where they have no room beside each other, some are left out.
func TestPlacesAxis(t *testing.T) {
	for _, n := range []int{1, 3, 12, 240} {
		var names []string
		for range n {
			names = append(names, "week of 2026-01-05")
		}
		a := placesAxis("arrival", names)
		labelled := 0
		for _, tick := range a.Ticks {
			if tick.Label != "" {
				labelled++
			}
		}
		if len(a.Ticks) != n || labelled < 1 || labelled > 3 || a.From != -0.5 || a.To != float64(n)-0.5 {
			t.Errorf("%d places: %d labels of %d ticks from %v to %v", n, labelled, len(a.Ticks), a.From, a.To)
		}
	}
}
