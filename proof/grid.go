package proof

import (
	"math"
	"math/big"
	"math/bits"
)

// int128 is a whole number of 128 bits. Products of times and prices, both whole numbers, and their sums fit into it.
type int128 struct {
	high int64
	low  uint64
}

// product is a·b.
func product(a, b int64) int128 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		high -= uint64(b)
	}
	if b < 0 {
		high -= uint64(a)
	}
	return int128{int64(high), low}
}

// plus is x + y.
func (x int128) plus(y int128) int128 {
	low, carry := bits.Add64(x.low, y.low, 0)
	high, _ := bits.Add64(uint64(x.high), uint64(y.high), carry)
	return int128{int64(high), low}
}

// minus is x − y.
func (x int128) minus(y int128) int128 {
	low, borrow := bits.Sub64(x.low, y.low, 0)
	high, _ := bits.Sub64(uint64(x.high), uint64(y.high), borrow)
	return int128{int64(high), low}
}

// below says x < y.
func (x int128) below(y int128) bool {
	return x.high < y.high || x.high == y.high && x.low < y.low
}

// down is ⌊x/2ⁿ⌋, which must fit into 64 bits.
func (x int128) down(n uint) int64 {
	if n >= 64 {
		return x.high >> (n - 64)
	}
	return int64(x.low>>n | uint64(x.high)<<(64-n))
}

// magnitude is about |x|.
func (x int128) magnitude() float64 { return math.Abs(float64(x.high)*0x1p64 + float64(x.low)) }

// whole128 is a whole number of at least 0, which must fit.
func whole128(x *big.Int) int128 {
	low := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64))
	return int128{int64(new(big.Int).Rsh(x, 64).Uint64()), low.Uint64()}
}

// big is the number as a fraction.
func (x int128) big() *big.Rat {
	value := new(big.Int).Lsh(big.NewInt(x.high), 64)
	return new(big.Rat).SetInt(value.Add(value, new(big.Int).SetUint64(x.low)))
}

// grid counts in units of 2^exponent.
type grid struct{ exponent int }

// gridFor is the grid on which numbers up to most have the given number of binary digits.
func gridFor(most *big.Rat, digits int) grid {
	value, _ := most.Float64()
	_, exponent := math.Frexp(value) // most ≤ 2^exponent, or a float64 rounded it there
	return grid{exponent - digits}
}

// scaled is x in units.
func (g grid) scaled(x *big.Rat) *big.Rat {
	return new(big.Rat).Mul(x, g.inverse())
}

// inverse is the number of units in 1.
func (g grid) inverse() *big.Rat {
	power := new(big.Int).Lsh(big.NewInt(1), uint(max(g.exponent, -g.exponent)))
	if g.exponent > 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), power)
	}
	return new(big.Rat).SetInt(power)
}

// up is x in units, rounded up. The number must fit: see gridFor.
func (g grid) up(x *big.Rat) int64 { return ceiling(g.scaled(x)).Int64() }

// down is x in units, rounded down.
func (g grid) down(x *big.Rat) int64 { return -ceiling(new(big.Rat).Neg(g.scaled(x))).Int64() }

// near is a float64 in units, rounded in any direction, which is fast. The number must fit.
func (g grid) near(x float64) int64 { return int64(math.Ldexp(x, -g.exponent)) }
