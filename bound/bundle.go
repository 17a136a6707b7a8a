package bound

import (
	"math"
	"slices"
)

// bundle maximises a concave function by a proximal bundle method: the next point maximises the least of the cuts found so far less
// a square that keeps it near the best point.
//
// Source: C. Lemaréchal, A. Nemirovskii, Y. Nesterov (1995), New variants of bundle methods, Math. Program. 69,
// doi:10.1007/BF01585555, §2.1; the step as in K. C. Kiwiel (1990), Math. Program. 46, doi:10.1007/BF01585731, §2. Deviation: a cut
// that turns out below the function, which is concave but for kinks, is lifted to it at the centre, and one that does not fit any more is dropped, the one of the least weight first, instead of being aggregated.
type bundle struct {
	scale  []float64 // squared lengths, by coordinate: how far a point may go there
	centre []float64 // the best point
	value  float64   // there
	cuts   []*cut
	step   float64 // weight of the distance; 0: not set yet

	weight []float64 // of the cuts in the last point
	gain   float64   // that the cuts promise in it
	gram   []float64 // products of the slopes, by pair of cuts
	high   []float64 // the cuts at the centre
	poor   int       // points in a row that were no better
}

// cut is a linear function that the concave one is nowhere above.
type cut struct {
	at0   float64 // its value at 0
	slope []float64
	picks []pick // what it is made of, by cluster
}

// bundleCuts is the largest number of cuts that are kept.
const bundleCuts = 50

// at is the value of the cut at a point.
func (c *cut) at(x []float64) float64 {
	sum := c.at0
	for k, s := range c.slope {
		sum += s * x[k]
	}
	return sum
}

// product is the product of two slopes in the metric of the scale.
func (b *bundle) product(x, y []float64) float64 {
	sum := 0.0
	for k, s := range b.scale {
		sum += s * x[k] * y[k]
	}
	return sum
}

// add takes the value at a point with its cut, and moves the centre there if it is better by a tenth of what was promised.
//
// Complexity: O(cuts · coordinates).
func (b *bundle) add(x []float64, value float64, c *cut) {
	if b.centre == nil {
		b.centre, b.value = slices.Clone(x), value
		b.insert(c)
		return
	}
	b.insert(c)
	switch gained := value - b.value; {
	case gained >= 0.1*b.gain:
		if gained >= 0.5*b.gain {
			b.step *= 3
		}
		copy(b.centre, x)
		b.value, b.poor = value, 0
		for k, c := range b.cuts {
			b.high[k] = max(b.value, c.at(b.centre))
		}
	default:
		if b.poor++; b.poor >= 4 {
			b.step, b.poor = b.step*0.7, 0
		}
	}
}

// insert keeps the cut, in place of the one of the least weight where there are too many.
func (b *bundle) insert(c *cut) {
	k := len(b.cuts)
	if k == bundleCuts {
		k = 0
		for l := range b.weight {
			if b.weight[l] < b.weight[k] {
				k = l
			}
		}
		b.cuts[k] = c
	} else {
		b.cuts = append(b.cuts, c)
		b.weight, b.high = append(b.weight, 0), append(b.high, 0)
	}
	if b.gram == nil {
		b.gram = make([]float64, bundleCuts*bundleCuts)
	}
	for l := range b.cuts {
		p := b.product(b.cuts[l].slope, c.slope)
		b.gram[k*bundleCuts+l], b.gram[l*bundleCuts+k] = p, p
	}
	b.high[k] = max(b.value, c.at(b.centre))
	b.weight[k] = 0
}

// restart takes over a centre with its value and cuts.
func (b *bundle) restart(centre []float64, value float64, cuts []*cut, step float64) {
	b.centre, b.value, b.step, b.poor = slices.Clone(centre), value, step, 0
	b.cuts, b.weight, b.high = b.cuts[:0], b.weight[:0], b.high[:0]
	for _, c := range cuts {
		b.insert(c)
	}
}

// next writes the next point to x and returns the gain that the cuts promise there, which bounds what any point near can gain.
//
// The weights of the cuts minimise Σ weight·high + step/2·|Σ weight·slope|² over the simplex, by exchange between two of them.
// Complexity: O(cuts) an exchange, of which there are at most 1,000.
func (b *bundle) next(x []float64) float64 {
	n := len(b.cuts)
	if b.step == 0 {
		b.step = 1 * math.Abs(b.value) / max(b.gram[0], 1e-300)
	}
	sum := 0.0
	for _, w := range b.weight {
		sum += w
	}
	if sum < 0.5 {
		clear(b.weight)
		b.weight[n-1], sum = 1, 1
	}
	grad := make([]float64, n)
	for k := range b.weight {
		b.weight[k] /= sum
	}
	for k := range grad {
		g := 0.0
		for l, w := range b.weight {
			g += w * b.gram[k*bundleCuts+l]
		}
		grad[k] = b.high[k] + b.step*g
	}
	for range 1000 {
		low, top := 0, -1
		for k := range grad {
			if grad[k] < grad[low] {
				low = k
			}
			if b.weight[k] > 0 && (top < 0 || grad[k] > grad[top]) {
				top = k
			}
		}
		if top < 0 {
			break
		}
		difference := grad[top] - grad[low]
		if difference <= 1e-7*(math.Abs(b.value)+1e-9)*1e-2 {
			break
		}
		curve := b.step * (b.gram[low*bundleCuts+low] + b.gram[top*bundleCuts+top] - 2*b.gram[low*bundleCuts+top])
		move := b.weight[top]
		if curve > 0 {
			move = min(move, difference/curve)
		}
		b.weight[top] -= move
		b.weight[low] += move
		for k := range grad {
			grad[k] += b.step * move * (b.gram[k*bundleCuts+low] - b.gram[k*bundleCuts+top])
		}
	}
	copy(x, b.centre)
	for k, w := range b.weight {
		if w == 0 {
			continue
		}
		for d, s := range b.cuts[k].slope {
			x[d] += b.step * w * b.scale[d] * s
		}
	}
	promise := math.Inf(1)
	for _, g := range grad {
		promise = min(promise, g)
	}
	b.gain = promise - b.value
	return b.gain
}
