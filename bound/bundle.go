package bound

import (
	"math"
	"slices"
)

// bundle maximises a concave function by a proximal bundle method: the next point maximises the least of the cuts found so far less
// a square that keeps it near the best point. The function may be a linear one and several groups that are added up, each the least
// of its own cuts: the cuts of different groups are then combined as they were never found together.
//
// Source: C. Lemaréchal, A. Nemirovskii, Y. Nesterov (1995), New variants of bundle methods, Math. Program. 69,
// doi:10.1007/BF01585555, §2.1; the step as in K. C. Kiwiel (1990), Math. Program. 46, doi:10.1007/BF01585731, §2. Deviation: a cut
// that turns out below the function, which is concave but for kinks, is lifted to it at the centre, and one that does not fit any more is dropped, the one of the least weight first, instead of being aggregated.
type bundle struct {
	scale  []float64                         // squared lengths, by coordinate: how far a point may go there
	base   []float64                         // slope of the linear part; nil: there is none
	unit   float64                           // a value that matters: sets the first step where the value is near 0
	groups int                               // 0: one
	most   int                               // cuts that are kept, two a group or more; 0: bundleCuts
	floor  func(c *cut, x []float64) float64 // what c's group is not below at the centre x with what c is made of; nil: the value
	centre []float64                         // the best point
	value  float64                           // there
	cuts   []*cut
	step   float64 // weight of the distance; 0: not set yet

	weight []float64 // of the cuts in the last point
	gain   float64   // that the cuts promise in it
	gram   []float64 // products of the slopes, by pair of cuts
	along  []float64 // products of the slopes with the base
	high   []float64 // the cuts at the centre
	rich   int       // points in a row that moved the centre
	poor   int       // and that did not
}

// cut is a linear function that a group of the concave one is nowhere above.
type cut struct {
	at0   float64 // its value at 0
	slope []float64
	group int
	pick  pick // what it is made of
	age   int  // points since it had a weight
}

// bundleCuts is the number of cuts that are kept of a single group, bundleExchanges the most of the exchanges for a point.
const (
	bundleCuts      = 50
	bundleExchanges = 300
)

// at is the value of the cut at a point.
func (c *cut) at(x []float64) float64 { return c.at0 + dot(c.slope, x) }

// dot is the product of two vectors.
func dot(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

// product is the product of two slopes in the metric of the scale; 0 where the first is nil.
func (b *bundle) product(x, y []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += b.scale[k] * v * y[k]
	}
	return sum
}

// add takes the value at a point with its cuts, and moves the centre there if it is better by a tenth of what was promised. The step
// grows where the promise is good or the centre keeps moving: first prices may be far away.
//
// Complexity: O(cuts · coordinates).
func (b *bundle) add(x []float64, value float64, cuts ...*cut) {
	if b.centre == nil {
		b.restart(x, value, cuts, b.step)
		return
	}
	if b.moves(value) {
		if value-b.value >= 0.5*b.gain {
			b.step *= 3
		} else if b.rich++; b.rich >= 2 {
			b.step, b.rich = 2*b.step, 0
		}
		copy(b.centre, x)
		b.value, b.poor = value, 0
		for k, c := range b.cuts {
			b.high[k] = b.highAt(c)
		}
	} else if b.rich, b.poor = 0, b.poor+1; b.poor >= 4 {
		b.step, b.poor = b.step*0.7, 0
	}
	for _, c := range cuts {
		b.insert(c)
	}
}

// moves says that a point of the value is to be the centre. One that is no better is not: where nothing is promised any more, the step would
// grow beyond all numbers.
func (b *bundle) moves(value float64) bool { return value > b.value && value-b.value >= 0.1*b.gain }

// highAt is the cut at the centre, lifted.
func (b *bundle) highAt(c *cut) float64 {
	if b.floor == nil {
		return max(b.value, c.at(b.centre))
	}
	return max(b.floor(c, b.centre), c.at(b.centre))
}

// size is the largest number of cuts.
func (b *bundle) size() int { return max(b.most, bundleCuts) }

// insert keeps the cut, in place of the one that has had no weight for longest where there are too many.
func (b *bundle) insert(c *cut) {
	most, k := b.size(), len(b.cuts)
	if k == most {
		k = b.oldest()
		b.cuts[k] = c
	} else {
		b.cuts = append(b.cuts, c)
		b.weight, b.high, b.along = append(b.weight, 0), append(b.high, 0), append(b.along, 0)
	}
	if b.gram == nil {
		b.gram = make([]float64, most*most)
	}
	for l := range b.cuts {
		p := b.product(b.cuts[l].slope, c.slope)
		b.gram[k*most+l], b.gram[l*most+k] = p, p
	}
	if b.base != nil {
		b.along[k] = b.product(b.base, c.slope)
	}
	b.high[k] = b.highAt(c)
	b.weight[k] = 0
}

// oldest is the cut that has had no weight for longest, of the least weight where all have some; not the only one of its group.
func (b *bundle) oldest() int {
	of := make([]int, max(1, b.groups))
	for _, c := range b.cuts {
		of[c.group]++
	}
	k := -1
	for l, c := range b.cuts {
		if of[c.group] > 1 && (k < 0 || c.age > b.cuts[k].age || c.age == b.cuts[k].age && b.weight[l] < b.weight[k]) {
			k = l
		}
	}
	return k
}

// restart takes over a centre with its value and cuts.
func (b *bundle) restart(centre []float64, value float64, cuts []*cut, step float64) {
	b.centre, b.value, b.step, b.poor = slices.Clone(centre), value, step, 0
	b.cuts, b.weight, b.high, b.along = b.cuts[:0], b.weight[:0], b.high[:0], b.along[:0]
	for _, c := range cuts {
		b.insert(c)
	}
}

// next writes the next point to x and returns the gain that the cuts promise there, which bounds what any point near can gain.
//
// The weights of the cuts minimise Σ weight·high + step/2·|base + Σ weight·slope|², those of each group making 1, by exchange between
// two of a group. Complexity: O(cuts) an exchange, of which there are at most 300.
func (b *bundle) next(x []float64) float64 {
	b.normalise()
	slope, squared := b.direction()
	if b.step == 0 && squared > 0 {
		b.step = min(10*max(math.Abs(b.value), b.unit)/squared, math.MaxFloat64)
	}
	grad := slope
	for k := range grad {
		grad[k] = b.high[k] + b.step*slope[k]
	}
	b.exchange(grad)
	copy(x, b.centre)
	move := func(w float64, slope []float64) {
		for d, s := range slope {
			x[d] += b.step * w * b.scale[d] * s
		}
	}
	move(1, b.base)
	for k, c := range b.cuts {
		if c.age++; b.weight[k] > 0 {
			c.age = 0
			move(b.weight[k], c.slope)
		}
	}
	promise := dot(b.base, x)
	least := slices.Repeat([]float64{math.Inf(1)}, max(1, b.groups))
	for k, c := range b.cuts {
		least[c.group] = min(least[c.group], grad[k])
	}
	for _, l := range least {
		promise += l
	}
	b.gain = promise - b.value
	return b.gain
}

// normalise makes the weights of each group 1; where they are almost nothing, the last cut has all.
func (b *bundle) normalise() {
	sum, last := make([]float64, max(1, b.groups)), make([]int, max(1, b.groups))
	for k, c := range b.cuts {
		sum[c.group] += b.weight[k]
		last[c.group] = k
	}
	for k, c := range b.cuts {
		switch {
		case sum[c.group] >= 0.5:
			b.weight[k] /= sum[c.group]
		case k == last[c.group]:
			b.weight[k] = 1
		default:
			b.weight[k] = 0
		}
	}
}

// direction is the product of each cut's slope with base + Σ weight·slope, and of that with itself.
func (b *bundle) direction() (slope []float64, squared float64) {
	most := b.size()
	slope = slices.Clone(b.along)
	squared = b.product(b.base, b.base)
	for k := range slope {
		for l, w := range b.weight {
			if w != 0 {
				slope[k] += w * b.gram[k*most+l]
			}
		}
		squared += b.weight[k] * (slope[k] + b.along[k])
	}
	return slope, squared
}

// exchange moves weight between two cuts of a group where that gains most, again and again; grad is the slope by weight.
func (b *bundle) exchange(grad []float64) {
	n, most := len(b.cuts), b.size()
	low, top := make([]int, max(1, b.groups)), make([]int, max(1, b.groups))
	for range bundleExchanges {
		for g := range low {
			low[g], top[g] = -1, -1
		}
		for k, v := range grad {
			g := b.cuts[k].group
			if low[g] < 0 || v < grad[low[g]] {
				low[g] = k
			}
			if b.weight[k] > 0 && (top[g] < 0 || v > grad[top[g]]) {
				top[g] = k
			}
		}
		l, t, difference := -1, -1, 1e-9*(math.Abs(b.value)+1e-9)
		for g := range low {
			if top[g] < 0 {
				continue
			}
			if d := grad[top[g]] - grad[low[g]]; d > difference {
				l, t, difference = low[g], top[g], d
			}
		}
		if l < 0 {
			return
		}
		move := b.weight[t]
		if curve := b.step * (b.gram[l*most+l] + b.gram[t*most+t] - 2*b.gram[l*most+t]); curve > 0 {
			move = min(move, difference/curve)
		}
		b.weight[t] -= move
		b.weight[l] += move
		rowL, rowT := b.gram[l*most:l*most+n], b.gram[t*most:t*most+n]
		for k := range grad {
			grad[k] += b.step * move * (rowL[k] - rowT[k])
		}
	}
}
