package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// UsualPolicies are those that are compared on a trace where none is named.
var UsualPolicies = []string{"fcfs", "easy", "conservative"}

// Policies makes the policies that an option names. Each has a label of its own.
func Policies(names []string) ([]solve.Choice, error) {
	var choices []solve.Choice
	for _, name := range names {
		choice, err := solve.Choose(name)
		if err != nil {
			return nil, &OptionError{"policies", err}
		}
		if slices.ContainsFunc(choices, func(c solve.Choice) bool { return c.Label == choice.Label }) {
			return nil, optionf("policies", "expected a different label for each policy, found %q twice", choice.Label)
		}
		choices = append(choices, choice)
	}
	return choices, nil
}

// Offered loads: a load of 1 needs all processors all the time, and above that the queue grows to the end of the trace.
const (
	StrangeLoad = 1.5 // a load above this is allowed, with a warning
	mostLoad    = 10  // a load above this is likely a load in per cent
)

// TraceOptions are the options of a comparison of policies on a trace.
type TraceOptions struct {
	lab.Options          // Day and Short count where Days and Shorts are not nil
	Load        *float64 // offered load to which the gaps between arrivals are stretched or shrunk; nil: that of the trace
	Days        *float64 // length of a day; nil: 24 hours
	Shorts      *float64 // a short job runs for at most this; nil: 1 hour
}

// Check returns an [*OptionError] for the first option that is out of its range.
func (o *TraceOptions) Check() error {
	if o.Load != nil && *o.Load > mostLoad && *o.Load <= 100*StrangeLoad {
		return optionf("load", "expected a load above 0 and at most %v (1: the jobs need all processors all the time), found %v; is it per cent? write %v", mostLoad, *o.Load, *o.Load/100)
	}
	value := func(x *float64, usual float64) float64 {
		if x == nil {
			return usual
		}
		return *x
	}
	load, day, short := value(o.Load, 1), value(o.Days, 1), value(o.Shorts, 1)
	for _, r := range []struct {
		option, expected string
		ok               bool
		found            any
	}{
		{"load", fmt.Sprintf("a load above 0 and at most %v (1: the jobs need all processors all the time)", mostLoad), load > 0 && load <= mostLoad, load},
		{"warm_up", "a share of at least 0 and below 0.5", o.WarmUp >= 0 && o.WarmUp < 0.5, o.WarmUp},
		{"day", "a time above 0 and at most 1e18", day > 0 && day <= 1e18, day},
		{"narrow", "a number of at least 0", o.Narrow >= 0, o.Narrow},
		{"short", "a time from 0 to 1e18", short >= 0 && short <= 1e18, short},
		{"confidence", "a number between 0 and 1, both excluded", o.Confidence > 0 && o.Confidence < 1, o.Confidence},
		{"replicates", "a number from 100 to 1000000", o.Replicates >= 100 && o.Replicates <= 1_000_000, o.Replicates},
		{"block", "a number of at least 0", o.Block >= 0, o.Block},
	} {
		if !r.ok {
			return optionf(r.option, "expected %s, found %v", r.expected, r.found)
		}
	}
	return nil
}

// On returns the trace with the offered load, and completes the options by the unit of its times.
func (o *TraceOptions) On(in *model.Instance) (*model.Instance, error) {
	usual, known := lab.Defaults().In(in.Units().Time)
	if !known && (o.Days == nil || o.Shorts == nil) {
		return nil, fmt.Errorf("times are in %q: expected --day and --short in this unit", in.Units().Time)
	}
	o.Day, o.Short, o.Bound = usual.Day, usual.Short, Possible
	if o.Days != nil {
		o.Day = *o.Days
	}
	if o.Shorts != nil {
		o.Short = *o.Shorts
	}
	if o.Load == nil {
		return in, nil
	}
	loaded, err := lab.WithLoad(in, *o.Load)
	if err != nil {
		return nil, &OptionError{"load", err}
	}
	return loaded, nil
}

// PolicyRuns are policies to compare on a trace.
type PolicyRuns struct {
	In       *model.Instance
	Policies []solve.Choice
	Options  *lab.Options // Followed is filled in
	Settings bench.Settings
	Drawn    bool // somebody wants to see whole schedules

	Step func()                    // after each policy
	Warn func(policy, text string) // what went wrong although there is a schedule
}

// PolicyError says why a policy has no schedule of a trace.
type PolicyError struct {
	Kind PolicyFault
	Err  error
}

// PolicyFault is a kind of [PolicyError].
type PolicyFault int

// The kinds.
const (
	PolicyFailed PolicyFault = iota
	PolicyWrong              // the checker refuses its schedule
	PolicyUnsupported
	PolicyInfeasible
	PolicyStopped // by a limit
)

// Error implements error.
func (e *PolicyError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *PolicyError) Unwrap() error { return e.Err }

// Run makes the schedules, in parallel. A policy that fails is an error. If ctx ends, that is the error: what was stopped is no policy's schedule.
func (l *PolicyRuns) Run(ctx context.Context) ([]lab.Run, error) {
	trace := sync.OnceValues(func() (*followedTrace, error) { return newTrace(l.In) })
	rows, followed := make([]bench.Row, len(l.Policies)), make([]*lab.Followed, len(l.Policies))
	settings := l.Settings
	settings.Options.Unbounded = true // nobody is shown a bound of these schedules
	settings.Options.Presolver = solve.NewPresolver(l.In)
	var g errgroup.Group
	g.SetLimit(l.Options.AtOnce())
	for k, policy := range l.Policies {
		g.Go(func() (err error) {
			defer l.Step()
			if followed[k], err = l.follow(ctx, policy, trace); followed[k] == nil && err == nil {
				rows[k] = bench.Measure(ctx, policy, l.In, settings)
			}
			return err
		})
	}
	err := g.Wait() // a row states itself what went wrong
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	var runs []lab.Run
	l.Options.Followed = map[string]*lab.Followed{}
	for k := range rows {
		row := &rows[k]
		if followed[k] != nil {
			l.Options.Followed[l.Policies[k].Label] = followed[k]
			runs = append(runs, lab.Run{Policy: l.Policies[k].Label, Online: bench.HoldsFuture(l.In)})
			continue
		}
		if err := WithoutSchedule(row); err != nil {
			return nil, err
		}
		if row.Warning != "" {
			l.Warn(row.Solver, row.Warning)
		}
		runs = append(runs, lab.Run{Policy: row.Solver, Online: row.IsOnline(), Solution: row.Solution})
	}
	return runs, nil
}

// WithoutSchedule says why a policy has no schedule; nil: it has one.
func WithoutSchedule(row *bench.Row) error {
	fault := fmt.Errorf("%s: %s", row.Solver, row.Fault)
	switch {
	case row.Solution != nil:
		return nil
	case row.Kind == bench.WrongSchedule:
		return &PolicyError{PolicyWrong, fmt.Errorf("solver %w", fault)}
	case row.Kind == bench.Unsupported:
		return &PolicyError{PolicyUnsupported, fault}
	case row.Fault != "":
		return &PolicyError{PolicyFailed, fault}
	case row.Status == model.Infeasible:
		return &PolicyError{PolicyInfeasible, errors.New(row.Solver + ": proved infeasible")}
	}
	return &PolicyError{PolicyStopped, fmt.Errorf("%s: %s", row.Solver, WithoutSolution(row.Status, row.Stop))}
}

// follow replays a policy on a trace of equal processors and keeps starts and ends only; nil: the policy needs a whole schedule, because it plans ahead, looks at more than a trace
// shows, has a time limit, or somebody wants to see the schedule. What was followed is checked.
func (l *PolicyRuns) follow(ctx context.Context, choice solve.Choice, of func() (*followedTrace, error)) (*lab.Followed, error) {
	policy, online := solve.PolicyOf(choice.Solver)
	if !online || l.Drawn || l.Settings.Time > 0 || params.Check(choice.Solver) != nil || choice.Solver.Supports(l.In) != nil {
		return nil, nil
	}
	rules := policy.Discipline()
	if !rules.ReadsTraces(l.In) || l.In.Features()&model.PowerLimits != 0 || lab.HasPower(l.In) && !lab.PowerByJob(l.In) {
		return nil, nil
	}
	trace, err := of()
	if err != nil {
		return nil, err
	}
	followed := lab.Follow(l.In, trace.order, *l.Options)
	opt := rules.Deferring(l.In, sim.Options{Seed: l.Settings.Options.Seed, Kill: policy.Kills(), Observer: followed})
	if _, err := sim.Run(ctx, &sim.Trace{Jobs: trace.jobs}, l.In.Processors(), rules, opt); err != nil {
		return nil, &solve.RunError{Solver: choice.Info.Name, Err: err}
	}
	if err := followed.Check(l.In); err != nil {
		return nil, &PolicyError{PolicyWrong, fmt.Errorf("%s: wrong schedule: %w", choice.Label, err)}
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

// WithoutSolution says in words how a run ended that found no solution.
func WithoutSolution(status model.Status, stop model.Stop) string {
	if status == model.Infeasible {
		return "proved infeasible"
	}
	switch stop {
	case model.StopTime:
		return "no solution before the time limit"
	case model.StopEvaluations:
		return "no solution within the limit of evaluations"
	case model.StopCancelled:
		return "no solution before it was interrupted"
	default:
		return "it ended without a solution"
	}
}

// Possible is a [lab.Bound]: what about a second of work proves, and the checker of proofs accepts. What is not certified is not known.
func Possible(ctx context.Context, in *model.Instance) (lab.Possible, bool) {
	found, err := Bound(ctx, in, false, true, nil)
	if err != nil || !found.verified || len(found.Unproved) > 0 {
		return lab.Possible{}, false
	}
	return lab.Possible{Bound: found.Bound, Method: found.Parts[0].Method}, true
}
