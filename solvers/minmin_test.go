package solvers_test

import (
	"math"
	"testing"
)

// Min-min decides as the double loop over jobs and clusters does, however many completion times are equal.
func TestMinMinIsTheTextbooks(t *testing.T) {
	choose := func(left []int, completion [][]float64) (job, cluster int) {
		first := math.Inf(1)
		for _, j := range left {
			for c, end := range completion[j] {
				if end < first {
					job, cluster, first = j, c, end
				}
			}
		}
		return job, cluster
	}
	agrees(t, "minmin", choose)
	agreesOnGrids(t, "minmin", choose)
}
