// Package allocation allocates the jobs of an instance to its machines, which it treats as G/G/1 queues. It reads the instance as a problem of package
// ggone ([Settings.State]), allocates in rounds where that problem does not state the instance exactly ([Settings.InRounds], [Settings.OnLine]), and
// makes a schedule of an allocation. The solvers ggone, ggone-milp and ggone-hybrid differ in how they solve the problem.
package allocation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

// Settings are the parameters of a solver that decide how it reads an instance.
type Settings struct {
	Dummies   bool    // the idle load consists of whole tasks of zero weight, where they fit
	Charge    string  // what a task pays for: response, service, or as the instance says
	Committed string  // rates that machines already carry, such as C1/m=0.2,C2/n[3]=0.1
	Load      float64 // without a queueing view: rate of arrivals as a part of what all machines serve
	Due       float64 // without a queueing view: deadline of a job that has none, in units of its least service time
	Effort    int64   // largest number of evaluations in a round; 0: no limit
}

// DefaultEffort is the default of [Settings].Effort.
const DefaultEffort = 1000

// AtOnce answers where no search is needed: a parameter is out of its range, the solver does not support the instance, the context has ended, or
// there are no jobs.
func AtOnce(ctx context.Context, solver solve.Solver, in *model.Instance) (result solve.Result, done bool, err error) {
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

// features are the features of instances that the model states.
const features = model.Arrivals | model.UnrelatedTimes | model.MixedMachines

// StatesNot says why the model does not state the instance, jobs, machines and objective; nil: it does, and its bound is one of the objective.
func StatesNot(in *model.Instance) error {
	if err := StatesJobsNot(in); err != nil {
		return err
	}
	if _, err := penaltyWeight(in); err != nil {
		return err
	}
	return nearlySaturated(in)
}

// StatesJobsNot says why the model does not state the jobs and the machines of the instance; nil: it does.
func StatesJobsNot(in *model.Instance) error {
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

// Stated is a problem that states an instance exactly.
type Stated struct {
	*Problem
	Weight float64 // of the penalty in the objective
	Exact  bool    // a bound of the problem is one of the objective
	given  bool    // no rates are committed, so an infeasible problem proves the instance infeasible
}

// Problem reads an instance whose jobs and machines the model states, see [StatesJobsNot]. The error is a [*params.Error] or that of ctx.
func (s Settings) Problem(ctx context.Context, in *model.Instance) (*Problem, error) {
	f, err := s.newFarm(ctx, in, true)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, ctx.Err()
	}
	committed, err := committedRates(in, f.view, s.Committed)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(in.Jobs()))
	for j := range all {
		all[j] = j
	}
	return f.problem(all, committed, in.Queueing().Period), nil
}

// State reads an instance that the model states exactly. The error is that of [StatesNot] or [Settings.Problem].
func (s Settings) State(ctx context.Context, in *model.Instance) (*Stated, error) {
	if err := StatesNot(in); err != nil {
		return nil, err
	}
	p, err := s.Problem(ctx, in)
	if err != nil {
		return nil, err
	}
	weight, err := penaltyWeight(in)
	if err != nil {
		return nil, err
	}
	charge := s.Charge == "instance" || s.Charge == string(in.Queueing().Charge)
	whole := p.Rate*p.Period <= float64(len(p.Tasks))*(1+model.Tolerance) // there is no idle rate
	return &Stated{p, weight, charge && s.Committed == "" && (!s.Dummies || whole), s.Committed == ""}, nil
}

// Progress hands the progress of a search on the problem to that of the options; nil where nobody listens.
func (p *Stated) Progress(opt solve.Options) func(ggone.Progress) {
	if opt.Progress == nil {
		return nil
	}
	return func(at ggone.Progress) {
		opt.Progress(solve.Progress{Evaluations: at.Evaluations, Objective: p.Weight * at.Objective, Bound: model.ProvedBound(p.Weight * at.Bound.Or(math.NaN()))})
	}
}

// Result is the result of a search by [ggone.Solve], with its schedule, bound and certificate.
func (p *Stated) Result(ctx context.Context, found ggone.Result, err error) (solve.Result, error) {
	if infeasible := (*ggone.InfeasibleError)(nil); errors.As(err, &infeasible) {
		return solve.Result{Status: model.Infeasible, Stop: model.StopDone, Reason: infeasible.Error(), Certificate: p.certifyInfeasible(infeasible)}, nil
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
	result.Solution = p.schedule(found)
	if p.Exact {
		result.Bound = weighted(p.Weight, found.Bound)
		if found.Proved && result.Bound.Known() {
			result.Status, result.Tolerance = model.Optimal, found.Tolerance
		}
		if found.Proof != nil {
			result.Certificate = certificate(p.Weight, found)
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
func (p *Problem) schedule(found ggone.Result) *model.Solution {
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

// certificate makes the certificate of the bound of an allocation.
func certificate(weight float64, found ggone.Result) *proof.Certificate {
	value, known := found.Certified.Value()
	if !known {
		return nil
	}
	value = max(0, value)
	part := proof.Part{Metric: "qos_penalty", Bound: value, Method: "ggone", By: &proof.Argument{Levels: found.Proof}}
	return &proof.Certificate{Bound: weighted(weight, model.ProvedBound(value)), Parts: []proof.Part{part}}
}

// certifyInfeasible is the certificate of an instance without a stable allocation; nil: the problem is not that of the instance.
func (p *Stated) certifyInfeasible(e *ggone.InfeasibleError) *proof.Certificate {
	switch {
	case !p.given:
		return nil
	case e.Room < e.Tasks:
		return &proof.Certificate{Infeasible: &proof.Infeasible{Condition: "room", Most: float64(e.Room), Needed: float64(e.Tasks)}}
	}
	return &proof.Certificate{Infeasible: &proof.Infeasible{Condition: "rate", Most: e.Most, Needed: p.Rate}}
}
