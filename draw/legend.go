package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/allot-opt/allot/model"
)

// legendEntry is one entry of the legend above panels: a line or an area, and what it means.
type legendEntry struct {
	name string
	line vgdraw.LineStyle
	fill color.Color // of an area; nil: a line
}

// drawLegend draws the legend in rows, and returns what is left of the canvas. A name wider than a row is cut. The legend leaves
// most of the room to the panels: entries that have no room are left out.
func (w *panels) drawLegend(c vgdraw.Canvas) vgdraw.Canvas {
	letters := w.plots[0].Legend.TextStyle
	letters.XAlign, letters.YAlign = vgdraw.XLeft, vgdraw.YCenter
	const sample, gap, row = 24, 14, 15 // points
	left := c.Min.X + vg.Points(4)
	const panel = 60 // points that a panel needs
	least := max(c.Max.Y-(c.Max.Y-c.Min.Y)/3, c.Min.Y+vg.Points(panel)*vg.Length(len(w.plots)))
	x, y := left, c.Max.Y-vg.Points(row)/2
	if y < least {
		return c
	}
	for _, e := range w.legend {
		name := shorten(e.name, func(text string) bool { return vg.Points(sample+4)+letters.Width(text) <= c.Max.X-left })
		wide := vg.Points(sample+4) + letters.Width(name)
		if x+wide > c.Max.X && x > left {
			x, y = left, y-vg.Points(row)
		}
		if y < least {
			y += vg.Points(row)
			break
		}
		if e.fill != nil {
			c.SetColor(e.fill)
			c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - vg.Points(4)}, Max: vg.Point{X: x + vg.Points(sample), Y: y + vg.Points(4)}}.Path())
		} else {
			c.StrokeLine2(e.line, x, y, x+vg.Points(sample), y)
		}
		c.FillText(letters, vg.Point{X: x + vg.Points(sample+4), Y: y}, name)
		x += wide + vg.Points(gap)
	}
	c.Max.Y = y - vg.Points(row)
	return c
}

// curvesTitle makes the title of the picture.
func curvesTitle(c *curves) string {
	opt := &c.opt
	what := opt.Quantity.title()
	switch {
	case opt.Title != "":
		return panelName(opt.Title)
	case opt.View == Difference:
		what += " minus that under " + opt.against + ", " + periodName(c.each, timeUnit(c.in)) + "; above 0: more"
	case opt.View == Quantiles:
		what += " of the jobs, " + periodName(c.each, timeUnit(c.in))
	case opt.View == Cumulative:
		what += ", cumulative distribution"
	case opt.Quantity.ofJobs():
		what += " of the jobs by time of arrival"
	}
	return what + titleEnd(c.in)
}

// titleEnd is the end of a title, which names the instance.
func titleEnd(in *model.Instance) string {
	if in.Name() == "" {
		return ""
	}
	return " · " + panelName(in.Name())
}
