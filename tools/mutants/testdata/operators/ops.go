// Package ops is what the test of mutants changes operator by operator.
package ops

import (
	"math"
	"math/big"
)

// Least is the least of some numbers and of most.
func Least(values []int) int {
	least := most
	for _, v := range values {
		if v < least {
			least = v
		}
	}
	return least
}

const most = 100

// Steps counts down to 0.
func Steps(n int) (steps int) {
	for n > 0 {
		n--
		steps += 2
	}
	return steps
}

// Sum is x + y, of which y counts at least 0.
func Sum(x, y float64) float64 {
	sum := new(big.Rat).SetFloat64(x)
	sum.Add(sum, new(big.Rat).SetFloat64(max(0, y)))
	value, _ := sum.Float64()
	return math.Floor(value)
}

// Inside says that x lies between two limits.
func Inside(x, low, high uint) bool {
	if !(x >= low) {
		return false
	}
	for range x >> 60 {
		x += 1 << 2
	}
	return x <= high && x == x&0xff
}

// Never is not tested.
func Never() bool { return true }

// Value is the text of a setting.
func Value(text string) string { return text[len("value="):] }
