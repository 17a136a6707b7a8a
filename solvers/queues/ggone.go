// Package queues holds the solvers that allocate tasks to machines, which they treat as G/G/1 queues: [GGOne] uses the branch-and-bound of package
// ggone, [MILP] uses HiGHS, and [Hybrid] uses both. The package also registers the lower bound of ggone.
package queues

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "ggone",
	Doc: "G/G/1 workload allocation: the least penalty for missed deadlines and budgets of tasks on machines that are queues, by a Lagrangian branch-and-bound. " +
		"Where that is the objective of sequential jobs with a queueing view, it proves the optimum or a bound; any other instance it allocates by the same model. " +
		"Each machine serves its tasks in order of arrival. O(levels·n) a bound, for n tasks and levels = Σ over kinds of machines of the tasks that one can take.",
	Source: "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, the MINLP of eqs. 2, 3, 9–18 and 23; A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Programming Study 2, doi:10.1007/BFb0120690, for the bound",
	New:    func() solve.Solver { return NewGGOne() },

	AllocatesBy: "qos_penalty",
	AutoJobs:    200,
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

// NewGGOne is the solver with its defaults.
func NewGGOne() *GGOne {
	return &GGOne{Slack: "continuous", Charge: "instance", Window: 50, Effort: 1000, Load: 0.5, Due: 3, Tolerance: 5e-10}
}

// features are the features of instances that the model states.
const features = model.Arrivals | model.UnrelatedTimes | model.MixedMachines

// Supports implements [solve.Solver]: it takes what a list schedule places.
func (*GGOne) Supports(in *model.Instance) error { return solve.Unsupported(in, plan.ScheduleFeatures) }

// statesNot says why the model does not state the instance, jobs, machines and objective; nil: it does, and its bound is one of the objective.
func statesNot(in *model.Instance) error {
	if err := statesJobsNot(in); err != nil {
		return err
	}
	if _, err := penaltyWeight(in); err != nil {
		return err
	}
	return nearlySaturated(in)
}

// statesJobsNot says why the model does not state the jobs and the machines of the instance; nil: it does.
func statesJobsNot(in *model.Instance) error {
	if err := solve.Unsupported(in, features); err != nil {
		return err
	}
	if job := transferred(in); job >= 0 {
		return fmt.Errorf("%w: job %q has input or output to move: service rates do not count it", solve.ErrUnsupported, in.Jobs()[job].ID)
	}
	if q := in.Queueing(); !q.Given || !(q.Rate > 0) {
		return fmt.Errorf("%w: the instance has no queueing view, or no arrival rate and arrivals that do not give one", solve.ErrUnsupported)
	}
	return nil
}

// nearlySaturated is the reason why nothing is proved where the rate of arrivals, an idle rate among it, leaves less than a millionth of what all machines serve. Then the last
// digits of the rates decide how long tasks wait. Without an idle rate the rates are n/T, and nothing is rounded.
func nearlySaturated(in *model.Instance) error {
	const least = 1e-6
	q := in.Queueing()
	view, err := model.Queues(in, nil)
	if err != nil || q.Rate-float64(len(in.Jobs()))/q.Period <= model.Tolerance*q.Rate {
		return nil // where there is no view, Solve says so
	}
	all := 0.0
	for k := range view.Machines {
		all += view.Machines[k].ServiceRate
	}
	if all > q.Rate && all-q.Rate < least*q.Rate {
		return fmt.Errorf("%w: the rate of arrivals %v is within a millionth of what all machines serve, %v, and part of it belongs to no job", solve.ErrUnsupported, q.Rate, all)
	}
	return nil
}

// transferred is a job that takes time to move its input and output; −1: there is none. That time would be part of its service, but the service
// rate μ, on which waits rest, does not count it.
func transferred(in *model.Instance) int {
	slowest := math.Inf(1)
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			slowest = min(slowest, in.Clusters()[c].Machines[g].Bandwidth)
		}
	}
	for k := range in.Jobs() {
		if in.Transfer(k, slowest) > 0 {
			return k
		}
	}
	return -1
}

// atOnce answers where no search is needed: a parameter is out of its range, the solver does not support the instance, the context has ended, or
// there are no jobs.
func atOnce(ctx context.Context, solver solve.Solver, in *model.Instance) (result solve.Result, done bool, err error) {
	if err := params.Check(solver); err != nil {
		return solve.Result{}, true, err
	}
	switch err := solver.Supports(in); {
	case err != nil:
		return solve.Result{}, true, err
	case ctx.Err() != nil:
		return solve.Stopped(ctx), true, nil
	case len(in.Jobs()) == 0:
		return solve.Result{Solution: &model.Solution{}, Status: model.Feasible, Stop: model.StopDone}, true, nil
	}
	return solve.Result{}, false, nil
}

// penaltyWeight is the weight of qos_penalty in an objective of it alone.
func penaltyWeight(in *model.Instance) (float64, error) {
	weight := 0.0
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight == 0:
		case term.Metric == "qos_penalty" && term.Weight > 0:
			weight = term.Weight
		default:
			return 0, fmt.Errorf("%w: the objective has %s, and the solver minimises qos_penalty alone", solve.ErrUnsupported, term.Metric)
		}
	}
	if weight == 0 {
		return 0, fmt.Errorf("%w: the objective does not have qos_penalty, which the solver minimises", solve.ErrUnsupported)
	}
	return weight, nil
}

// Solve implements [solve.Solver].
func (g *GGOne) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if result, done, err := atOnce(ctx, g, in); done {
		return result, err
	}
	if statesNot(in) != nil {
		return g.allocated(ctx, in, opt, g.briefly)
	}
	problem, err := g.problem(ctx, in)
	if err != nil {
		return solve.Result{}, err
	}
	if problem == nil {
		return solve.Stopped(ctx), nil
	}
	weight, err := penaltyWeight(in)
	if err != nil {
		return solve.Result{}, err
	}
	limits := ggone.Options{Tolerance: g.Tolerance, Evaluations: opt.MaxEvals, Certify: opt.Certify}
	if opt.Progress != nil {
		limits.Progress = func(p ggone.Progress) {
			opt.Progress(solve.Progress{Evaluations: p.Evaluations, Objective: weight * p.Objective, Bound: model.ProvedBound(weight * p.Bound.Or(math.NaN()))})
		}
	}
	found, err := ggone.Solve(ctx, &problem.Problem, limits)
	if infeasible := (*ggone.InfeasibleError)(nil); errors.As(err, &infeasible) {
		return solve.Result{Status: model.Infeasible, Stop: model.StopDone, Reason: infeasible.Error(), Certificate: g.certifyInfeasible(problem, infeasible)}, nil
	}
	if err != nil {
		return solve.Result{}, err
	}
	result := solve.Result{Status: model.Feasible, Stop: model.StopDone, Evaluations: found.Evaluations}
	switch {
	case ctx.Err() != nil && !found.Proved:
		result.Stop = model.StopReason(ctx)
	case found.Limited && !found.Proved:
		result.Stop = model.StopEvaluations
	}
	if found.Machine == nil {
		result.Status = model.Unknown
		return result, nil
	}
	result.Solution = problem.schedule(found)
	if g.exact(in, problem) {
		result.Bound = weighted(weight, found.Bound)
		if found.Proved && result.Bound.Known() {
			result.Status, result.Tolerance = model.Optimal, found.Tolerance
		}
		if found.Proof != nil {
			result.Certificate = certificate(weight, found)
		}
	}
	return result, nil
}

// weighted is the bound of the objective by that of the penalty, rounded down; no penalty is below 0.
func weighted(weight float64, bound model.Bound) model.Bound {
	value, known := bound.Value()
	if !known {
		return bound
	}
	product := weight * max(0, value)
	if weight != 1 && product > 0 {
		product = math.Nextafter(product, 0)
	}
	return model.ProvedBound(product)
}

// exact reports whether the problem states the instance's own objective, so that its bound holds for that objective. It does not if the idle rate
// consists of whole tasks, if machines carry committed rates, or if tasks pay for something else.
func (g *GGOne) exact(in *model.Instance, p *problem) bool {
	charge := g.Charge == "instance" || g.Charge == string(in.Queueing().Charge)
	whole := p.Rate*p.Period <= float64(len(p.Tasks))*(1+model.Tolerance)
	return charge && g.Committed == "" && (g.Slack != "dummy" || whole)
}

// problem is the problem of an instance that the model states; nil where the context ends.
func (g *GGOne) problem(ctx context.Context, in *model.Instance) (*problem, error) {
	f, err := g.newFarm(ctx, in, true)
	if f == nil || err != nil {
		return nil, err
	}
	committed, err := committedRates(in, f.view, g.Committed)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(in.Jobs()))
	for j := range all {
		all[j] = j
	}
	return f.problem(all, committed, in.Queueing().Period), nil
}

// committedRates reads a text such as cluster/machine=rate,… and returns the rates by machine.
func committedRates(in *model.Instance, view model.QueueView, text string) ([]float64, error) {
	rates := make([]float64, len(view.Machines))
	if text == "" {
		return rates, nil
	}
	index := map[string]int{}
	for k := range view.Machines {
		index[view.Machines[k].Cluster+"/"+view.Machines[k].Machine] = k
	}
	sum := float64(len(in.Jobs())) / in.Queueing().Period
	for part := range strings.SplitSeq(text, ",") {
		cut := strings.LastIndexByte(part, '=')
		if cut < 0 {
			return nil, &params.Error{Name: "committed", Expected: "cluster/machine=rate", Found: part}
		}
		k, known := index[part[:cut]]
		if !known {
			return nil, &params.Error{Name: "committed", Expected: fmt.Sprintf("a machine such as %q", view.Machines[0].Cluster+"/"+view.Machines[0].Machine), Found: part[:cut]}
		}
		rate, err := strconv.ParseFloat(part[cut+1:], 64)
		if err != nil || !(rate >= 0) || math.IsInf(rate, 1) {
			return nil, &params.Error{Name: "committed", Expected: "a finite rate of at least 0 for " + part[:cut], Found: part[cut+1:]}
		}
		rates[k] = rate
		sum += rate
	}
	if sum > in.Queueing().Rate*(1+model.Tolerance) {
		return nil, &params.Error{Name: "committed", Expected: fmt.Sprintf("rates that add up, with those of the jobs, to at most the rate of the instance, %v", in.Queueing().Rate), Found: sum}
	}
	return rates, nil
}

// schedule is the allocation of all jobs as a schedule, with the rates of the machines.
func (p *problem) schedule(found ggone.Result) *model.Solution {
	machine := make([]int, len(found.Machine))
	for y, r := range found.Machine {
		machine[p.jobs[y]] = p.machines[r]
	}
	sol := p.farm.serve(machine)
	for r, rate := range found.Load {
		at := &p.farm.at[p.machines[r]]
		sol.Loads = append(sol.Loads, model.Load{Cluster: at.id, Machine: at.machine, Rate: rate})
	}
	return sol
}
