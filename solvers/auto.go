package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name:   "auto",
	Doc:    "Runs the quick solvers that support the instance, then search from their best schedule. It takes as long as all of these, some of which take O(n²) for n jobs.",
	Source: "allot",
	New:    func() solve.Solver { return &Auto{} },
})

// Auto runs the solvers that honour what the instance asks for and whose estimated work on it is small ([solve.Worth]), the quickest first;
// where jobs arrive over time the backfilling policies are among them, and solvers that allocate by another objective are not. Then it runs [Search] from the
// best of their schedules; where [search.Packs], Search alone. The best owes the fewest jobs ([model.Instance.Owed]), then has the least objective; of equals Auto
// takes one that is proved optimal, else the first by the solver's name. A schedule that is proved optimal ends the run, and so does a proof that the instance
// is infeasible. [solve.Result].Solver names the solvers that made the schedule. All of them share MaxEvals.
type Auto struct{}

// candidates are the solvers that are tried before a search, by name.
func (*Auto) candidates(in *model.Instance, opt solve.Options) []solve.Info {
	size := opt.SizeOf(in)
	return solve.Worth(in, size, filling(in, size, solve.Solvers()))
}

// ByObjective says that deadlines which the objective does not count do not concern it.
func (*Auto) ByObjective() bool { return true }

// Supports implements [solve.Solver]: what search takes, or a quick solver.
func (a *Auto) Supports(in *model.Instance) error {
	err := newSearch().Supports(in)
	if err != nil && len(a.candidates(in, solve.Options{})) > 0 {
		return nil
	}
	return err
}

// Solve implements [solve.Solver].
func (a *Auto) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	run := solve.NewStages(opt)
	var first []solve.Info
	if !search.Packs(ctx, in) {
		first = a.candidates(in, opt)
	}
	best := run.Best(ctx, in, first)
	if best.Status == model.Optimal || best.Status == model.Infeasible || ctx.Err() != nil || newSearch().Supports(in) != nil {
		return best, nil
	}
	rest, ok := run.Next()
	if !ok {
		best.Stop = model.StopEvaluations
		return best, nil
	}
	rest.Start = best.Solution
	result, _ := run.Run(ctx, in, solve.Info{Name: "search"}, newSearch(), rest)
	switch {
	case best.Solution == nil:
		result.Solver = "search"
	case result.Solution == nil:
		best.Dropped, best.Evaluations = result.Dropped, result.Evaluations
		return best, nil
	case result.Solution == best.Solution:
		result.Solver = best.Solver
	default:
		result.Solver = best.Solver + "+search"
	}
	return result, nil
}
