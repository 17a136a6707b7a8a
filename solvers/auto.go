package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/muscle"
)

var _ = solve.Register(solve.Info{
	Name:   "auto",
	Doc:    "Runs the quick solvers that support the instance, then search from their best schedule.",
	Source: "allot",
	New:    func() solve.Solver { return &Auto{} },
})

// Auto runs the solvers that honour what the instance asks for and are quick enough for its size ([solve.Info].AutoJobs), the quickest first;
// where jobs arrive over time the backfilling policies are among them, and solvers that allocate by another objective are not. Then it runs [Search] from the best of their schedules. The best has
// the fewest jobs left out, then the least objective; of equals Auto takes one that is proved optimal, else the first by the solver's name. A
// schedule that is proved optimal ends the run, and so does a proof that the instance is infeasible. [solve.Result].Solver names the solvers
// that made the schedule. All of them share MaxEvals.
type Auto struct{}

// candidates are the quick solvers that fit the instance, by name.
func (*Auto) candidates(in *model.Instance) []solve.Info {
	var fitting []solve.Info
	for _, info := range solve.Solvers() {
		if solver := info.New(); info.AutoJobs > 0 && len(in.Jobs()) <= autoJobs(info, in) && info.OtherObjective(in) == "" && isQuick(info.Name, in) && solver.Supports(in) == nil {
			fitting = append(fitting, info)
		}
	}
	return fitting
}

// autoJobs is the number of jobs up to which Auto tries the solver on an instance like this; 0: never. [solve.Info].AutoJobs of an on-line
// policy is for traces, where it is many times as fast as in the general world.
func autoJobs(info solve.Info, in *model.Instance) int {
	switch {
	case info.Online && in.Features()&model.Arrivals == 0:
		return 0 // other solvers see the same jobs at once
	case info.Online && in.Features().Has(model.BackgroundLoad):
		return 0 // local jobs delay what a policy runs, while plans state nominal times
	case info.Name == "conservative" && in.Features().Has(model.MoldableJobs):
		return 0 // it gives them the fewest processors
	case info.Online && !sim.IsTrace(in):
		return min(info.AutoJobs, autoGeneral[info.Name])
	}
	return info.AutoJobs
}

// isQuick says that the solver is quick on the instance. Solvers with a form for any instance take far longer in that form, so the instance must not need it;
// and the table that the solver keeps must be small: MUSCLE's of jobs and processors, or the times of all jobs on all resources.
func isQuick(solver string, in *model.Instance) bool {
	switch solver {
	case "muscle":
		return muscle.Quick(in)
	case "mts":
		return grid.Supports(in) == nil
	case "minmin", "maxmin", "sufferage":
		const mostTimes = 1 << 27 // 1 GB
		resources := 0
		for c := range in.Clusters() {
			if cluster := &in.Clusters()[c]; cluster.Uniform {
				resources++
			} else {
				resources += len(cluster.Machines)
			}
		}
		return len(in.Jobs())*resources <= mostTimes && grid.Supports(in) == nil
	}
	return true
}

// autoGeneral are the numbers of jobs up to which Auto tries the policies in the general world: they take about a second for jobs that all
// wait at once.
var autoGeneral = map[string]int{"easy": 10_000, "flexible": 5_000, "conservative": 200}

// Supports implements [solve.Solver]: everything, as search does.
func (*Auto) Supports(in *model.Instance) error { return NewSearch().Supports(in) }

// Solve implements [solve.Solver].
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
