//go:build race

// Package race says whether the race detector is on, and how much of a test to run then.
package race

// Enabled is true if the race detector is on. It makes everything about ten times slower.
const Enabled = true
