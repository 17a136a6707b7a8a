package prove

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Shrink removes jobs from the instance as long as a claim of the same kind by the same method stays false. It returns the smaller instance and
// its false claim. A planted schedule stays correct without some of its jobs, so it can still refute a bound above it. Facts that are known by
// construction do not hold for the smaller instance and are dropped.
func Shrink(ctx context.Context, p *Planted, f Falsehood) (*Planted, Falsehood) {
	small := &Planted{Kind: p.Kind, Spec: p.Spec, Instance: p.Instance, Schedules: p.Schedules, MayLeave: p.MayLeave, together: p.together}
	still, ok := small.stillFalse(ctx, f)
	if !ok {
		return p, f
	}
	for size := (len(small.Spec.Jobs) + 1) / 2; size >= 1; size /= 2 {
		for from := 0; from < len(small.Spec.Jobs); {
			to := min(from+size, len(small.Spec.Jobs))
			if ctx.Err() != nil {
				return small, still
			}
			if less := small.without(from, to); less != nil {
				if found, ok := less.stillFalse(ctx, f); ok {
					small, still = less, found
					continue
				}
			}
			from = to
		}
	}
	return small, still
}

// without returns the instance without the jobs from index from to just before to; nil: the rest is not a valid instance.
func (p *Planted) without(from, to int) *Planted {
	gone := map[string]bool{}
	for _, job := range p.Spec.Jobs[from:to] {
		gone[job.ID] = true
	}
	spec := *p.Spec
	spec.Jobs = slices.Delete(slices.Clone(spec.Jobs), from, to)
	for k := range spec.Jobs {
		spec.Jobs[k].After = slices.DeleteFunc(slices.Clone(spec.Jobs[k].After), func(id string) bool { return gone[id] })
	}
	if q := spec.Queueing; q != nil && len(p.Spec.Jobs) > 0 { // reduce the rate to that of the remaining jobs
		fewer := *q
		fewer.Rate *= float64(len(spec.Jobs)) / float64(len(p.Spec.Jobs))
		spec.Queueing = &fewer
	}
	in, err := model.New(spec)
	if err != nil || len(spec.Jobs) == 0 {
		return nil
	}
	less := &Planted{Kind: p.Kind, Spec: &spec, Instance: in, MayLeave: p.MayLeave, together: p.together}
	for _, sol := range p.Schedules {
		part := &model.Solution{Schema: sol.Schema}
		for _, place := range sol.Jobs {
			if !gone[place.Job] {
				part.Jobs = append(part.Jobs, place)
			}
		}
		for _, left := range sol.Unscheduled {
			if !gone[left.Job] {
				part.Unscheduled = append(part.Unscheduled, left)
			}
		}
		less.Schedules = append(less.Schedules, part)
	}
	return less
}

// stillFalse tries the instance again, with the same objective and all provers, and reports whether the same kind of claim is false.
func (p *Planted) stillFalse(ctx context.Context, f Falsehood) (Falsehood, bool) {
	t := p.trial(f.Objective)
	if len(t.found) > 0 {
		return f, false
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 3))
		effort := Quick
		effort.Solvers = 0
		if _, err := solve.Lookup(solverOf(f.By)); err == nil && !slices.Contains(provers, solverOf(f.By)) {
			effort.Solvers = -1
		}
		t.prove(ctx, effort.Works, rng)
		t.solve(ctx, effort, rng)
		t.compare()
		for _, found := range t.found {
			if found.What == f.What && solverOf(found.By) == solverOf(f.By) {
				return found, true
			}
		}
	}
	return f, false
}

// solverOf returns the name of the solver or the method of bounds from the field By of a falsehood. The name "bound" stands for the best bound.
func solverOf(by string) string {
	if k := strings.IndexAny(by, ", "); k >= 0 {
		return by[:k]
	}
	return by
}
