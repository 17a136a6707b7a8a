package solve

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// LowerBound is a lower bound of the instance's objective that holds for every schedule which places all jobs, and whether
// there is one. So far there is one where the objective is the makespan alone: the larger of
//
//   - the latest arrival + shortest execution time of a job, and
//   - the area: the sum over jobs of their least processor time, over the number of processors.
//
// There is none where a solver may leave jobs out (hard deadlines, jobs that fit nowhere), nor for moldable jobs. Complexity: O(n·C).
func LowerBound(in *model.Instance) (float64, bool) {
	objective := in.Objective()
	const excluded = model.HardDeadlines | model.MoldableJobs | model.MixedMachines | model.GridSpan
	if len(objective) != 1 || objective[0].Metric != "makespan" || objective[0].Weight <= 0 || in.Features()&excluded != 0 {
		return 0, false
	}
	longest, area := 0.0, 0.0
	for j := range in.Jobs() {
		shortest, least := math.Inf(1), math.Inf(1)
		for c := range in.Clusters() {
			if !in.CanRun(j, c) {
				continue
			}
			size, _ := in.Width(j, c)
			d := in.DurationOn(j, c, size)
			shortest, least = min(shortest, d), min(least, d*float64(size))
		}
		if math.IsInf(shortest, 1) {
			return 0, false
		}
		longest = max(longest, in.Jobs()[j].Arrival-in.FirstArrival()+shortest)
		area += least
	}
	// The sum of the area and the ends of a schedule are rounded; the bound stays below both.
	const rounding = 1 - 1e-12
	return objective[0].Weight * rounding * max(longest, area/float64(in.Processors())), true
}
