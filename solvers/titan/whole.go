package titan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// whole is a run of the general form: one population of orders of all jobs, whose list schedules the evaluator prices.
type whole struct {
	ctx         context.Context
	in          *model.Instance
	opt         solve.Options
	seed        []int32 // the jobs in the order of the start, then those that it leaves out
	pick        list.Pick
	empty       *plan.Schedule
	schedule    *list.Schedule  // scratch of price
	order       []int           // scratch of price
	best        model.Rank      // of the start, until a better schedule is found
	found       *model.Solution // the best; nil: none is better than the start
	evaluations int64           // before the search
}

// searchWhole improves the start in the general form. Where the context ends first it returns the start.
func searchWhole(ctx context.Context, in *model.Instance, p ga.Parameters, opt solve.Options, evaluations int64) (solve.Result, error) {
	run := &whole{ctx: ctx, in: in, opt: opt, order: make([]int, len(in.Jobs())), evaluations: evaluations}
	if ctx.Err() != nil { // reading the start may take long
		return solve.Result{Solution: copyOf(opt.Start), Status: model.Feasible, Stop: model.StopReason(ctx), Evaluations: evaluations}, nil
	}
	if err := run.readStart(); err != nil {
		return solve.Result{}, err
	}
	stream := rand.NewPCG(opt.Seed, uint64(len(in.Clusters())))
	limits := ga.Limits{Evaluations: opt.MaxEvals}
	if opt.Progress != nil {
		limits.Progress = run.report
	}
	searched, err := ga.MinimiseOrder(ctx, run.seed, run.price, p, int64(stream.Uint64()>>1), limits)
	if err != nil {
		return solve.Result{}, err
	}
	result := solve.Result{Solution: run.found, Status: model.Feasible, Stop: model.StopDone, Evaluations: evaluations + searched.Evaluations}
	switch searched.Stop {
	case ga.Cancelled:
		result.Stop = model.StopReason(ctx)
	case ga.Evaluations:
		result.Stop = model.StopEvaluations
	}
	if result.Solution == nil {
		result.Solution = copyOf(opt.Start)
	}
	return result, nil
}

// readStart reads the seed order and the cluster of each job, and ranks the start.
func (run *whole) readStart() error {
	objective, err := model.EvaluateObjective(run.in, run.opt.Start)
	if err != nil {
		return fmt.Errorf("the start: %w", err)
	}
	run.best = run.in.RankOf(run.opt.Start, objective)
	placements := run.opt.Start.Jobs
	from := make([]int, len(placements))
	for k := range from {
		from[k] = k
	}
	sortByStart(placements, from)
	at := make([]int, len(run.in.Jobs())) // by job: its cluster; −1: the start leaves it out
	for j := range at {
		at[j] = -1
	}
	for _, k := range from {
		job, _ := run.in.JobIndex(placements[k].Job)
		run.seed = append(run.seed, int32(job))
		placements[k].Parts(1, func(piece model.Piece) {
			if at[job] < 0 {
				at[job], _ = run.in.ClusterIndex(piece.Cluster)
			}
		})
	}
	for j, cluster := range at {
		if cluster < 0 {
			run.seed = append(run.seed, int32(j))
		}
	}
	there, anywhere := list.OnCluster(run.in, func(job int) int { return at[job] }), list.EarliestEnd(run.in)
	run.pick = func(s *list.Schedule, job int) (plan.Slot, bool) {
		if at[job] < 0 {
			return anywhere(s, job)
		}
		return there(s, job)
	}
	if run.empty, err = plan.NewSchedule(run.in); err != nil {
		return err
	}
	filled, err := plan.NewSchedule(run.in)
	if err != nil {
		return err
	}
	filled.Until(run.ctx)
	run.schedule = &list.Schedule{Schedule: filled}
	return nil
}

// errEnded says that the context ended before a schedule was made.
var errEnded = errors.New("titan: the context has ended")

// price ranks the list schedule of an order, with jobs moved behind those they wait for. It keeps the best.
func (run *whole) price(order []int32) (model.Rank, error) {
	for k, job := range order {
		run.order[k] = int(job)
	}
	run.schedule.Restart(run.empty)
	if !list.Fill(run.ctx, run.in, run.schedule, plan.Topological(run.in, run.order), run.pick) {
		return model.NoRank(), errEnded
	}
	solution := run.schedule.Solution()
	objective, err := model.EvaluateObjective(run.in, solution)
	if err != nil {
		return model.NoRank(), err
	}
	rank := run.in.RankOf(solution, objective)
	if rank.Better(run.best) {
		run.best, run.found = rank, solution
	}
	return rank, nil
}

// report tells the progress.
func (run *whole) report(evaluations int64, _ float64) {
	run.opt.Progress(solve.Progress{Evaluations: run.evaluations + evaluations, Objective: run.best.Objective, Left: run.best.Left})
}
