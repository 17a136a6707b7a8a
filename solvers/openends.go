package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// openEnds are the ends of the jobs that are ready, on clusters with memory, licences and parallel jobs. The heuristics take jobs from it as from
// completions: a job that waits for others is not looked at before they are placed.
type openEnds struct {
	*grid.Ends
	open []int // the jobs that are ready, not placed, and may still have an end, in the order in which they became ready
	come []int // those that have become ready since they were last taken over
	two  bool  // the second end of a job matters too
	poll *kit.Poll
}

// placeOnEnds is placeOneByOne for the instances that completions do not honour.
func placeOnEnds(ctx context.Context, in *model.Instance, opt solve.Options, rule completionRule, order func(e *openEnds) (next func() (job, resource int))) (solve.Result, error) {
	if ctx.Err() != nil {
		return solve.Stopped(ctx), nil // before the state of millions of processors is made
	}
	ends, err := grid.NewEnds(in, rule.Placing(opt.Seed), nil)
	if err != nil {
		return solve.Result{}, err
	}
	ends.Until(ctx)
	e := &openEnds{Ends: ends, poll: kit.NewPoll(ctx)}
	for j := range in.Jobs() {
		if e.Open(j) {
			e.come = append(e.come, j)
		}
	}
	tell, end := list.Late(ends.Schedule, opt.Trace)
	opt.Trace = tell
	if !placeEach(ctx, in, opt, e, rule, order(e)) || e.GaveUp() {
		return solve.Stopped(ctx), nil
	}
	solution := e.Finish()
	end(solution)
	return solve.Result{Solution: solution, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}, nil
}

func (e *openEnds) at(job, resource int) float64 { return e.At(job, resource) }
func (e *openEnds) runs(job, resource int) bool  { return e.Runs(job, resource) }
func (e *openEnds) put(job, resource int) {
	e.Put(job, resource, func(j int) { e.come = append(e.come, j) })
}

func (e *openEnds) best(job int) option {
	o := option{job: job, first: math.Inf(1), second: math.Inf(1)}
	o.best, o.runnerUp = e.Best(job, e.two)
	if o.best >= 0 {
		o.first = e.At(job, o.best)
	}
	if o.runnerUp >= 0 {
		o.second = e.At(job, o.runnerUp)
	}
	return o
}

// latest returns the function next of Max-min, see [placeOneByOne]. A job that ends before the latest one so far, wherever it goes, need not be looked at. The one that may end last is looked
// at first.
func (e *openEnds) latest() func() (job, resource int) {
	most := make([]float64, len(e.Instance.Jobs()))
	return e.preferred(false, func(a, b *option) bool { return a.first > b.first || a.first == b.first && a.job < b.job }, func() (first int) {
		first = -1
		for _, j := range e.open {
			if !e.Open(j) {
				continue
			}
			if most[j] = e.Most(j); first < 0 || most[j] > most[first] {
				first = j
			}
		}
		return first
	}, func(job int, top *option) bool {
		return most[job] > top.first || most[job] == top.first && job < top.job
	})
}

// worstSuffering returns the function next of Sufferage. Where a job has no second-best cluster none suffers more, and of those the first comes first.
func (e *openEnds) worstSuffering() func() (job, resource int) {
	return e.preferred(true, (*option).before, func() int { return -1 }, func(job int, top *option) bool { return top.runnerUp >= 0 || job < top.job })
}

// preferred returns the function next of a heuristic that places the job whose option comes before all others; two says whether it reads the second end of an option. Each time first is
// asked which job to look at first, −1: any; and before a job is looked at, may says whether it may come before the best so far. O(ready jobs · clusters) a job placed, and a search for a slot
// for each end that has changed and matters.
func (e *openEnds) preferred(two bool, before func(a, b *option) bool, first func() int, may func(job int, top *option) bool) func() (job, resource int) {
	e.two = two
	kept := make([]option, len(e.Instance.Jobs()))
	return func() (job, resource int) {
		for _, j := range e.come {
			kept[j] = e.best(j)
		}
		e.open, e.come = append(e.open, e.come...), e.come[:0]
		top := &option{job: -1, best: -1}
		if j := first(); j >= 0 {
			if kept[j] = e.best(j); kept[j].best >= 0 {
				top = &kept[j]
			}
		}
		left := e.open[:0]
		for _, j := range e.open {
			if e.poll.Stopped(8 * len(e.Instance.Clusters())) {
				return -1, -1
			}
			o := &kept[j]
			switch {
			case !e.Open(j):
				continue
			case top.best >= 0 && !may(j, top):
				left = append(left, j)
				continue
			case !e.Lasts(j, o.best, o.runnerUp):
				*o = e.best(j)
			}
			if o.best < 0 && math.IsInf(e.Least(j), 1) {
				continue
			}
			left = append(left, j)
			if o.best >= 0 && (top.best < 0 || before(o, top)) {
				top = o
			}
		}
		e.open = left
		return top.job, top.best
	}
}

// earliest returns the function next of a heuristic that places the job that can end first of all; of equal ends the first job.
//
// Complexity: a heap holds a lower bound of each job's end. A step looks at the jobs whose bounds are not above the least end: mostly one or two, in
// O(C + log n) and a search for a slot each.
func (e *openEnds) earliest() func() (job, resource int) {
	var bounds queue.Heap[completion] // of equal bounds the first job
	return func() (job, resource int) {
		for _, j := range e.come {
			bounds.Push(completion{e.Least(j), j})
		}
		e.come = e.come[:0]
		best, resource := completion{math.Inf(1), -1}, -1
		var again []int
		for len(bounds) > 0 && (best.job < 0 || bounds[0].Before(best)) {
			if e.poll.Stopped(8 * len(e.Instance.Clusters())) {
				return -1, -1
			}
			j := bounds.Pop().job
			o := e.best(j)
			if end := (completion{o.first, j}); o.best >= 0 && end.Before(best) {
				if best.job >= 0 {
					again = append(again, best.job)
				}
				best, resource = end, o.best
			} else {
				again = append(again, j)
			}
		}
		for _, j := range again {
			if bound := e.Least(j); !math.IsInf(bound, 1) {
				bounds.Push(completion{bound, j})
			}
		}
		return best.job, resource
	}
}

// workOfMinMin estimates the work of Min-min: on groups of machines it keeps the times of all jobs on all of them, see [completions], and a step looks at one or two
// jobs. On clusters a step looks for two or three slots, and for more where holes are filled, as the bounds of ends say little then.
func workOfMinMin(in *model.Instance, s *solve.Size) float64 {
	switch {
	case grid.Serves(in, s.Binding):
		return s.Jobs * (3000 + s.Resources*(8+12*math.Log2(s.Jobs+2)))
	case s.Holes:
		return s.Jobs * (2000 + 30*s.Clusters + 8*s.Slot*s.Widths)
	}
	return s.Jobs * (2000 + 30*s.Clusters + 3*s.Slot*s.Widths)
}

// workOfPreferred estimates the work of a heuristic that compares all jobs before it places one: pair is what it takes on groups of machines for a pair of jobs.
// On clusters it asks of each pair whether an end has changed, and most often looks for a slot of those of which one has.
func workOfPreferred(in *model.Instance, s *solve.Size, pair float64) float64 {
	if grid.Serves(in, s.Binding) {
		return s.Jobs * (3000 + 8*s.Resources + pair*s.Jobs)
	}
	looks := 0.4 // share of the pairs for which a slot is looked for
	if s.Clusters == 1 {
		looks = 0.8
	}
	return s.Jobs*s.Jobs/2*(5*s.Clusters+looks*s.Slot*s.Widths) + s.List()
}
