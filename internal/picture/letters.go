package picture

import (
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// families are the fonts that a viewer of SVG may take, ours first. Without them it would take one with serifs.
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// Wider is how much wider a text may be than it is measured: a viewer of SVG that lacks our fonts takes others.
const Wider = 1.08

// Lettering is how a text looks.
type Lettering struct {
	Size  float64
	Bold  bool
	Ink   color.Color
	Align float64 // 0: the text begins at x, 0.5: x is its middle, 1: its end
}

// measures are the measures of the font of a lettering.
func (l Lettering) measures() *measures {
	if l.Bold {
		return allMeasures()[1]
	}
	return allMeasures()[0]
}

// units calls a function with each letter and how far from the begin of the text it stands, and returns how wide the text is, all in units of the font.
func (l Lettering) units(text string, each func(letter rune, at int)) (width int) {
	m := l.measures()
	before := rune(-1)
	for _, letter := range text {
		// The font would move neighbouring ones closer together, which makes ids and numbers uneven.
		if before >= 0 && (before != '1' || letter != '1') {
			width += m.kern(before, letter)
		}
		if each != nil {
			each(letter, width)
		}
		width += m.advance(letter)
		before = letter
	}
	return width
}

// unit is the length of a unit of the font, in points.
func (l Lettering) unit() float64 { return l.Size * PointsPerPixel / float64(l.measures().perEm) }

// Width is the width of a text, whose figures are all equally wide.
func (l Lettering) Width(text string) float64 {
	return float64(l.units(text, nil)) * l.unit() / PointsPerPixel
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
