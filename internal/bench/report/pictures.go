package report

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"

	"github.com/allot-opt/allot/draw"
)

// Picture is a figure of a report that can be written to its own file.
type Picture struct {
	Name  string // of the file, without its ending: letters, digits, dots and hyphens
	write func(w io.Writer, format Format) error
}

// Write writes the picture. The same rows give the same bytes.
func (p *Picture) Write(w io.Writer, format Format) error { return p.write(w, format) }

// Pictures are the figures of the report of runs, in the order of the page: of all groups together, of each group, and the best-known schedules.
func Pictures(runs []Run, opt Options) ([]Picture, error) {
	s, known, err := newStudyOf(runs)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	p := new(page)
	p.addGroups(s, room{plotted: 1 << 40, pairs: 1}) // files have room for all of them
	var list []Picture
	add := func(name, title string, write func(io.Writer, Format) error) {
		name = fileName(name + " " + title)
		for n, plain := 2, name; slices.ContainsFunc(list, func(p Picture) bool { return p.Name == name }); n++ {
			name = plain + "-" + strconv.Itoa(n)
		}
		list = append(list, Picture{name, write})
	}
	for _, c := range slices.Concat(p.Overall, p.Groups) {
		if d := c.Diagram; d != nil {
			add(c.Name, d.Title, d.write)
		}
		for _, q := range c.Plots {
			add(c.Name, q.Title, q.write)
		}
	}
	for _, c := range s.charted(known, opt.Charts) {
		add("schedule", c.name, func(w io.Writer, format Format) error { return writeChart(w, format, c.name, c.known) })
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

// Sizes in a picture that is a file.
const (
	pictureMargin = 12.0
	titleHeight   = 22.0
	entryHeight   = 17.0
	swatchWidth   = 34.0
)

// write writes the plot with its title and legend.
func (p *plot) write(w io.Writer, format Format) error {
	type entry struct {
		drawn
		x, y float64
	}
	var entries []entry
	x, y := 0.0, p.Height+entryHeight-2
	for _, d := range p.Legend {
		width := swatchWidth + widthOf(d.Name, 10) + 14
		if x > 0 && x+width > p.Width {
			x, y = 0, y+entryHeight
		}
		entries = append(entries, entry{d, x, y})
		x += width
	}
	if len(entries) == 0 {
		y = p.Height
	}
	return picture(w, format, p.Title, p.Width+2*pictureMargin, titleHeight+y+2*pictureMargin, func(k *ink) {
		k = k.shifted(pictureMargin, pictureMargin)
		k.text(0, 11, 0, p.Title, 12, true, darkInk)
		k = k.shifted(0, titleHeight)
		p.paint(k)
		for _, e := range entries {
			at := k.shifted(e.x, e.y-10)
			at.curve(drawn{Style: e.Style, Path: "M0 6H28", Markers: e.Swatch})
			k.text(e.x+swatchWidth, e.y, 0, e.Name, 10, false, darkInk)
		}
	})
}

// paint draws the axes and curves.
func (p *plot) paint(k *ink) {
	for _, t := range p.XTicks {
		k.line(fmt.Sprintf("M%v %vV%v", t.At, p.Top, p.Bottom), gridInk(t), 0.75, nil)
	}
	for _, t := range p.YTicks {
		k.line(fmt.Sprintf("M%v %vH%v", p.Left, t.At, p.Right), gridInk(t), 0.75, nil)
	}
	k.line(fmt.Sprintf("M%v %vV%vH%v", p.Left, p.Top, p.Bottom, p.Right), quietInk, 1, nil)
	for _, t := range p.XTicks {
		share := 0.5
		if t.IsLast {
			share = 1
		}
		k.text(t.At, p.XLabel(), share, t.Label, 10.5, false, quietInk)
	}
	for _, t := range p.YTicks {
		k.text(p.YLabel(), t.At+3.6, 1, t.Label, 10.5, false, quietInk)
	}
	k.text(p.Right, p.XCaptionAt(), 1, p.XCaption, 10.5, false, darkInk)
	k.text(0, 12, 0, p.YCaption, 10.5, false, darkInk)
	for _, c := range p.Curves {
		k.curve(c)
	}
}

// gridInk is the colour of a tick's line.
func gridInk(t mark) color.Color {
	if t.Label == "" {
		return hairInk
	}
	return ruleInk
}

// curve draws a curve with its markers.
func (k *ink) curve(d drawn) {
	switch d.Style {
	case "faint":
		k.line(d.Path, faintInk, 0.8, nil)
	case "ref":
		k.line(d.Path, darkInk, 1.6, []vg.Length{1.2, 3})
	default:
		style, err := strconv.Atoi(strings.TrimPrefix(d.Style, "s"))
		if err != nil || style < 0 || style >= styles {
			return
		}
		k.line(d.Path, inks[style], 1.6, dashes[style])
		k.mark(d.Markers, inks[style])
	}
}

// write writes the diagram with its title and note.
func (d *diagram) write(w io.Writer, format Format) error {
	return picture(w, format, d.Title, d.Width+2*pictureMargin, titleHeight+d.Height+2*pictureMargin, func(k *ink) {
		k = k.shifted(pictureMargin, pictureMargin)
		k.text(0, 11, 0, d.Title, 12, true, darkInk)
		k = k.shifted(0, titleHeight)
		k.line(fmt.Sprintf("M%v %vH%v", d.Left, d.Axis, d.Right), quietInk, 1, nil)
		for _, t := range d.Ticks {
			length := 4
			if t.Label != "" {
				length = 6
			}
			k.line(fmt.Sprintf("M%v %vv-%d", t.At, d.Axis, length), quietInk, 1, nil)
			k.text(t.At, d.TickLabel(), 0.5, t.Label, 10.5, false, quietInk)
		}
		if d.Critical != "" {
			k.line(fmt.Sprintf("M%v 10v8m0-4H%vm0-4v8", d.CriticalFrom, d.CriticalTo), darkInk, 1, nil)
			k.text(d.CriticalText(), 18, 0, d.Critical, 10.5, false, darkInk)
		}
		for _, l := range d.Labels {
			k.line(l.Path, quietInk, 0.8, nil)
			parts := []string{l.Name + " ", l.Rank}
			if l.IsRight {
				parts = []string{l.Rank + " ", l.Name}
			}
			x := l.TextX()
			if !l.IsRight {
				x -= widthOf(parts[0]+parts[1], 10.5)
			}
			x += k.text(x, l.Y+3.6, 0, parts[0], 10.5, false, darkInk)
			k.text(x, l.Y+3.6, 0, parts[1], 10.5, false, darkInk)
		}
		for _, b := range d.Bars {
			width := 3.6
			if b.Dots != nil {
				width = 1.4
			}
			k.line(fmt.Sprintf("M%v %vH%v", b.From, b.Y, b.To), inks[1], width, nil)
			for _, x := range b.Dots {
				k.fill(fmt.Sprintf("M%v %va3 3 0 1 0 6 0a3 3 0 1 0-6 0z", x-3, b.Y), inks[1])
			}
		}
	})
}

// chartWidth is the width of a Gantt chart, in pixels.
const chartWidth = 1080

// writeChart writes a Gantt chart. In a PDF it is an image.
func writeChart(w io.Writer, format Format, name string, k *Known) error {
	drawn, err := draw.Gantt(k.Solution, draw.GanttOptions{Instance: k.Instance, Width: chartWidth, Title: name})
	if err != nil {
		return err
	}
	if format != PDF {
		return drawn.Write(w, draw.Format(format))
	}
	var b bytes.Buffer
	if err := drawn.Write(&b, draw.PNG); err != nil {
		return err
	}
	size, err := png.DecodeConfig(bytes.NewReader(b.Bytes()))
	if err != nil {
		return err
	}
	const pointsPerPixel = 0.75
	width, height := pointsPerPixel*float64(size.Width), pointsPerPixel*float64(size.Height)
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}}) // package vgpdf turns images upside down
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	options := fpdf.ImageOptions{ImageType: "png"}
	doc.RegisterImageOptionsReader("chart", options, &b)
	doc.ImageOptions("chart", 0, 0, width, height, false, options, 0, "")
	return doc.Output(w)
}
