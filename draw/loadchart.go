package draw

import (
	"fmt"
	"image/color"
	"math"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
)

// GanttView is how a Gantt chart shows the jobs.
type GanttView string

// The views.
const (
	ShowAuto GanttView = "auto" // the jobs, or the load where most of them would be too small to be seen
	ShowJobs GanttView = "jobs" // a rectangle for each job
	ShowLoad GanttView = "load" // how many processors jobs hold and how many jobs wait, over time
)

// GanttViews lists all views.
func GanttViews() []GanttView { return []GanttView{ShowAuto, ShowJobs, ShowLoad} }

// Sizes of a chart of the load, in pixels.
const (
	columnWidth = 3.0 // of a period at least
	queueGap    = 14.0
)

// isCrowded reports whether the jobs of a chart are too many and too small to be seen: rectangles below a few pixels hold most of the processor time, or
// there are more than the eye can follow.
func (c *chart) isCrowded() bool {
	const few, many, wide, high = 1_000, 8_000, 3, 1.5
	if len(c.blocks) <= few {
		return false
	}
	clear, all, seen := 0.0, 0.0, 0
	for k := range c.blocks {
		r := c.place(&c.blocks[k])
		area := r.Width() * r.Height()
		all += area
		if r.Width() >= wide && r.Height() >= high {
			clear += area
			seen++
		}
	}
	return seen > many || clear < all/2
}

// splitQueue takes the room of the queue off the bottom of the plot and returns where the clusters end.
func (c *chart) splitQueue() float64 {
	if !c.known {
		return c.plot.Y1
	}
	height := math.Round(min(max(0.35*c.plot.Height(), 30), 160))
	c.queue = strip{c.plot.Y1 - height, height}
	return max(c.queue.top-queueGap, c.plot.Y0+1)
}

// period is the length of the periods, for people.
func (c *chart) period() string {
	return timetext.Of(c.load.each, picture.Printable(c.unit), picture.Number)
}

// drawLoad draws the processors held in each cluster and the queue.
func (c *chart) drawLoad() {
	fills := c.scheme.fills
	for k, s := range c.strips {
		c.drawColumns(s, c.load.held[k], 1, fills)
	}
	if c.load.waiting != nil {
		c.drawColumns(c.queue, c.load.waiting, c.queueAxis().To, fills)
	}
}

// queueAxis is the axis of the jobs that wait. It ends above the greatest mean.
func (c *chart) queueAxis() picture.Axis {
	most := mostOf(c.load.waiting)
	if most == 0 {
		most = 1
	}
	return picture.NewAxis("jobs", 0, 1.04*most, "", max(3, int(c.queue.height/24)))
}

// drawColumns draws the classes of a strip on top of each other, as high as the value most. Each is drawn as one area down to the base, the highest first, so
// that no gap shows between them.
func (c *chart) drawColumns(s strip, classes [][]float64, most float64, fills []color.NRGBA) {
	if !(most > 0) {
		return
	}
	base := s.top + s.height
	top := make([]float64, c.load.n) // the sum of this class and those below it
	for _, values := range classes {
		for k, value := range values {
			top[k] += value
		}
	}
	for class := len(classes) - 1; class >= 0; class-- {
		var area picture.Path
		for k := 0; k < c.load.n; {
			if !(top[k] > 0) {
				k++
				continue
			}
			// One outline for the columns up to the next that is empty.
			from, _ := c.load.bounds(k)
			area.Move(c.Point(c.timeAt(from), base))
			for ; k < c.load.n && top[k] > 0; k++ {
				from, to := c.load.bounds(k)
				y := base - s.height*min(top[k]/most, 1)
				area.Line(c.Point(c.timeAt(from), y))
				area.Line(c.Point(c.timeAt(to), y))
			}
			_, to := c.load.bounds(k - 1)
			area.Line(c.Point(c.timeAt(to), base))
			area.Close()
		}
		c.Fill(area, fills[class])
		for k, value := range classes[class] {
			if top[k] -= value; top[k] < 1e-9 {
				top[k] = 0
			}
		}
	}
}

// timeAt is the place of a time, in whole pixels.
func (c *chart) timeAt(t float64) float64 {
	return math.Round(c.plot.X0 + c.axis.At(t)*c.plot.Width())
}

// drawQueueGround draws what lies behind the queue: its name, facts and scale.
func (c *chart) drawQueueGround() {
	s := c.queue
	c.FillRect(picture.Box(c.plot.X0, s.top, c.plot.X1, s.top+s.height), picture.Idle)
	c.drawNotes(s, "waiting", c.queueNotes())
	var lines picture.Path
	label := picture.Lettering{Size: picture.SmallSize - 1, Ink: picture.Quiet, Align: 1}
	axis := c.queueAxis()
	for _, t := range axis.Ticks {
		y := math.Round(s.top + s.height - t.At*s.height)
		c.Segment(&lines, c.plot.X0, y, c.plot.X1, y)
		if y-s.top > 4 && t.Label != "" {
			c.Text(c.plot.X0-6, min(y+3.5, s.top+s.height), label, t.Label)
		}
	}
	c.Stroke(lines, picture.Pen{Width: 1, Ink: picture.Paper})
}

// queueNotes are the facts about the queue.
func (c *chart) queueNotes() []string {
	return []string{"mean " + numtext.Significant(c.load.mean, 3) + " jobs", "at most " + picture.Number(float64(c.load.peak))}
}

// drawShares draws the scale of a cluster's strip.
func (c *chart) drawShares(s strip) {
	label := picture.Lettering{Size: picture.SmallSize - 1, Ink: picture.Quiet, Align: 1}
	if s.height < 2*picture.SmallSize {
		return
	}
	for _, share := range []float64{0.5, 1} {
		y := s.top + s.height*(1-share)
		c.Text(c.plot.X0-6, max(y+3.5, s.top+picture.SmallSize*0.75), label, percent(share))
	}
}

// columnHints yields a hint for each period of each strip, if they are not too many.
func (c *chart) columnHints(yield func(picture.Rect, string) bool) {
	const most = 6_000
	if c.load.n*(len(c.strips)+1) > most {
		return
	}
	strips := c.strips
	if c.load.waiting != nil {
		strips = append(strips[:len(strips):len(strips)], c.queue)
	}
	for k, s := range strips {
		for n := range c.load.n {
			from, to := c.load.bounds(n)
			r := picture.Box(c.timeAt(from), s.top, c.timeAt(to), s.top+s.height)
			if r.Width() > 0 && !yield(r, c.describePeriod(k, n)) {
				return
			}
		}
	}
}

// describePeriod describes a period of a strip in lines of text.
func (c *chart) describePeriod(strip, n int) string {
	from, to := c.load.bounds(n)
	text := fmt.Sprintf("%s – %s\n", c.moment(from), c.moment(to))
	classes, write := c.load.waiting, func(x float64) string { return numtext.Significant(x, 3) + " jobs" }
	if strip < len(c.load.held) {
		classes, write = c.load.held[strip], percent
		text += picture.Printable(c.bands[strip].id) + ": "
	} else {
		text += "waiting: "
	}
	sum := 0.0
	for _, values := range classes {
		sum += values[n]
	}
	text += write(sum)
	for class, values := range classes {
		if values[n] > 0 && c.scheme.names != nil {
			text += fmt.Sprintf("\n%s: %s", c.scheme.names[class], write(values[n]))
		}
	}
	return text
}

// moment writes a time as the axis counts it.
func (c *chart) moment(t float64) string {
	return timetext.Of(t-c.zero(), picture.Printable(c.unit), picture.Number)
}
