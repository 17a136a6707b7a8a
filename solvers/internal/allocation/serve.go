package allocation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// schedule is the schedule of jobs on their machines, −1: on none. If each job holds one processor, and nothing else, the machines serve them, see
// [farm.serve]. Otherwise it is a list schedule in queue order in which the allocation decides the clusters.
func (f *farm) schedule(ctx context.Context, machine []int) (solve.Result, error) {
	if f.oneEach() {
		return solve.Result{Solution: f.serve(machine), Status: model.Feasible, Stop: model.StopDone}, nil
	}
	return list.InArrivalOrder(ctx, f.in, solve.Options{}, list.Rule{}, list.OnCluster(f.in, func(job int) int {
		if machine[job] < 0 {
			return 0 // it can run nowhere, or over several clusters alone
		}
		return f.at[machine[job]].cluster
	}))
}

// oneEach says whether each job holds one processor and shares nothing with those on others: neither memory of the machine nor copies of a licence.
func (f *farm) oneEach() bool {
	const honoured = features | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds |
		model.RestrictedTimes | model.BackgroundLoad | model.Commitments
	asked := f.in.Binding()
	limited := func(l model.Licence) bool { return l.Copies != model.Unlimited }
	switch {
	case asked&^honoured != 0, asked.Has(model.LicencePools) && slices.ContainsFunc(f.in.Licences(), limited):
		return false
	case asked.Has(model.MemoryLimits):
		return !slices.ContainsFunc(f.at, func(m machine) bool { return m.processors > 1 })
	}
	return true
}

// serve is a schedule in which each machine serves its tasks first come, first served, each on the processor of it that is free first. A task comes when it has
// arrived and what it waits for has ended; of those that come together the first in queue order is first. A task that would end after its hard
// deadline goes where it ends first instead, and is left out where that is too late as well.
//
// Complexity: O(n log n), and O(processors) for each task that goes elsewhere.
func (f *farm) serve(machine []int) *model.Solution {
	in := f.in
	sol := &model.Solution{Jobs: make([]model.Placement, 0, len(machine))}
	lines := make([]*line, len(f.at))
	// on is the placement of the job on a machine.
	on := func(job, k int, ready float64) model.Placement {
		m, at, unit := &f.at[k], in.FirstArrival(), 0
		if lines[k] == nil && in.HeldUntil(m.cluster) != nil {
			lines[k] = newLine(in.HeldUntil(m.cluster)[m.first : m.first+m.processors])
		}
		if lines[k] != nil {
			at, unit = lines[k].next(at, m.processors)
		}
		set, start := model.Processors(m.first+unit), max(at, ready)
		return model.Placement{Job: in.Jobs()[job].ID, Cluster: m.id, Processors: set, Start: start, End: model.End(start, in.Duration(job, m.cluster, set))}
	}
	coming := newComing(in, f.order)
	end := slices.Repeat([]float64{math.NaN()}, len(machine))
	for len(coming.jobs) > 0 {
		next := coming.jobs.Pop()
		job, ready, k := int(next.Job), next.Key, machine[next.Job]
		j := &in.Jobs()[job]
		switch before := slices.IndexFunc(j.After, func(b int) bool { return math.IsNaN(end[b]) }); {
		case before >= 0:
			f.leave(sol, job, fmt.Sprintf("waits for job %s, which is not placed", in.Jobs()[j.After[before]].ID))
		case k < 0:
			f.leave(sol, job, in.WhyNowhere(job))
		default:
			p := on(job, k, ready)
			if j.DeadlineHard && model.Late(p.End, j.Deadline) {
				for other := range f.at {
					if !f.canBe(job, other) {
						continue
					}
					if q := on(job, other, ready); q.End < p.End {
						p, k = q, other
					}
				}
				if model.Late(p.End, j.Deadline) {
					f.leave(sol, job, fmt.Sprintf("hard deadline %v would be missed: earliest end %v on %s", j.Deadline, p.End, p.Cluster))
					break
				}
			}
			if lines[k] == nil {
				lines[k] = &line{}
			}
			lines[k].take(p.Processors.Min()-f.at[k].first, p.End)
			end[job] = p.End
			sol.Jobs = append(sol.Jobs, p)
		}
		coming.ended(in, job, end[job])
	}
	return sol
}

// leave leaves the job out.
func (f *farm) leave(sol *model.Solution, job int, reason string) {
	sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: f.in.Jobs()[job].ID, Reason: plan.CutReason(reason)})
}

// line is the processors of a machine that have served a task, or that earlier jobs hold, by when they are free. The others, from number fresh
// on, are free from the beginning.
type line struct {
	free  queue.Heap[freed]
	fresh int
}

// freed is a processor, by its number in the machine, with the time from which it is free.
type freed struct {
	at   float64
	unit int
}

// newLine is the line of processors that earlier jobs release at the given times.
func newLine(released []float64) *line {
	l := &line{fresh: len(released)}
	for unit, at := range released {
		l.free = append(l.free, freed{at, unit})
	}
	l.free.Init()
	return l
}

// next is the processor that is free first, of the given number of them, and since when; those without a task have been free since the beginning.
func (l *line) next(beginning float64, processors int) (at float64, unit int) {
	if l.fresh < processors && (len(l.free) == 0 || l.free[0].at > beginning) {
		return beginning, l.fresh
	}
	return l.free[0].at, l.free[0].unit
}

// take gives the next processor to a task until a time.
func (l *line) take(unit int, end float64) {
	if unit == l.fresh {
		l.fresh++
		l.free.Push(freed{end, unit})
		return
	}
	l.free[0].at = end
	l.free.Fix(0)
}

// Before implements [queue.Item].
func (f freed) Before(other freed) bool {
	return f.at < other.at || f.at == other.at && f.unit < other.unit
}

// coming is the jobs that wait for none any more, the first to come first.
type coming struct {
	jobs  queue.Heap[queue.Waiting]
	place []int32   // by job: its place in the queue
	waits []int     // by job: of how many jobs the end is not known
	ready []float64 // by job, as far as known
}

func newComing(in *model.Instance, order []int) *coming {
	c := &coming{nil, make([]int32, len(order)), make([]int, len(order)), make([]float64, len(order))}
	for k, j := range order {
		job := &in.Jobs()[j]
		c.place[j], c.waits[j], c.ready[j] = int32(k), len(job.After), job.Arrival
		if c.waits[j] == 0 {
			c.jobs = append(c.jobs, queue.Waiting{Key: job.Arrival, Place: int32(k), Job: int32(j)})
		}
	}
	c.jobs.Init()
	return c
}

// ended notes the end of a job, NaN: it is left out.
func (c *coming) ended(in *model.Instance, job int, end float64) {
	for _, next := range in.Successors(job) {
		if end > c.ready[next] {
			c.ready[next] = end
		}
		if c.waits[next]--; c.waits[next] == 0 {
			c.jobs.Push(queue.Waiting{Key: c.ready[next], Place: c.place[next], Job: int32(next)})
		}
	}
}
