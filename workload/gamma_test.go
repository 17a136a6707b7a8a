package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// What is drawn is what gonum draws, to the last bit and over all forms of the density.
func TestGammaIsThatOfGonum(t *testing.T) {
	ours, theirs := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	for _, shape := range []float64{1e-3, 0.01, 0.1, 0.199, 0.2, 0.5, 0.999, 1, 1.001, 2, 4, 100, 1e4} {
		for _, rate := range []float64{1e-3, 1, 7.3} {
			other := distuv.Gamma{Alpha: shape, Beta: rate, Src: theirs}
			for range 2000 {
				if found, want := drawGamma(ours, shape, rate), other.Rand(); math.Float64bits(found) != math.Float64bits(want) {
					t.Fatalf("shape %v, rate %v: %v, expected %v", shape, rate, found, want)
				}
			}
		}
	}
	w := GGOneWorkflows{Distribution: "lognormal"}
	for range 2000 {
		mean, cv := math.Exp(ours.NormFloat64()), 0.01+3*ours.Float64()
		theirs.NormFloat64()
		theirs.Float64()
		variance := math.Log1p(cv * cv)
		other := distuv.LogNormal{Mu: math.Log(mean) - variance/2, Sigma: math.Sqrt(variance), Src: theirs}
		if found, want := w.sample(ours, mean, cv), other.Rand(); found != want {
			t.Fatalf("mean %v, cv %v: %v, expected %v", mean, cv, found, want)
		}
	}
}
