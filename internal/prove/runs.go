package prove

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers" // registers the solvers to be tried
)

// provers names the solvers that state bounds and optima of their own. They run on every instance that they support.
var provers = []string{"exact", "search", "auto", "ggone", "ggone-milp", "ggone-hybrid"}

// solve runs the provers and some other solvers, and returns the number of runs.
func (t *trial) solve(ctx context.Context, effort Effort, rng *rand.Rand) (runs int) {
	var provings, others []solve.Info
	for _, info := range solve.Solvers() {
		if t.judged != nil && rng.IntN(3) == 0 {
			info = placed(info, rng)
		}
		switch {
		case info.Absent != "" || info.New().Supports(t.in) != nil:
		case slices.Contains(provers, info.Name):
			provings = append(provings, info)
		default:
			others = append(others, info)
		}
	}
	rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	if most := effort.Solvers; most >= 0 && len(others) > most {
		if t.judged != nil {
			most *= 2 // what solvers find is all that is known of a batch that is not tiny
		}
		others = others[:min(len(others), most)]
	}
	for _, info := range append(provings, others...) {
		opt := solve.Options{Seed: rng.Uint64N(1000), MaxEvals: effort.Evals * pick[int64](rng, 1, 1, 1, 10), Strict: true, Certify: true}
		if _, queues := t.objective["qos_penalty"]; queues {
			opt.MaxEvals = effort.Evals * pick[int64](rng, 1, 10, 10, 30) // an evaluation of ggone computes one bound, which is quick
		}
		if info.Name == "exact" {
			opt.MaxEvals = effort.Evals * pick[int64](rng, 1, 10, 10, 100) // large enough to let it finish sometimes
		}
		if info.Starts && len(t.Schedules) > 0 && rng.IntN(6) == 0 {
			start := *pick(rng, t.Schedules...) // a run fills in figures of its objective
			start.Jobs = slices.Clone(start.Jobs)
			opt.Start = &start
		}
		t.run(ctx, info, opt, rng.IntN(3) == 0)
		runs++
	}
	return runs
}

// placed is the solver with a rule that chooses among machines, if it has such a parameter.
func placed(info solve.Info, rng *rand.Rand) solve.Info {
	if !slices.ContainsFunc(params.Of(info.New()), func(p params.Parameter) bool { return p.Name == "place" }) {
		return info
	}
	name := info.Name + ":place=" + pick(rng, place.Name("").Values()...)
	info.New = func() solve.Solver {
		choice, err := solve.Choose(name)
		if err != nil {
			panic(err)
		}
		return choice.Solver
	}
	return info
}

// run compares one run of a solver with the known facts. It calls the solver through solve.Run or directly. A direct call also shows errors that Run
// would drop or correct.
func (t *trial) run(ctx context.Context, info solve.Info, opt solve.Options, alone bool) {
	from, by := len(t.found), info.Name
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if alone {
		by += ", alone"
	}
	result, err := t.safely(limited, info.Choice(), opt, alone)
	if limited.Err() != nil {
		t.cut++
	}
	if err == nil && !alone {
		t.certificate(ctx, by, info.Name, &result)
	}
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		t.report(by, "error", 0, 0, err.Error())
	case result.Status == model.Infeasible && len(t.Schedules) > 0:
		t.report(by, "infeasible", 0, 0, "says infeasible: "+result.Reason)
	case result.Solution == nil:
		if info.Name != "ggone" && info.Name != "ggone-milp" && info.Name != "ggone-hybrid" {
			t.report(by, "error", 0, 0, "no solution and no error")
		}
	default:
		t.judge(by, opt, &result)
	}
	for k := from; k < len(t.found); k++ {
		t.found[k].Seed, t.found[k].MaxEvals = opt.Seed, opt.MaxEvals
	}
}

// patience is the time limit of a run. A run that is cut short is judged like any other.
const patience = 30 * time.Second

// safely runs the solver and turns a panic into an error.
func (t *trial) safely(ctx context.Context, choice solve.Choice, opt solve.Options, alone bool) (result solve.Result, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	if alone {
		return choice.Solver.Solve(ctx, t.in, opt)
	}
	return solve.Run(ctx, choice, t.in, opt)
}

// counting are the metrics that count what a schedule leaves out. Beside one of them, a job with a hard deadline may be left out at no other cost than that metric states.
var counting = []string{"data_moved", "finished", "miss_rate", "missed", "unfinished", "work_done", "workflow_failures"}

// owes says whether a schedule leaves out a job that counts before the objective.
func (t *trial) owes(sol *model.Solution) bool {
	counts := slices.ContainsFunc(t.in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool { return term.Weight != 0 && slices.Contains(counting, term.Metric) })
	return slices.ContainsFunc(sol.Unscheduled, func(u model.Unscheduled) bool {
		job, known := t.in.JobIndex(u.Job)
		return !known || !counts || !t.in.Jobs()[job].DeadlineHard
	})
}

// judge compares a schedule and the claims about it with the checker and the known facts.
func (t *trial) judge(by string, opt solve.Options, result *solve.Result) {
	sol := result.Solution
	if report := model.Check(t.in, sol); !report.OK() {
		t.report(by, "schedule", 0, 0, "the checker refuses it: "+report.Violations[0].Error())
		return
	}
	evaluation, err := model.Evaluate(t.in, sol)
	if err != nil {
		t.report(by, "schedule", 0, 0, err.Error())
		return
	}
	left := len(sol.Unscheduled)
	for k := range sol.Unscheduled {
		if text := t.falseReason(sol, &sol.Unscheduled[k]); text != "" {
			t.report(by, "reason", 0, 0, text)
		}
	}
	if result.Dropped != nil {
		t.report(by, "schedule", 0, 0, result.Dropped.Error())
	}
	whole := t.judged != nil || len(t.Schedules) == 0 && left == 0
	for _, planted := range t.Schedules {
		whole = whole || left <= len(planted.Unscheduled)
	}
	if whole {
		t.lower(sol, evaluation)
	} else if t.judged != nil {
		t.judged.add(sol, evaluation)
	}
	if !whole && !t.MayLeave && t.owes(sol) {
		t.report(by, "schedule", float64(left), 0, "leaves a job out that can be placed: "+sol.Unscheduled[0].Reason)
	}
	for metric := range t.uppers {
		least, known := t.Optimum[metric]
		if !known {
			least, known = t.Least[metric]
		}
		value, ok := evaluation.Metrics.Get(metric)
		counts := whole || metric == "missed" || metric == "unfinished"
		if known && ok && counts && value < least-t.tolerance(metric) {
			t.report(by, "schedule", value, least, fmt.Sprintf("a schedule with %v of %s, which is at least %v: the checker or this test is wrong", value, metric, least))
		}
	}
	if t.judged != nil && result.Owed > 0 {
		t.claims = append(t.claims, claim{by: by, what: "owed", value: float64(result.Owed), owed: result.Owed, seed: opt.Seed, evals: opt.MaxEvals})
	}
	if value, known := result.Bound.Value(); known {
		t.claims = append(t.claims, claim{by: by, what: "bound", value: value, owed: result.Owed, seed: opt.Seed, evals: opt.MaxEvals})
	}
	if t.ranking != nil {
		t.judgeRanked(by, sol, result.Status == model.Optimal)
	}
	if result.Status == model.Optimal {
		stated := result.Tolerance * math.Abs(evaluation.Objective) // the difference within which the solver says that it proves
		t.claims = append(t.claims, claim{by: by, what: "optimal", value: evaluation.Objective, tolerated: stated, owed: t.in.Owed(sol), sol: sol, seed: opt.Seed, evals: opt.MaxEvals})
		if !whole && t.owes(sol) {
			t.report(by, "optimal", float64(left), 0, "says optimal and leaves out a job that can be placed: "+sol.Unscheduled[0].Reason)
		}
	}
}
