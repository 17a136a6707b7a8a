package plan

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Lane is a run of processors of a cluster that are alike for every job: which of them are released when. It decides as a
// [Schedule] does on a uniform cluster: a job takes, of the processors free at its start, the latest-released ones.
type UniformProcessors struct {
	releases *Releases
	sets     plainSets
}

// NewLane is a lane of the processors from first on of the cluster, free from the earliest arrival on, or from when the
// instance says that they are released; at most as many jobs as the instance has run on it at once.
func NewUniformProcessors(in *model.Instance, cluster, first, processors int) *UniformProcessors {
	l := &UniformProcessors{releases: NewReleases(min(processors, len(in.Jobs())+1))}
	l.sets.steps = freeSteps(in, cluster, first, processors)
	l.releases.start(l.sets.steps)
	return l
}

// Release is the earliest time at which n processors are free.
func (l *UniformProcessors) Release(n int) float64 { return l.releases.released(int32(n)) }

// Take gives n processors to a job from start to end and says which.
//
// Complexity: O(steps), of which there are no more than jobs that run at once.
func (l *UniformProcessors) Take(n int, start, end float64) model.ProcessorSet {
	l.releases.hold(int32(n), start, end)
	return l.sets.place(n, &Slot{Start: start, End: end})
}

// freeSteps are the processors by the time of their first release.
func freeSteps(in *model.Instance, cluster, first, processors int) []plainStep {
	held := in.Released(cluster)
	if held == nil {
		return []plainStep{{in.FirstArrival(), processors, model.NewProcessorSet(model.Range{First: first, Last: first + processors - 1})}}
	}
	order := make([]int, processors)
	for k := range order {
		order[k] = first + k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(held[a], held[b]) })
	var steps []plainStep
	for from := 0; from < processors; {
		to := from + 1
		for to < processors && held[order[to]] == held[order[from]] {
			to++
		}
		steps = append(steps, plainStep{held[order[from]], to - from, model.Processors(order[from:to]...)})
		from = to
	}
	return steps
}

// start sets the releases to those of the steps.
func (r *Releases) start(steps []plainStep) {
	if most := len(r.steps) - 2; len(steps) > most {
		r.steps = make([]step, len(steps)+most+2)
	}
	r.n, r.idle = len(steps), 0
	for k, s := range steps {
		r.steps[k] = step{s.time, int32(s.count)}
	}
}
