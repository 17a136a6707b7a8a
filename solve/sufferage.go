package solve

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "sufferage",
	Doc:    "Sufferage: again and again the job that would lose most by its second-best cluster goes to its best. O(n²) and re-evaluations.",
	Source: "M. Maheswaran, S. Ali, H. J. Siegel, D. Hensgen, R. F. Freund (1999), Dynamic mapping of a class of independent tasks onto heterogeneous computing systems, J. Parallel Distrib. Comput. 59(2), doi:10.1006/jpdc.1999.1581, §4",
	New:    func() Solver { return &Sufferage{} },

	AutoJobs: 5_000,
})

// Sufferage repeatedly places the job whose sufferage, the difference between its second smallest and its smallest
// completion time, is the largest, where it ends first; ties go to the first job, then to the first cluster. A job that can
// run on one cluster only suffers without limit.
//
// Source: M. Maheswaran et al. (1999), Journal of Parallel and Distributed Computing 59(2), doi:10.1006/jpdc.1999.1581, §4.
//
// Complexity: O(n²) for n jobs to look for the largest, and O(C) for each job that would end later on one of its two best of C
// lanes since the last placement there.
//
// Deviations from the paper: see [MCT]; arrivals; one job is placed at a time, where the paper places one for each
// machine before it looks again.
type Sufferage struct{}

// Supports implements [Solver].
func (*Sufferage) Supports(in *model.Instance) error { return supportsLanes(in) }

// Solve implements [Solver].
func (*Sufferage) Solve(ctx context.Context, in *model.Instance, _ Options) (Result, error) {
	c, err := newCompletions(ctx, in)
	if c == nil {
		return stopped(ctx), err
	}
	options := newOptions(ctx, c)
	return c.solve(ctx, func() (int, int) {
		return options.take(func(a, b *option) bool { return a.sufferage() > b.sufferage() })
	}), nil
}

// sufferage is what the job loses by its second-best lane.
func (p *option) sufferage() float64 {
	if math.IsInf(p.second, 1) {
		return math.Inf(1)
	}
	return p.second - p.first
}

// options keeps, for each job that is left, its two best lanes. What it keeps of a job stays right until one of the two is put
// off, since completion times only grow.
type options struct {
	c    *completions
	jobs []option
	last int // lane of the last placement; −1: none yet
}

// option is what is kept of one job.
type option struct {
	job             int
	cluster, runner int     // lanes with the least completion time, and with the least of the others (−1: none)
	first, second   float64 // those times
}

func newOptions(ctx context.Context, c *completions) *options {
	o := &options{c: c, last: -1}
	for j := range c.left {
		if j%64 == 0 && ctx.Err() != nil {
			break // solve finds that out as well
		}
		o.jobs = append(o.jobs, c.best(j))
	}
	return o
}

// stale says that the last placement has put off the job on one of its two best lanes.
func (o *options) stale(p *option) bool {
	switch {
	case o.last < 0:
		return false
	case o.last == p.cluster:
		return o.c.at(p.job, o.last) != p.first
	case o.last == p.runner:
		return o.c.at(p.job, o.last) != p.second
	}
	return false
}

// take removes and returns the job that comes first by better and its lane; ties go to the first job. Jobs that can be placed
// nowhere any more go; lane −1: none is left.
func (o *options) take(better func(a, b *option) bool) (job, lane int) {
	best, kept := -1, o.jobs[:0]
	for k := range o.jobs {
		p := o.jobs[k]
		if o.stale(&p) {
			p = o.c.best(p.job)
		}
		if p.cluster < 0 {
			continue
		}
		kept = append(kept, p)
		if best < 0 || better(&p, &kept[best]) {
			best = len(kept) - 1
		}
	}
	if o.jobs = kept; best < 0 {
		return -1, -1
	}
	taken := o.jobs[best]
	o.jobs = append(o.jobs[:best], o.jobs[best+1:]...)
	o.last = taken.cluster
	return taken.job, taken.cluster
}
