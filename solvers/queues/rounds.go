package queues

import (
	"context"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// SupportsRounds implements [solve.RoundSolver]: tasks may wait for others, and the objective may be the number of failed workflows, which
// the penalties of the rounds stand for.
func (g *GGOne) SupportsRounds(in *model.Instance) error {
	if err := solve.Unsupported(in, features|model.Precedence); err != nil {
		return err
	}
	if job := transferred(in); job >= 0 {
		return fmt.Errorf("%w: job %q has input or output to move: service rates do not count it", solve.ErrUnsupported, in.Jobs()[job].ID)
	}
	if q := in.Queueing(); !q.Given || !(q.Rate > 0) {
		return fmt.Errorf("%w: the instance has no queueing view, or no arrival rate and arrivals that do not give one", solve.ErrUnsupported)
	}
	_, err := penaltyWeight(in)
	for _, term := range in.Objective() {
		if len(in.Objective()) == 1 && term.Metric == "workflow_failures" && term.Weight > 0 {
			return nil
		}
	}
	return err
}

// SolveRound implements [solve.RoundSolver]: the paper's failure formula FF. The ready tasks of a round are allocated by the MINLP, with a
// sliding window of T = Window periods in the place of the period: the load of machine r is λ_r = (b_r + n_r)/T, where b_r is the tasks that it was
// given in the last T and n_r those that it is given now. There is no idle rate. Where that is infeasible each task, in queue order, goes to
// the machine on which the bound W on the mean wait is then least; where no machine is stable, to that with the least λ_r/μ_r.
func (g *GGOne) SolveRound(ctx context.Context, round solve.Round, opt solve.Options) (solve.Result, error) {
	if err := params.Check(g); err != nil {
		return solve.Result{}, err
	}
	in, err := round.Batch.WithObjective(map[string]float64{"qos_penalty": 1})
	if err != nil {
		return solve.Result{}, err
	}
	view, err := model.Queues(in, nil)
	if err != nil {
		return solve.Result{}, err
	}
	window := g.Window * round.Period
	recent := recentTasks(in, view, round, window)
	committed := make([]float64, len(recent))
	for k, n := range recent {
		committed[k] = float64(n) / window
	}
	problem, err := g.problemWith(ctx, in, view, committed, window)
	if err != nil {
		return solve.Result{}, err
	}
	if problem == nil {
		return solve.Stopped(ctx), nil
	}
	problem.Rate = 0
	if g.Effort > 0 && (opt.MaxEvals == 0 || opt.MaxEvals > g.Effort) {
		opt.MaxEvals = g.Effort
	}
	result, err := g.solve(ctx, in, problem, opt)
	if err == nil && result.Status == model.Infeasible {
		return solve.Result{Solution: leastWait(in, view, recent, window), Status: model.Feasible, Stop: model.StopDone, Evaluations: result.Evaluations}, nil
	}
	if result.Bound = (model.Bound{}); result.Status == model.Optimal {
		result.Status = model.Feasible // of the round, not of the stream
	}
	return result, err
}

// recentTasks counts, by machine, the tasks given in the window.
func recentTasks(in *model.Instance, view model.QueueView, round solve.Round, window float64) []int {
	first := make([]int, len(in.Clusters()))
	for k := len(view.Machines) - 1; k >= 0; k-- {
		c, _ := in.ClusterIndex(view.Machines[k].Cluster)
		first[c] = k
	}
	recent := make([]int, len(view.Machines))
	for _, given := range slices.Backward(round.Given) {
		if given.At <= round.Now-window {
			break
		}
		machine, _ := in.Clusters()[given.Cluster].MachineOf(given.Processor)
		recent[first[given.Cluster]+machine]++
	}
	return recent
}

// leastWait gives each task to the machine with the least bound on the mean wait.
func leastWait(in *model.Instance, view model.QueueView, recent []int, window float64) *model.Solution {
	load := slices.Clone(recent)
	free := slices.Repeat([]float64{in.FirstArrival()}, len(load))
	sol := &model.Solution{}
	for _, j := range plan.ArrivalOrder(in) {
		best, wait, use := -1, 0.0, 0.0
		for k := range view.Machines {
			m := &view.Machines[k]
			rate := float64(load[k]+1) / window
			w, u := model.Wait(m.Kappa, rate, m.ServiceRate), rate/m.ServiceRate
			if best < 0 || w < wait || w == wait && u < use {
				best, wait, use = k, w, u
			}
		}
		load[best]++
		m := &view.Machines[best]
		c, _ := in.ClusterIndex(m.Cluster)
		group := &in.Clusters()[c].Machines[m.Group]
		set := model.Processors(group.First + m.Number*group.Units)
		start := free[best]
		free[best] = model.End(start, in.Duration(j, c, set))
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: m.Cluster, Processors: set, Start: start, End: free[best]})
	}
	return sol
}
