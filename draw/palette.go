package draw

import (
	"image/color"

	"github.com/allot-opt/allot/internal/picture"
)

// The fills are Paul Tol's "light" scheme, made for cells that hold black text and distinct in normal and in colour-blind
// vision (Tol 2021, "Colour Schemes", SRON/EPS/TN/09-002, section 2), without its grey, which stands for idle time here.
// The order puts hues side by side that differ most.
var light = []color.NRGBA{
	{0x77, 0xaa, 0xdd, 0xff}, // light blue
	{0xee, 0x88, 0x66, 0xff}, // orange
	{0x44, 0xbb, 0x99, 0xff}, // mint
	{0xee, 0xdd, 0x88, 0xff}, // light yellow
	{0xff, 0xaa, 0xbb, 0xff}, // pink
	{0xaa, 0xaa, 0x00, 0xff}, // olive
	{0x99, 0xdd, 0xff, 0xff}, // light cyan
	{0xbb, 0xcc, 0x33, 0xff}, // pear
}

// tones is how many tones of each colour there are, so that jobs whose numbers differ by eight have different fills too.
const tones = 2

// The colours of late jobs.
var (
	lateInk   = color.NRGBA{0xc4, 0x16, 0x1c, 0xff}
	lateHatch = color.NRGBA{0xc4, 0x16, 0x1c, 0x78}
)

// closedInk hatches the times in which machines are closed.
var closedInk = color.NRGBA{0x9a, 0xa5, 0xb1, 0xff}

// fills is the number of different fills.
func fills() int { return tones * len(light) }

// fillColour is the colour of a fill.
func fillColour(fill int) color.NRGBA {
	c := light[fill%len(light)]
	if fill >= len(light) {
		return mix(c, picture.Paper, 0.4)
	}
	return c
}

// mix blends the share of the second colour into the first.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	blend := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 0xff}
}
