// Package bundle maximises a concave function of which only values and slopes at single points can be computed.
package bundle

import (
	"math"
	"slices"
)

// Bundle is a proximal bundle method. It models the function as the least of the cuts found so far. The next point maximises this
// model less a squared distance, which keeps the point near the centre, the best point so far. A serious step moves the centre to
// the new point; a null step only adds its cuts.
//
// The function may be the sum of a linear function and of several groups. Each group is modelled by its own cuts, so the model can
// combine cuts of different groups that were not found at the same point.
//
// Source: C. Lemaréchal, A. Nemirovskii, Y. Nesterov (1995), New variants of bundle methods, Math. Program. 69,
// doi:10.1007/BF01585555, §2.1; the step as in K. C. Kiwiel (1990), Math. Program. 46, doi:10.1007/BF01585731, §2. Deviations:
// a cut that turns out below the function at the centre is lifted to it, as the function is not concave at some kinks; when
// there are too many cuts, the one of the least weight is dropped instead of being aggregated.
type Bundle struct {
	Scale    []float64                         // by coordinate: how far a point may move, as a squared length
	Base     []float64                         // slope of the linear part; nil: there is none
	Unit     float64                           // a typical value; it sets the first step length if the value is near 0
	Groups   int                               // number of groups; 0: one
	Positive bool                              // no coordinate may be below 0; then Base has to be nil
	Most     int                               // largest number of cuts that are kept, at least two for each group; 0: MaxCuts
	Floor    func(c *Cut, x []float64) float64 // a lower bound of c's group at the centre x with the choice of c; nil: use the value
	Centre   []float64                         // the best point
	Value    float64                           // value at the centre
	Cuts     []*Cut
	Step     float64 // step length: the larger it is, the less the distance counts; 0: not set yet

	Weight  []float64 // of the cuts, at the last point
	gain    float64   // gain that the cuts promise there
	gram    []float64 // by pair of cuts: product of the slopes
	along   []float64 // by cut: product of its slope with Base
	high    []float64 // by cut: its value at the centre, lifted
	serious int       // serious steps in a row
	null    int       // null steps in a row
}

// Cut is a linear function that is nowhere below its group of the concave function.
type Cut struct {
	At0    float64 // value at 0
	Slope  []float64
	Group  int
	Choice Choice // the choice of the group that made it
	age    int    // points since it last had a weight
}

// Choice is what a group chose where a cut was made, in the terms of the method that makes the cuts.
type Choice struct{ Jobs, Level int32 }

// MaxCuts is the number of cuts that are kept of a single group; maxExchanges limits the exchanges of weight for one point.
const (
	MaxCuts      = 50
	maxExchanges = 300
)

// At is the value of the cut at x.
func (c *Cut) At(x []float64) float64 { return c.At0 + Dot(c.Slope, x) }

// Dot is the scalar product of two vectors.
func Dot(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

// product is the scalar product of two slopes in the metric of Scale; 0 if x is nil.
func (b *Bundle) product(x, y []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += b.Scale[k] * v * y[k]
	}
	return sum
}

// Add takes the value at point x with its cuts. The step is serious if the value is better by at least a tenth of the promised
// gain; then the centre moves to x. The step length grows if the promise was good or the centre keeps moving, because the first
// point may be far from the best one.
//
// Complexity: O(cuts · coordinates).
func (b *Bundle) Add(x []float64, value float64, cuts ...*Cut) {
	if b.Centre == nil {
		b.Restart(x, value, cuts, b.Step)
		return
	}
	if b.Serious(value) {
		if value-b.Value >= 0.5*b.gain {
			b.Step *= 3
		} else if b.serious++; b.serious >= 2 {
			b.Step, b.serious = 2*b.Step, 0
		}
		copy(b.Centre, x)
		b.Value, b.null = value, 0
		for k, c := range b.Cuts {
			b.high[k] = b.highAt(c)
		}
	} else if b.serious, b.null = 0, b.null+1; b.null >= 4 {
		b.Step, b.null = b.Step*0.7, 0
	}
	for _, c := range cuts {
		b.insert(c)
	}
}

// Serious says whether a point of the given value makes a serious step. The value has to be better than that of the centre.
// Otherwise the step length would grow without limit when no gain is promised any more.
func (b *Bundle) Serious(value float64) bool { return value > b.Value && value-b.Value >= 0.1*b.gain }

// Shorten divides the step length by 4, after a point that could not be evaluated. It counts serious and null steps from 0
// again.
func (b *Bundle) Shorten() { b.Step, b.serious, b.null = b.Step/4, 0, 0 }

// highAt is the value of cut c at the centre, lifted.
func (b *Bundle) highAt(c *Cut) float64 {
	if b.Floor == nil {
		return max(b.Value, c.At(b.Centre))
	}
	return max(b.Floor(c, b.Centre), c.At(b.Centre))
}

// size is the largest number of cuts.
func (b *Bundle) size() int { return max(b.Most, MaxCuts) }

// insert keeps the cut. If there are too many, it replaces the one that has had no weight for longest.
func (b *Bundle) insert(c *Cut) {
	most, k := b.size(), len(b.Cuts)
	if k == most {
		k = b.oldest()
		b.Cuts[k] = c
	} else {
		b.Cuts = append(b.Cuts, c)
		b.Weight, b.high, b.along = append(b.Weight, 0), append(b.high, 0), append(b.along, 0)
	}
	if b.gram == nil {
		b.gram = make([]float64, most*most)
	}
	for l := range b.Cuts {
		p := b.product(b.Cuts[l].Slope, c.Slope)
		b.gram[k*most+l], b.gram[l*most+k] = p, p
	}
	if b.Base != nil {
		b.along[k] = b.product(b.Base, c.Slope)
	}
	b.high[k] = b.highAt(c)
	b.Weight[k] = 0
}

// oldest is the cut that has had no weight for longest. If all cuts have some weight, it is the one of the least weight. It is
// never the only cut of a group.
func (b *Bundle) oldest() int {
	of := make([]int, max(1, b.Groups))
	for _, c := range b.Cuts {
		of[c.Group]++
	}
	k := -1
	for l, c := range b.Cuts {
		if of[c.Group] > 1 && (k < 0 || c.age > b.Cuts[k].age || c.age == b.Cuts[k].age && b.Weight[l] < b.Weight[k]) {
			k = l
		}
	}
	return k
}

// Restart continues from the given centre with its value and cuts.
func (b *Bundle) Restart(centre []float64, value float64, cuts []*Cut, step float64) {
	b.Centre, b.Value, b.Step, b.null = slices.Clone(centre), value, step, 0
	b.Cuts, b.Weight, b.high, b.along = b.Cuts[:0], b.Weight[:0], b.high[:0], b.along[:0]
	for _, c := range cuts {
		b.insert(c)
	}
}

// Next writes the next point to x. It returns the gain that the cuts promise there: no point near the centre can gain more.
//
// The weights of the cuts minimise Σ weight·high + step/2·|base + Σ weight·slope|², where the weights of each group sum to 1.
// They are found by exchanges of weight between two cuts of a group. Complexity: O(cuts) for each of at most 300 exchanges.
func (b *Bundle) Next(x []float64) float64 {
	b.normalise()
	if b.Positive {
		b.Base = nil
		clear(b.along)
	}
	grad := b.weigh()
	for round := 0; b.Positive && round < rounds && b.hold(); round++ {
		grad = b.weigh()
	}
	copy(x, b.Centre)
	move := func(w float64, slope []float64) {
		for d, s := range slope {
			x[d] += b.Step * w * b.Scale[d] * s
		}
	}
	move(1, b.Base)
	for k, c := range b.Cuts {
		if c.age++; b.Weight[k] > 0 {
			c.age = 0
			move(b.Weight[k], c.Slope)
		}
	}
	if b.Positive {
		for d := range x {
			x[d] = max(0, x[d])
		}
	}
	promise := Dot(b.Base, x)
	least := slices.Repeat([]float64{math.Inf(1)}, max(1, b.Groups))
	for k, c := range b.Cuts {
		least[c.Group] = min(least[c.Group], grad[k])
	}
	for _, l := range least {
		promise += l
	}
	b.gain = promise - b.Value
	return b.gain
}

// rounds is how often weights and the prices of limits are found in turn.
const rounds = 3

// weigh finds the weights of the cuts. It returns the derivative by weight.
func (b *Bundle) weigh() []float64 {
	slope, squared := b.direction()
	if b.Step == 0 && squared > 0 {
		b.Step = min(10*max(math.Abs(b.Value), b.Unit)/squared, math.MaxFloat64)
	}
	grad := slope
	for k := range grad {
		grad[k] = b.high[k] + b.Step*slope[k]
	}
	b.exchange(grad)
	return grad
}

// hold finds prices of the limits of the coordinates, at least 0, with which the next point is within them, and makes them the linear part. It returns false if
// no coordinate is below its limit.
//
// Source: C. Helmberg, K. C. Kiwiel (2002), A spectral bundle method with bounds, Math. Program. 93, doi:10.1007/s101070100270, §3.
func (b *Bundle) hold() bool {
	sum := make([]float64, len(b.Centre))
	for k, w := range b.Weight {
		if w > 0 {
			for d, s := range b.Cuts[k].Slope {
				sum[d] += w * s
			}
		}
	}
	below := false
	for d, s := range sum {
		sum[d] = 0
		if s < 0 && b.Centre[d]+b.Step*b.Scale[d]*s < 0 {
			sum[d], below = -s-b.Centre[d]/(b.Step*b.Scale[d]), true
		}
	}
	if !below && b.Base == nil {
		return false
	}
	b.Base = sum
	for k, c := range b.Cuts {
		b.along[k] = b.product(b.Base, c.Slope)
	}
	return true
}

// normalise makes the weights of each group sum to 1. If they are almost 0, the last cut of the group gets all the weight.
func (b *Bundle) normalise() {
	sum, last := make([]float64, max(1, b.Groups)), make([]int, max(1, b.Groups))
	for k, c := range b.Cuts {
		sum[c.Group] += b.Weight[k]
		last[c.Group] = k
	}
	for k, c := range b.Cuts {
		switch {
		case sum[c.Group] >= 0.5:
			b.Weight[k] /= sum[c.Group]
		case k == last[c.Group]:
			b.Weight[k] = 1
		default:
			b.Weight[k] = 0
		}
	}
}

// direction is the product of each cut's slope with base + Σ weight·slope, and the product of that vector with itself.
func (b *Bundle) direction() (slope []float64, squared float64) {
	most := b.size()
	slope = slices.Clone(b.along)
	squared = b.product(b.Base, b.Base)
	for k := range slope {
		for l, w := range b.Weight {
			if w != 0 {
				slope[k] += w * b.gram[k*most+l]
			}
		}
		squared += b.Weight[k] * (slope[k] + b.along[k])
	}
	return slope, squared
}

// exchange moves weight between two cuts of a group, again and again, each time where it gains most. The argument grad is the
// derivative by weight.
func (b *Bundle) exchange(grad []float64) {
	n, most := len(b.Cuts), b.size()
	low, top := make([]int, max(1, b.Groups)), make([]int, max(1, b.Groups))
	for range maxExchanges {
		for g := range low {
			low[g], top[g] = -1, -1
		}
		for k, v := range grad {
			g := b.Cuts[k].Group
			if low[g] < 0 || v < grad[low[g]] {
				low[g] = k
			}
			if b.Weight[k] > 0 && (top[g] < 0 || v > grad[top[g]]) {
				top[g] = k
			}
		}
		l, t, difference := -1, -1, 1e-9*(math.Abs(b.Value)+1e-9)
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
		move := b.Weight[t]
		if curve := b.Step * (b.gram[l*most+l] + b.gram[t*most+t] - 2*b.gram[l*most+t]); curve > 0 {
			move = min(move, difference/curve)
		}
		b.Weight[t] -= move
		b.Weight[l] += move
		rowL, rowT := b.gram[l*most:l*most+n], b.gram[t*most:t*most+n]
		for k := range grad {
			grad[k] += b.Step * move * (rowL[k] - rowT[k])
		}
	}
}
