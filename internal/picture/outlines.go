package picture

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are our fonts, the regular and the bold one.
var fonts = sync.OnceValue(func() (both [2]*sfnt.Font) {
	for k, file := range [2][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		font, err := sfnt.Parse(file)
		if err != nil {
			panic(err) // the file is part of the program
		}
		both[k] = font
	}
	return both
})

// font is our font for a lettering.
func (l Lettering) font() *sfnt.Font { return fonts()[l.weight()] }

// glyph is the number of a letter in a font; 0: the font lacks it.
func glyph(font *sfnt.Font, buffer *sfnt.Buffer, letter rune) sfnt.GlyphIndex {
	index, err := font.GlyphIndex(buffer, letter)
	if err != nil {
		return 0
	}
	return index
}

// unit is the length of a unit of our font, in points.
func (l Lettering) unit() float64 {
	return l.Size * PointsPerPixel / float64(l.font().UnitsPerEm())
}

// units calls a function with each letter and how far from the begin of the text it stands, and returns how wide the text is, all in units of our font.
func (l Lettering) units(text string, each func(index sfnt.GlyphIndex, at int)) (width int) {
	var buffer sfnt.Buffer
	face := l.font()
	scale := fixed.Int26_6(face.UnitsPerEm()) // by which all measures are in units
	var before sfnt.GlyphIndex
	for k, letter := range text {
		index := glyph(face, &buffer, letter)
		// The font would move neighbouring ones closer together, which makes ids and numbers uneven.
		if k > 0 && (letter != '1' || index != before) {
			if distance, err := face.Kern(&buffer, before, index, scale, font.HintingNone); err == nil {
				width += int(distance)
			}
		}
		if each != nil {
			each(index, width)
		}
		if advance, err := face.GlyphAdvance(&buffer, index, scale, font.HintingNone); err == nil {
			width += int(advance)
		}
		before = index
	}
	return width
}

// drawn is the width of a text in our font, whose figures are all equally wide, in points.
func (l Lettering) drawn(text string) float64 { return float64(l.units(text, nil)) * l.unit() }

// begin is where a text in our font begins that lies at a spot as its lettering is aligned.
func (l Lettering) begin(at Spot, upright bool, text string) Spot {
	before := l.Align * l.drawn(text)
	if upright {
		return Spot{at.X, at.Y - before}
	}
	return Spot{at.X - before, at.Y}
}

// outlines are the outlines of the letters of a text, as areas to fill.
func (l Lettering) outlines(at Spot, upright bool, text string) (path Path) {
	var buffer sfnt.Buffer
	unit, face := l.unit(), l.font()
	at = l.begin(at, upright, text)
	l.units(text, func(index sfnt.GlyphIndex, from int) {
		segments, err := face.LoadGlyph(&buffer, index, fixed.Int26_6(face.UnitsPerEm()), nil)
		if err != nil {
			return
		}
		place := func(p fixed.Point26_6) Spot { // in units of the font, y downwards
			along, above := unit*float64(from+int(p.X)), -unit*float64(p.Y)
			if upright {
				along, above = -above, along
			}
			return Spot{at.X + along, at.Y + above}
		}
		for k, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					path.Close()
				}
				path.Move(place(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(s.Args[0]))
			case sfnt.SegmentOpQuadTo: // fonts of TrueType have no cubic curves
				path.curve(place(s.Args[0]), place(s.Args[1]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
	})
	return path
}
