//go:build race

package solve_test

// underRace says that the race detector is on, which makes everything some ten times slower.
const underRace = true
