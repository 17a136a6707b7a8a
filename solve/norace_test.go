//go:build !race

package solve_test

// underRace says that the race detector is on.
const underRace = false
