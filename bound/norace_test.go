//go:build !race

package bound

// underRace says that the race detector is on.
const underRace = false
