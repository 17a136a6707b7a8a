package picture

import (
	"image/color"
	"math"
)

// KeyEntry is an entry of the key below a picture: a sample and what it means.
type KeyEntry struct {
	Name   string
	Sample func(s *Sheet, at Rect) // draws the sample in the place; nil: there is none
	Line   bool                    // the sample is a line, which needs more room
}

// KeyRow is the height of a row of the key.
const KeyRow = 21.0

// Sizes of the entries of a key.
const (
	keyLetters = SmallSize + 1
	keySample  = 22.0
	keyLine    = 34.0
	keyGap     = 6.0  // between a sample and its name
	keyApart   = 18.0 // between entries
)

// KeyPlace is where an entry stands: y counts from the top of the key.
type KeyPlace struct {
	KeyEntry
	x, y float64
}

// sample is the room of the sample.
func (e *KeyEntry) sample() float64 {
	switch {
	case e.Sample == nil:
		return 0
	case e.Line:
		return keyLine + keyGap
	}
	return keySample + keyGap
}

// PlaceKey places the entries in rows from x0 to x1, at most most rows. A name that is wider than a row is cut, and entries that have no room are left out. It
// returns the number of rows.
func PlaceKey(entries []KeyEntry, x0, x1 float64, most int) (places []KeyPlace, rows int) {
	note := Lettering{Size: keyLetters}
	x := x0
	for _, e := range entries {
		room := x1 - x0 - e.sample()
		e.Name = Shorten(e.Name, func(text string) bool { return note.Width(text) <= room })
		wide := x1 - x0 - room + note.Room(e.Name)
		if rows == 0 || x+wide > x1 {
			x, rows = x0, rows+1
		}
		if rows > most {
			return places, most
		}
		places = append(places, KeyPlace{e, x, float64(rows-1) * KeyRow})
		x += wide + keyApart
	}
	return places, rows
}

// Key draws the placed entries from y downwards.
func (s *Sheet) Key(places []KeyPlace, top float64) {
	for _, p := range places {
		x, y := p.x+p.sample(), top+p.y
		if p.Sample != nil {
			p.Sample(s, Rect{p.x, math.Round(y), x - keyGap, math.Round(y) + 12})
		}
		s.Text(x, y+10, Lettering{Size: keyLetters, Ink: Ink}, p.Name)
	}
}

// LineEntry explains a line. The mark, which may be nil, draws on the middle of the line.
func LineEntry(name string, pen Pen, mark func(s *Sheet, x, y float64)) KeyEntry {
	return KeyEntry{Name: name, Line: true, Sample: func(s *Sheet, at Rect) {
		y := (at.Y0 + at.Y1) / 2
		s.Line(at.X0, y, at.X1, y, pen)
		if mark != nil {
			mark(s, (at.X0+at.X1)/2, y)
		}
	}}
}

// FillEntry explains an area. The edge, a color for its outline, may be nil.
func FillEntry(name string, fill, edge color.Color) KeyEntry {
	return KeyEntry{Name: name, Sample: func(s *Sheet, at Rect) {
		s.FillRect(at, fill)
		if edge != nil {
			s.StrokeRect(at.Inset(0.5), Pen{Width: 1, Ink: edge})
		}
	}}
}
