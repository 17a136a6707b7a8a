package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
)

// A job has to be placed if the checker of schedules accepts some placement of it alone, and then takes no less time and processor time than stated.
func TestDutiesAreWhatTheCheckerAccepts(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(4, 32))
	for k := range race.Fewer(500, 200) {
		in := modeltest.Alone(rng)
		want, r := modeltest.AcceptedOf(in), newRelaxation(t.Context(), in)
		if (r.Duty(0) == MustPlace) != want.Any() {
			t.Errorf("%d: duty %d, the checker accepts a placement: %v", k, r.Duty(0), want.Any())
		}
		area := math.Inf(1)
		for c := range in.Clusters() {
			area = min(area, r.areaOn(0, c))
		}
		if math.IsInf(r.ShortestTime(0), 1) == want.Any() || math.IsInf(area, 1) == want.Any() || want.Any() && (r.ShortestTime(0) > want.Time*(1+1e-12) || area > want.Area*(1+1e-12)) {
			t.Errorf("%d: takes %v and holds %v at least; a placement takes %v, one holds %v", k, r.ShortestTime(0), area, want.Time, want.Area)
		}
		if r.Solid() && slices.Contains(want.Over, true) {
			t.Errorf("%d: holds processors of one cluster only, and the checker accepts a placement over several", k)
		}
	}
}
