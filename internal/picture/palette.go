package picture

import (
	"fmt"
	"image/color"
	"strings"
)

// The colours of everything but the curves and the jobs.
var (
	Paper      = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	Idle       = color.NRGBA{0xf1, 0xf3, 0xf5, 0xff}
	GridLine   = color.NRGBA{0xdd, 0xe1, 0xe6, 0xff}
	LesserLine = color.NRGBA{0xf0, 0xf2, 0xf4, 0xff}
	Ink        = color.NRGBA{0x1c, 0x21, 0x28, 0xff}
	Quiet      = color.NRGBA{0x5b, 0x65, 0x70, 0xff}
	Faint      = color.NRGBA{0xbb, 0xbf, 0xc4, 0xff}
)

// inks are the colours of curves, on light paper and on dark paper. Any two differ by 20 or more in [Distance], and each has a contrast of 3 or more with its paper.
var inks = [Styles][2]color.NRGBA{
	{{0x2a, 0x69, 0xcd, 0xff}, {0x6b, 0x89, 0xf8, 0xff}}, // blue
	{{0xd2, 0x78, 0x0a, 0xff}, {0xeb, 0xb1, 0x20, 0xff}}, // orange
	{{0x00, 0xa3, 0x58, 0xff}, {0x12, 0xf3, 0x93, 0xff}}, // green
	{{0x89, 0x5c, 0x93, 0xff}, {0xc2, 0x62, 0xac, 0xff}}, // mauve
	{{0x7c, 0x49, 0x00, 0xff}, {0xae, 0x9d, 0x45, 0xff}}, // brown
	{{0x22, 0x25, 0xa6, 0xff}, {0xa5, 0xd6, 0xf8, 0xff}}, // indigo
	{{0x89, 0x00, 0x2d, 0xff}, {0xe5, 0x60, 0x83, 0xff}}, // crimson
	{{0x79, 0x85, 0x7f, 0xff}, {0xe3, 0xed, 0xe0, 0xff}}, // grey
}

// named are the colours that a page shows light or dark.
var named = func() []shade {
	list := []shade{
		{"paper", Paper, color.NRGBA{0x14, 0x17, 0x1b, 0xff}}, {"grid", GridLine, color.NRGBA{0x36, 0x3d, 0x46, 0xff}},
		{"lesser", LesserLine, color.NRGBA{0x26, 0x2c, 0x33, 0xff}}, {"ink", Ink, color.NRGBA{0xe4, 0xe7, 0xea, 0xff}},
		{"quiet", Quiet, color.NRGBA{0xa3, 0xad, 0xb8, 0xff}}, {"faint", Faint, color.NRGBA{0x5a, 0x62, 0x6b, 0xff}},
	}
	for k, pair := range inks {
		list = append(list, shade{fmt.Sprint("s", k), pair[0], pair[1]})
	}
	return list
}()

// shade is a colour with a name.
type shade struct {
	name        string
	light, dark color.NRGBA
}

// nameOf is the name of a colour whose opacity does not matter; empty: it has none.
func nameOf(ink color.Color) string {
	c, _ := ink.(color.NRGBA)
	c.A = 0xff
	for _, s := range named {
		if s.light == c {
			return s.name
		}
	}
	return ""
}

// Variables declares the colours of drawings on a page for its style sheet, each light or dark.
func Variables() string {
	var b strings.Builder
	b.WriteString(":root {")
	for _, s := range named {
		fmt.Fprintf(&b, " --%s: light-dark(%s, %s);", s.name, Hex(s.light), Hex(s.dark))
	}
	b.WriteString(" }\n")
	return b.String()
}

// Hex is a colour as #rrggbb.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Faded is the colour at the given share of its opacity.
func Faded(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(share*255 + 0.5)
	return c
}
