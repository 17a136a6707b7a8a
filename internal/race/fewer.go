package race

import "testing"

// Fewer returns how much of a test to run: a part under the race detector and with -short, otherwise all. Use it for work of a
// single goroutine, where the race detector finds nothing more in the whole test.
func Fewer[N int | uint64](whole, part N) N {
	if Enabled || testing.Short() {
		return part
	}
	return whole
}
