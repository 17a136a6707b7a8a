package picture

import (
	"image"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// A PDF depends neither on when it was written nor on the order of a map.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// pdfCanvas is a canvas of package vgpdf without its limits: that package embeds one font, has the letters of code page 1252 only, and turns images upside down.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas. Bold texts, and texts with other letters than those of the code page, are drawn as outlines; the others can be searched.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	for piece := range evenFigures(text) {
		encoded, err := charmap.Windows1252.NewEncoder().String(piece)
		if err != nil || face.Font.Weight >= xfont.WeightBold {
			c.fillOutlines(face, at, piece)
		} else {
			c.Canvas.FillString(face, at, encoded)
		}
		at.X += face.Width(piece)
	}
}

// fillOutlines draws a text as the outlines of its letters.
func (c pdfCanvas) fillOutlines(face font.Face, at vg.Point, text string) {
	var path vg.Path
	var letters sfnt.Buffer
	perEm := fixed.I(int(face.Face.UnitsPerEm()))
	scale := face.Font.Size / vg.Length(perEm)
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + scale*vg.Length(p.X), Y: at.Y - scale*vg.Length(p.Y)}
	}
	before := sfnt.GlyphIndex(0)
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&letters, letter)
		if err != nil {
			continue
		}
		if kern, err := face.Face.Kern(&letters, before, glyph, perEm, xfont.HintingNone); err == nil {
			at.X += scale * vg.Length(kern)
		}
		segments, err := face.Face.LoadGlyph(&letters, glyph, perEm, nil)
		if err != nil {
			continue
		}
		for k, part := range segments {
			switch part.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					path.Close()
				}
				path.Move(place(part.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(part.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(part.Args[0]), place(part.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(part.Args[0]), place(part.Args[1]), place(part.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if advance, err := face.Face.GlyphAdvance(&letters, glyph, perEm, xfont.HintingNone); err == nil {
			at.X += scale * vg.Length(advance)
		}
		before = glyph
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

// DrawImage implements vg.Canvas.
func (c pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.Push()
	c.Translate(vg.Point{X: r.Min.X, Y: r.Max.Y})
	c.Scale(1, -1)
	c.Canvas.DrawImage(vg.Rectangle{Max: r.Size()}, img)
	c.Pop()
}
