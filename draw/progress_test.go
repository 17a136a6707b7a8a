package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// courseSample is named runs with the options to draw them by.
type courseSample struct {
	name string
	runs []*Run
	opt  ProgressOptions
}

// falling is a run that improves ever more slowly from one objective towards another; the bound rises once.
func falling(name string, points int, from, to, bound float64) *Run {
	t := &Run{Name: name}
	for k := range points {
		p := model.Incumbent{Elapsed: 0.001 * math.Pow(1.5, float64(k)), Evaluations: int64(100 * (k + 1)), Bound: model.ProvedBound(bound)}
		p.Objective = to + (from-to)*math.Pow(0.8, float64(k))
		if k >= points/2 {
			p.Bound = model.ProvedBound(bound + (to-bound)/2)
		}
		t.Points = append(t.Points, p)
	}
	return t
}

// pointAt is a point of a run; a bound of NaN is none.
func pointAt(elapsed float64, evaluations int64, objective, bound float64) model.Incumbent {
	return model.Incumbent{Elapsed: elapsed, Evaluations: evaluations, Objective: objective, Bound: model.ProvedBound(bound)}
}

// courses are ordinary and odd runs.
func courses() []courseSample {
	none := math.NaN()
	run := func(name string, points ...model.Incumbent) *Run { return &Run{name, points} }
	first, other := falling("muscle+titan", 24, 380, 290, 100), falling("search", 20, 600, 240, 100)
	twelve := make([]*Run, MostRuns)
	for k := range twelve {
		twelve[k] = falling(fmt.Sprint("run ", k+1), 5+k, 500, 100+float64(k), 50)
	}
	return []courseSample{
		{"progress", []*Run{first}, ProgressOptions{}},
		{"progress-log", []*Run{first}, ProgressOptions{LogTime: true, Title: "Time by its logarithm"}},
		{"progress-several", []*Run{first, other, run("nothing found")}, ProgressOptions{LogTime: true}},
		{"progress-twelve", twelve, ProgressOptions{}},
		{"progress-empty", []*Run{run("empty")}, ProgressOptions{LogTime: true}},
		{"progress-one", []*Run{run("one", pointAt(0, 1, 42, 42))}, ProgressOptions{LogTime: true}},
		{"progress-no-bound", []*Run{run("a", pointAt(0.5, 1, 42, none), pointAt(2, 7, 41.5, none))}, ProgressOptions{}},
		{"progress-late-bound", []*Run{run("a", pointAt(0.5, 1, 42, none), pointAt(2, 7, 41.5, 30), pointAt(3, 7, 35, 35))}, ProgressOptions{}},
		{"progress-negative", []*Run{run("a", pointAt(1, 1, -5, -20), pointAt(2, 7, -12, -20))}, ProgressOptions{}},
		{"progress-huge", []*Run{run("a", pointAt(1e-12, 1, maxFigure, -maxFigure), pointAt(maxElapsed, 1<<53, -maxFigure, -maxFigure))}, ProgressOptions{LogTime: true}},
		{"progress-names", []*Run{
			run("]]></title><script>\x01", pointAt(1, 1, 5, 4)), run(strings.Repeat("long ", 300), pointAt(1, 1, 6, 4)), run("\xff\u202e 🚀", pointAt(1, 1, 7, 3)),
		}, ProgressOptions{Title: "<b>&\x1b[31m"}},
	}
}

// drawnCourse draws runs that can be drawn.
func drawnCourse(t testing.TB, s courseSample, format Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := into(&out, format)(Progress(s.runs, s.opt)); err != nil {
		t.Fatalf("%s as %s: %v", s.name, format, err)
	}
	return out.Bytes()
}

func TestProgressGolden(t *testing.T) {
	for _, s := range courses() {
		for format, extension := range map[Format]string{Text: ".txt", SVG: ".svg"} {
			got := drawnCourse(t, s, format)
			file := filepath.Join("testdata", s.name+extension)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, diff)
			}
		}
	}
}

// Room around the figures takes no axis beyond 0 on which all figures are on one side of it.
func TestValueAxisKeepsItsSign(t *testing.T) {
	for _, c := range []struct{ from, to float64 }{{1000, 1}, {-1, -1000}, {5, 0}, {0, -5}} {
		axis := newCourse([]*Run{{"a", []model.Incumbent{pointAt(0, 1, c.from, math.NaN()), pointAt(1, 2, c.to, math.NaN())}}}, ProgressOptions{}).valueAxis(5)
		if c.to >= 0 && axis.From < 0 || c.from <= 0 && axis.To > 0 {
			t.Errorf("from %v to %v: the axis is from %v to %v", c.from, c.to, axis.From, axis.To)
		}
	}
}

// What differs by rounding alone is no improvement.
func TestRoundingIsNoImprovement(t *testing.T) {
	run := &Run{"a", []model.Incumbent{pointAt(1, 1, 5, math.NaN()), pointAt(2, 2, 5*(1-1e-13), math.NaN()), pointAt(3, 3, 4, math.NaN()), pointAt(4, 4, 4, math.NaN())}}
	if n, at := run.improvements(); n != 2 || at != 3 {
		t.Errorf("%d improvements, the last after %v s; expected 2 and 3", n, at)
	}
}

func TestProgressPictures(t *testing.T) {
	race.OneGoroutine(t)
	for _, s := range courses() {
		s.opt.Width, s.opt.Height = 443, 277
		img, err := png.Decode(bytes.NewReader(drawnCourse(t, s, PNG)))
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if size := img.Bounds().Size(); size.X != 443 || size.Y != 277 {
			t.Errorf("%s: size %v, want 443 × 277", s.name, size)
		}
		for _, format := range []Format{SVG, PNG, Text} {
			if !bytes.Equal(drawnCourse(t, s, format), drawnCourse(t, s, format)) {
				t.Errorf("%s as %s differs from itself", s.name, format)
			}
		}
		checkSVG(t, s.name, drawnCourse(t, s, SVG))
	}
}

// fataler is a test of either kind.
type fataler interface {
	Fatalf(format string, args ...any)
}

// checkSVG fails the test if a document has wrong syntax, an invalid number, or an element that came from a name.
func checkSVG(t fataler, name string, document []byte) {
	if !utf8.Valid(document) {
		t.Fatalf("%s: not UTF-8", name)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		element, _ := token.(xml.StartElement)
		if element.Name.Local == "script" || element.Name.Local == "b" {
			t.Fatalf("%s: element %s", name, element.Name.Local)
		}
		for _, attribute := range element.Attr {
			if notNumbers(attribute) {
				t.Fatalf("%s: %s: %q", name, element.Name.Local, attribute.Value)
			}
		}
	}
}

func TestSVGSaysWhatWasReachedWhere(t *testing.T) {
	document := string(drawnCourse(t, courses()[7], SVG))
	for _, want := range []string{
		"<title>a</title>",
		"<title>a&#xA;objective 42 after 0.5 s&#xA;1 evaluation</title>",
		"<title>a&#xA;objective 41.5 after 2 s&#xA;bound 30, gap 27.7 %&#xA;7 evaluations</title>",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestUndrawableProgress(t *testing.T) {
	one := func(points ...model.Incumbent) []*Run { return []*Run{{"a", points}} }
	for _, c := range []struct {
		name   string
		runs   []*Run
		opt    ProgressOptions
		format Format
		want   string
	}{
		{"none", nil, ProgressOptions{}, SVG, "no runs"},
		{"nil", []*Run{nil}, ProgressOptions{}, SVG, "runs[0]: no run"},
		{"many", make([]*Run, 13), ProgressOptions{}, SVG, "expected at most 12 runs, found 13"},
		{"NaN", one(pointAt(1, 1, math.NaN(), 0)), ProgressOptions{}, SVG, `runs[0] ("a"): point 0: {1 1 NaN 0}: expected`},
		{"NaN time", one(pointAt(math.NaN(), 1, 0, 0)), ProgressOptions{}, SVG, "point 0"},
		{"huge bound", one(pointAt(1, 1, 0, 1e301)), ProgressOptions{}, SVG, "point 0"},
		{"rises", one(pointAt(1, 1, 5, 0), pointAt(1, 1, 6, 0)), ProgressOptions{}, SVG, "point 1: objective: expected at most the 5 before it, found 6"},
		{"format", one(), ProgressOptions{}, "gif", `unknown format "gif"`},
		{"narrow", one(), ProgressOptions{Width: 10}, SVG, "width 10"},
		{"low", one(), ProgressOptions{Height: 10}, SVG, "height 10"},
		{"narrow text", one(), ProgressOptions{Width: 39}, Text, "width 39"},
	} {
		var out bytes.Buffer
		err := into(&out, c.format)(Progress(c.runs, c.opt))
		if err == nil || !strings.HasPrefix(err.Error(), "draw: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: wrote %d bytes before it failed", c.name, out.Len())
		}
	}
	for _, format := range []Format{SVG, PNG, Text} {
		if err := into(brokenWriter{}, format)(Progress(one(), ProgressOptions{})); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

// anyRun draws a run.
func anyRun() *rapid.Generator[*Run] {
	figure := rapid.OneOf(rapid.Float64Range(-100, 1000), rapid.Float64Range(-maxFigure, maxFigure), rapid.SampledFrom([]float64{0, 1e9, 1e9 + 1, 1e-300}))
	step := rapid.OneOf(rapid.Float64Range(0, 10), rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1e9}))
	return rapid.Custom(func(t *rapid.T) *Run {
		run := &Run{Name: rapid.String().Draw(t, "name")}
		p := model.Incumbent{Objective: figure.Draw(t, "objective")}
		for range rapid.IntRange(0, 20).Draw(t, "points") {
			p.Elapsed += step.Draw(t, "step")
			p.Objective = min(p.Objective, figure.Draw(t, "objective"))
			if rapid.Bool().Draw(t, "bounded") {
				p.Bound = p.Bound.Max(model.ProvedBound(figure.Draw(t, "bound")))
			}
			run.Points = append(run.Points, p)
		}
		return run
	})
}

func TestProgressOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(anyRun(), 1, 4).Draw(t, "runs")
		opt := ProgressOptions{
			Width: rapid.IntRange(pageLimits.leastWidth, 500).Draw(t, "width"), Height: rapid.SampledFrom([]int{0, pageLimits.leastHeight, 300}).Draw(t, "height"),
			LogTime: rapid.Bool().Draw(t, "log"), Title: rapid.String().Draw(t, "title"),
		}
		var out bytes.Buffer
		if err := into(&out, SVG)(Progress(runs, opt)); err != nil {
			t.Fatal(err)
		}
		checkSVG(t, "any", out.Bytes())
		opt.Width, opt.Height = rapid.IntRange(leastColumns, 130).Draw(t, "columns"), rapid.IntRange(0, 80).Draw(t, "lines")
		out.Reset()
		if err := into(&out, Text)(Progress(runs, opt)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
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

func TestManyPointsGiveASmallPicture(t *testing.T) {
	run := &Run{Name: "long"}
	for k := range 1_000_000 {
		run.Points = append(run.Points, model.Incumbent{Elapsed: float64(k) / 1000, Objective: float64(2_000_000 - k)})
	}
	if n := len(drawnCourse(t, courseSample{runs: []*Run{run}}, SVG)); n > 500_000 {
		t.Errorf("%d bytes", n)
	}
}
