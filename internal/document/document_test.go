package document_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/picture"
)

// hostile is a text that becomes part of a page that does not escape it.
const hostile = `</script></title><img src=x onerror=alert(1)>"'&{{.}}`

var pagesTo = flag.String("pages", "", "folder to save the sample pages in: tools/browser looks at them")

// With -pages the sample pages are saved.
func TestPages(t *testing.T) {
	for name, words := range map[string]string{"account": "plain words", "hostile-account": hostile} {
		var page bytes.Buffer
		d := documentOf(words)
		d.Parts[1].Figures[0].X, d.Parts[1].Figures[0].Y = "short", "short" // a long name of an axis does not fit
		if err := d.HTML(&page); err != nil {
			t.Fatal(err)
		}
		if *pagesTo == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// documentOf is a document whose every text is the given one.
func documentOf(text string) *document.Document {
	line := func(values ...float64) document.Line {
		l := document.Line{Name: text}
		for k, v := range values {
			l.Points = append(l.Points, document.Estimate{X: float64(10 * (k + 1)), Value: v, Low: v - 1, High: v + 2})
		}
		return l
	}
	one := line(4)
	one.Points[0] = document.At(10, 4)
	return &document.Document{
		Kicker: text, Title: text, Doc: text, Short: text, By: text, Facts: []document.Fact{{Name: text, Value: text}}, Method: []string{text},
		Parts: []document.Part{
			{Name: text, Text: text, Tables: []*document.Table{{Caption: text, Columns: []document.Column{{Name: text, IsText: true, Help: text}, {Name: "n"}},
				Rows: [][]document.Cell{{{Text: text}, {Text: "three", Value: new(3.0), IsGood: true}}, {{Text: "b"}, {Text: "–", IsBad: true}}}}}},
			{Name: text, Folded: true, Figures: []document.Figure{
				{Title: text, Note: text, X: text, Y: text, Lines: []document.Line{line(3, 5, 4), line(8, 2, 1.5)}},
				{Title: "one point", X: "x", Y: "y", Lines: []document.Line{one}},
				{Title: "logarithmic", X: "x", Y: "y", Lines: []document.Line{line(2, 500), line(30, 4000)}},
				{Title: "none", X: "x", Y: "y"},
			}},
		},
	}
}

// A document shows every text and number; what texts hold stays text.
func TestDocument(t *testing.T) {
	var page, again, bad bytes.Buffer
	if err := errors.Join(documentOf("plain words").HTML(&page), documentOf("plain words").HTML(&again), documentOf(hostile).HTML(&bad)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page.Bytes(), again.Bytes()) {
		t.Error("the same document gives two pages")
	}
	for _, want := range []string{"<h1>plain words</h1>", `data-v="3"`, "<b>three</b>", "<em>–</em>", "4 figures", "y (logarithmic)", "one point", `class="curve s1"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := bad.String(); strings.Contains(found, "<img") || strings.Count(found, "<script>") != 1 {
		t.Error("a text became part of the page")
	}
	for _, number := range []string{"NaN", "Inf"} {
		if body, _, _ := strings.Cut(page.String(), "<script>"); strings.Contains(body, number) {
			t.Errorf("the page has a %s", number)
		}
	}
}

// A figure alone is well-formed XML with a mark for each estimate, a bar for each interval and a legend, whatever its texts hold.
func TestFigure(t *testing.T) {
	for _, f := range append(documentOf(hostile).Parts[1].Figures, documentOf("plain").Parts[1].Figures...) {
		var text bytes.Buffer
		if err := f.Write(&text, picture.SVG); err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(bytes.NewReader(text.Bytes()))
		elements := map[string]int{}
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", f.Title, err, text.String())
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		if elements["svg"] != 1 || elements["img"]+elements["script"] > 0 {
			t.Errorf("%s: elements %v", f.Title, elements)
		}
		// Two lines of three estimates: each estimate has a marker, an upright stroke for its interval and a stroke at either end.
		strokes := 0
		for _, path := range regexp.MustCompile(`<path d="([^"]*)" style="fill:none;stroke:#(2A69CD|D2780A);[^"]*"`).FindAllStringSubmatch(text.String(), -1) {
			strokes += strings.Count(path[1], "M")
		}
		if want := 2 * (1 + 3*3 + 1); f.Title == "plain" && strokes != want { // with the line, and the one in the legend
			t.Errorf("%d strokes of the lines' colours, expected %d", strokes, want)
		}
		if markers, want := len(regexp.MustCompile(`style="fill:#(2A69CD|D2780A)"`).FindAllString(text.String(), -1)), 2*(3+1); f.Title == "plain" && markers != want { // one is in the legend
			t.Errorf("%d markers, expected %d", markers, want)
		}
		if light := strings.Replace(text.String(), picture.Dark, "", 1); strings.Contains(light, "var(") || strings.Contains(light, "<style") {
			t.Error("not every program knows style sheets")
		}
	}
}

// A caption that is too long for the picture loses what is in brackets, then its last words. It is never cut off by the edge.
func TestWriteFigureFitsItsCaption(t *testing.T) {
	lines := []document.Line{{Name: "a", Points: []document.Estimate{{X: 1, Value: 1, Low: 1, High: 1}, {X: 2, Value: 2, Low: 2, High: 2}}}}
	const short = "workflows over their deadline or budget, of the 1,000 measured"
	for _, c := range []struct{ y, want string }{
		{short + " (in quick mode of 50)", short},
		{"unfinished jobs (eq. 2)", "unfinished jobs (eq. 2)"},
		{strings.Repeat("word ", 60), "word word word word word …"},
	} {
		var b bytes.Buffer
		if err := (&document.Figure{Title: "t", X: "x", Y: c.y, Lines: lines}).Write(&b, picture.SVG); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want+"</text>") {
			t.Errorf("%q is not shown as %q:\n%s", c.y, c.want, b.String())
		}
	}
}

// Estimates over a single place stand beside each other in the middle of the picture, not on each other at its edge.
func TestWriteFigureOfOnePlace(t *testing.T) {
	f := &document.Figure{Title: "t", X: "x", Y: "y"}
	for _, name := range []string{"a", "b", "c"} {
		f.Lines = append(f.Lines, document.Line{Name: name, Points: []document.Estimate{{X: 5, Value: 3, Low: 2, High: 4}}})
	}
	var b bytes.Buffer
	if err := f.Write(&b, picture.SVG); err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{} // of the upright bars of the intervals
	for _, bar := range regexp.MustCompile(`M([0-9.]+),[0-9.]+L([0-9.]+),[0-9.]+`).FindAllStringSubmatch(b.String(), -1) {
		if bar[1] == bar[2] {
			places[bar[1]] = true
		}
	}
	for _, want := range []string{"162.38", "199.88", "237.38"} { // 50 pixels apart around the middle of the plot
		if !places[want] {
			t.Errorf("no interval at %s: %v", want, places)
		}
	}
	if !strings.Contains(b.String(), ">5</text>") {
		t.Error("nothing says what the place is")
	}
}
