package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Online is a solver that runs an on-line policy in a simulation: the policy sees a job when it arrives, and of its execution time only the
// estimate. The schedule is what the simulation comes to.
type Online interface {
	solve.Solver
	// Simulate runs the policy on the instance; opt may hold an observer. The error is that of ctx or a bug of the policy.
	Simulate(ctx context.Context, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals, error)
	// Discipline makes the policy in either world, with the parameters as they are now.
	Discipline() sim.Discipline
	// Kills says whether the simulation ends a job at its estimate.
	Kills() bool
}

// clusterFeatures are the features that the backfilling policies honour which keep a job on one cluster. They refuse jobs that must spread, as these fit none,
// and processors that earlier jobs hold, as a simulation begins with an empty system.
const clusterFeatures = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds | model.ParallelJobs |
	model.MoldableJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan | model.BackgroundLoad

// backfillFeatures are the features that the other backfilling policies honour.
const backfillFeatures = clusterFeatures | model.GridSpan

// simulate runs an on-line policy on an instance; it kills jobs at their estimates where the options or the solver say so.
func simulate(ctx context.Context, in *model.Instance, policy Online, opt sim.Options) (*model.Solution, sim.Totals, error) {
	opt.Kill = opt.Kill || policy.Kills()
	return sim.Simulate(ctx, in, policy.Discipline(), opt)
}

// online runs a policy on an instance as a solver, once it has checked its parameters.
func online(ctx context.Context, in *model.Instance, policy Online, opt solve.Options) (solve.Result, error) {
	if err := params.Check(policy); err != nil {
		return solve.Result{}, err
	}
	sol, _, err := policy.Simulate(ctx, in, sim.Options{Seed: opt.Seed})
	if err == nil && opt.Trace != nil {
		err = tellOnline(ctx, in, policy, opt, sol)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return solve.Stopped(ctx), nil
	case err != nil:
		return solve.Result{}, err
	}
	return solve.Result{Solution: sol, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}, nil
}
