package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
)

var _ = solve.Register(solve.Info{
	Name:   "sufferage",
	Doc:    "Sufferage: repeatedly places the job that would lose most on its second-best cluster on its best one. O(n²/C) to O(n²).",
	Source: "M. Maheswaran, S. Ali, H. J. Siegel, D. Hensgen, R. F. Freund (1999), Dynamic mapping of a class of independent tasks onto heterogeneous computing systems, J. Parallel Distrib. Comput. 59(2), doi:10.1006/jpdc.1999.1581, §4",
	Traces: true,
	New:    func() solve.Solver { return &Sufferage{} },

	AutoJobs: 5_000,
})

// Sufferage repeatedly places the job whose sufferage, the difference between its second smallest and its smallest completion time, is the
// largest, where it ends first; ties go to the first job, then to the first resource. A job that can run on one resource only has an
// infinite sufferage.
//
// Source: M. Maheswaran et al. (1999), Journal of Parallel and Distributed Computing 59(2), doi:10.1006/jpdc.1999.1581, §4.
//
// Complexity: a placement costs O(C) on C resources, and O(1), sometimes O(C), for each job that has its resource as one of its two best. Of n
// jobs these are about 2·n/C where the jobs prefer different resources, and all n where they prefer the same: O(n²/C) to O(n²) in all.
//
// Deviations from the paper: see [MCT]; arrivals; one job is placed at a time, where the paper places one for each
// machine before it looks again.
type Sufferage struct{}

// Supports implements [solve.Solver].
func (*Sufferage) Supports(in *model.Instance) error { return grid.Supports(in) }

// Solve implements [solve.Solver].
func (*Sufferage) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := completionRule{name: "largest sufferage", text: "of all jobs left it would lose most by its second-best cluster", terms: func(o option) []sim.Term {
		if o.runnerUp < 0 {
			return nil // no other resource can take it
		}
		return []sim.Term{{Name: "sufferage", Value: o.sufferage()}, {Name: "second end", Value: o.second}}
	}}
	return placeOneByOne(ctx, in, opt, rule, func(c *completions) func() (int, int) {
		if options := newOptions(ctx, c); options != nil {
			return options.next
		}
		return nil
	})
}

// sufferage is the time that the job loses on its second-best resource; +Inf where it has none.
func (p *option) sufferage() float64 {
	if math.IsInf(p.second, 1) {
		return math.Inf(1)
	}
	return p.second - p.first
}

// options keeps, for each job left, its two best resources. They stay the best until the completion time on one of the two grows, since
// completion times never fall. So a placement touches only the jobs that have its resource as one of their two.
type options struct {
	c      *completions
	kept   []option    // by job
	short  []shortlist // by job
	of     [][]int32   // by resource: the jobs that have it as one of their two best
	leader []int32     // by resource: the job of the largest sufferage, of those that have it as their best; −1: none
	last   int         // resource of the last placement; −1: none yet
	poll   *solve.Poll
}

// newOptions starts with no job placed; nil where the context ends first.
func newOptions(ctx context.Context, c *completions) *options {
	o := &options{c: c, kept: make([]option, len(c.Left)), short: make([]shortlist, len(c.Left)), of: make([][]int32, len(c.Resources)), leader: slices.Repeat([]int32{-1}, len(c.Resources)),
		last: -1, poll: solve.NewPoll(ctx)}
	for j := range c.Left {
		if o.poll.Stopped(len(c.Resources)) {
			return nil
		}
		p := o.best(j)
		o.kept[j] = p
		for _, resource := range [2]int{p.best, p.runnerUp} {
			if resource >= 0 {
				o.of[resource] = append(o.of[resource], int32(j))
			}
		}
		o.lead(&p)
	}
	return o
}

// best is the best two resources of the job; ties go to the first resource.
func (o *options) best(job int) option {
	s := &o.short[job]
	if !s.renew(2, func(resource int) float64 { return o.c.at(job, resource) }) {
		s.clear()
		o.c.ends(job, s.offer)
	}
	p := option{job: job, best: -1, runnerUp: -1, first: math.Inf(1), second: math.Inf(1)}
	if s.n > 0 {
		p.best, p.first = int(s.resource[0]), s.end[0]
	}
	if s.n > 1 {
		p.runnerUp, p.second = int(s.resource[1]), s.end[1]
	}
	return p
}

// lead makes the job the leader of its best resource where its sufferage is the largest there; ties go to the first job.
func (o *options) lead(p *option) {
	if p.best < 0 {
		return
	}
	leader := &o.leader[p.best]
	if *leader >= 0 {
		own, most := p.sufferage(), o.kept[*leader].sufferage()
		if own < most || own == most && p.job >= int(*leader) {
			return
		}
	}
	*leader = int32(p.job)
}

// next returns the job of the largest sufferage with its best resource; resource −1: no job is left or the context has ended.
func (o *options) next() (job, resource int) {
	if o.last >= 0 {
		o.renew(o.last)
	}
	var best *option
	for _, leader := range o.leader {
		if leader < 0 {
			continue
		}
		p := &o.kept[leader]
		if best == nil || p.sufferage() > best.sufferage() || p.sufferage() == best.sufferage() && p.job < best.job {
			best = p
		}
	}
	if best == nil || o.poll.Ended() {
		return -1, -1
	}
	o.last = best.best
	return best.job, best.best
}

// renew brings the options of the jobs up to date that have the given resource as one of their two; a job was placed there.
func (o *options) renew(resource int) {
	jobs := o.of[resource]
	o.of[resource], o.leader[resource] = jobs[:0], -1
	for _, j := range jobs {
		if !o.c.Left[j] || o.poll.Stopped(16) {
			continue
		}
		p := &o.kept[j]
		before := [2]int{p.best, p.runnerUp}
		*p = o.best(p.job)
		for _, now := range [2]int{p.best, p.runnerUp} {
			if now >= 0 && (now == resource || now != before[0] && now != before[1]) {
				o.of[now] = append(o.of[now], j)
			}
		}
		o.lead(p)
	}
}
