package solvecases

import (
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// OnlineJobs are jobs that arrive over time on a few processors, with estimates that are too long, too short or right.
func OnlineJobs(rng *rand.Rand) []model.JobSpec {
	var jobs []model.JobSpec
	for k := range 25 {
		work := float64(1 + rng.IntN(9))
		jobs = append(jobs, model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: float64(rng.IntN(40)), Processors: model.Rigid(1 + rng.IntN(4)),
			Work: new(work), Estimate: new(max(1, work+float64(rng.IntN(9)-3))),
		})
	}
	return jobs
}
