// Package tiny is what the test of mutants puts faults into.
package tiny

// Sum is a sum.
func Sum(values []int) int {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum
}

// Least is the least; 0 of none.
func Least(values []int) int {
	least := 0
	for k, v := range values {
		if k == 0 || v < least {
			least = v
		}
	}
	return least
}

// Steps counts down to 0.
func Steps(n int) int {
	steps := 0
	for n > 0 {
		n--
		steps++
	}
	return steps
}
