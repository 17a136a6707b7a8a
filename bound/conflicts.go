package bound

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// conflict is a set of jobs that have to end by a time and exclude each other: every schedule leaves out at least some of them.
type conflict struct {
	jobs  []int // in ascending order
	least int   // so many are left out at least
	show  func() proof.OwedSet
}

// conflicts finds sets of jobs with hard deadlines that hold more in an interval than machines have. No two sets have a job in common.
func (r *Relaxation) conflicts(ctx context.Context, mostSets int) (list []conflict) {
	const mostJobs = 5_000
	if r.in.Features()&model.HardDeadlines == 0 || len(r.in.Jobs()) > mostJobs {
		return nil
	}
	v := newMachineView(ctx, r, model.HardDeadlines)
	if v == nil {
		return nil
	}
	l := &leftOut{v: v, metric: "finished", alone: true}
	l.look()
	free := l.jobs
	for len(list) < mostSets {
		found, ok := l.conflict(ctx)
		if !ok {
			break
		}
		list = append(list, found)
		free = slices.DeleteFunc(free, func(j int) bool { return slices.Contains(found.jobs, j) })
		l.jobs = free
	}
	return list
}

// conflict finds one set among the jobs. It leaves out the jobs without which as many of the others are left out.
func (l *leftOut) conflict(ctx context.Context) (found conflict, ok bool) {
	const mostDeleted = 64
	at, ok := l.fullest(ctx)
	if !ok {
		return found, false
	}
	try := func(jobs []int) bool {
		l.jobs = jobs
		sum, show := l.within(ctx, at)
		low, ok := sum.Low()
		if n := int(math.Ceil(low)); !ok || n < max(1, found.least) || ctx.Err() != nil {
			return false
		} else {
			found = conflict{jobs, n, func() proof.OwedSet { return proof.OwedSet{Jobs: jobs, By: show()} }}
		}
		return true
	}
	holds := slices.DeleteFunc(slices.Clone(l.jobs), func(j int) bool {
		return !slices.ContainsFunc(l.v.shapes[l.v.shapeOf[j]].ways, func(w shapeWay) bool { return l.least(j, w.cluster, at) > 0 })
	})
	if !try(holds) {
		return found, false
	}
	if len(holds) <= mostDeleted {
		for _, j := range slices.Backward(holds) {
			try(slices.DeleteFunc(slices.Clone(found.jobs), func(other int) bool { return other == j }))
		}
	}
	return found, true
}

// OwedBy is what proves that every schedule owes more jobs than those that no schedule can place.
func (p *Portfolio) OwedBy() (list []proof.OwedSet) {
	for k := range p.conflicts {
		list = append(list, p.conflicts[k].show())
	}
	return list
}

// Explain says why the schedule leaves out the job, if others that it places keep it out in every schedule; empty: that is not known.
func (p *Portfolio) Explain(job int, places func(job int) bool) string {
	for k := range p.named {
		c := &p.named[k]
		others := slices.DeleteFunc(slices.Clone(c.jobs), func(j int) bool { return j == job })
		if c.least != 1 || len(others) == len(c.jobs) || !slices.ContainsFunc(others, places) || slices.ContainsFunc(others, func(j int) bool { return !places(j) }) {
			continue
		}
		var names []string
		for _, j := range others {
			names = append(names, p.in.Jobs()[j].ID)
		}
		limit := fmt.Sprintf("hard deadline %v cannot be met", p.in.Jobs()[job].Deadline)
		if _, to, stated := p.in.Horizon(); stated && !(p.in.Jobs()[job].DeadlineHard && p.in.Jobs()[job].Deadline <= to) {
			limit = fmt.Sprintf("cannot end within the horizon, by %v,", to)
		}
		return fmt.Sprintf("%s together with %s", limit, strings.Join(names, ", "))
	}
	return ""
}
