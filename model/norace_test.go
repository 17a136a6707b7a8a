//go:build !race

package model_test

// raceEnabled says that the race detector is on.
const raceEnabled = false
