package main

import (
	"context"
	"fmt"

	"github.com/allot-opt/allot/internal/bench/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// follow replays a policy on a trace of equal processors and keeps starts and ends only; nil: the policy needs a whole schedule, because it plans ahead, looks at more than a trace
// shows, has a time limit, or somebody wants to see the schedule. What was followed is checked.
func (l *lineUp) follow(ctx context.Context, choice solve.Choice) (*lab.Followed, error) {
	policy, online := solve.PolicyOf(choice.Solver)
	if !online || l.drawn || l.settings.Time > 0 || params.Check(choice.Solver) != nil || choice.Solver.Supports(l.in) != nil {
		return nil, nil
	}
	rules := policy.Discipline()
	if !rules.IsPlain(l.in) {
		return nil, nil
	}
	trace, err := l.trace()
	if err != nil {
		return nil, err
	}
	followed := lab.Follow(l.in, trace.order, l.options)
	if _, err := sim.Run(ctx, &sim.Trace{Jobs: trace.jobs}, l.in.Processors(), rules.Plain(l.in.Processors()), sim.Options{Seed: l.settings.Options.Seed, Kill: policy.Kills(), Observer: followed}); err != nil {
		return nil, &solve.RunError{Solver: choice.Info.Name, Err: err}
	}
	if err := followed.Check(l.in); err != nil {
		return nil, &statusError{exitViolations, fmt.Errorf("%s: wrong schedule: %w", choice.Label, err)}
	}
	return followed, nil
}

// followedTrace is the instance as a trace, which all policies that are followed share.
type followedTrace struct {
	jobs  []sim.Spec
	order []int // by job of the trace: its index in the instance
}

// newTrace makes the trace of an instance.
func newTrace(in *model.Instance) (*followedTrace, error) {
	trace, order, err := sim.TraceOf(in)
	if err != nil {
		return nil, err
	}
	return &followedTrace{trace.Jobs, order}, nil
}
