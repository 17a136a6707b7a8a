package race

import "testing"

// Fewer is how much of a test to run: the part under the race detector and with -short, otherwise the whole. It is for work of one
// goroutine, in which that detector finds nothing that a part of it does not show.
func Fewer[N int | uint64](whole, part N) N {
	if Enabled || testing.Short() {
		return part
	}
	return whole
}
