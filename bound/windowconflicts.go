package bound

import (
	"context"
	"slices"

	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/proof"
)

// This file finds sets of jobs that exclude each other because their windows do: two jobs of which neither can end before the other starts, a chain that leaves a job before it no
// time beside others, licences and memory. To place the jobs of a set a schedule also places all that these wait for.

// Limits of the search, in jobs and in units of work of [windows.Refuter].
const (
	mostWindowJobs = 300
	windowWork     = 40_000_000
)

// windowConflicts is a search for such sets.
type windowConflicts struct {
	r    *Relaxation
	ctx  context.Context
	work int64 // that is left
}

// windowed finds sets of jobs that have to be placed, have to end by a time and do not run already. No two sets have a job in common, nor one with a set found before.
func (r *Relaxation) windowed(ctx context.Context, mostSets int) (list []conflict) {
	if !r.solid || !r.limited() || len(r.must) > mostWindowJobs {
		return nil
	}
	w := &windowConflicts{r, ctx, windowWork}
	var free []int
	for _, j := range r.must {
		if r.in.Owes(j) && !r.excluded[j] && r.endsBy(j) && r.in.Jobs()[j].Node().Running == nil { // one of another set has to be placed where a job waits for it
			free = append(free, j)
		}
	}
	for len(list) < mostSets {
		found, ok := w.least(free)
		if !ok {
			break
		}
		list = append(list, conflict{jobs: found, least: 1, show: func() proof.OwedSet { return w.show(found) }})
		free = slices.DeleteFunc(slices.Clone(free), func(j int) bool { return slices.Contains(found, j) })
	}
	return list
}

// least finds a set among the jobs, and takes away jobs as long as the others still exclude each other: many at a time, then single ones.
func (w *windowConflicts) least(jobs []int) (set []int, ok bool) {
	if !w.excluded(jobs) {
		return nil, false
	}
	set = slices.Clone(jobs)
	for size := (len(set) + 1) / 2; size > 0; size /= 2 {
		for to := len(set); to > 0; to -= size {
			from := max(0, to-size)
			if rest := slices.Delete(slices.Clone(set), from, to); len(rest) > 1 && w.excluded(rest) {
				set = rest
			}
		}
	}
	return set, w.ctx.Err() == nil
}

// excluded says whether no schedule places all of the jobs, as far as their windows show.
func (w *windowConflicts) excluded(jobs []int) bool {
	p := w.of(jobs)
	if w.work -= p.wholeTimesWork() / 8; len(jobs) < 2 || w.work < 0 || w.ctx.Err() != nil {
		return false
	}
	refuter, _, latest := p.windows()
	if refuter == nil {
		return false
	}
	refuted := refuter.Refutes(latest, func() bool { return refuter.Work() > w.work || w.ctx.Err() != nil })
	w.work -= refuter.Work()
	return refuted
}

// of is the relaxation in which just the jobs have to be placed, and those that they wait for.
func (w *windowConflicts) of(jobs []int) *Relaxation {
	p := *w.r
	p.duties, p.must, p.all, p.latest, p.scaled, p.whole = slices.Clone(p.duties), nil, false, [2][]float64{}, false, nil
	placed := make([]bool, len(p.duties))
	for _, j := range jobs {
		placed[j] = true
	}
	p.settle(func(j int) bool { return placed[j] })
	return &p
}

// windows are the windows of the jobs, and the latest of their latest ends; nil: nothing is known of them.
func (r *Relaxation) windows() (*windows.Refuter, *wholeTimes, int32) {
	whole, latest := r.wholeTimesOf(), int32(0)
	if whole == nil || whole.problem.Last == nil {
		return nil, nil, 0
	}
	for _, end := range whole.problem.Ends() {
		latest = max(latest, end)
	}
	return windows.New(whole.problem), whole, latest
}

// show is what proves that the jobs exclude each other.
func (w *windowConflicts) show(jobs []int) proof.OwedSet {
	p := w.of(jobs)
	refuter, whole, latest := p.windows()
	steps, _ := refuter.Steps(latest, func() bool { return false }) // it has refuted them before
	shown := whole.show(p, latest+1)
	shown.narrow(refuter, steps)
	return proof.OwedSet{Jobs: jobs, Windows: &shown.a}
}
