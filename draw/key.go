package draw

import (
	"image/color"
	"math"
)

// keyEntry is one entry of the key below a chart: a sample and what it means.
type keyEntry struct {
	name string
	fill color.NRGBA
	late bool // the sample is a late job
	bare bool // there is no sample
}

// keyRow is the height of a row of the key, in pixels.
const keyRow = 21.0

// keyPlace is where an entry stands.
type keyPlace struct {
	keyEntry
	x, y float64 // of the sample, y from the top of the key
}

// Sizes of the entries of a key, in pixels.
const (
	keySample = 22.0
	keyGap    = 6.0  // between a sample and its name
	keyApart  = 18.0 // between entries
)

// keyEntries lists what the chart has to explain. Only fills that some job has are named.
func (c *chart) keyEntries() []keyEntry {
	var entries []keyEntry
	used := c.scheme.used(c.blocks)
	for fill, name := range c.scheme.names {
		if used[fill] {
			entries = append(entries, keyEntry{name: name, fill: c.scheme.fills[fill]})
		}
	}
	if c.load != nil {
		if c.scheme.names == nil {
			entries = append(entries, keyEntry{name: "processors held", fill: c.scheme.fills[0]})
		}
		return append(entries, keyEntry{name: "each column: the mean over " + c.period(), bare: true})
	}
	if c.late > 0 {
		entries = append(entries, keyEntry{name: "late, hatched from its deadline on", fill: c.scheme.fills[0], late: true})
	}
	return entries
}

// placeKey places the entries in rows from x0 to x1, at most most rows. A name that is wider than a row is cut, and entries that have no room are left
// out. It returns the number of rows.
func (s *sheet) placeKey(entries []keyEntry, x0, x1 float64, most int) (places []keyPlace, rows int) {
	// An SVG may be shown in a font that is wider than the one that was measured.
	const wider = 1.08
	note := lettering{size: smallSize + 1}
	x := x0
	for _, e := range entries {
		room := x1 - x0
		if !e.bare {
			room -= keySample + keyGap
		}
		e.name = shorten(e.name, func(text string) bool { return wider*s.fonts.width(note, text) <= room })
		wide := x1 - x0 - room + math.Ceil(wider*s.fonts.width(note, e.name))
		if rows == 0 || x+wide > x1 {
			x, rows = x0, rows+1
		}
		if rows > most {
			return places, most
		}
		places = append(places, keyPlace{e, x, float64(rows-1) * keyRow})
		x += wide + keyApart
	}
	return places, rows
}

// drawKey draws the placed entries below the caption of the axis.
func (c *chart) drawKey() {
	note := lettering{size: smallSize + 1, ink: ink}
	for _, p := range c.key {
		y := c.plot.y1 + footer + p.y
		if p.bare {
			c.text(p.x, y+10, note, p.name)
			continue
		}
		sample := rect{p.x, math.Round(y), p.x + keySample, math.Round(y) + 12}
		c.fillRect(sample, p.fill)
		if p.late {
			c.drawLate([]lateMark{{sample, p.x + keySample/2}})
		} else {
			c.strokeRect(sample.inset(0.5), 1, mix(p.fill, ink, 0.45))
		}
		c.text(p.x+keySample+keyGap, y+10, note, p.name)
	}
}
