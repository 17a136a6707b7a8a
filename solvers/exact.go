package solvers

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/tou"
)

var _ = solve.Register(solve.Info{
	Name: "exact",
	Doc: "Finds and proves the optimum of a small batch of rigid jobs: dynamic programming over sets of jobs with dominance, from the best schedule of a short search. " +
		"Up to 16 jobs, with precedence or licences 10; O(2ⁿ·states·n) a cluster for n jobs. Where power counts or limits schedules, a programme over time: up to 10 jobs, 8 machines that can be off " +
		"and 4,096 units of which all times are multiples.",
	Source: "allot; dominance of partial schedules after E. Demeulemeester, W. Herroelen (1992), A branch-and-bound procedure for the multiple resource-constrained project scheduling problem, Management Science 38(12), doi:10.1287/mnsc.38.12.1803, the cutset rule",
	New:    func() solve.Solver { return &Exact{} },

	Starts: true,
	Work:   func(_ *model.Instance, s *solve.Size) float64 { return 1e6 + 50*math.Pow(4, s.Jobs) }, // sets of jobs, and those placed on a cluster
	AutoIf: quickExact,
})

// quickExact says whether the search is quick on an instance of a few jobs. On one machine tou is quicker, and certifies what it proves.
func quickExact(in *model.Instance) bool {
	const most = 6
	return !in.LaterMayBeBetter() || len(in.Jobs()) <= most && tou.Supports(in) != nil
}

// Exact finds the best schedule of a small batch and proves it, see [search.Exhaust]. It serves rigid jobs on clusters of equal processors,
// without hard deadlines and with at most one task a processor where a job holds several. The objective must be one that the engine of lists
// adds up: makespan, mcp, mean_response, over_deadline and others, with weights that are not negative. Stopped before its end it returns the
// best schedule of the short search with the bound proved so far.
//
// Where power limits schedules or counts, it takes energy, energy_cost, carbon, peak_power, makespan, mean_wait, mean_response and over_deadline, and says of which instances no
// schedule has all jobs within the horizon and under the caps. Jobs that do not end within the horizon, whatever else runs, are left out first. All times are multiples of a unit.
//
// MaxEvals counts schedules of the short search and states.
//
// Deviations from the paper: jobs are placed in order of start on one cluster after another, and the sets of jobs are shared out among the
// clusters afterwards, so that states of different clusters do not multiply. With precedence or licences all clusters are searched at once.
type Exact struct{}

// ByObjective says that deadlines which the objective does not count do not concern it.
func (*Exact) ByObjective() bool { return true }

// Supports implements [solve.Solver].
func (*Exact) Supports(in *model.Instance) error {
	if err := search.Exhaustible(in); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// orPartial is the result with a schedule that leaves jobs out, if it has no other.
func orPartial(result solve.Result, partial *model.Solution) solve.Result {
	if result.Solution == nil && partial != nil {
		result.Solution, result.Status = partial, model.Feasible
	}
	return result
}

// owesMore is the result of a solver that has proved that no schedule owes just the given number of jobs, and that none owes fewer. It has the schedule that leaves more
// out, else an empty one. Where even that is wrong there is no schedule.
func owesMore(ctx context.Context, in *model.Instance, opt *solve.Options, result solve.Result, owed int, reason string) solve.Result {
	if result.Solution == nil {
		result.Solution = &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{}}
		for j := range in.Jobs() {
			result.Solution.Unscheduled = append(result.Solution.Unscheduled, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: reason})
		}
		if _, wrong := solve.Checked(in, result.Solution); wrong != nil {
			result.Solution, result.Status, result.Reason = nil, model.Infeasible, reason
			return result
		}
	}
	result.Status, result.Bound, result.Owed = model.Feasible, model.Bound{}, max(1+owed, opt.SharedBound(ctx, in).Owed())
	return result
}

// Solve implements [solve.Solver].
func (e *Exact) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := e.Supports(in); err != nil {
		return solve.Result{}, err
	}
	const first = 20_000 // evaluations of the short search
	limits := opt
	if limits.MaxEvals == 0 || limits.MaxEvals > 2*first {
		limits.MaxEvals = first
	} else {
		limits.MaxEvals = max(1, limits.MaxEvals/2)
	}
	result := solve.Result{Status: model.Unknown}
	var cost model.Evaluation
	value := math.Inf(1) // where there is no schedule to start from
	if starts := newSearch(); starts.Supports(in) == nil {
		var err error
		if result, err = starts.Solve(ctx, in, limits); err != nil || ctx.Err() != nil || result.Solution == nil && !in.LaterMayBeBetter() {
			return result, err
		}
	}
	left := search.ExhaustLeaves(in)
	var partial *model.Solution // one that leaves more jobs out, where a schedule of the others may cost more
	if result.Solution != nil && in.LaterMayBeBetter() && in.Owed(result.Solution) > left {
		partial, result.Solution, result.Status = result.Solution, nil, model.Unknown
	}
	if in.LaterMayBeBetter() && left != opt.SharedBound(ctx, in).Owed() {
		result.Bound = model.Bound{} // it is of schedules that owe another number of jobs
	}
	if result.Solution != nil {
		var err error
		if cost, err = model.Evaluate(in, result.Solution); err != nil {
			return solve.Result{}, err
		}
		value = cost.Objective
	}
	result.Stop = model.StopDone
	switch {
	case cost.Proves(result.Bound):
		return result, nil
	case opt.MaxEvals > 0 && result.Evaluations >= opt.MaxEvals:
		result.Stop = model.StopEvaluations
		return orPartial(result, partial), nil
	}
	if opt.MaxEvals > 0 {
		opt.MaxEvals -= result.Evaluations
	}
	found, err := search.Exhaust(ctx, in, value, search.Options{MaxEvals: opt.MaxEvals})
	if err != nil {
		return solve.Result{}, err
	}
	result.Evaluations += found.Evaluations
	result.Stop = found.Stop
	least := min(value, found.Least) // no schedule is below, if that is proved
	if found.Solution != nil {
		better, err := model.Evaluate(in, found.Solution)
		if err != nil {
			return solve.Result{}, err
		}
		if result.Solution == nil || better.Objective < value {
			result.Solution, result.Status, value, cost = found.Solution, model.Feasible, better.Objective, better
		}
		if least = value; found.Doubtful {
			least = min(least, found.Least)
		}
	}
	switch {
	case !found.Proved:
		return orPartial(result, partial), nil
	case math.IsInf(found.Least, 1):
		return owesMore(ctx, in, &opt, orPartial(result, partial), left, "no schedule of all jobs keeps the horizon and the limits of power"), nil
	}
	result.Owed = left
	switch {
	case result.Solution == nil:
		result.Bound = model.ProvedBound(least)
	case !in.LaterMayBeBetter() && !opt.SharedBound(ctx, in).Concerns(result.Solution):
	default:
		stateProof(ctx, in, &opt, &result, &found, least, &cost)
	}
	return result, nil
}

// stateProof states that no schedule costs less than the search found, but for rounding, in a result of that cost.
func stateProof(ctx context.Context, in *model.Instance, opt *solve.Options, result *solve.Result, found *search.Exhausted, least float64, cost *model.Evaluation) {
	if !found.Exact {
		least -= 2 * cost.Doubt(found.Rounding)
	}
	if opt.Certify && !in.LaterMayBeBetter() {
		result.Certificate = listCertificate(ctx, in, found.Together, least, cost)
	}
	if !slices.ContainsFunc(in.ObjectiveTerms(), func(t model.ObjectiveTerm) bool { return t.Weight < 0 || in.MayBeNegative(t.Metric) }) {
		least = max(least, 0) // no metric of it is negative
	}
	result.Bound = result.Bound.Max(model.ProvedBound(least))
	if cost.Proves(result.Bound) {
		result.Status = model.Optimal
	}
}

// listCertificate states the least cost that the search proved, lowered by what the checker may round. Where that does not prove the schedule optimal, it is not
// lowered if the checker shows that it rounds less.
func listCertificate(ctx context.Context, in *model.Instance, together bool, least float64, cost *model.Evaluation) *proof.Certificate {
	weights := map[string]float64{}
	for _, term := range in.ObjectiveTerms() {
		if term.Weight > 0 {
			weights[term.Metric] = term.Weight
		}
	}
	if len(weights) == 0 {
		return nil
	}
	by := &proof.Argument{ListSchedules: &proof.ListSchedules{Together: together}}
	states := func(value float64) *proof.Certificate {
		part := proof.Part{Metric: slices.Min(slices.Collect(maps.Keys(weights))), Sum: weights, Bound: value, Method: "exact", By: by}
		return &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(value), Parts: []proof.Part{part}}
	}
	lowered := least - proof.ListRounding(ctx, in, weights, least)
	full := model.ProvedBound(least)
	if lowered < least && cost.Proves(full) && !cost.Proves(model.ProvedBound(lowered)) {
		if c := states(least); proof.Check(ctx, in, c).Verdict == proof.Verified {
			return c
		}
	}
	if math.IsInf(lowered, -1) {
		return nil
	}
	return states(lowered)
}
