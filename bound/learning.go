package bound

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound/internal/learning"
)

var _ = Register(Method{Name: "learned-clauses", Metric: "makespan",
	Doc:    "the least makespan that a search over the starts of the jobs cannot refute; it learns a clause from each conflict",
	Source: "A. Schutt, T. Feydy, P. J. Stuckey, M. G. Wallace (2011), Explaining the cumulative propagator, Constraints 16, doi:10.1007/s10601-010-9103-2",
	New:    func(r *Relaxation, proved *Gate) Prover { return &learned{r: r, proved: proved, enough: math.MaxInt32} }})

// learned proves by lazy clause generation.
type learned struct {
	r       *Relaxation
	proved  *Gate
	started bool
	whole   *wholeTimes
	solver  *learning.Solver
	enough  int32
}

// Improve implements [Prover].
func (l *learned) Improve(ctx context.Context, work int64) bool {
	if !l.started {
		l.started = true
		if l.whole = l.r.wholeTimesOf(); l.whole != nil {
			l.solver = learning.New(l.whole.problem)
		}
	}
	if l.solver == nil {
		return false
	}
	if l.r.refuted > l.solver.Least() {
		l.solver.Raise(l.r.refuted)
	}
	const step = 20 // units of work
	more := l.solver.Refute(work/step, l.enough, func() bool { return ctx.Err() != nil })
	if l.solver.Failed() {
		l.proved.Close()
		return false
	}
	l.r.refuted = max(l.r.refuted, l.solver.Least())
	l.proved.Prove(l.whole.sum(l.r, l.solver.Least()))
	return more
}
