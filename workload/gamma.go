package workload

import (
	"math"
	"math/rand/v2"
)

// drawGamma draws from the gamma distribution with the given shape and rate, both above 0. Draw for draw it is distuv.Gamma of gonum, whose package imports
// all of its linear algebra.
//
// A shape of at least 0.2: G. Marsaglia, W. W. Tsang (2000), A simple method for generating gamma variables, doi:10.1145/358407.358414, where a shape below 1
// takes one more draw. Smaller ones: C. Liu, R. Martin, N. Syring (2017), Efficient simulation from a gamma distribution with small shape parameter,
// doi:10.1007/s00180-016-0692-0.
func drawGamma(rng *rand.Rand, shape, rate float64) float64 {
	switch {
	case shape == 1:
		return rng.ExpFloat64() / rate
	case shape < 0.2:
		return drawSmallGamma(rng, shape) / rate
	}
	d, factor := shape-1.0/3, 1.0
	if shape < 1 {
		d++
		factor = math.Pow(rng.Float64(), 1/shape)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := rng.NormFloat64()
		v := 1 + x*c
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rng.Float64()
		if u < 1-0.0331*(x*x)*(x*x) || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return factor * d * v / rate
		}
	}
}

// drawSmallGamma draws with a small shape and rate 1: exp(−z/shape), where z is accepted below an envelope of two exponential pieces.
func drawSmallGamma(rng *rand.Rand, shape float64) float64 {
	lambda := 1/shape - 1
	left := -math.Log1p(1 / lambda / math.E) // the logarithm of the share of the right piece
	for {
		z := rng.ExpFloat64() + left
		envelope := -z
		if z < 0 {
			z = -rng.ExpFloat64() / lambda
			envelope = -1 + lambda*z
		}
		value := math.Exp(-z / shape)
		if -z-value-envelope > -rng.ExpFloat64() {
			return value
		}
	}
}
