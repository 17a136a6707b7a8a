//go:build !page

package picture

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// fonts are the fonts of all pictures, the regular and the bold one.
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

// font is the font of a lettering.
func (l Lettering) font() *truetype.Font {
	if l.Bold {
		return fonts()[1]
	}
	return fonts()[0]
}

// outlines are the outlines of the letters of a text, as areas to fill.
func (l Lettering) outlines(at Spot, upright bool, text string) (path Path) {
	var buffer truetype.GlyphBuf
	unit := l.unit()
	face := l.font()
	l.units(text, func(letter rune, from int) {
		if buffer.Load(face, fixed.Int26_6(face.FUnitsPerEm()), face.Index(letter), font.HintingNone) != nil {
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
