// Package list makes list schedules: it places the jobs one after another, each into the slot that a rule picks.
package list

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/solve"
)

// Supports is nil where a list schedule that lets the rule choose among machines honours the instance, else an error that names what it does not honour.
func Supports(in *model.Instance, rule Machines) error {
	if err := rule.Unsupported(in, plan.ScheduleFeatures|plan.CheapFeatures(in)); err != nil {
		return err
	}
	if plan.StartsCheap(in) && rule.Placing(0).ByNode(in) {
		return fmt.Errorf("%w: place=%s where power counts and machines differ by memory or a job stays on one: expected place=%s", solve.ErrUnsupported, rule.Place, place.First)
	}
	return nil
}

// Filling is the parameter `holes` of solvers that make list schedules, which embed it.
type Filling struct {
	Holes bool `doc:"start jobs in holes between jobs that were placed before them too; false: on processors whose last job has ended; where a start has a price, or power limits starts, jobs always fill holes"`
}

// FillHoles sets the parameter.
func (f *Filling) FillHoles() { f.Holes = true }

// Unsupported is [solve.Unsupported] of what list schedules with the parameter honour: where they fill holes, no job spreads over clusters.
func (f Filling) Unsupported(in *model.Instance, honoured model.Features) error {
	if f.Holes {
		honoured &^= model.GridSpan
	}
	return solve.Unsupported(in, honoured)
}

// Machines are the parameters `place` and `holes`.
type Machines struct {
	place.Choice
	Filling
}

// Placing is how schedules choose among machines and times by the parameters, with the seed of what the rule of machines draws.
func (m Machines) Placing(seed uint64) plan.Placing {
	return plan.Placing{Rule: m.Place, Seed: seed, Holes: m.Holes}
}

// Pick chooses the slot of the next job; false where it has none.
type Pick func(s *Schedule, job int) (plan.Slot, bool)

// InArrivalOrder places the jobs in queue order (plan.ArrivalOrder), each into the slot that choose picks.
func InArrivalOrder(ctx context.Context, in *model.Instance, opt solve.Options, rule Rule, choose Pick) (solve.Result, error) {
	return InOrder(ctx, in, plan.ArrivalOrder(in), opt, rule, choose)
}

// manyProcessors is the number of processors from which on the context is checked before each placement, as one may take long.
const manyProcessors = 1 << 16

// InOrder places the jobs in the given order, each into the slot that choose picks. The order must have no job before those it waits for. Of the options
// it honours Trace: each job is a step, with the rule.
func InOrder(ctx context.Context, in *model.Instance, order []int, opt solve.Options, rule Rule, choose Pick) (solve.Result, error) {
	if ctx.Err() != nil {
		return solve.Stopped(ctx), nil // before the state of millions of processors is made
	}
	empty, err := plan.NewCheapSchedule(in, rule.Placing(opt.Seed))
	if err != nil {
		return solve.Result{}, err
	}
	empty.Until(ctx)
	s := &Schedule{Schedule: empty}
	tell, end := Late(empty, opt.Trace)
	if tell != nil {
		s.scribe = &scribe{in: in, rule: rule, tell: tell}
	}
	if !Fill(ctx, in, s, order, choose) {
		return solve.Stopped(ctx), nil
	}
	solution := s.Solution()
	end(solution)
	return solve.Result{Solution: solution, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}, nil
}

// Fill places the jobs on an empty schedule in the given order, as InOrder does, and says whether it has placed or left out all of them: not where the
// context ends first, which s must know of too (see [plan.Resources.Until]).
func Fill(ctx context.Context, in *model.Instance, s *Schedule, order []int, choose Pick) bool {
	every := 64
	if in.Processors() > manyProcessors {
		every = 1
	}
	for n, job := range order {
		if n%every == 0 && ctx.Err() != nil {
			return false
		}
		slot, ok := choose(s, job)
		if s.GaveUp() {
			return false
		}
		if ok {
			s.Place(job, slot)
		} else {
			s.LeaveUnplaceable(job)
		}
		if s.scribe != nil {
			s.scribe.step(s.Last(), job, slot, ok)
		}
	}
	return true
}

// Least picks the slot of the least key, of those that the clusters have for the job; ties go to the first cluster. Where the job has a hard
// deadline it looks only at slots that end by then; if there are none, it picks the slot that ends first.
func Least(s *Schedule, in *model.Instance, job int, key func(cluster int, slot plan.Slot) float64) (plan.Slot, bool) {
	best, bestKey, found := plan.Slot{}, math.Inf(1), false
	first := plan.Slot{End: math.Inf(1)} // of those that end too late
	j := &in.Jobs()[job]
	for c := range in.Clusters() {
		slot, ok := s.Earliest(job, c)
		switch {
		case !ok:
			continue
		case j.DeadlineHard && slot.End > j.Deadline:
			if slot.End < first.End {
				first = slot
			}
			if s.scribe != nil {
				s.scribe.late(c, slot)
			}
			continue
		}
		k := key(c, slot)
		if s.scribe != nil {
			s.Score(c, k)
		}
		if !found || k < bestKey {
			best, bestKey, found = slot, k, true
		}
	}
	if s.scribe != nil {
		s.scribe.least(bestKey)
	}
	if !found && !math.IsInf(first.End, 1) {
		return first, true
	}
	return best, found
}

// EarliestEnd picks the slot that ends first.
func EarliestEnd(in *model.Instance) Pick {
	return func(s *Schedule, job int) (plan.Slot, bool) {
		return Least(s, in, job, func(_ int, slot plan.Slot) float64 { return slot.End })
	}
}

// Best picks the slot that ends first, or where slots have a price the one that costs least; ByBest is the rule.
func Best(in *model.Instance) Pick {
	if !plan.PricesStarts(in) {
		return EarliestEnd(in)
	}
	return func(s *Schedule, job int) (plan.Slot, bool) {
		return Least(s, in, job, func(_ int, slot plan.Slot) float64 { return slot.Price })
	}
}

// OnCluster picks the slot on the cluster that of names for the job. If the job cannot run there, or not by its hard deadline, it picks the slot that ends
// first of all. So a solver that knows less of jobs and machines than the instance asks for decides the order and the clusters, and the schedule honours the
// rest.
func OnCluster(in *model.Instance, of func(job int) int) Pick {
	elsewhere := EarliestEnd(in)
	return func(s *Schedule, job int) (plan.Slot, bool) {
		slot, ok := s.Earliest(job, of(job))
		if j := &in.Jobs()[job]; !ok || j.DeadlineHard && model.Late(slot.End, j.Deadline) {
			return elsewhere(s, job)
		}
		if s.scribe != nil {
			s.ends(job)
		}
		return slot, true
	}
}

// ExecutionTime is the length of the slot, computed from the job where it is on one cluster whose processors are all alike: end − start
// has a rounding error that would decide ties.
func ExecutionTime(in *model.Instance, job, cluster int, slot plan.Slot) float64 {
	if !in.Clusters()[cluster].Uniform || slot.IsSpread() {
		return slot.End - slot.Start
	}
	return in.DurationOn(job, cluster, slot.Processors)
}
