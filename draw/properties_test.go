package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// anySolution draws a schedule that can be drawn, but may be wrong in any way that the checker detects.
func anySolution() *rapid.Generator[*model.Solution] {
	moment := rapid.OneOf(
		rapid.Float64Range(0, 100),
		rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1.5e9, 1.5e9 + 1, 1e18, math.MaxFloat64}),
	)
	processor := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 60_000))
	return rapid.Custom(func(t *rapid.T) *model.Solution {
		sol := &model.Solution{
			Instance: rapid.String().Draw(t, "instance"), Solver: rapid.String().Draw(t, "solver"),
			Unscheduled: make([]model.Unscheduled, rapid.IntRange(0, 3).Draw(t, "unscheduled")),
		}
		for k := range rapid.IntRange(0, 30).Draw(t, "jobs") {
			a, b := moment.Draw(t, "time"), moment.Draw(t, "time")
			id := rapid.OneOf(rapid.Just(fmt.Sprint("j", k)), rapid.String()).Draw(t, "job")
			cluster := rapid.SampledFrom([]string{"c1", "c2", "c10", "a cluster with a name that is much longer than there is room", "<&>", "\x00"}).Draw(t, "cluster")
			set := model.Processors(rapid.SliceOfN(processor, 1, 12).Draw(t, "processors")...)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: cluster, Processors: set, Start: min(a, b), End: max(a, b)})
		}
		return sol
	})
}

func TestTextKeepsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sol := anySolution().Draw(t, "solution")
		opt := GanttOptions{
			Title: rapid.String().Draw(t, "title"),
			Width: rapid.IntRange(leastColumns, 130).Draw(t, "width"), Height: rapid.IntRange(0, 80).Draw(t, "height"),
		}
		var out bytes.Buffer
		if err := into(&out, Text)(Gantt(sol, opt)); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") {
			t.Fatalf("not lines of UTF-8: %q", text)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > opt.Width {
				t.Fatalf("%d columns, want at most %d: %q", n, opt.Width, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("control character in %q", line)
			}
		}
	})
}

func TestPicturesOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sol := anySolution().Draw(t, "solution")
		opt := GanttOptions{
			Width:  rapid.IntRange(pageLimits.leastWidth, 500).Draw(t, "width"),
			Height: rapid.OneOf(rapid.IntRange(pageLimits.leastHeight, 300), rapid.SampledFrom([]int{0, 250, 260})).Draw(t, "height"),
		}
		var out bytes.Buffer
		if err := into(&out, SVG)(Gantt(sol, opt)); err != nil {
			t.Fatal(err)
		}
		for decoder := xml.NewDecoder(&out); ; {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			element, _ := token.(xml.StartElement)
			for _, attribute := range element.Attr {
				if notNumbers(attribute) {
					t.Fatalf("%s: %q", element.Name.Local, attribute.Value)
				}
			}
		}
	})
}

// notNumbers reports whether an attribute for numbers holds something else.
func notNumbers(a xml.Attr) bool {
	switch a.Name.Local {
	case "d", "x", "y", "width", "height", "transform":
		return strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf")
	}
	return false
}

func TestBandsShareTheHeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bands := make([]band, rapid.IntRange(1, 60).Draw(t, "bands"))
		for k := range bands {
			bands[k].processors = rapid.OneOf(rapid.IntRange(1, 10), rapid.IntRange(1, math.MaxInt32)).Draw(t, "processors")
		}
		plot := picture.Box(100, 50, 600, 50+float64(rapid.IntRange(1, 900).Draw(t, "height")))
		end := plot.Y0
		for k, s := range placeBands(bands, plot) {
			if s.top < end-1e-6 || s.height < 0 {
				t.Fatalf("band %d from %v, height %v, begins above %v", k, s.top, s.height, end)
			}
			end = s.top + s.height
		}
		if math.Abs(end-plot.Y1) > 1e-6 {
			t.Fatalf("the last band ends at %v, want %v", end, plot.Y1)
		}
	})
}

func FuzzGantt(f *testing.F) {
	f.Add("job", "cluster", 0.0, 1.0, 0, 3, 100)
	f.Add("\x00<", "\xff", math.NaN(), -1.0, -1, math.MaxInt, 40)
	f.Fuzz(func(t *testing.T, job, cluster string, start, end float64, first, last, width int) {
		sol := &model.Solution{Jobs: []model.Placement{
			{Job: job, Cluster: cluster, Processors: model.ProcessorSet{{First: first, Last: last}}, Start: start, End: end},
			at("other", "c", 1, 2, run(0, 1)),
		}}
		for _, format := range Formats() {
			if format != Text && width > 2000 {
				continue
			}
			// An error is allowed here, but the call must return.
			_ = into(io.Discard, format)(Gantt(sol, GanttOptions{Width: width, Height: 300}))
		}
	})
}
