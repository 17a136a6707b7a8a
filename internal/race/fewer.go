package race

import "testing"

// Fewer returns how much of a test to run: a part under the race detector and with -short, otherwise all. Use it for work of a
// single goroutine, where the race detector finds nothing more in the whole test.
func Fewer[N ~int | ~int64 | ~uint64](whole, part N) N {
	if Enabled || testing.Short() {
		return part
	}
	return whole
}

// Enough returns how many cases of a kind a test has to see to mean something: a tenth of the given number with -short, where rapid draws
// a fifth of the cases, otherwise the given number.
func Enough(cases int) int {
	if testing.Short() {
		return cases / 10
	}
	return cases
}

// OneGoroutine skips a test under the race detector, which finds nothing in a test of a single goroutine. Use it where even a part
// of the test takes long. Such a test must not depend on the build with HiGHS: it runs in the pure build alone.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("one goroutine: it runs without the race detector")
	}
}
