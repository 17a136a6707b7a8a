package solve

import (
	"context"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "maxmin",
	Doc:    "Max-min: again and again the job whose earliest end is the latest goes where it ends first. O(n²) and re-evaluations.",
	Source: "O. H. Ibarra, C. E. Kim (1977), J. ACM 24(2), doi:10.1145/322003.322011, algorithm E; T. D. Braun et al. (2001), doi:10.1006/jpdc.2000.1714, §3",
	New:    func() Solver { return &MaxMin{} },

	AutoJobs: 5_000,
})

// MaxMin repeatedly takes the job whose smallest completion time is the largest and places it where it has it; ties go to the
// first job, then to the first cluster.
//
// Source: O. H. Ibarra, C. E. Kim (1977), Journal of the ACM 24(2), doi:10.1145/322003.322011, algorithm E; T. D. Braun et al. (2001),
// doi:10.1006/jpdc.2000.1714, §3.
//
// Complexity: O(n²) for n jobs to look for the largest, and O(C) for each job that would end later on one of its two best clusters
// since the last placement there.
//
// Deviations from the paper: see [MCT]; arrivals.
type MaxMin struct{}

// Supports implements [Solver].
func (*MaxMin) Supports(in *model.Instance) error { return unsupported(in, completionFeatures) }

// Solve implements [Solver].
func (*MaxMin) Solve(ctx context.Context, in *model.Instance, _ Options) (Result, error) {
	c, err := newCompletions(ctx, in)
	if c == nil {
		return stopped(ctx), err
	}
	options := newOptions(ctx, c)
	return c.solve(ctx, func() (int, int) {
		return options.take(func(a, b *option) bool { return a.first > b.first })
	}), nil
}

// options keeps, for each job that is left, its two best clusters. What it keeps of a job stays right until one of the two is
// put off, since completion times only grow.
type options struct {
	c    *completions
	jobs []option
	last int // cluster of the last placement; −1: none yet
}

// option is what is kept of one job.
type option struct {
	job             int
	cluster, runner int     // with the least completion time, and with the least of the others (−1: none)
	first, second   float64 // those times
}

func newOptions(ctx context.Context, c *completions) *options {
	o := &options{c: c, last: -1}
	for j := range c.placed {
		if j%64 == 0 && ctx.Err() != nil {
			break // solve finds that out as well
		}
		if !c.placed[j] {
			o.jobs = append(o.jobs, c.best(j))
		}
	}
	return o
}

// stale says that the last placement has put off the job on one of its two best clusters.
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

// take removes and returns the job that comes first by better and its cluster; ties go to the first job.
func (o *options) take(better func(a, b *option) bool) (job, cluster int) {
	best := 0
	for k := range o.jobs {
		p := &o.jobs[k]
		if o.stale(p) {
			*p = o.c.best(p.job)
		}
		if k > 0 && better(p, &o.jobs[best]) {
			best = k
		}
	}
	taken := o.jobs[best]
	o.jobs = append(o.jobs[:best], o.jobs[best+1:]...)
	o.last = taken.cluster
	return taken.job, taken.cluster
}
