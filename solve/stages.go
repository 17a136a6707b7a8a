package solve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Stages runs solvers one after another within the limits of one run. They share its evaluations and report their progress as one solver.
type Stages struct {
	opt  Options
	used int64 // evaluations by the stages so far

	found bool     // a stage has made a right schedule
	right *checked // that of the last stage, or the best; nil: it was not checked

	owed        int                // the most jobs of which a stage proved that every schedule owes as many
	bound       model.Bound        // the best bound that the stages proved of schedules that owe no more
	certificate *proof.Certificate // that of the best bound of a stage that has one
	shown       Progress           // the best schedule reported so far, and the best bound
	dropped     *DroppedSchedule   // the first wrong schedule of a stage; nil: none
}

// NewStages makes the Stages of a run with the given limits and progress function.
func NewStages(opt Options) *Stages {
	opt.Trace = nil // the steps of the stages are not those of the whole run
	return &Stages{opt: opt, shown: Progress{Objective: math.Inf(1), Left: math.MaxInt}}
}

// Next returns the options of the next stage, or false if no evaluations are left for it.
func (s *Stages) Next() (Options, bool) {
	opt := s.opt
	if opt.MaxEvals > 0 {
		if opt.MaxEvals -= s.used; opt.MaxEvals <= 0 {
			return opt, false
		}
	}
	if opt.Progress != nil {
		before := s.used
		opt.Progress = func(p Progress) {
			p.Evaluations += before
			s.report(p)
		}
	}
	return opt, true
}

// report passes on a stage's progress. It never reports a worse schedule or bound than before.
func (s *Stages) report(p Progress) {
	now, before := model.NewRank(p.Left, p.Objective), model.NewRank(s.shown.Left, s.shown.Objective)
	s.shown.Schedule = nil
	if !math.IsInf(p.Objective, 1) && now.Better(before) {
		s.shown.Left, s.shown.Objective, s.shown.Schedule = p.Left, p.Objective, p.Schedule
	}
	s.shown.Bound, s.shown.Owed = s.shown.Bound.Max(p.Bound), max(s.shown.Owed, p.Owed)
	s.shown.Evaluations = p.Evaluations
	s.opt.Progress(s.shown)
}

// Add counts the evaluations of a stage and writes the evaluations, the jobs owed, the best bound and the first wrong schedule of all stages so far into its result.
func (s *Stages) Add(result *Result) {
	s.dropped = cmp.Or(s.dropped, result.Dropped)
	result.Dropped = s.dropped
	s.used += result.Evaluations
	result.Evaluations = s.used
	switch {
	case result.Owed > s.owed:
		s.owed, s.bound, s.certificate = result.Owed, result.Bound, nil
	case result.Owed == s.owed:
		s.bound = s.bound.Max(result.Bound)
	default:
		result.Certificate = nil
	}
	result.Owed, result.Bound = s.owed, s.bound
	if c := result.Certificate; c != nil && (s.certificate == nil || c.Bound.Max(s.certificate.Bound) != s.certificate.Bound) {
		s.certificate = c
	}
	if result.Status != model.Infeasible {
		result.Certificate = s.certificate
	}
}

// Run runs a stage, adds its result and reports its schedule. A stage that fails, or that makes only schedules which the checker refuses, has no solution: the
// others go on without it.
func (s *Stages) Run(ctx context.Context, in *model.Instance, info Info, solver Solver, opt Options) (Result, model.Evaluation) {
	result, err := solver.Solve(ctx, in, opt)
	if err != nil {
		result.drop(in, info.Name, err)
	}
	if result.Solution != nil && !s.found && ctx.Err() != nil { // there is nothing to compare it with, and no time: the caller of the whole checks it
		s.Add(&result)
		return result, model.Evaluation{}
	}
	evaluation, right := s.settle(in, &result, info.Name)
	s.Add(&result)
	if sol := result.Solution; right && s.opt.Progress != nil {
		s.report(Progress{Evaluations: s.used, Objective: evaluation.Objective, Bound: s.bound, Left: in.Owed(sol), Schedule: func() *model.Solution { return copied(sol) }})
	}
	return result, evaluation
}

// settle makes the best right schedule of the result its solution, see [Result.settle]. Where the run has reduced the instance it asks whether the schedule is right for the
// stated one: that is what [Run] asks of the schedule in the end, and so it need not ask again. A schedule that only the reduced instance takes is left to Run.
func (s *Stages) settle(in *model.Instance, result *Result, solver string) (model.Evaluation, bool) {
	of := in
	if shared := s.opt.shared; shared != nil && shared.of == in {
		of = shared.stated
	}
	before := s.right
	s.right = nil
	evaluation, right := result.settle(in, solver, func(sol *model.Solution) (model.Evaluation, *WrongScheduleError) {
		stated := sol
		if of != in {
			stated = s.opt.shared.back.Restore(sol)
		}
		if before.isOf(of, stated) { // the stage has returned what it started from
			s.right = before
			return before.evaluation, nil
		}
		evaluation, wrong := Checked(of, stated)
		if wrong != nil && of != in {
			return Checked(in, sol)
		}
		if wrong == nil {
			s.right = checkedAs(of, stated, evaluation)
		}
		return evaluation, wrong
	})
	s.found, result.checked = s.found || right, s.right
	return evaluation, right
}

// Vouch notes in a result that the stages have checked its schedule already, where it is the best of theirs.
func (s *Stages) Vouch(result *Result) { result.checked = s.right }

// proves reports whether the best bound of the stages so far proves that the schedule is optimal. As in [Run], a schedule that owes jobs is
// optimal only if it is known that every schedule owes as many. A bound above the objective is false and proves nothing.
func (s *Stages) proves(ctx context.Context, in *model.Instance, sol *model.Solution, evaluation model.Evaluation) bool {
	if !evaluation.Proves(s.bound) || evaluation.Refutes(s.bound) {
		return false
	}
	owed := in.Owed(sol)
	return owed == s.owed || owed > 0 && owed == max(s.owed, s.opt.SharedBound(ctx, in).Owed())
}

// meets reports whether the bound of the run proves that the schedule is optimal.
func (s *Stages) meets(ctx context.Context, in *model.Instance, sol *model.Solution, evaluation model.Evaluation) bool {
	known := s.opt.shared
	if known == nil { // outside of a run, which would look for a bound
		return false
	}
	if known.of != in {
		known = s.opt.SharedBound(ctx, in)
	}
	return known.meets(ctx, sol, &evaluation)
}

// Best runs the solvers and returns the best schedule, with the best bound that one of them proved. Schedules that owe fewer jobs
// ([model.Instance.Owed]) are better. Of equally good schedules it takes one that is proved optimal, or else the first in the list. [Result].Solver names the solver that
// made it. Its status is optimal where that solver says so, and where the best bound proves it, whichever solver found the bound. Best runs the
// solvers of the least estimated work first, see [Info].Work, so that a limit cuts off the slow ones; of equally quick ones on-line policies. It ends with the first
// schedule that the bound of the run proves optimal. Of a solver whose schedule is wrong, [Result].Dropped tells; the others go on.
func (s *Stages) Best(ctx context.Context, in *model.Instance, solvers []Info) Result {
	best, place, met := Result{Status: model.Unknown}, 0, false
	// A solver that allocates by the objective states loads besides, so the others do not end the run before it.
	dedicated := slices.ContainsFunc(solvers, func(i Info) bool { return i.AllocatesBy != "" })
	var cost model.Evaluation // of the best
	for _, k := range quickestFirst(in, s.opt.SizeOf(in), solvers) {
		info := solvers[k]
		opt, ok := s.Next()
		if !ok || ctx.Err() != nil {
			break
		}
		result, evaluation := s.Run(ctx, in, info, info.New(), opt)
		if result.Status == model.Infeasible {
			result.Solver = info.Name
			return result // proved, so the other solvers need not run
		}
		if result.Solution == nil {
			continue
		}
		if best.Solution == nil || in.BetterSchedule(result.Solution, evaluation, best.Solution, cost) ||
			!in.BetterSchedule(best.Solution, cost, result.Solution, evaluation) && preferred(result, best, k < place) {
			best, place, cost = result, k, evaluation
			best.Solver = info.Name
			if met = !dedicated && s.found && ctx.Err() == nil && s.meets(ctx, in, best.Solution, cost); met {
				break
			}
		}
	}
	best.Evaluations, best.Owed, best.Bound, best.Certificate, best.Dropped = s.used, s.owed, s.bound, s.certificate, s.dropped
	s.right = best.checked
	if met || best.Solution != nil && s.found && s.proves(ctx, in, best.Solution, cost) {
		best.Status = model.Optimal
	}
	if best.Stop = model.StopDone; ctx.Err() != nil {
		best.Stop = model.StopReason(ctx)
	}
	return best
}

// preferred reports whether the schedule found is preferred to an equally good best schedule so far: if it alone is proved optimal, or otherwise if
// its solver is the first of the two in the list.
func preferred(found, best Result, first bool) bool {
	if proved := found.Status == model.Optimal; proved != (best.Status == model.Optimal) {
		return proved
	}
	return first
}
