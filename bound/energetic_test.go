package bound

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// Jobs that may end before an interval begins add nothing to its demand: it is exactly the same without them.
func TestDemandOfTheJobsThatReach(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		time := rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(0, 20).Draw(t, "whole")) + rapid.SampledFrom([]float64{0, 0.1, 1.0 / 3}).Draw(t, "part")
		})
		jobs := make([]energyJob, rapid.IntRange(1, 8).Draw(t, "jobs"))
		for k := range jobs {
			jobs[k] = energyJob{head: time.Draw(t, "head"), tail: time.Draw(t, "tail"), latest: 15 + 2*time.Draw(t, "latest")}
			for range rapid.IntRange(1, 3).Draw(t, "ways") {
				jobs[k].ways = append(jobs[k].ways, energyWay{rapid.Float64Range(0, 1).Draw(t, "share"), time.Draw(t, "length")})
			}
		}
		makespan, a := 20+time.Draw(t, "makespan"), time.Draw(t, "from")
		b := a + 0.1 + time.Draw(t, "more")
		const rounding = 1e-9
		some := reaching(nil, jobs, makespan, a, rounding)
		if found, want := demand(some, makespan, a, b, rounding), demand(jobs, makespan, a, b, rounding); found != want {
			t.Fatalf("the demand in [%v, %v] is %v without the jobs that are left out, %v with them: %v of %v", a, b, found, want, some, jobs)
		}
		left += len(jobs) - len(some)
	})
	if left < race.Enough(50) {
		t.Errorf("%d jobs were left out: the test proves little", left)
	}
}
