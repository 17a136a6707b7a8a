package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name:   "auto",
	Doc:    "Runs the quick solvers that fit the instance, then search from the best of their schedules.",
	Source: "allot",
	New:    func() solve.Solver { return &Auto{} },
})

// Auto runs the solvers that honour what the instance asks for and are quick enough for its size ([Info].AutoJobs), the quickest first
// and, where jobs arrive over time, the backfilling policies among them, then
// [Search] from the best of their schedules, as it ranks them, jobs left out first: of equals one that is proved optimal, which ends
// the run, else the first by name. [Result].Solver names those whose schedule it is. A solver that proves the instance infeasible has the last word. All of them share MaxEvals.
type Auto struct{}

// candidates are the quick solvers that fit the instance, by name.
func (*Auto) candidates(in *model.Instance) []solve.Info {
	var fitting []solve.Info
	for _, info := range solve.Solvers() {
		if solver := info.New(); info.AutoJobs > 0 && len(in.Jobs()) <= autoJobs(info, solver, in) && solver.Supports(in) == nil {
			fitting = append(fitting, info)
		}
	}
	return fitting
}

// autoJobs is the number of jobs of an instance like this up to which the solver is tried; 0: never. [Info].AutoJobs of an on-line
// policy is for traces, where it is many times as fast as in the general world.
func autoJobs(info solve.Info, solver solve.Solver, in *model.Instance) int {
	_, online := solver.(Online)
	switch {
	case online && in.Features()&model.Arrivals == 0:
		return 0 // what it sees at once others see too
	case online && !sim.IsTrace(in):
		return min(info.AutoJobs, autoGrid[info.Name])
	}
	return info.AutoJobs
}

// autoGrid are the numbers of jobs up to which auto tries the policies in the general world: about a second for jobs that all
// wait at once.
var autoGrid = map[string]int{"easy": 10_000, "flexible": 5_000, "conservative": 200}

// Supports implements [Solver]: everything, as search does.
func (*Auto) Supports(in *model.Instance) error { return NewSearch().Supports(in) }

// Solve implements [Solver].
func (a *Auto) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	run := solve.NewStages(opt)
	best, err := run.Best(ctx, in, a.candidates(in))
	if err != nil || best.Status == model.Optimal || best.Status == model.Infeasible || best.Solution != nil && ctx.Err() != nil {
		return best, err
	}
	rest, ok := run.Next()
	if !ok {
		best.Stop = model.StopEvaluations
		return best, nil
	}
	rest.Start = best.Solution
	result, err := NewSearch().Solve(ctx, in, rest)
	if err != nil {
		return solve.Result{}, err
	}
	run.Add(&result)
	switch {
	case best.Solution == nil:
		result.Solver = "search"
	case result.Solution == best.Solution:
		result.Solver = best.Solver
	default:
		result.Solver = best.Solver + "+search"
	}
	return result, nil
}
