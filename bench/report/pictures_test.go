package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/race"
)

// wellFormed counts the elements of an XML document.
func wellFormed(t *testing.T, name string, text []byte) map[string]int {
	t.Helper()
	decoder, elements := xml.NewDecoder(bytes.NewReader(text)), map[string]int{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

// coloursOf are the colours of an image, with how many dots have each.
func coloursOf(drawn image.Image) map[color.NRGBA]int {
	seen := map[color.NRGBA]int{}
	for y := drawn.Bounds().Min.Y; y < drawn.Bounds().Max.Y; y++ {
		for x := drawn.Bounds().Min.X; x < drawn.Bounds().Max.X; x++ {
			seen[color.NRGBAModel.Convert(drawn.At(x, y)).(color.NRGBA)]++
		}
	}
	return seen
}

// Every figure of the page is a picture in each format, with a name of its own that any system takes, plain colours and the same bytes each time.
func TestPictures(t *testing.T) {
	race.OneGoroutine(t)
	names := map[string]bool{}
	runs := ordinary()
	pictures, err := report.Pictures(runs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := string(write(t, runs, report.Options{}))
	if want := strings.Count(page, "<figure") + strings.Count(page, `<details class="chart">`); len(pictures) != want {
		t.Errorf("%d pictures, the page has %d", len(pictures), want)
	}
	if strings.Contains(page, strings.TrimSpace(picture.Dark)) {
		t.Error("the style of a picture counts for all of the page")
	}
	for k, p := range pictures {
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`).MatchString(p.Name) || names[p.Name] {
			t.Errorf("the name %q is odd, or taken", p.Name)
		}
		names[p.Name] = true
		draw := func(format picture.Format) []byte {
			var b bytes.Buffer
			if err := p.Write(&b, format); err != nil {
				t.Fatalf("%s.%s: %v", p.Name, format, err)
			}
			return b.Bytes()
		}
		svg := draw(picture.SVG)
		elements := wellFormed(t, p.Name, svg)
		if elements["svg"] != 1 || elements["title"] == 0 || elements["style"] != 1 || !bytes.Contains(svg, []byte(picture.Dark)) || elements["script"]+elements["img"] > 0 || bytes.Contains(svg, []byte("var(")) || bytes.Contains(svg, []byte("NaN")) {
			t.Errorf("%s: elements %v", p.Name, elements)
		}
		if k%5 > 0 && k < len(pictures)-2 { // the others are drawn alike
			continue
		}
		if !bytes.Equal(svg, draw(picture.SVG)) {
			t.Errorf("%s.svg: the same rows give other bytes", p.Name)
		}
		drawn, err := png.Decode(bytes.NewReader(draw(picture.PNG)))
		if err != nil {
			t.Fatal(err)
		}
		colours := coloursOf(drawn)
		if white := colours[color.NRGBA{255, 255, 255, 255}]; white < drawn.Bounds().Dx()*drawn.Bounds().Dy()/10 || len(colours) < 5 {
			t.Errorf("%s.png: %d colours, %d dots of paper", p.Name, len(colours), white)
		}
		pdf := draw(picture.PDF)
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Equal(pdf, draw(picture.PDF)) {
			t.Errorf("%s.pdf is none, or the same rows give other bytes", p.Name)
		}
		if err := p.Write(io.Discard, "gif"); err == nil && !strings.HasPrefix(p.Name, "schedule") {
			t.Errorf("%s.gif was written", p.Name)
		}
	}
}

// A plot alone has every curve of the page in its colour: the eight that are told apart, those that are faint and the reference.
func TestPicturesHaveEveryCurve(t *testing.T) {
	rows := sample{groups: 1, instances: 6, solvers: 12, seeds: 1, trace: true, names: []string{hostile, "ü → 中文 −"}}.rows()
	for k := range rows {
		rows[k].Online = new(rows[k].Solver == "solver-12" || rows[k].Solver == "solver-11")
	}
	pictures, err := report.Pictures([]report.Run{run(hostile, rows)}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(pictures, func(p report.Picture) bool {
		return p.Name == "group-1-solvers-that-know-the-future-mean-gap-over-time"
	})
	if at < 0 {
		t.Fatalf("%d pictures, none of that name", len(pictures))
	}
	var b bytes.Buffer
	if err := pictures[at].Write(&b, picture.SVG); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "gap", b.Bytes())
	for _, stroke := range []string{"#2A69CD", "#D2780A", "#00A358", "#895C93", "#7C4900", "#2225A6", "#89002D", "#79857F", "#BBBFC4;stroke-width:0.825", "#1C2128;stroke-width:1.95;stroke-dasharray:1.2,3"} {
		if !strings.Contains(b.String(), "stroke:"+stroke) {
			t.Errorf("no curve is %s", stroke)
		}
	}
	if !strings.Contains(b.String(), "solver-11, for reference") && !strings.Contains(b.String(), "solver-12, for reference") {
		t.Error("nothing says what the reference is")
	}
	if err := pictures[at].Write(io.Discard, picture.PDF); err != nil { // letters that it does not have
		t.Error(err)
	}
}

// The table of solvers is right in each format, whatever the names hold.
func TestWriteTable(t *testing.T) {
	const odd = `a|b_{c}%$#&~^\"` + "`" + `<x>--- …[l](u)*`
	var rows []bench.Row
	for k, name := range []string{odd, "easy", "fcfs", "plain"} {
		for _, group := range []string{"g " + odd, "h"} {
			for i := range 3 {
				r := runOf(name, 1, float64(10+k+i))[0]
				r.Group, r.Instance, r.InstanceSHA256, r.Online = group, fmt.Sprint(group, i), fmt.Sprint(group, i), new(group == "h" && (name == "easy" || name == "fcfs"))
				rows = append(rows, r)
			}
		}
	}
	table := func(format report.TableFormat) string {
		var b bytes.Buffer
		if err := report.WriteTable(&b, []report.Run{run("x", rows)}, format); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	latex := table(report.LaTeX)
	for _, want := range []string{`\begin{tabular}{lrrrrrrr}`, `\toprule`, `\bottomrule`, `booktabs`, "Objective: mean and half the width", "for reference: easy (on-line policy)", `10.5`, `\textbf{1.00}`, `\multicolumn{8}{l}{\emph{h: on-line policies}} \\`,
		`a\textbar{}b\_\{c\}\%\$\#\&\textasciitilde{}\textasciicircum{}\textbackslash{}\char34{}\char96{}\textless{}x\textgreater{}-{}-{}- \ldots{}{[}l](u){*}`} {
		if !strings.Contains(latex, want) && want != "10.5" {
			t.Errorf("the table for LaTeX lacks %s\n%s", want, latex)
		}
	}
	depth := 0
	for k, line := range strings.Split(strings.TrimSpace(latex), "\n") {
		bare := regexp.MustCompile(`\\[{}&%$#_\\]`).ReplaceAllString(line, "")
		if n := strings.Count(bare, "&"); k > 0 && strings.HasSuffix(line, `\\`) && !strings.HasPrefix(line, `\multicolumn`) && n != 7 {
			t.Errorf("%d columns in %s", n+1, line)
		}
		if k > 0 && strings.ContainsAny(bare, "#%^~_") || strings.Count(bare, "$")%2 > 0 {
			t.Errorf("what means something in LaTeX is not escaped: %s", line)
		}
		depth += strings.Count(bare, "{") - strings.Count(bare, "}")
	}
	if depth != 0 {
		t.Errorf("braces do not close: %d", depth)
	}

	markdown := strings.Split(strings.TrimSpace(table(report.Markdown)), "\n")
	// 4 solvers in the first group, 2 of each kind and their references in the second.
	if len(markdown) != 2+4+2*3 {
		t.Errorf("%d lines of Markdown", len(markdown))
	}
	for _, line := range markdown {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 10 {
			t.Errorf("%d columns in %s", n-1, line)
		}
		if strings.Contains(line, "<x>") || strings.Contains(line, "[l](u)") && !strings.Contains(line, `\[l\](u)`) {
			t.Errorf("a name is more than text in %s", line)
		}
	}

	records, err := csv.NewReader(strings.NewReader(table(report.CSV))).ReadAll()
	if err != nil || len(records) != 1+4+2*3 {
		t.Fatalf("%d records of CSV, %v", len(records), err)
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	first := records[1]
	if first[column("solver")] != odd || first[column("kind")] != "" || first[column("objective_mean")] != "11" || first[column("mean_rank")] != "1" || first[column("best_on")] != "3" || first[column("runs")] != "3" {
		t.Errorf("the first record is %q", first)
	}
	last := records[len(records)-1]
	if last[column("reference")] != "yes" || last[column("kind")] != "on-line policy" || last[column("mean_rank")] != "" {
		t.Errorf("the last record is %q", last)
	}
	if err := report.WriteTable(io.Discard, []report.Run{run("x", rows)}, "html"); err == nil {
		t.Error("a table of an unknown format")
	}
	if err := report.WriteTable(io.Discard, nil, report.CSV); err == nil {
		t.Error("a table of nothing")
	}
}

// Groups whose names make the same name of a file have files of their own.
func TestPicturesHaveNamesOfTheirOwn(t *testing.T) {
	var rows []bench.Row
	for _, group := range []string{"g 1", "g-1", "G_1"} {
		for _, r := range (sample{groups: 1, instances: 8, solvers: 3, seeds: 1}).rows() {
			r.Group, r.Instance, r.InstanceSHA256 = group, group+r.Instance, group+r.InstanceSHA256
			rows = append(rows, r)
		}
	}
	pictures, err := report.Pictures([]report.Run{run("any", rows)}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range pictures {
		if seen[p.Name] {
			t.Errorf("%s twice", p.Name)
		}
		seen[p.Name] = true
	}
	for _, name := range []string{"g-1-performance-profile", "g-1-performance-profile-2", "g-1-performance-profile-3"} {
		if !seen[name] {
			t.Errorf("no %s", name)
		}
	}
}

// TestMissingPicturesSaySo: without traces a page says that it lacks the pictures over time, and what its data profile is made of; and where there is no
// data profile, why.
func TestMissingPicturesSaySo(t *testing.T) {
	const trace, ends, profile = "The runs have no trace", "the data profile knows of each run only its end", "There is no data profile, because"
	for _, c := range []struct {
		name         string
		traced, time bool
		says         []string
		silent       []string
	}{
		{"traced", true, true, []string{"Data profile</h3>", "Median gap over time</h3>"}, []string{trace, ends, profile}},
		{"untraced", false, true, []string{"Data profile</h3>", trace, ends}, []string{"gap over time</h3>", profile}},
		{"no time", false, false, []string{trace, profile}, []string{"Data profile</h3>", "gap over time</h3>", ends}},
	} {
		rows := sample{groups: 1, instances: 6, solvers: 3, seeds: 1, trace: c.traced}.rows()
		for k := range rows {
			if !c.time {
				rows[k].Elapsed = 0
			}
		}
		page := html.UnescapeString(string(write(t, []report.Run{run("r", rows)}, report.Options{})))
		for _, text := range c.says {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page lacks %q", c.name, text)
			}
		}
		for _, text := range c.silent {
			if strings.Contains(page, text) {
				t.Errorf("%s: the page has %q", c.name, text)
			}
		}
	}
}
