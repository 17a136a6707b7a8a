package bound

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// epsilon is the distance from 1 to the next float64: twice the relative error of one operation.
const epsilon = 0x1p-52

// overflow is the magnitude from which on a number is no result: sums of several may leave the range of float64.
const overflow = 1e300

// finite says that the number is one that can be calculated with: not NaN, and far from overflow.
func finite(x float64) bool { return math.Abs(x) < overflow }

// finiteAll says so of all numbers.
func finiteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !finite(v) })
}

// Sum is the result of some arithmetic, with what its rounding error depends on.
//
// Adding up n numbers is wrong by no more than (n−1)·u·Σ|number|, u being half of epsilon, and each of them by a few u of its own
// magnitude. The error is relative to the magnitudes, not to the result: where large numbers cancel, the result may be all error.
// Source: N. J. Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed., §4.2.
type Sum struct {
	Value float64
	Size  float64 // sum of the magnitudes of all numbers that it was made of
	Terms int     // number of them; a longest chain of operations counts as many
}

// Add adds a number.
func (s *Sum) Add(x float64) {
	s.Value += x
	s.Size += math.Abs(x)
	s.Terms++
}

// Low is a number that the exact result is not below; false where the arithmetic came to NaN or an overflow.
func (s *Sum) Low() (float64, bool) {
	low := s.Value - s.margin()
	return low, finite(s.Value) && finite(s.Size) && finite(low)
}

// margin is a limit of the rounding error; 16 more terms stand for the few operations that made each number.
func (s *Sum) margin() float64 { return float64(s.Terms+16) * epsilon * s.Size }

// Gate is the only way in which what a prover proves becomes a bound. It rounds outward, and a result that is no number closes it
// for good: what such a prover proves afterwards is not to be trusted, what it had proved before still holds.
type Gate struct {
	proved model.Bound
	closed bool
}

// Prove takes a lower bound of the metric.
func (g *Gate) Prove(proved Sum) {
	low, ok := proved.Low()
	switch {
	case g.closed:
	case !ok:
		g.closed = true
	default:
		g.proved = g.proved.Max(model.ProvedBound(low))
	}
}

// Close says that the prover has failed: it proves nothing from here on.
func (g *Gate) Close() { g.closed = true }

// Bound is the best bound of the metric that went through.
func (g *Gate) Bound() model.Bound { return g.proved }
