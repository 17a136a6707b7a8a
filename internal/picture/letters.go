package picture

import (
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// families are the fonts that a viewer of SVG may take, ours first. Without them it would take one with serifs.
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// Wider is how much wider a text may be than it is measured: a viewer of SVG that lacks our fonts takes others.
const Wider = 1.08

// fonts are the fonts of all pictures, the regular and the bold one. They measure the text of every format, so that all formats look alike.
var fonts = sync.OnceValue(func() (both [2]*truetype.Font) {
	for k, file := range [2][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		font, err := truetype.Parse(file)
		if err != nil {
			panic(err) // the file is part of the program
		}
		both[k] = font
	}
	return both
})

// Lettering is how a text looks.
type Lettering struct {
	Size  float64
	Bold  bool
	Ink   color.Color
	Align float64 // 0: the text begins at x, 0.5: x is its middle, 1: its end
}

// font is the font of a lettering.
func (l Lettering) font() *truetype.Font {
	if l.Bold {
		return fonts()[1]
	}
	return fonts()[0]
}

// perEm is the number of units of the font that are as long as its size. At this scale the font gives all lengths in its units.
func (l Lettering) perEm() fixed.Int26_6 { return fixed.Int26_6(l.font().FUnitsPerEm()) }

// units calls a function with the glyph of each letter and how far from the begin of the text it stands, and returns how wide the text is, all in units of the
// font. A letter that the font lacks is glyph 0.
func (l Lettering) units(text string, each func(glyph truetype.Index, at int)) (width int) {
	face, perEm := l.font(), l.perEm()
	before, glyphBefore := rune(-1), truetype.Index(0)
	for _, letter := range text {
		glyph := face.Index(letter)
		// The font would move neighbouring ones closer together, which makes ids and numbers uneven.
		if before >= 0 && (before != '1' || letter != '1') {
			width += int(face.Kern(perEm, glyphBefore, glyph))
		}
		if each != nil {
			each(glyph, width)
		}
		width += int(face.HMetric(perEm, glyph).AdvanceWidth)
		before, glyphBefore = letter, glyph
	}
	return width
}

// unit is the length of a unit of the font, in points.
func (l Lettering) unit() float64 { return l.Size * PointsPerPixel / float64(l.perEm()) }

// Width is the width of a text, whose figures are all equally wide.
func (l Lettering) Width(text string) float64 {
	return float64(l.units(text, nil)) * l.unit() / PointsPerPixel
}

// outlines are the outlines of the letters of a text, as areas to fill.
func (l Lettering) outlines(at Spot, upright bool, text string) (path Path) {
	var buffer truetype.GlyphBuf
	unit := l.unit()
	l.units(text, func(glyph truetype.Index, from int) {
		if buffer.Load(l.font(), l.perEm(), glyph, font.HintingNone) != nil {
			return
		}
		begin := 0
		for _, end := range buffer.Ends {
			var spots []Spot
			var on []bool
			for _, p := range buffer.Points[begin:end] {
				along, above := unit*float64(from+int(p.X)), unit*float64(p.Y)
				if upright {
					along, above = -above, along
				}
				spots, on = append(spots, Spot{at.X + along, at.Y + above}), append(on, p.Flags&1 != 0)
			}
			path.round(spots, on)
			begin = end
		}
	})
	return path
}

// Room is the width to leave for a text, in whole units: it may be shown in a wider font.
func (l Lettering) Room(text string) float64 { return math.Ceil(Wider * l.Width(text)) }

// Fitted cuts a text, with an ellipsis, until it is no wider than the room.
func (l Lettering) Fitted(text string, room float64) string {
	return Shorten(text, func(text string) bool { return l.Width(text) <= room })
}

// MostRunes is how much of a name a picture ever shows; a file may hold longer ones.
const MostRunes = 200

// Clip shortens a text of more than most runes to most runes, the last of them an ellipsis.
func Clip(text string, most int) string {
	count := 0
	for at := range text {
		if count++; count > most {
			cut := at
			if most > 0 {
				_, size := utf8.DecodeLastRuneInString(text[:at])
				cut -= size
				return text[:cut] + "…"
			}
			return ""
		}
	}
	return text
}

// Shorten cuts a text, with an ellipsis, until it fits.
func Shorten(text string, fits func(string) bool) string {
	for most := MostRunes; most > 0 && !fits(text); most-- {
		text = Clip(text, most)
	}
	return text
}

// Printable prepares a name to be drawn on one line and to stand in XML: at most [MostRunes] of it, see [Cleaned].
func Printable(text string) string { return Cleaned(Clip(text, MostRunes)) }

// Cleaned prepares a text to stand on one line. White space becomes a space. Invisible characters that change the order or the look of their neighbours are
// removed. Characters that cannot be printed become U+FFFD.
func Cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		}
		return r
	}, text)
}
