package statistics

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// StudentTail is the probability that Student's t with the given degrees of freedom is above x: half of I(ν/(ν + x²); ν/2, 1/2) for x > 0, so that small
// ones keep their digits. I is the regularised incomplete beta function; NIST Digital Library of Mathematical Functions, 8.17.
//
// Package stat/distuv of gonum has it too, but imports all of its linear algebra, 20 packages that the first build would compile.
func StudentTail(x, degrees float64) float64 {
	if x == 0 {
		return 0.5
	}
	outside := mathext.RegIncBeta(degrees/2, 0.5, degrees/(x*x+degrees)) / 2
	if x > 0 {
		return outside
	}
	return 1 - outside
}

// studentWidth is the (1 + confidence)/2 quantile of Student's t, by way of the lower tail, in which 1 − confidence keeps its
// digits.
func studentWidth(confidence, degrees float64) float64 {
	t := mathext.InvRegIncBeta(degrees/2, 0.5, 1-confidence)
	return math.Sqrt(degrees * (1 - t) / t)
}

// deviation is the standard deviation of a sample of two values or more. The corrected two-pass algorithm: T. F. Chan, G. H. Golub, R. J. LeVeque (1983),
// doi:10.1080/00031305.1983.10483115, eq. 1.7.
func deviation(x []float64) float64 {
	n := float64(len(x))
	mean := floats.Sum(x) / n
	squares, sum := 0.0, 0.0
	for _, v := range x {
		d := v - mean
		squares += d * d
		sum += d
	}
	return math.Sqrt((squares - sum*sum/n) / (n - 1))
}
