package picture

import (
	"image/color"
	"math"
)

// visions are linear maps of linear sRGB that show what a reader sees: normal vision, and the complete lack of one kind of cone (Machado, Oliveira and
// Fernandes 2009, doi:10.1109/TVCG.2009.113, table 1, severity 1): protanopia, deuteranopia, tritanopia.
var visions = [][3][3]float64{
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Distance is the distance of two colours in CIELAB (CIE 1976, white D65) for the reader who tells them apart worst.
func Distance(a, b color.NRGBA) float64 {
	least := math.Inf(1)
	for _, vision := range visions {
		p, q := lab(a, vision), lab(b, vision)
		least = min(least, math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]))
	}
	return least
}

// lab is the place of a colour, as somebody with the given vision sees it, in CIELAB.
func lab(c color.NRGBA, vision [3][3]float64) [3]float64 {
	seen := apply(vision, [3]float64{linear(c.R), linear(c.G), linear(c.B)})
	for k := range seen {
		seen[k] = min(max(seen[k], 0), 1)
	}
	xyz := apply([3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}, seen)
	for k, white := range [3]float64{0.95047, 1, 1.08883} {
		if t := xyz[k] / white; t > 0.008856 {
			xyz[k] = math.Cbrt(t)
		} else {
			xyz[k] = 7.787*t + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

// apply multiplies a matrix by a column.
func apply(m [3][3]float64, v [3]float64) (product [3]float64) {
	for k, row := range m {
		product[k] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return product
}

// linear is the light of a channel of sRGB, from 0 to 1.
func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// luminance is how light a colour is, from 0 for black to 1 for white (WCAG 2.1).
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Contrast is the contrast of two colours, from 1 to 21 (WCAG 2.1).
func Contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
