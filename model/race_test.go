//go:build race

package model_test

// raceEnabled says that the race detector is on, which makes everything some ten times slower.
const raceEnabled = true
