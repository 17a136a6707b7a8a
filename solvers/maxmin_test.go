package solvers_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// Max-min decides as the textbook's double loop does, though it looks again only at jobs whose clusters have been filled.
func TestMaxMinIsTheTextbooks(t *testing.T) {
	race.OneGoroutine(t)
	choose := func(left []int, completion [][]float64) (job, cluster int) {
		latest := math.Inf(-1)
		for _, j := range left {
			c := argmin(completion[j])
			if end := completion[j][c]; end > latest {
				job, cluster, latest = j, c, end
			}
		}
		return job, cluster
	}
	agrees(t, "maxmin", choose)
	agreesOnGrids(t, "maxmin", choose)
	agreesOnRoomyGrids(t, "maxmin", choose)
}
