//go:build race

// Package race says whether the race detector is on.
package race

// Enabled says that the race detector is on, which makes everything some ten times slower.
const Enabled = true
