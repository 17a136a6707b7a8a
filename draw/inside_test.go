package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
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
	before float64 // the share of it that lies before its place
	turned bool    // it runs upwards
}

// box is the place that is left for the text.
func (l *letteringOf) box() picture.Rect {
	wide := picture.Lettering{Size: l.size, Bold: l.weight == "bold"}.Width(l.text)
	high, deep := 0.8*l.size, 0.25*l.size
	if l.turned {
		return picture.Box(l.x-high, l.y-wide*(1-l.before), l.x+deep, l.y+wide*l.before)
	}
	return picture.Box(l.x-wide*l.before, l.y-high, l.x+wide*(1-l.before), l.y+deep)
}

// styled is a style as its parts by name.
func styled(style string) map[string]string {
	parts := map[string]string{}
	for part := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(part, ":")
		parts[name] = value
	}
	return parts
}

// svgTexts reads the texts of an SVG, and the size of the page, in points.
func svgTexts(t testing.TB, svg []byte) (texts []letteringOf, width, height float64) {
	t.Helper()
	var moved [2]float64 // by the last element that moves what it holds
	turned, stack := 0, []bool{}
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
			number := func(text string) float64 {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatalf("%s: %v", e.Name.Local, err)
				}
				return x
			}
			if at, ok := strings.CutPrefix(attributes["transform"], "translate("); ok {
				x, y, _ := strings.Cut(strings.TrimSuffix(at, ")"), ", ")
				moved = [2]float64{number(x), number(y)}
			}
			isTurned := attributes["transform"] == "rotate(90)"
			stack = append(stack, isTurned)
			if isTurned {
				turned++
			}
			if e.Name.Local == "svg" {
				width, height = number(strings.TrimSuffix(attributes["width"], "pt")), number(strings.TrimSuffix(attributes["height"], "pt"))
			}
			if e.Name.Local != "text" {
				continue
			}
			style := styled(attributes["style"])
			one := letteringOf{x: number(attributes["x"]), y: number(attributes["y"]) + height, size: number(strings.TrimSuffix(style["font-size"], "px")), weight: style["font-weight"],
				before: map[string]float64{"middle": 0.5, "end": 1}[style["text-anchor"]], turned: turned > 0}
			if one.turned {
				one.x, one.y = moved[0], height-moved[1]
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

// TestLettersStayInside: no letter of a picture leaves its frame, and no text lies on another, wide or narrow, in the widest of the fonts that people have. The SVG needs nothing that
// only a browser knows, and no weight that our fonts lack: then a PNG would have other letters.
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
			for k := range texts {
				x := &texts[k]
				if x.weight != "normal" && x.weight != "bold" {
					t.Errorf("%s: %q has the weight %s", name, x.text, x.weight)
				}
				a := x.box()
				if a.X0 < -0.5 || a.X1 > width+0.5 || a.Y0 < -0.5 || a.Y1 > height+2 {
					t.Errorf("%s, %d × %d: %q at %.1f leaves the page of %v × %v", name, size[0], size[1], x.text, a, width, height)
				}
				for n := range texts[:k] {
					if b := texts[n].box(); min(a.X1, b.X1)-max(a.X0, b.X0) > 0.5 && min(a.Y1, b.Y1)-max(a.Y0, b.Y0) > 3 {
						t.Errorf("%s, %d × %d: %q and %q overlap, %.1f and %.1f", name, size[0], size[1], texts[n].text, x.text, b, a)
					}
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

// textElements are the texts of an SVG with the tags around them.
var textElements = regexp.MustCompile(`(?s)<text .*?</text>`)

// TestAnyRendererShowsTheSame compares our PNG with what rsvg-convert makes of the SVG, where the reader has one family of fonts alone: the shapes are the same beside the texts, and
// each text stays in the place that is left for it. Letters look different in each font.
func TestAnyRendererShowsTheSame(t *testing.T) {
	race.OneGoroutine(t)
	program := needs.Program(t, "rsvg-convert")
	var only []string
	for _, family := range needs.Fonts {
		only = append(only, needs.OnlyFont(t, family))
	}
	pictures := manyPictures(t, 700, 400)
	for k, name := range slices.Sorted(maps.Keys(pictures)) {
		if k%race.Fewer(1, 8) != 0 {
			continue
		}
		var svg, ours bytes.Buffer
		if err := into(&svg, SVG)(pictures[name]()); err != nil {
			t.Fatal(err)
		}
		if err := into(&ours, PNG)(pictures[name]()); err != nil {
			t.Fatal(err)
		}
		want := decoded(t, ours.Bytes())
		size := want.Bounds().Size()
		rendered := func(svg []byte) *image.NRGBA {
			command := exec.Command(program, "--width", fmt.Sprint(size.X), "--height", fmt.Sprint(size.Y))
			command.Stdin, command.Env = bytes.NewReader(svg), append(os.Environ(), only[k%len(only)])
			theirs, err := command.Output()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return decoded(t, theirs)
		}
		got, bare := rendered(svg.Bytes()), rendered(textElements.ReplaceAll(svg.Bytes(), nil))
		texts, width, _ := svgTexts(t, svg.Bytes())
		for n := range texts {
			for _, img := range []*image.NRGBA{got, bare, want} {
				whiten(img, texts[n].box(), float64(size.X)/width)
			}
		}
		if mean, most := difference(got, bare); most > 0.02 {
			t.Errorf("%s, %s: letters leave their places: %.2f %%, %.0f %% of some", name, needs.Fonts[k%len(only)], 100*mean, 100*most)
		}
		if mean, most := difference(bare, want); mean > 0.003 || most > 0.1 {
			t.Errorf("%s: the shapes differ by %.2f %%, and in some place by %.0f %%", name, 100*mean, 100*most)
		}
	}
}

// decoded is a PNG as an image that can be painted.
func decoded(t *testing.T, file []byte) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	painted := image.NewNRGBA(img.Bounds())
	draw.Draw(painted, painted.Bounds(), img, image.Point{}, draw.Src)
	return painted
}

// whiten paints over a place and two points around it, where the edges of letters are.
func whiten(img *image.NRGBA, place picture.Rect, dots float64) {
	place = place.Inset(-2)
	at := image.Rect(int(place.X0*dots), int(place.Y0*dots), int(place.X1*dots), int(place.Y1*dots))
	draw.Draw(img, at, image.White, image.Point{}, draw.Src)
}

// difference is the mean difference of two images of one size, and that of the block of pixels where they differ most, as shares of that of black and white. Blocks are compared, as
// renderers smooth edges differently.
func difference(a, b image.Image) (mean, most float64) {
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
			of := 0.0
			for _, d := range difference {
				of += max(d, -d) / 3
			}
			sum, most = sum+of, max(most, of)
			n++
		}
	}
	return sum / float64(n), most
}
