package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// letteringOf is a text of an SVG with its place in points from the top left corner.
type letteringOf struct {
	text   string
	x, y   float64
	size   float64
	weight string
}

// svgTexts reads the texts of an SVG that are not turned, and the size of the page, in points.
func svgTexts(t testing.TB, svg []byte) (texts []letteringOf, width, height float64) {
	t.Helper()
	turned := 0
	stack := []bool{}
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts, width, height
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range e.Attr {
				attributes[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				x, err := strconv.ParseFloat(strings.TrimSuffix(attributes[name], "pt"), 64)
				if err != nil {
					t.Fatalf("%s=%q", name, attributes[name])
				}
				return x
			}
			isTurned := strings.Contains(attributes["transform"], "rotate")
			stack = append(stack, isTurned)
			if isTurned {
				turned++
			}
			if e.Name.Local == "svg" {
				width, height = number("width"), number("height")
			}
			if e.Name.Local != "text" || turned > 0 {
				continue
			}
			one := letteringOf{x: number("x"), y: number("y") + height}
			for part := range strings.SplitSeq(attributes["style"], ";") {
				name, value, _ := strings.Cut(part, ":")
				switch name {
				case "font-size":
					one.size, _ = strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64)
				case "font-weight":
					one.weight = value
				}
			}
			text, err := decoder.Token()
			if err != nil {
				t.Fatal(err)
			}
			one.text = string(text.(xml.CharData))
			texts = append(texts, one)
		case xml.EndElement:
			if stack[len(stack)-1] {
				turned--
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// manyPictures are pictures of every kind, by name, in a size.
func manyPictures(t testing.TB, width, height int) map[string]func() (*Picture, error) {
	t.Helper()
	few, in := small(t)
	crowded, all := crowd(t, 3_000, 30)
	other := &model.Solution{Solver: strings.Repeat("a policy with a long name ", 6), Jobs: crowded.Jobs[100:]}
	crowded.Solver = "easy"
	pictures := map[string]func() (*Picture, error){}
	for _, by := range Colours() {
		pictures["load by "+string(by)] = func() (*Picture, error) {
			return Gantt(crowded, GanttOptions{Instance: all, Colour: by, View: ShowLoad, Width: width, Height: height})
		}
		if by != ByUser {
			pictures["jobs by "+string(by)] = func() (*Picture, error) {
				return Gantt(few, GanttOptions{Instance: in, Colour: by, Width: width, Height: height})
			}
		}
	}
	pictures["window"] = func() (*Picture, error) {
		return Gantt(crowded, GanttOptions{Instance: all, Width: width, Height: height, Window: Window{From: 86400, To: 90000, HasFrom: true, HasTo: true}})
	}
	for _, quantity := range []Quantity{Queue, Utilisation, Wait, "bounded_slowdown", "mean_response"} {
		for _, view := range Views() {
			if view.byPeriod() && !quantity.ofJobs() {
				continue
			}
			pictures[string(quantity)+" "+string(view)] = func() (*Picture, error) {
				return Curves(all, []*model.Solution{crowded, other}, CurveOptions{Quantity: quantity, View: view, Width: width, Height: height})
			}
		}
	}
	return pictures
}

// TestLettersStayInside: no letter of a picture leaves its frame, wide or narrow, in a font that is a little wider than ours. The SVG needs nothing that only a
// browser knows, and no weight that our fonts lack: then a PNG would have other letters.
func TestLettersStayInside(t *testing.T) {
	race.OneGoroutine(t)
	for _, size := range [][2]int{{1200, 0}, {400, 0}, {330, 330}} {
		for name, make := range manyPictures(t, size[0], size[1]) {
			var out bytes.Buffer
			if err := into(&out, SVG)(make()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			light := strings.Replace(out.String(), picture.Dark, "", 1) // as programs see it that know no style sheets
			if light == out.String() {
				t.Errorf("%s is never dark", name)
			}
			for _, word := range []string{"var(", "<style", "class=", "url(", "<script", "foreignObject", "calc("} {
				if strings.Contains(light, word) {
					t.Errorf("%s has %q", name, word)
				}
			}
			texts, width, height := svgTexts(t, out.Bytes())
			if len(texts) < 4 {
				t.Errorf("%s: %d texts", name, len(texts))
			}
			for _, x := range texts {
				if x.weight != "normal" && x.weight != "bold" {
					t.Errorf("%s: %q has the weight %s", name, x.text, x.weight)
				}
				wide := picture.Lettering{Size: x.size, Bold: x.weight == "bold"}.Width(x.text)
				if x.x < -0.5 || x.x+wide > width+0.5 || x.y-0.8*x.size < -0.5 || x.y > height+0.5 {
					t.Errorf("%s, %d × %d: %q at %.1f, %.1f, %.1f long, leaves the page of %v × %v", name, size[0], size[1], x.text, x.x, x.y, wide, width, height)
				}
			}
		}
	}
}

// TestCurvesStayInside: no point of a curve lies above the end of its axis.
func TestCurvesStayInside(t *testing.T) {
	sol, in := crowd(t, 3_000, 30)
	in = withPower(t, in)
	for _, quantity := range Quantities() {
		if quantity == "slowdown_without_deadline" { // every job has a deadline
			continue
		}
		for _, view := range Views()[:3] {
			if view.byPeriod() && !quantity.ofJobs() {
				continue
			}
			c, err := newCurves(in, []*model.Solution{sol}, CurveOptions{Quantity: quantity, View: view})
			if err != nil {
				t.Fatal(err)
			}
			s := c.list[0]
			axis := c.chart(600, 400).Panels[0].Y(5)
			most := 0.0
			switch {
			case view == Cumulative:
				most = 100
			case view == Quantiles:
				for _, p := range c.periods[0] {
					most = max(most, p.mean, p.quantiles[4])
				}
			case quantity == Power:
				for _, p := range s.highest(c.from, c.to, (600-120)/3) {
					most = max(most, p.Y)
				}
			default:
				for _, p := range s.overTime(c.from, c.to, (600-120)/3) {
					most = max(most, p.Y)
				}
			}
			if got := axis.To; !(most > 0) || got < 1.02*most {
				t.Errorf("%s as %s: the axis ends at %v, the curve at %v", quantity, view, got, most)
			}
		}
	}
}

// TestAnyRendererShowsTheSame compares our PNG with what rsvg-convert makes of the SVG, where that program is at hand.
func TestAnyRendererShowsTheSame(t *testing.T) {
	race.OneGoroutine(t)
	program, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Skip("rsvg-convert is not at hand: the SVG is not compared with the PNG")
	}
	for name, make := range manyPictures(t, 700, 400) {
		var svg, ours bytes.Buffer
		if err := into(&svg, SVG)(make()); err != nil {
			t.Fatal(err)
		}
		if err := into(&ours, PNG)(make()); err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(&ours)
		if err != nil {
			t.Fatal(err)
		}
		size := want.Bounds().Size()
		command := exec.Command(program, "--width", fmt.Sprint(size.X), "--height", fmt.Sprint(size.Y))
		command.Stdin = &svg
		theirs, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := png.Decode(bytes.NewReader(theirs))
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want); d > 0.02 {
			t.Errorf("%s: the pictures differ by %.1f %%", name, 100*d)
		}
	}
}

// difference is the mean difference of two images of one size, as a share of that of black and white. Letters are compared by blocks of pixels, as renderers
// smooth their edges differently.
func difference(a, b image.Image) float64 {
	const block = 4
	sum, n := 0.0, 0
	size := b.Bounds().Size()
	for y := 0; y+block <= size.Y; y += block {
		for x := 0; x+block <= size.X; x += block {
			var difference [3]float64
			for k := range block * block {
				r0, g0, b0, _ := a.At(x+k%block, y+k/block).RGBA()
				r1, g1, b1, _ := b.At(x+k%block, y+k/block).RGBA()
				for c, d := range [3]float64{float64(r0) - float64(r1), float64(g0) - float64(g1), float64(b0) - float64(b1)} {
					difference[c] += d / 0xffff / (block * block)
				}
			}
			for _, d := range difference {
				sum += max(d, -d) / 3
			}
			n++
		}
	}
	return sum / float64(n)
}
