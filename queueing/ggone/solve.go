package ggone

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Options are the limits of a run.
type Options struct {
	Tolerance   float64        // relative gap within which the optimum counts as proved; 0: 5e-10, which is also the least
	Evaluations int64          // limit of evaluations of the Lagrangian and of allocations; 0: none
	Penalties   int64          // about the largest number of penalties to compute, though for at least 20 evaluations; 0: no limit
	Progress    func(Progress) // nil: silent
	Certify     bool           // keep what a certificate of the bound needs, see [Result].Proof
}

// leastTolerance is well above the rounding errors of sums over all tasks.
const leastTolerance = 5e-10

// limit is the cost from which on an allocation is not worth finding, given the best cost. Beside the relative tolerance there is an absolute
// one for objectives near 0. Its scale is 1 for each task: a penalty is an excess over a limit divided by that limit, and computed to one
// ulp of 1. No allocation costs less than 0.
func (o *Options) limit(best float64, tasks int) float64 {
	if math.IsInf(best, 1) {
		return best
	}
	return max(0, best-max(o.Tolerance*best, 2*ulp*float64(tasks)))
}

// Progress is the state of a run.
type Progress struct {
	Evaluations int64
	Objective   float64 // +Inf: none
	Bound       model.Bound
}

// Result is the outcome of a run.
type Result struct {
	// Machine is the machine of each task, the machines of all classes numbered in order; nil: none found. The objective may
	// still be +Inf: then every allocation that was found breaks a limit of 0, or has a task where it cannot be.
	Machine     []int
	Load        []float64 // arrival rate of each machine, with its committed rate and its part of the idle rate
	Objective   float64
	Bound       model.Bound // no allocation costs less
	Proved      bool        // the objective is optimal within the tolerance
	Tolerance   float64     // the relative tolerance that was used
	Limited     bool        // the evaluations ran out
	Evaluations int64
	Proof       *proof.Levels // what proves Certified, where it was asked for; nil: an idle rate is not covered, or the tree grew too large
	Certified   model.Bound   // Bound, less what a checker may lose by rounding; with a Proof only
}

// InfeasibleError says that the machines cannot take the tasks. It holds both sides of the condition that fails.
type InfeasibleError struct {
	Room, Tasks int     // Σ(⌈μ_r·T⌉ − 1) < tasks, or
	Rate, Most  float64 // λ ≥ Σμ_r
}

// Error states the condition.
func (e *InfeasibleError) Error() string {
	if e.Room < e.Tasks {
		return fmt.Sprintf("the machines stay stable with at most Σ(⌈μ·T⌉ − 1) = %d tasks in the period, and there are %d", e.Room, e.Tasks)
	}
	return fmt.Sprintf("the rate λ = %v is not below that of all machines together, Σμ = %v", e.Rate, e.Most)
}

// Solve allocates the tasks. When ctx ends it returns the best allocation so far. The error says what is
// invalid, or is an [*InfeasibleError].
//
// The result depends only on the problem and the options, unless ctx ends. Complexity: exponential in the worst case; a bound takes
// O(levels · tasks) at first and a small part of that once most loads and places are ruled out. Memory: O(levels · tasks) up to some
// 100 MB, then O(classes · tasks).
func Solve(ctx context.Context, p *Problem, opt Options) (Result, error) {
	idle, room, err := p.stable()
	if err != nil {
		return Result{}, err
	}
	opt.Tolerance = max(opt.Tolerance, leastTolerance)
	if opt.Penalties > 0 {
		if affordable := p.evaluationsOf(opt.Penalties); opt.Evaluations == 0 || opt.Evaluations > affordable {
			opt.Evaluations = affordable
		}
	}
	dummies := 0
	if p.Dummies {
		dummies = wholeTasks(idle)
	}
	if room < len(p.Tasks)+dummies || dummies > 0 && p.tooLarge(dummies) { // the idle load does not divide into whole tasks that fit
		dummies = 0
	}
	if ctx.Err() != nil {
		return Result{Objective: math.Inf(1)}, nil
	}
	if p.tooLarge(dummies) || p.mayOverflow() || p.tooLargeWithIdle(idle) {
		return p.greedy(idle, dummies), nil
	}
	if idle > 0 && dummies == 0 {
		return p.solveIdle(ctx, idle, opt)
	}
	result, _ := p.solveWhole(ctx, idle, dummies, opt)
	return result, nil
}

// evaluationsOf is the number of evaluations that compute about the given number of penalties, at least 20.
func (p *Problem) evaluationsOf(penalties int64) int64 {
	levels := 1
	for k := range p.Classes {
		levels += p.Classes[k].most(p.Period, len(p.Tasks)) + p.Classes[k].Machines
	}
	return max(20, penalties/(int64(levels)*int64(len(p.Tasks)+1)))
}

// wholeTasks is the number of dummies that make up the idle load, the last perhaps in part; 0 where they are too many to count.
func wholeTasks(idle float64) int {
	if idle > math.MaxInt32 {
		return 0
	}
	return int(math.Ceil(idle * (1 - 1e-9)))
}

// stable checks the problem and that the machines can take the tasks. It returns the idle load and the number of tasks that they can take.
func (p *Problem) stable() (idle float64, room int, err error) {
	if err := p.check(); err != nil {
		return 0, 0, err
	}
	if idle, err = p.idleLoad(); err != nil {
		return 0, 0, err
	}
	if room = p.room(); room < len(p.Tasks) {
		return 0, 0, &InfeasibleError{Room: room, Tasks: len(p.Tasks)}
	}
	return idle, room, nil
}

// idleLoad is the idle rate times the period, in tasks: the load that neither the tasks nor the committed rates make up.
func (p *Problem) idleLoad() (float64, error) {
	load := float64(len(p.Tasks)) / p.Period
	var spare total // Σμ − λ
	spare.add(-p.Rate)
	for k := range p.Classes {
		n, rate := float64(p.Classes[k].Machines), p.Classes[k].ServiceRate
		load += n * p.Classes[k].Committed
		spare.add(n * rate)
		spare.add(math.FMA(n, rate, -n*rate))
	}
	left := p.Rate - load
	switch {
	case left <= model.Tolerance*p.Rate: // as in the evaluator
		return 0, nil
	case spare.value() <= 0:
		return 0, &InfeasibleError{Rate: p.Rate, Most: spare.value() + p.Rate}
	}
	return left * p.Period, nil
}

// room is the number of tasks that the machines can take.
func (p *Problem) room() int {
	room := 0
	for k := range p.Classes {
		c := &p.Classes[k]
		room += c.Machines * c.most(p.Period, math.MaxInt32)
	}
	return room
}

// solveWhole solves the problem whose loads are whole numbers of tasks, dummies among them. No allocation costs less than proved; −Inf: nothing is
// proved, +Inf: no allocation has a finite cost.
func (p *Problem) solveWhole(ctx context.Context, idle float64, dummies int, opt Options) (result Result, proved float64) {
	s := newSearch(ctx, newCore(ctx, p, dummies), opt)
	s.run()
	result = Result{Objective: s.best, Bound: model.ProvedBound(s.proved), Tolerance: opt.Tolerance, Evaluations: s.evaluations, Limited: s.limited()}
	result.Proved = s.proved >= s.limit() && !math.IsInf(s.best, 1)
	if dummies == 0 {
		if result.Proof = s.trace.levels(s); result.Proof != nil {
			result.Certified = model.ProvedBound(p.certified(s.proved))
		}
	}
	loads := s.bestLoads
	if loads == nil { // the time is up, or every allocation breaks a limit of 0
		loads = s.proportional()
		s.serveInTurn(loads)
	}
	result.Machine = s.rankOf[:len(p.Tasks)]
	result.Load = make([]float64, len(s.class))
	excess := float64(dummies) - idle // the part of the last dummy that is no load
	for r, n := range loads {
		result.Load[r] = float64(n) / p.Period
	}
	if dummies > 0 && excess > 0 {
		r := s.rankOf[len(p.Tasks)]
		result.Load[r] = (float64(loads[r]) - excess) / p.Period
	}
	p.addCommitted(result.Load)
	return result, s.proved
}

// serveInTurn serves the tasks at the loads in turn.
func (s *search) serveInTurn(loads []int) {
	r, left := -1, 0
	for y := range s.rankOf {
		for left == 0 {
			r++
			left = loads[r]
		}
		s.rankOf[y] = r
		left--
	}
}

// addCommitted adds the committed rates to the rates of the machines.
func (p *Problem) addCommitted(rates []float64) {
	r := 0
	for k := range p.Classes {
		for range p.Classes[k].Machines {
			rates[r] += p.Classes[k].Committed
			r++
		}
	}
}

// Bound returns a lower bound of the penalty, if one is proved. It takes at most the given number of evaluations of the Lagrangian and
// computes about work penalties in them. If ctx ends, it returns the bound so far, which is also valid. The function shown returns the
// proof of the bound. The bound is lower by what a checker of the proof may lose by rounding, whether or not a proof is asked for.
func Bound(ctx context.Context, p *Problem, evaluations, work int64) (proved model.Bound, shown func() *proof.Levels) {
	if p.check() != nil || p.tooLarge(0) || p.room() < len(p.Tasks) || p.mayOverflow() {
		return model.Bound{}, nil
	}
	levels := int64(0)
	for k := range p.Classes {
		levels += int64(p.Classes[k].most(p.Period, len(p.Tasks)) + 1)
	}
	affordable := work / max(1, levels*int64(len(p.Tasks)))
	if affordable < 10 {
		return model.Bound{}, nil
	}
	s := newSearch(ctx, newCore(ctx, p, 0), Options{Tolerance: leastTolerance, Evaluations: min(evaluations, affordable)})
	root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
	s.ascend(root, rootAscent)
	if math.IsInf(root.bound, 1) {
		return model.Bound{}, nil
	}
	return model.ProvedBound(p.certified(min(root.bound, s.limit()))), func() *proof.Levels {
		return &proof.Levels{Prices: [][]float64{root.u}, Nodes: []proof.Node{{Prices: []int{0}}}}
	}
}
