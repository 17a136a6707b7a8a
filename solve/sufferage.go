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
// Complexity: as [MaxMin].
//
// Deviations from the paper: see [MCT]; arrivals; one job is placed at a time, where the paper places one for each
// machine before it looks again.
type Sufferage struct{}

// Supports implements [Solver].
func (*Sufferage) Supports(in *model.Instance) error { return unsupported(in, completionFeatures) }

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

// sufferage is what the job loses by its second-best cluster.
func (p *option) sufferage() float64 {
	if math.IsInf(p.second, 1) {
		return math.Inf(1)
	}
	return p.second - p.first
}
