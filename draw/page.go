package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// captionDrop is how far below the plot the caption of its axis stands.
const captionDrop = 36.0

// page is the part that all pictures share: a sheet with a text above a plot, and an axis of time below the plot.
type page struct {
	*sheet
	summary summary
	facts   []string // the summary in lines that fit
	axis    Axis
	plot    rect
}

// newPage makes a page of the given width that begins with the summary.
func newPage(s summary, fonts *fonts, width float64) page {
	return page{sheet: &sheet{width: width, fonts: fonts}, summary: s, facts: s.lines(func(line string) bool {
		return fonts.width(lettering{size: factSize}, printable(line)) <= width-2*margin
	})}
}

// size is the size of the page in the unit of package vg.
func (p *page) size() (width, height vg.Length) {
	return vg.Length(p.width * pointsPerPixel), vg.Length(p.height * pointsPerPixel)
}

// heading is the title as it is drawn.
func (p *page) heading() string { return printable(p.summary.title) }

// finish implements drawing.
func (p *page) finish() finish {
	return finish{title: p.heading(), hasTitle: true, dots: 1, evenFigures: true}
}

// headerHeight is the room above the plot.
func (p *page) headerHeight() float64 {
	return math.Round(margin + titleSize + 4 + float64(len(p.facts))*(factSize+5) + 14)
}

// drawHeader writes the title and the summary and returns the line that it ends at.
func (p *page) drawHeader() float64 {
	title := lettering{size: titleSize, bold: true, ink: ink}
	y := margin + titleSize*0.8
	p.text(margin, y, title, shorten(p.heading(), func(text string) bool {
		return p.fonts.width(title, text) <= p.width-2*margin
	}))
	y += 4
	for _, line := range p.facts {
		y += factSize + 5
		p.text(margin, y, lettering{size: factSize, ink: quietInk}, printable(line))
	}
	return y
}

// drawTimes draws the lines of the axis' ticks over strips of the plot, or over all of it where there are none, and the
// labels and the caption below it.
func (p *page) drawTimes(strips []strip) {
	var lines, lesser vg.Path
	y := p.plot.y1
	label := lettering{size: smallSize, ink: quietInk, align: 0.5}
	for _, t := range p.axis.Ticks {
		x := math.Round(p.plot.x0+t.At*p.plot.width()) - 0.5
		if t.Label == "" {
			p.segment(&lesser, x, p.plot.y0, x, y)
			continue
		}
		if len(strips) == 0 {
			p.segment(&lines, x, p.plot.y0, x, y)
		}
		for _, s := range strips {
			p.segment(&lines, x, s.top, x, s.top+s.height)
		}
		p.segment(&lines, x, y, x, y+5)
		half := p.fonts.width(label, t.Label) / 2
		p.text(min(max(x, half+2), p.width-half-2), y+17, label, t.Label)
	}
	p.stroke(lesser, 1, lesserLine)
	p.stroke(lines, 1, gridLine)
	var base vg.Path
	p.segment(&base, p.plot.x0, y+0.5, p.plot.x1, y+0.5)
	p.stroke(base, 1, quietInk)
	p.text(p.plot.x0, y+captionDrop, lettering{size: smallSize + 1, ink: ink}, printable(p.axis.Caption))
}
