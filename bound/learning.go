package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/learning"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "learned-clauses", Metric: "makespan", Certifies: true,
	Doc:    "the least makespan that a search over the starts of the jobs cannot refute; it learns a clause from each conflict",
	Source: "A. Schutt, T. Feydy, P. J. Stuckey, M. G. Wallace (2011), Explaining the cumulative propagator, Constraints 16, doi:10.1007/s10601-010-9103-2",
	New:    func(r *Relaxation, proved *Gate) Prover { return &learned{r: r, proved: proved, limit: math.Inf(1)} }})

// mostLearned is the largest number of jobs for which clauses are learned.
const mostLearned = 500

// learned proves by lazy clause generation. It takes the instances of [Relaxation.chained] with at most mostLearned jobs.
type learned struct {
	r       *Relaxation
	proved  *Gate
	credit  int64 // work that was given
	started bool
	whole   *wholeTimes
	solver  *learning.Solver
	limit   float64 // schedules that cost more do not matter
}

// Limit implements [Limited].
func (l *learned) Limit(value float64) { l.limit = min(l.limit, value) }

// Improve implements [Prover].
func (l *learned) Improve(ctx context.Context, work int64) bool {
	if l.credit += work; !l.started {
		if !l.r.chained(mostLearned) {
			return false
		}
		if l.credit < l.r.wholeTimesWork() {
			return true
		}
		l.started = true
		if l.whole = l.r.wholeTimesOf(); l.whole != nil {
			l.solver = learning.New(l.whole.problem)
			if l.proved.Asked() {
				l.solver.Keep(learning.MostKept)
			}
		}
	}
	if l.solver == nil {
		return false
	}
	if l.r.refuted > l.solver.Least() {
		l.solver.Raise(l.r.refuted)
	}
	const step = 60 // units of work
	before := l.solver.Work()
	more := l.solver.Refute(l.credit/step, l.whole.enough(l.limit), func() bool { return ctx.Err() != nil })
	l.credit -= step * (l.solver.Work() - before)
	if l.solver.Failed() {
		l.proved.Close()
		return false
	}
	if l.solver.Impossible() { // no schedule places all the jobs: what was proved before is enough
		return false
	}
	least := l.solver.Least()
	if l.proved.Prove(l.whole.sum(l.r, least)) {
		if items, before := l.solver.Proof(), l.r.refutes; least > l.r.refuted {
			l.proved.Show(func() *proof.Argument { return l.show(least, items()) })
		} else {
			l.proved.Show(before) // it began there
		}
	}
	l.r.refuted = max(l.r.refuted, least)
	return more
}

// show is what proves that no makespan below the least is possible; nil: it cannot be shown.
func (l *learned) show(least int32, items []learning.Item) *proof.Argument {
	if items == nil {
		return nil
	}
	shown := l.whole.show(l.r, least)
	if !shown.learn(l.solver, items) {
		return nil
	}
	return shown.argument()
}

// Order implements [Finder]. It orders the jobs by start; those that take no time come first, and each job comes behind those that it waits for. If
// the jobs are placed in this order, each starts no later than in the schedule that was found. This follows by induction: the jobs before it that
// still run at that time end no later.
func (l *learned) Order() ([]int, bool) {
	if l.solver == nil || l.solver.Starts() == nil || !l.whole.faithful {
		return nil, false
	}
	p, starts := l.whole.problem, l.solver.Starts()
	at := make([]int, len(starts)) // places in the order of precedence
	for k, j := range p.Order {
		at[j] = k
	}
	order := slices.Clone(p.Order)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(starts[a], starts[b]), cmp.Compare(min(1, p.Length[a]), min(1, p.Length[b])), cmp.Compare(at[a], at[b]))
	})
	for k, j := range order {
		order[k] = l.whole.jobs[j]
	}
	return order, true
}
