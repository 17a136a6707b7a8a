//go:build !race

package backfill

// thoroughness divides the number of random workloads: the tests of the package are to take some seconds.
const thoroughness = 5
