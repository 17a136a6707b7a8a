package picture

import (
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// families are the fonts that a viewer of SVG may take, ours first. Without them it takes the sans-serif of its system: see [Lettering.Width].
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// Lettering is how a text looks.
type Lettering struct {
	Size  float64
	Bold  bool
	Ink   color.Color
	Align float64 // 0: the text begins at x, 0.5: x is its middle, 1: its end
}

// weight is 1 for a bold lettering, and else 0.
func (l Lettering) weight() int {
	if l.Bold {
		return 1
	}
	return 0
}

// Width is the width to leave for a text. Each letter has the width of the widest of the fonts that viewers of SVG take, as a picture has one layout whatever font it is shown in:
// Liberation Sans (Arial and Helvetica have its widths), DejaVu Sans (as wide as Verdana) and Noto Sans.
func (l Lettering) Width(text string) float64 {
	width := 0
	for _, letter := range text {
		width += widest()[l.weight()].advance(letter)
	}
	return float64(width) * l.Size / perSize
}

// Room is the width to leave for a text, in whole units.
func (l Lettering) Room(text string) float64 { return math.Ceil(l.Width(text)) }

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
