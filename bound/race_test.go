//go:build race

package bound

// underRace says that the race detector is on, which makes everything some ten times slower.
const underRace = true
