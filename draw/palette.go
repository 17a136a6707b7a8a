package draw

import "image/color"

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

// tones is how many tones of each colour there are, so that jobs eight apart differ too.
const tones = 2

// The colours of everything that is not a job.
var (
	paper      = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	idleFill   = color.NRGBA{0xf1, 0xf3, 0xf5, 0xff}
	gridLine   = color.NRGBA{0xdd, 0xe1, 0xe6, 0xff}
	lesserLine = color.NRGBA{0xf0, 0xf2, 0xf4, 0xff}
	ink        = color.NRGBA{0x1c, 0x21, 0x28, 0xff}
	quietInk   = color.NRGBA{0x5b, 0x65, 0x70, 0xff}
	lateInk    = color.NRGBA{0xc4, 0x16, 0x1c, 0xff}
	lateHatch  = color.NRGBA{0xc4, 0x16, 0x1c, 0x78}
)

// curveInks are the colours of the curves of runs: Paul Tol's "vibrant" scheme, distinct in normal and in colour-blind vision
// (Tol 2021, section 1), without its grey.
var curveInks = []color.NRGBA{
	{0x00, 0x77, 0xbb, 0xff}, // blue
	{0xee, 0x77, 0x33, 0xff}, // orange
	{0x00, 0x99, 0x88, 0xff}, // teal
	{0xee, 0x33, 0x77, 0xff}, // magenta
	{0x33, 0xbb, 0xee, 0xff}, // cyan
	{0xcc, 0x33, 0x11, 0xff}, // red
}

// panelInks are the colours of the curves of schedules: Paul Tol's "bright" scheme, distinct in normal and in colour-blind
// vision (Tol 2021, section 1), without its grey.
var panelInks = []color.NRGBA{
	{0x44, 0x77, 0xaa, 0xff}, // blue
	{0xee, 0x66, 0x77, 0xff}, // red
	{0x22, 0x88, 0x33, 0xff}, // green
	{0xaa, 0x33, 0x77, 0xff}, // purple
	{0xcc, 0xbb, 0x44, 0xff}, // yellow
	{0x66, 0xcc, 0xee, 0xff}, // cyan
}

// faded is the colour at the given share of its opacity.
func faded(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(share*255 + 0.5)
	return c
}

// fills is the number of different fills.
func fills() int { return tones * len(light) }

// fillColour is the colour of a fill.
func fillColour(fill int) color.NRGBA {
	c := light[fill%len(light)]
	if fill >= len(light) {
		return mix(c, paper, 0.4)
	}
	return c
}

// mix blends the share of the second colour into the first.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	blend := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 0xff}
}
