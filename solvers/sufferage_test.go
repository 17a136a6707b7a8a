package solvers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// Sufferage decides as the textbook's double loop does.
func TestSufferageIsTheTextbooks(t *testing.T) {
	race.OneGoroutine(t)
	choose := func(left []int, completion [][]float64) (job, cluster int) {
		most := math.Inf(-1)
		for _, j := range left {
			ends := slices.Sorted(slices.Values(completion[j]))
			sufferage := math.Inf(1)
			if len(ends) > 1 && !math.IsInf(ends[1], 1) {
				sufferage = ends[1] - ends[0]
			}
			if sufferage > most {
				job, cluster, most = j, argmin(completion[j]), sufferage
			}
		}
		return job, cluster
	}
	agrees(t, "sufferage", choose)
	agreesOnGrids(t, "sufferage", choose)
	agreesOnRoomyGrids(t, "sufferage", choose)
}
