package schedules

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/shelves"
)

// The largest numbers of jobs and processors for which the dual algorithm runs. At these sizes it takes up to a quarter of a second, and its time
// grows more than linearly.
const (
	maxShelvesJobs       = 20_000
	maxShelvesProcessors = 1 << 16
)

// shelvesParts has one part of the least guess for each list schedule. There each job has the fewest processors with which it ends within that part.
var shelvesParts = []float64{1, 1.0 / 2, 1.0 / 3, 1.0 / 5}

// moldableStarts are starts for the makespan of moldable jobs on one cluster of equal processors. One is the schedule of the dual algorithm, see package shelves. The others are list
// schedules, longest job first, see shelvesParts. There are none if anything else matters in the instance, or if the context ends.
func (p *problem) moldableStarts(ctx context.Context) []startRule {
	const allowed = model.ParallelJobs | model.MoldableJobs | model.UnrelatedTimes
	in := p.in
	objective := in.ObjectiveTerms()
	if len(p.moldable) == 0 || in.Features()&^allowed != 0 || len(in.Clusters()) != 1 || !in.Clusters()[0].Uniform || in.Clusters()[0].WholeMachines ||
		len(p.jobs) > maxShelvesJobs || in.Processors() > maxShelvesProcessors || len(objective) != 1 || objective[0].Metric != "makespan" || objective[0].Weight <= 0 {
		return nil
	}
	jobs := make([]shelves.Job, len(p.jobs))
	for k, j := range p.jobs {
		least, most := p.widths(int(j), 0)
		jobs[k] = shelves.Job{Least: least, Most: most, Time: func(n int) float64 { return in.DurationOn(int(j), 0, n) }}
	}
	best, _, ok := shelves.Best(ctx, in.Processors(), jobs)
	if !ok {
		return nil
	}
	starts := []startRule{p.fixedStart(best.Width, func(k int) float64 { return best.Start[k] })}
	for _, part := range shelvesParts {
		widths := make([]int, len(jobs))
		for k := range jobs {
			widths[k] = jobs[k].Canonical(part*best.Guess, in.Processors())
			if widths[k] == 0 {
				widths[k] = min(jobs[k].Most, in.Processors())
			}
		}
		starts = append(starts, p.fixedStart(widths, func(k int) float64 { return -jobs[k].Time(widths[k]) }))
	}
	return starts
}

// fixedStart is a start with a number of processors and a priority for each of p.jobs.
func (p *problem) fixedStart(widths []int, priority func(k int) float64) startRule {
	return startRule{
		rule:   func(p *problem, j int32) float64 { return priority(int(p.position[j])) },
		widths: widths,
	}
}
