package picture

import (
	"image/color"
	"iter"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// families are the fonts that a viewer of SVG may take, ours first. Without them it would take one with serifs.
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// Wider is how much wider a text may be than it is measured: a viewer of SVG that lacks our fonts takes others.
const Wider = 1.08

// sans is the typeface of all pictures.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// faces finds the fonts, the regular and the bold one. The same fonts measure the text of every format, so that all formats look alike. The cache is our own: the
// one of package plot belongs to the whole program.
var faces = sync.OnceValue(func() [2]*opentype.Font {
	cache, bold := font.NewCache(liberation.Collection()), sans
	bold.Weight = stdfont.WeightBold
	return [2]*opentype.Font{cache.Lookup(sans, 0).Face, cache.Lookup(bold, 0).Face}
})

// Lettering is how a text looks.
type Lettering struct {
	Size  float64
	Bold  bool
	Ink   color.Color
	Align float64 // 0: the text begins at x, 0.5: x is its middle, 1: its end
}

// face is the font of a lettering.
func (l Lettering) face() font.Face {
	described := font.From(sans, vg.Length(l.Size*PointsPerPixel))
	if l.Bold {
		described.Weight = stdfont.WeightBold
		return font.Face{Font: described, Face: faces()[1]}
	}
	return font.Face{Font: described, Face: faces()[0]}
}

// Width is the width of a text, whose figures are all equally wide.
func (l Lettering) Width(text string) float64 {
	width, face := vg.Length(0), l.face()
	for piece := range evenFigures(text) {
		width += face.Width(piece)
	}
	return float64(width) / PointsPerPixel
}

// Room is the width to leave for a text, in whole units: it may be shown in a wider font.
func (l Lettering) Room(text string) float64 { return math.Ceil(Wider * l.Width(text)) }

// Fitted cuts a text, with an ellipsis, until it is no wider than the room.
func (l Lettering) Fitted(text string, room float64) string {
	return Shorten(text, func(text string) bool { return l.Width(text) <= room })
}

// evenFigures cuts a text between neighbouring digits. The font would move them closer together, which makes ids and numbers uneven.
func evenFigures(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			at := strings.Index(text, "11") + 1
			if at == 0 {
				yield(text)
				return
			}
			if !yield(text[:at]) {
				return
			}
			text = text[at:]
		}
	}
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
