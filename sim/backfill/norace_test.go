//go:build !race

package backfill

// thoroughness divides the number of random workloads.
const thoroughness = 1
