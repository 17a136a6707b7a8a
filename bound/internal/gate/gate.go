// Package gate rounds the results of the provers of lower bounds down, so that rounding errors never make a bound too high.
package gate

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Epsilon is the distance from 1 to the next float64: twice the relative error of one operation.
const Epsilon = 0x1p-52

// overflow is the magnitude from which on a number is treated as a failure: sums of several such numbers may leave the range of
// float64.
const overflow = 1e300

// Finite says that a number is fit for arithmetic: neither NaN nor near overflow.
func Finite(x float64) bool { return math.Abs(x) < overflow }

// FiniteAll says that all numbers are finite in the sense of [Finite].
func FiniteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !Finite(v) })
}

// Sum is the result of some arithmetic, with the figures that limit its rounding error.
//
// The sum of n numbers is wrong by at most (n−1)·u·Σ|number|, where u is half of Epsilon; each number is wrong by a few u of
// its own magnitude. So the error is relative to the magnitudes and not to the result: where large numbers cancel, the result
// may be all error. Source: N. J. Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed., §4.2.
type Sum struct {
	Value float64
	Size  float64 // sum of the magnitudes of all numbers that went into it
	Terms int     // how many numbers these are; a chain of operations counts as many as it is long
}

// Add adds a number.
func (s *Sum) Add(x float64) {
	s.Value += x
	s.Size += math.Abs(x)
	s.Terms++
}

// Low is a lower bound of the exact result. It returns false if the arithmetic came to NaN or an overflow.
func (s *Sum) Low() (float64, bool) {
	low := s.Value - s.Margin()
	return low, Finite(s.Value) && Finite(s.Size) && Finite(low)
}

// Margin limits the rounding error. The 16 additional terms stand for the few operations that made each number.
func (s *Sum) Margin() float64 { return float64(s.Terms+16) * Epsilon * s.Size }

// Gate takes the bounds that a prover proves. There is no other way to state a bound. The gate rounds every result down by its
// rounding error. A result that is no number closes the gate for good: later results of such a prover cannot be trusted, earlier
// ones still hold.
type Gate struct {
	proved model.Bound
	closed bool
	asked  bool                   // a certificate is asked for
	show   func() *proof.Argument // what proves the bound; nil: the prover does not show it
}

// Prove takes a lower bound of the metric. It returns true if the bound is the best so far and a certificate is asked for. Then the prover should
// call Show with what proves the bound, if it can.
func (g *Gate) Prove(proved Sum) (show bool) {
	low, ok := proved.Low()
	switch {
	case g.closed:
		return false
	case !ok:
		g.closed = true
		return false
	}
	best := g.proved.Max(model.ProvedBound(low))
	if best == g.proved {
		return false
	}
	g.proved, g.show = best, nil
	return g.asked
}

// Ask asks for certificates. Call it before the prover is made.
func (g *Gate) Ask() { g.asked = true }

// Asked says whether a certificate is asked for.
func (g *Gate) Asked() bool { return g.asked }

// Show takes a function that returns what proves the last bound. The function is called later or never. Its result has to prove that bound or more.
func (g *Gate) Show(argument func() *proof.Argument) { g.show = argument }

// Argument is what proves the bound. It is nil if the prover does not show it.
func (g *Gate) Argument() *proof.Argument {
	if g.show == nil {
		return nil
	}
	return g.show()
}

// Close says that the prover has failed: the gate ignores all later results.
func (g *Gate) Close() { g.closed = true }

// Drop closes the gate and forgets what went through it: its prover claims what is false.
func (g *Gate) Drop() { g.closed, g.proved, g.show = true, model.Bound{}, nil }

// Closed says whether the prover has failed.
func (g *Gate) Closed() bool { return g.closed }

// Bound is the best bound of the metric so far.
func (g *Gate) Bound() model.Bound { return g.proved }
