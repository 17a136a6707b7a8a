package plan

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
)

// UniformProcessors is a range of processors of one cluster that are alike for every job, with the time at which each is released. It
// decides as a [Schedule] does on a uniform cluster: of the processors free at its start a job takes the latest-released ones.
type UniformProcessors struct {
	releases *Releases
	sets     plainSets
}

// NewUniformProcessors covers the given number of processors of the cluster, from number first on. They are free from the earliest
// arrival on, or from when the instance says that they are released.
func NewUniformProcessors(in *model.Instance, cluster, first, processors int) *UniformProcessors {
	u := &UniformProcessors{releases: NewReleases(min(processors, len(in.Jobs())+1))}
	u.sets.steps = freeSteps(in, cluster, nil, first, processors)
	u.releases.start(u.sets.steps)
	return u
}

// Release is the earliest time at which n processors are free.
func (u *UniformProcessors) Release(n int) float64 { return u.releases.released(int32(n)) }

// Take gives n processors to a job from start to end and returns them.
//
// Complexity: O(steps); there are at most as many steps as jobs that run at once.
func (u *UniformProcessors) Take(n int, start, end float64) model.ProcessorSet {
	u.releases.hold(int32(n), start, end)
	return u.sets.place(n, &Slot{Start: start, End: end})
}

// freeSteps groups the processors by the time of their first release, ascending. held is that time by processor of the cluster; nil: that of the instance.
func freeSteps(in *model.Instance, cluster int, held []float64, first, processors int) []plainStep {
	if held == nil {
		held = in.HeldUntil(cluster)
	}
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

// start sets the state to the releases of the steps. It makes room for one step more for each job, and for one to insert.
func (r *Releases) start(steps []plainStep) {
	if room := len(steps) + r.most() + 1; room > len(r.steps) {
		r.steps = make([]step, room)
	}
	r.n, r.idle = len(steps), 0
	for k, s := range steps {
		r.steps[k] = step{s.time, int32(s.count)}
	}
}
