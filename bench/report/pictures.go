package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/picture"
)

// Picture is a figure of a report that can be written to its own file.
type Picture struct {
	Name  string // of the file, without its ending: letters, digits, dots and hyphens
	write func(w io.Writer, format picture.Format) error
}

// Write writes the picture. The same rows give the same bytes.
func (p *Picture) Write(w io.Writer, format picture.Format) error { return p.write(w, format) }

// Pictures are the figures of the report of runs, in the order of the page: of all groups together, of each group, and the best-known schedules.
func Pictures(runs []Run, opt Options) ([]Picture, error) {
	s, known, err := newStudyOf(runs)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := s.checkAgainst(opt.Against); err != nil {
		return nil, err
	}
	p := new(page)
	p.addGroups(s, room{plotted: 1 << 40, pairs: 1, against: preferred(runs, opt.Against)}) // files have room for all of them
	var list []Picture
	add := func(name, title string, write func(io.Writer, picture.Format) error) {
		name = fileName(name + " " + title)
		for n, plain := 2, name; slices.ContainsFunc(list, func(p Picture) bool { return p.Name == name }); n++ {
			name = plain + "-" + strconv.Itoa(n)
		}
		list = append(list, Picture{name, write})
	}
	for _, c := range slices.Concat(p.Overall, p.Groups) {
		if d := c.Diagram; d != nil {
			add(c.Name, d.Title, d.drawing(true).Write)
		}
		if f := c.ratios; f != nil {
			add(c.Name, f.Title, f.Drawing().Write)
		}
		for _, q := range c.Plots {
			add(c.Name, q.Title, q.Chart.Drawing().Write)
		}
	}
	for _, c := range s.charted(known, opt.Charts) {
		add("schedule", c.name, func(w io.Writer, format picture.Format) error { return writeChart(w, format, c.name, c.known) })
	}
	return list, nil
}

// fileName is a text as the name of a file anywhere.
func fileName(text string) string {
	const most = 100
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '.' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
	name := strings.Trim(strings.Join(words, "-"), ".")
	return name[:min(len(name), most)]
}

// chartWidth is the width of a Gantt chart, in pixels.
const chartWidth = 1080

// writeChart writes a Gantt chart.
func writeChart(w io.Writer, format picture.Format, name string, k *Known) error {
	drawn, err := draw.Gantt(k.Solution, draw.GanttOptions{Instance: k.Instance, Width: chartWidth, Title: name})
	if err != nil {
		return err
	}
	return drawn.Write(w, draw.Format(format))
}
