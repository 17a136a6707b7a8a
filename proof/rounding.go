package proof

import (
	"math"
	"math/big"
)

// This file rounds down: each function returns the largest float64 that is at most the exact result of one operation.

// exactFrom is the size from which on what rounding loses of a product is a float64, and so is what it loses of a dividend.
const exactFrom = 0x1p-960

// below is the next smaller float64.
func below(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// lowered is the computed result; if the exact result less the computed one is below 0, or is NaN because of an overflow, it is the float64 below.
func lowered(computed, difference float64) float64 {
	if difference >= 0 {
		return computed
	}
	return below(computed)
}

// down is the fraction rounded down.
func down(x *big.Rat) float64 {
	computed, exact := x.Float64()
	switch {
	case exact:
		return computed
	case math.IsInf(computed, 0):
		return below(computed)
	}
	return lowered(computed, float64(x.Cmp(number(computed))))
}

// sumDown is a + b rounded down. What rounding loses of a sum is a float64: D. E. Knuth, The Art of Computer Programming 2, 4.2.2, Theorem B.
func sumDown(a, b float64) float64 {
	sum := a + b
	part := sum - a
	return lowered(sum, (a-(sum-part))+(b-part))
}

// productDown is a·b rounded down, for numbers of at least 0.
func productDown(a, b float64) float64 {
	product := a * b
	switch {
	case a == 0 || b == 0:
		return 0
	case product < exactFrom:
		return down(new(big.Rat).Mul(number(a), number(b)))
	}
	return lowered(product, math.FMA(a, b, -product))
}

// quotientDown is a/b rounded down, for a of at least 0 and b above 0.
func quotientDown(a, b float64) float64 {
	quotient := a / b
	if a > 0 && (a < exactFrom || quotient < exactFrom) {
		return down(new(big.Rat).Quo(number(a), number(b)))
	}
	return lowered(quotient, -math.FMA(quotient, b, -a))
}
