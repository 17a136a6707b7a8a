package draw

import (
	"math"
	"strconv"

	"github.com/allot-opt/allot/internal/picture"
)

// drawBands draws what lies behind the jobs, the names of the clusters and the numbers of their processors.
func (c *chart) drawBands() {
	var ground, lines picture.Path
	if len(c.bands) == 0 {
		c.Outline(&ground, c.plot)
	}
	named := math.Inf(-1)
	for k, s := range c.strips {
		if c.load == nil && c.bands[k].machines != nil {
			c.machineGround(&ground, &lines, k)
		} else {
			c.Outline(&ground, picture.Box(c.plot.X0, s.top, c.plot.X1, s.top+s.height))
		}
		if row := c.row(k); row >= 8 && c.load == nil && c.bands[k].devices == 0 {
			for p := 1; p < c.bands[k].processors; p++ {
				y := math.Round(s.top + row*float64(p))
				c.Segment(&lines, c.plot.X0, y, c.plot.X1, y)
			}
		}
		if top := max(s.top, named); s.top+s.height-top >= clusterSize || s.top >= named {
			named = c.drawNotes(s, c.bands[k].id, c.bands[k].notes())
			switch {
			case c.load != nil:
				c.drawShares(s)
			case c.bands[k].machines != nil:
				c.drawMachineNames(k)
			default:
				c.drawNumbers(k)
			}
		}
	}
	c.Fill(ground, picture.Idle)
	c.Stroke(lines, picture.Pen{Width: 1, Ink: picture.Paper})
	if c.load == nil {
		c.drawClosed()
	}
	if c.load != nil && c.load.waiting != nil {
		c.drawQueueGround()
	}
}

// drawNotes writes the name of a strip and as many notes as have room, and returns where the next name may begin.
func (c *chart) drawNotes(s strip, title string, notes []string) float64 {
	room := c.plot.X0 - c.numbers - 14 - picture.Margin
	name := picture.Lettering{Size: clusterSize, Bold: true, Ink: picture.Ink}
	y := s.top + min(clusterSize+1, s.height/2+clusterSize*0.36)
	c.Text(picture.Margin, y, name, name.Fitted(picture.Printable(title), room))
	note := picture.Lettering{Size: picture.SmallSize, Ink: picture.Quiet}
	for _, text := range notes {
		if y+picture.SmallSize+7 > s.top+s.height || note.Width(text) > room {
			break
		}
		y += picture.SmallSize + 4
		c.Text(picture.Margin, y, note, text)
	}
	return y + clusterSize
}

// drawNumbers writes the numbers of some processors of a cluster beside their rows.
func (c *chart) drawNumbers(k int) {
	const apart = 18
	s, row, processors := c.strips[k], c.row(k), c.bands[k].processors
	if s.height < picture.SmallSize {
		return
	}
	step := numberStep(apart / row)
	number := picture.Lettering{Size: picture.SmallSize - 1, Ink: picture.Quiet, Align: 1}
	for p := 0; p < processors; p += step {
		// The number stands in the middle of its row, or at the top of rows thinner than a letter.
		y := s.top + row*float64(p) + max(row/2, picture.SmallSize/2-1) + picture.SmallSize*0.34
		if y > s.top+s.height {
			break
		}
		c.Text(c.plot.X0-6, y, number, strconv.Itoa(p))
	}
}

// numberStep is the least of 1, 2, 4, 8, … that is not below the given number: processors come in powers of two.
func numberStep(least float64) int {
	step := 1
	for float64(step) < least && step < math.MaxInt32 {
		step *= 2
	}
	return step
}
