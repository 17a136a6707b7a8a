package solvers

import (
	"context"
	"errors"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/allocation"
)

var _ = solve.Register(solve.Info{
	Name: "ggone",
	Doc: "G/G/1 workload allocation: the least penalty for missed deadlines and budgets of tasks on machines that are queues, by a Lagrangian branch-and-bound. " +
		"Where that is the objective of sequential jobs with a queueing view, it proves the optimum or a bound; any other instance it allocates by the same model. " +
		"Each machine serves its tasks in order of arrival. O(levels·n) a bound, for n tasks and levels = Σ over kinds of machines of the tasks that one can take.",
	Source: "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, the MINLP of eqs. 2, 3, 9–18 and 23; A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Programming Study 2, doi:10.1007/BFb0120690, for the bound",
	New:    func() solve.Solver { return newGGOne() },

	AllocatesBy: "qos_penalty",
	Work:        func(_ *model.Instance, s *solve.Size) float64 { return 25_000 * s.Jobs * s.Jobs }, // as measured; a proof may take longer than any estimate
})

// GGOne allocates tasks to machines seen as G/G/1 queues (package ggone), with the least qos_penalty that it finds. It takes any objective and any instance.
//
// The model states an instance exactly if the instance minimises qos_penalty alone and has a queueing view, sequential jobs without hard limits, precedence,
// input or output, and an idle rate that leaves more than a millionth of what all machines serve. Then the solver proves the optimum, or a lower bound, or
// that no allocation is stable. The solution is a schedule too: each machine serves its tasks in order of arrival, on its first processor; its
// loads are the rates λ_r. For any other instance the solver proves nothing, as its model is another one: see the deviations.
//
// The response R that tasks are charged for mixes an upper bound on the mean wait with a service time at k standard
// deviations, as in the paper: it is not a quantile of the response.
//
// Source: Y. Patel, J. Darlington (2006), "A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid",
// Proc. 4th Int. Workshop on Middleware for Grid Computing, doi:10.1145/1186675.1186678, eqs. 2, 3, 9–18 and 23.
//
// Units: those of the instance. Complexity: O(levels·n) a bound, exponential in the worst case; hundreds of tasks take
// seconds. MaxEvals counts bounds and allocations. Workers are not used.
//
// Deviations from the paper:
//   - Eq. 13 compares a count with a rate, so loads are n_r/T with the period T of the instance.
//   - The program is not always feasible, though the paper says it is: it needs Σ_r (⌈μ_r·T⌉ − 1) ≥ J. Otherwise the status is infeasible, and the
//     message gives both sides.
//   - Where J < λT, the idle rate is parked where it costs least, in any amount or in whole tasks of zero weight.
//   - Machines may carry committed rates, which count in eq. 15.
//   - On line (see [GGOne.SolveRound]) the paper does not say what λ_r is; here it is the tasks given to a machine in a sliding window.
//
// Where the model does not state the instance exactly, moreover:
//
//   - An instance without a queueing view gets that of [model.Instance.WithQueueing] at the rate Load·Σμ, and a job without a deadline there gets Due times
//     its least service time after its arrival. A deadline or a budget of which nothing is left counts as none. Of a class of alike machines at most as
//     many as there are tasks are in the program.
//   - A parallel job is one task of the machine that holds its first processor, as the evaluator counts it. Its service time there is S = t(n)·(1 + k·cv),
//     where t(n) is its execution time on n idle processors, those of that kind of machine and, if they are too few, of the kinds behind it in the
//     cluster. n is the number, of those that a list schedule tries, with which t(n) is least, and of equal ones the fewest. It pays c·n for a unit of time.
//     Service rates count its total work. Input and output are part of t(n), and not of service rates.
//   - A job cannot be on machines that lack what it needs (memory, bandwidth, licences, a stated run time, enough processors, one machine for all of
//     them): x_ry = 0, which costs nothing in the relaxation. A job that must spread over several clusters takes no part, and neither does one that can
//     run nowhere. If the program gives a job no machine on which it can be, or has no solution, the rule of [GGOne.SolveRound] places what is left.
//   - Jobs that wait for others are allocated in rounds: first those that wait for none, then those that wait for jobs of earlier rounds alone. λ_r is then
//     (b_r + n_r)/T, where b_r is the tasks that machine r was given in earlier rounds.
//   - There is no idle rate, and a round takes at most Effort bounds and allocations, and fewer where a bound takes long.
//   - The schedule: if each job holds one processor and shares neither memory nor copies of licences with those on others, each machine serves its tasks
//     first come, first served, each on the processor of it that is free first. A task that would miss its hard deadline goes where it ends first
//     instead, or is left out. Of alike machines, those that earlier jobs release first get the most tasks. Otherwise it is a list schedule in
//     queue order, with each job on the cluster of its machine if it can run there by its hard deadline, else where it ends first.
type GGOne struct {
	Slack     string  `enum:"continuous,dummy" doc:"how to spread the load that belongs to no task: continuous, in any amount; dummy, as whole tasks of zero weight where they fit"`
	Charge    string  `enum:"instance,response,service" doc:"what a task pays for; with another value than the instance's own there is no bound and no proof for the instance's objective"`
	Committed string  `doc:"rates that machines already carry, as part of the rate of the instance, such as C1/m=0.2,C2/n[3]=0.1"`
	Window    float64 `range:"[1, 1e9]" doc:"on line: tasks that a machine received in this number of past periods count as its load"`
	Effort    int64   `range:"[0, inf)" zero:"no limit" doc:"largest number of bounds and allocations in a round, on line and where the model does not state the instance"`
	Load      float64 `range:"(0, 1)" doc:"an instance without a queueing view: rate of arrivals as a part of what all machines serve"`
	Due       float64 `range:"(0, 1e9]" doc:"an instance without a queueing view: deadline of a job that has none, after its arrival, in units of its least service time"`
	Tolerance float64 `range:"[0, 1]" doc:"the optimum counts as proved within this relative difference of bound and objective; with continuous slack at least 1e-6"`
}

// newGGOne is the solver with its defaults.
func newGGOne() *GGOne {
	return &GGOne{Slack: "continuous", Charge: "instance", Window: 50, Effort: allocation.DefaultEffort, Load: 0.5, Due: 3, Tolerance: 5e-10}
}

// settings are the parameters that decide how an instance is read.
func (g *GGOne) settings() allocation.Settings {
	return allocation.Settings{Dummies: g.Slack == "dummy", Charge: g.Charge, Committed: g.Committed, Load: g.Load, Due: g.Due, Effort: g.Effort}
}

// Supports implements [solve.Solver]: it takes what a list schedule places, unless what the jobs take on the machines takes too much memory.
func (*GGOne) Supports(in *model.Instance) error {
	if err := solve.Unsupported(in, plan.ScheduleFeatures); err != nil {
		return err
	}
	return allocation.TooLarge(in)
}

// Memory implements [solve.Sized].
func (*GGOne) Memory(in *model.Instance) int64 { return allocation.Memory(in) }

// Solve implements [solve.Solver].
func (g *GGOne) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if result, done, err := allocation.AtOnce(ctx, g, in); done {
		return result, err
	}
	if allocation.StatesNot(in) != nil {
		return g.settings().InRounds(ctx, in, opt, g.briefly)
	}
	stated, err := g.settings().State(ctx, in)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return solve.Stopped(ctx), nil
		}
		return solve.Result{}, err
	}
	found, err := ggone.Solve(ctx, &stated.Problem.Problem, ggone.Options{Tolerance: g.Tolerance, Evaluations: opt.MaxEvals, Certify: opt.Certify, Progress: stated.Progress(opt)})
	return stated.Result(ctx, found, err)
}

// SupportsRounds implements [solve.RoundSolver]: what Supports takes.
func (g *GGOne) SupportsRounds(in *model.Instance) error { return g.Supports(in) }

// SolveRound implements [solve.RoundSolver]: the paper's failure formula FF. The ready tasks of a round are allocated by the MINLP, with a
// sliding window of T = Window periods in the place of the period: the load of machine r is λ_r = (b_r + n_r)/T, where b_r is the tasks that it was
// given in the last T and n_r those that it is given now. There is no idle rate. Where that is infeasible each task, in queue order, goes to
// the machine on which the bound W on the mean wait is then least; where no machine is stable, to that with the least λ_r/μ_r.
func (g *GGOne) SolveRound(ctx context.Context, round solve.Round, opt solve.Options) (solve.Result, error) {
	if err := params.Check(g); err != nil {
		return solve.Result{}, err
	}
	return g.settings().OnLine(ctx, round, opt, g.Window, g.allocate, g.briefly)
}

// allocate is the allocator of the branch-and-bound.
func (g *GGOne) allocate(ctx context.Context, p *allocation.Problem, evaluations int64) (ggone.Result, error) {
	return ggone.Solve(ctx, &p.Problem, ggone.Options{Tolerance: g.Tolerance, Evaluations: evaluations})
}

// briefly is the allocator of the branch-and-bound where there is nothing to prove: it computes about 2²⁸ penalties at most.
func (g *GGOne) briefly(ctx context.Context, p *allocation.Problem, evaluations int64) (ggone.Result, error) {
	return ggone.Solve(ctx, &p.Problem, ggone.Options{Tolerance: g.Tolerance, Evaluations: evaluations, Penalties: 1 << 28})
}
