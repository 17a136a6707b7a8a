package draw

import (
	"math"

	"github.com/allot-opt/allot/internal/picture"
)

// leastNumbered is the height from which a row of a device has its number beside it, in pixels.
const leastNumbered = 9.0

// stride is the distance of the machines whose names are measured: at most 500 of them.
func (b *band) stride() int { return (len(b.machines) + 499) / 500 }

// machineColumn is the room for the names of machines and the numbers of their devices; 0: the chart names none.
func (c *chart) machineColumn() float64 {
	if c.load != nil {
		return 0
	}
	widest, name := 0.0, picture.Lettering{Size: picture.SmallSize - 1}
	for k := range c.bands {
		for n := 0; n < len(c.bands[k].machines); n += c.bands[k].stride() {
			widest = max(widest, name.Width(picture.Printable(c.bands[k].machines[n].name)))
		}
	}
	if widest == 0 {
		return 0
	}
	return math.Ceil(min(widest, 0.14*c.width)) + 10 + c.deviceColumn()
}

// deviceColumn is the room for the numbers of devices.
func (c *chart) deviceColumn() float64 {
	if c.rows != RowsDevices {
		return 0
	}
	widest, number := 0.0, picture.Lettering{Size: picture.SmallSize - 2}
	for k := range c.bands {
		b := &c.bands[k]
		for n := 0; n < len(b.machines); n += b.stride() {
			for r := range b.machines[n].rows {
				widest = max(widest, number.Width(picture.Printable(b.label(&b.machines[n].rows[r]))))
			}
		}
	}
	return math.Ceil(min(widest, 0.1*c.width)) + 8
}

// machineGround adds what lies behind the jobs of each machine of a band, and the lines between its rows where these are high enough.
func (c *chart) machineGround(ground, lines *picture.Path, k int) {
	const (
		leastApart = 5 // height from which rows have a line between them
		leastGap   = 3 // height from which machines have one
	)
	b, top, place := &c.bands[k], c.strips[k].top, c.row(k)
	line := func(at int) {
		y := math.Round(top + place*float64(at))
		c.Segment(lines, c.plot.X0, y, c.plot.X1, y)
	}
	if b.devices == 0 || place*betweenUnits < 0.5 { // the machines follow each other
		c.Outline(ground, picture.Box(c.plot.X0, top, c.plot.X1, top+c.strips[k].height))
	}
	for n := range b.machines {
		m := &b.machines[n]
		switch {
		case b.devices == 0:
			if n > 0 && place*float64(m.units) >= leastGap {
				line(m.first)
			}
			continue
		case place*betweenUnits >= 0.5:
			c.Outline(ground, picture.Box(c.plot.X0, top+place*float64(m.first), c.plot.X1, top+place*float64(m.end())))
		}
		for r := 1; r < len(m.rows); r++ {
			if place*deviceUnits >= leastApart {
				line(m.rows[r].first)
			}
		}
	}
}

// drawMachineNames writes the names of machines beside their rows, all or every second, fourth and so on, and the numbers of devices where their rows are high enough.
func (c *chart) drawMachineNames(k int) {
	const apart = 13
	b, top, place := &c.bands[k], c.strips[k].top, c.row(k)
	name := picture.Lettering{Size: picture.SmallSize - 1, Ink: picture.Ink, Align: 1}
	number := picture.Lettering{Size: picture.SmallSize - 2, Ink: picture.Quiet, Align: 1}
	right := c.plot.X0 - 6 - c.deviceColumn()
	room := c.numbers - 10 - c.deviceColumn()
	free := math.Inf(-1)
	for n := range b.machines {
		m := &b.machines[n]
		from, to := top+place*float64(m.first), top+place*float64(m.end())
		y := min(from+12, (from+to)/2+picture.SmallSize*0.34)
		if y-free >= apart {
			c.Text(right, y, name, name.Fitted(picture.Printable(m.name), room))
			free = y
		}
		if place*deviceUnits < leastNumbered {
			continue
		}
		for r := range m.rows {
			if label := b.label(&m.rows[r]); label != "" {
				middle := top + place*(float64(m.rows[r].first)+deviceUnits/2)
				c.Text(c.plot.X0-6, middle+picture.SmallSize*0.3, number, number.Fitted(picture.Printable(label), c.deviceColumn()-6))
			}
		}
	}
}

// holding names what the load of the chart counts.
func (c *chart) holding() string {
	if c.rows == RowsDevices {
		return "devices held"
	}
	return "processors held"
}
