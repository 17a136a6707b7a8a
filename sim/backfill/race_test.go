//go:build race

package backfill

// thoroughness divides the number of random workloads: the race detector makes one goroutine ten times slower and finds nothing.
const thoroughness = 20
