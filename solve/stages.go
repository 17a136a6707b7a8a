package solve

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
)

// stages runs solvers one after another within the limits of one run: they share its evaluations and report their progress as one.
type stages struct {
	opt  Options
	used int64 // evaluations of the stages so far

	bound    float64 // the best that they proved
	hasBound bool
	shown    Progress // the best schedule reported so far, and the best bound
}

func newStages(opt Options) *stages {
	return &stages{opt: opt, shown: Progress{Objective: math.Inf(1), Bound: math.Inf(-1), Left: math.MaxInt}}
}

// next are the options of the next stage; false where no evaluations are left for it.
func (s *stages) next() (Options, bool) {
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

// report passes progress on; what was reported before stands until there is something better.
func (s *stages) report(p Progress) {
	now, before := search.NewRank(p.Left, p.Objective), search.NewRank(s.shown.Left, s.shown.Objective)
	if !math.IsInf(p.Objective, 1) && search.Better(now, before) {
		s.shown.Left, s.shown.Objective = p.Left, p.Objective
	}
	s.shown.Bound = max(s.shown.Bound, p.Bound)
	s.shown.Evaluations = p.Evaluations
	s.opt.Progress(s.shown)
}

// add counts what a stage did, and gives its result the evaluations and the bound of all so far.
func (s *stages) add(result *Result) {
	s.used += result.Evaluations
	result.Evaluations = s.used
	if result.HasBound && (!s.hasBound || result.Bound > s.bound) {
		s.bound, s.hasBound = result.Bound, true
	}
	result.Bound, result.HasBound = s.bound, s.hasBound
}

// rank evaluates a schedule and reports it.
func (s *stages) rank(in *model.Instance, sol *model.Solution) (search.Rank, error) {
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		return search.Rank{}, err
	}
	left := len(sol.Unscheduled)
	if s.opt.Progress != nil {
		bound := math.Inf(-1)
		if s.hasBound {
			bound = s.bound
		}
		s.report(Progress{Evaluations: s.used, Objective: evaluation.Objective, Bound: bound, Left: left})
	}
	return search.NewRank(left, evaluation.Objective), nil
}
