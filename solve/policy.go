package solve

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
)

// Policy is an on-line policy: it sees a job when the job arrives, and of its execution time only the estimate. Its exported fields are its parameters, see
// package params. Several runs may call its methods at once, and none changes its parameters.
//
// [RegisterPolicy] makes a solver of it. The same value streams traces, forecasts, explains and is compared in tables of policies.
type Policy interface {
	// Supports returns nil if the policy can honour everything that the instance asks for. Otherwise the error wraps [ErrUnsupported]
	// and names the feature.
	Supports(in *model.Instance) error
	// Discipline makes the rules of the policy for one run, with the parameters as they are now.
	Discipline() sim.Discipline
	// Kills says whether a job is ended at its estimate and left out of the schedule.
	Kills() bool
}

// RegisterPolicy adds an on-line policy to the registry of solvers, as [Register] does; newPolicy makes it with its defaults. The schedule of the solver is what a
// simulation of the policy comes to. The Info needs a name, a text and a source; what follows from being on line is filled in.
func RegisterPolicy(info Info, newPolicy func() Policy) Info {
	return Register(info.OfPolicy(newPolicy))
}

// OfPolicy is the Info of the solver that an on-line policy makes.
func (i Info) OfPolicy(newPolicy func() Policy) Info {
	i.Online, i.Traces = true, true
	i.New = func() Solver { return OnLine(newPolicy()) }
	return i
}

// OnLine returns the solver that simulates an on-line policy; nil for none.
func OnLine(policy Policy) Solver {
	if policy == nil {
		return nil
	}
	return &simulation{policy}
}

// PolicyOf returns the on-line policy that a solver simulates, and false for any other solver.
func PolicyOf(s Solver) (Policy, bool) {
	online, ok := s.(*simulation)
	if !ok {
		return nil, false
	}
	return online.Policy, true
}

// Simulate runs an on-line policy on an instance; opt may hold an observer, and ends jobs at their estimates where opt or the policy says so. The error is that
// of ctx or a bug of the policy. See [sim.Simulate], also for the complexity.
//
// The policy gets the instance without what cannot bind, as in [Run], and decides as it does there.
func Simulate(ctx context.Context, policy Policy, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals, error) {
	opt.Kill = opt.Kill || policy.Kills()
	reduced, back := NewPresolver(in).For(OnLine(policy), false)
	if !back.AlwaysFits() { // the rules took for granted that jobs take no longer than their estimates
		unseen := opt
		unseen.Observer = nil
		sol, totals, err := sim.Simulate(ctx, reduced, policy.Discipline(), unseen)
		if err != nil {
			return nil, sim.Totals{}, err
		}
		if fits := back.Fits(sol); fits && opt.Observer == nil {
			return back.Restore(sol), totals, nil
		} else if !fits {
			reduced, back = in, &model.Reduction{}
		}
	}
	sol, totals, err := sim.Simulate(ctx, reduced, policy.Discipline(), opt)
	return back.Restore(sol), totals, err
}

// simulation is the solver that simulates a policy.
type simulation struct{ Policy }

// Parts implements [params.Composite]: the parameters are those of the policy.
func (s *simulation) Parts() []params.Part { return []params.Part{{Of: s.Policy}} }

// Solve implements [Solver].
func (s *simulation) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	if err := params.Check(s); err != nil {
		return Result{}, err
	}
	var warner sim.Warner
	rules := s.Discipline()
	if general := rules.General; general != nil {
		rules.General = func(platform *sim.Platform, seed uint64) sim.Policy {
			made := general(platform, seed)
			warner, _ = made.(sim.Warner)
			return made
		}
	}
	sol, _, err := sim.Simulate(ctx, in, rules, sim.Options{Seed: opt.Seed, Kill: s.Kills()})
	if err == nil && opt.Trace != nil {
		err = tellOnline(ctx, in, s.Policy, opt, sol)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return Stopped(ctx), nil
	case err != nil:
		return Result{}, err
	}
	result := Result{Solution: sol, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}
	if warner != nil {
		result.Warning = warner.Warning()
	}
	return result, nil
}
