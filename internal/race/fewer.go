package race

import "testing"

// Fewer says how much of a test to run: part under the race detector and with -short, otherwise whole. Use it for work of a single
// goroutine, in which the race detector finds nothing more if all of it runs.
func Fewer[N int | uint64](whole, part N) N {
	if Enabled || testing.Short() {
		return part
	}
	return whole
}
