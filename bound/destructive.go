package bound

import (
	"context"

	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "destructive", Metric: "makespan", Certifies: true,
	Doc:    "the least makespan at which every job has a window left: windows are narrowed by precedence, time-tables, pairs and cliques of jobs that cannot overlap for whatever reason, and the energy of intervals, also with needs changed by dual feasible functions",
	Source: "R. Klein, A. Scholl (1999), doi:10.1016/S0377-2217(97)00442-6; K. Sidorov, I. Marijnissen, E. Demirović (2025), CP 2025, doi:10.4230/LIPIcs.CP.2025.35, the cliques",
	New:    func(r *Relaxation, proved *Gate) Prover { return &destructive{r: r, proved: proved} }})

// destructive looks for the least makespan that it cannot refute by narrowing the windows of the jobs. It doubles the step until a makespan is
// not refuted, and then halves the range that is left.
type destructive struct {
	r         *Relaxation
	proved    *Gate
	started   bool
	whole     *wholeTimes
	refuter   *windows.Refuter
	step      int32
	low, high int32 // no makespan below low is possible; high could not be refuted, 0: none such is known
	credit    int64
	// refusal says why the makespan low − 1 is refuted. If it is plain, the makespan, the interval and the resource are the whole proof.
	refusal windows.Refusal
}

// Improve implements [Prover].
func (d *destructive) Improve(ctx context.Context, work int64) bool {
	if d.credit += work; !d.started {
		if !d.r.chained(mostTasks) {
			return false
		}
		if d.credit < d.r.wholeTimesWork() {
			return true
		}
		d.started = true
		if d.whole = d.r.wholeTimesOf(); d.whole != nil {
			d.refuter, d.step = windows.New(d.whole.problem), 1
			d.low = d.whole.problem.CriticalPath()
		}
	}
	if d.refuter == nil {
		return false
	}
	for d.credit > 0 && d.high != d.low && ctx.Err() == nil {
		next := d.low + d.step - 1
		if d.high > 0 {
			next = d.low + (d.high-d.low)/2
		}
		if d.low > d.whole.problem.Horizon { // no schedule places all the jobs
			d.high = d.low
			break
		}
		next = min(next, d.whole.problem.Horizon)
		before := d.refuter.Work()
		refuted := d.refuter.Refutes(next, func() bool { return ctx.Err() != nil })
		d.credit -= d.refuter.Work() - before
		switch {
		case refuted:
			d.low, d.step, d.refusal = next+1, 2*d.step, d.refuter.Refusal()
		case ctx.Err() == nil:
			d.high = next
		}
	}
	low := d.low
	show := func() *proof.Argument { return d.show(low) }
	if d.proved.Prove(d.whole.sum(d.r, low)) {
		d.proved.Show(show)
	}
	if low > d.r.refuted {
		d.r.refuted, d.r.refutes = low, show
	}
	return d.high != d.low
}

// show is what proves that no makespan below the least is possible; nil: it cannot be shown.
func (d *destructive) show(least int32) *proof.Argument {
	shown := d.whole.show(d.r, least)
	steps, ok := d.refuter.Steps(least-1, func() bool { return false })
	if !ok {
		return nil
	}
	shown.narrow(d.refuter, steps)
	return shown.argument()
}
