package draw

import (
	"iter"
	"strings"
	"sync"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// sans is the typeface of all pictures.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// fontCache parses the fonts once. It is our own: the one of package plot belongs to the whole program.
var fontCache = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// fonts are the two fonts of a page.
type fonts struct{ regular, bold *opentype.Font }

// loadFonts finds the fonts. The same fonts measure the text of every format, so that all look alike.
var loadFonts = sync.OnceValue(func() *fonts {
	bold := sans
	bold.Weight = stdfont.WeightBold
	return &fonts{fontCache().Lookup(sans, 0).Face, fontCache().Lookup(bold, 0).Face}
})

// face is the font of a lettering.
func (f *fonts) face(l lettering) font.Face {
	described := font.From(sans, vg.Length(l.size*pointsPerPixel))
	if l.bold {
		described.Weight = stdfont.WeightBold
		return font.Face{Font: described, Face: f.bold}
	}
	return font.Face{Font: described, Face: f.regular}
}

// width is the width of a text in pixels.
func (f *fonts) width(l lettering, text string) float64 {
	return float64(textWidth(f.face(l), text)) / pointsPerPixel
}

// textWidth is the width of a text whose figures are all equally wide.
func textWidth(face font.Face, text string) vg.Length {
	width := vg.Length(0)
	for piece := range evenFigures(text) {
		width += face.Width(piece)
	}
	return width
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
