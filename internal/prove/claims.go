package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// errRedraw says that what was drawn is no instance that can be planted: draw again.
var errRedraw = errors.New("drawn in vain")

// Falsehood is a claim that is false.
type Falsehood struct {
	Kind      string             `json:"kind"`
	Objective map[string]float64 `json:"objective"`
	By        string             `json:"by"`   // the solver or the method of bounds
	What      string             `json:"what"` // bound, optimal, schedule, error, planted
	Value     float64            `json:"value"`
	Truth     float64            `json:"truth"`
	Text      string             `json:"text"`
	Seed      uint64             `json:"seed"` // of the run of the solver
	MaxEvals  int64              `json:"max_evals"`
}

func (f *Falsehood) String() string {
	return fmt.Sprintf("%s, %v: %s: %s: %s", f.Kind, f.Objective, f.By, f.What, f.Text)
}

// Effort is how hard the methods try.
type Effort struct {
	Works   []int64 // of the bounds, one after another
	Evals   int64   // of a solver
	Solvers int     // how many solvers run beside those that prove; -1: all
	Metrics int     // how many metrics are asked for; -1: all
}

// Quick is the effort of a run that tries many instances.
var Quick = Effort{Works: []int64{20_000, 1_000_000}, Evals: 300, Solvers: 3, Metrics: 2}

// provers are the solvers that state bounds and optima of their own, which run on every instance that they support.
var provers = []string{"exact", "search", "auto", "ggone", "ggone-milp", "ggone-hybrid"}

// tolerance is the one allowance of this package: two ways to compute a metric may differ by 1e-9 of the largest time (or cost, or
// number of jobs) that is part of it. The model's checker allows as much of a stated figure. It is absolute, as optima may be 0; it is not to be widened
// until a claim passes.
func (p *Planted) tolerance(metric string) float64 {
	const relative = 1e-9
	horizon, cost := 0.0, 0.0
	for _, sol := range p.Schedules {
		for k := range sol.Jobs {
			horizon = max(horizon, sol.Jobs[k].End)
		}
	}
	for c := range p.Instance.Clusters() {
		for m := range p.Instance.Clusters()[c].Machines {
			cost = max(cost, p.Instance.Clusters()[c].Machines[m].Cost)
		}
	}
	of, _ := model.MetricNamed(metric)
	switch of.Unit {
	case "time":
		return relative * horizon
	case "processor·time":
		return relative * horizon * float64(p.Instance.Processors())
	case "cost":
		return relative * horizon * float64(p.Instance.Processors()) * cost
	case "%":
		return relative * 100
	}
	return relative * max(1, p.Optimum[metric])
}

// trial is what is said of an instance with one objective.
type trial struct {
	*Planted
	in        *model.Instance
	objective map[string]float64
	slack     float64 // see tolerance
	found     []Falsehood
	upper     float64            // the least objective of all right schedules that leave out nothing that can be placed
	uppers    map[string]float64 // the same for each metric alone
	claims    []claim
	tight     map[string]bool // by metric/method: the bound is the optimum
}

// claim is a number that no schedule is said to be below; metric "": of the objective.
type claim struct {
	by, what, metric string
	value, slack     float64
	seed             uint64
	evals            int64
}

// Outcome is what trying an instance gave.
type Outcome struct {
	Falsehoods []Falsehood
	Objectives int             // that the instance was tried with
	Runs       int             // of solvers
	Bounds     int             // that were compared
	Optimal    int             // statements of an optimum that were compared
	Tight      map[string]bool // metric/method: its bound is the optimum; metric/any: one is; known by construction alone
	Known      []string        // metrics whose optimum is known by construction
}

// Try holds all that the registered methods say of the instance to what is known of it.
func (p *Planted) Try(ctx context.Context, rng *rand.Rand, effort Effort) Outcome {
	out := Outcome{Tight: map[string]bool{}}
	for _, objective := range p.objectives(rng, effort.Metrics) {
		t := p.trial(objective)
		if len(t.found) == 0 {
			t.prove(ctx, effort.Works, rng)
			out.Runs += t.solve(ctx, effort, rng)
			t.compare()
		}
		out.Objectives++
		out.Falsehoods = append(out.Falsehoods, t.found...)
		out.Bounds += len(t.claims)
		for _, c := range t.claims {
			if c.what == "optimal" {
				out.Optimal++
			}
		}
		for key := range t.tight {
			out.Tight[key] = true
		}
		for metric := range objective {
			if _, known := p.Optimum[metric]; known && len(objective) == 1 {
				out.Known = append(out.Known, metric)
			}
		}
	}
	return out
}

// objectives draws what the instance is asked for: metrics whose optimum is known first, then others, now and then a sum of two.
func (p *Planted) objectives(rng *rand.Rand, most int) []map[string]float64 {
	var list []map[string]float64
	var known, others []string
	for _, m := range model.MetricTable() { // in an order that does not change
		if _, ok := p.Optimum[m.Name]; ok {
			known = append(known, m.Name)
		} else if _, ok := p.Least[m.Name]; ok {
			known = append(known, m.Name)
		} else if slices.Contains(p.Metrics, m.Name) {
			others = append(others, m.Name)
		}
	}
	rng.Shuffle(len(known), func(a, b int) { known[a], known[b] = known[b], known[a] })
	rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	metrics := append(known, others...)
	if most >= 0 && len(metrics) > most {
		if len(known) >= most && len(others) > 0 && rng.IntN(3) == 0 {
			metrics[most-1] = others[0]
		}
		metrics = metrics[:most]
	}
	for _, m := range metrics {
		list = append(list, map[string]float64{m: 1})
	}
	if most >= 0 && rng.IntN(8) == 0 && len(p.Metrics) > 0 {
		list = append(list, map[string]float64{metrics[0]: 1, pick(rng, allMetrics...): pick(rng, 1, 0.5, 3)})
	}
	return list
}

// trial prepares a trial: the planted schedules have to be right, and to have the optimum.
func (p *Planted) trial(objective map[string]float64) *trial {
	t := &trial{Planted: p, objective: objective, upper: math.Inf(1), uppers: map[string]float64{}, tight: map[string]bool{}}
	in, err := p.Instance.WithObjective(objective)
	if err != nil {
		t.report("planted", "error", 0, 0, err.Error())
		return t
	}
	t.in = in
	for metric, weight := range objective {
		t.slack += weight * p.tolerance(metric)
		t.uppers[metric] = math.Inf(1)
	}
	for _, sol := range p.Schedules {
		if report := model.Check(in, sol); !report.OK() {
			t.report("planted", "planted", 0, 0, "the checker refuses the planted schedule: "+report.Violations[0].Error())
			return t
		}
		evaluation, err := model.Evaluate(in, sol)
		if err != nil {
			t.report("planted", "error", 0, 0, err.Error())
			return t
		}
		t.lower(evaluation)
	}
	for metric := range objective {
		if optimum, known := p.Optimum[metric]; known && !(math.Abs(optimum-t.uppers[metric]) <= p.tolerance(metric)) {
			t.report("planted", "planted", t.uppers[metric], optimum, fmt.Sprintf("the best planted schedule has %v of %s, by construction it is %v", t.uppers[metric], metric, optimum))
		}
	}
	return t
}

// lower takes note of a right schedule that leaves out nothing that can be placed.
func (t *trial) lower(evaluation model.Evaluation) {
	t.upper = min(t.upper, evaluation.Objective)
	for metric := range t.uppers {
		if value, ok := evaluation.Metrics.Get(metric); ok {
			t.uppers[metric] = min(t.uppers[metric], value)
		}
	}
}

// report takes note of a false claim.
func (t *trial) report(by, what string, value, truth float64, text string) {
	t.found = append(t.found, Falsehood{Kind: t.Kind, Objective: t.objective, By: by, What: what, Value: value, Truth: truth, Text: text})
}

// prove asks all methods for bounds, with more and more work and then with a limit at hand.
func (t *trial) prove(ctx context.Context, works []int64, rng *rand.Rand) {
	proof := bound.New(ctx, t.in)
	limit, limited := rng.IntN(len(works)+2), false
	// Some faults show after hundreds of steps alone, which take little time where there are few jobs.
	switch draw := rng.IntN(24); {
	case draw == 0:
		works = append(slices.Clone(works), 150_000_000)
	case draw <= 5 || draw <= 16 && len(t.in.Jobs()) <= 10:
		works = append(slices.Clone(works), 40_000_000)
	}
	for k, work := range works {
		if k == limit && !math.IsInf(t.upper, 1) {
			proof.Limit(t.upper * pick(rng, 1, 1, 1.3))
			limited = true
		}
		more := proof.Improve(ctx, work)
		by := fmt.Sprintf("bound after work %d", work)
		if limited {
			by += ", limited"
		}
		if value, ok := proof.Value(); ok {
			t.claims = append(t.claims, claim{by: by, what: "bound", value: value})
		}
		for _, part := range proof.Parts() {
			t.claims = append(t.claims, claim{by: by + ", " + part.Method, what: "bound", metric: part.Metric, value: part.Value})
			if optimum, known := t.Optimum[part.Metric]; known && len(t.objective) == 1 && part.Value >= optimum-t.tolerance(part.Metric) {
				t.tight[part.Metric+"/"+part.Method], t.tight[part.Metric+"/any"] = true, true
			}
		}
		if !more {
			return
		}
	}
}

// solve runs the solvers that prove and some others, and says how many.
func (t *trial) solve(ctx context.Context, effort Effort, rng *rand.Rand) (runs int) {
	var provings, others []solve.Info
	for _, info := range solve.Solvers() {
		switch {
		case info.Absent != "" || info.New().Supports(t.in) != nil:
		case slices.Contains(provers, info.Name):
			provings = append(provings, info)
		default:
			others = append(others, info)
		}
	}
	rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	if effort.Solvers >= 0 && len(others) > effort.Solvers {
		others = others[:effort.Solvers]
	}
	for _, info := range append(provings, others...) {
		opt := solve.Options{Seed: rng.Uint64N(1000), MaxEvals: effort.Evals * pick[int64](rng, 1, 1, 1, 10)}
		if _, queues := t.objective["qos_penalty"]; queues {
			opt.MaxEvals = effort.Evals * pick[int64](rng, 1, 10, 10, 30) // an evaluation of ggone is a bound, and quick
		}
		if info.Starts && len(t.Schedules) > 0 && rng.IntN(6) == 0 {
			start := *t.Schedules[0] // a run fills in figures of its objective
			start.Jobs = slices.Clone(start.Jobs)
			opt.Start = &start
		}
		t.run(ctx, info, opt, rng.IntN(3) == 0)
		runs++
	}
	return runs
}

// run holds one run of a solver to what is known: through solve.Run, or alone, so that what Run would drop or put right is seen too.
func (t *trial) run(ctx context.Context, info solve.Info, opt solve.Options, alone bool) {
	from, by := len(t.found), info.Name
	solver := info.New()
	var result solve.Result
	var err error
	if alone {
		by += ", alone"
		result, err = solver.Solve(ctx, t.in, opt)
	} else {
		result, err = solve.Run(ctx, info, solver, t.in, opt)
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
		t.judge(by, solver, opt, &result)
	}
	for k := from; k < len(t.found); k++ {
		t.found[k].Seed, t.found[k].MaxEvals = opt.Seed, opt.MaxEvals
	}
}

// judge holds a schedule and what is said of it to the checker and to what is known.
func (t *trial) judge(by string, solver solve.Solver, opt solve.Options, result *solve.Result) {
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
	whole := len(t.Schedules) == 0 && left == 0
	for _, planted := range t.Schedules {
		whole = whole || left <= len(planted.Unscheduled)
	}
	if whole {
		t.lower(evaluation)
	}
	if !whole && !t.MayLeave {
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
	if result.HasBound {
		t.claims = append(t.claims, claim{by: by, what: "bound", value: result.Bound, seed: opt.Seed, evals: opt.MaxEvals})
	}
	if result.Status == model.Optimal {
		stated := 0.0 // difference within which the solver says that it proves
		if tolerance, ok := solve.Parameters(solver)["tolerance"].(float64); ok {
			stated = tolerance * math.Abs(evaluation.Objective)
		}
		t.claims = append(t.claims, claim{by: by, what: "optimal", value: evaluation.Objective, slack: stated, seed: opt.Seed, evals: opt.MaxEvals})
		if !whole {
			t.report(by, "optimal", float64(left), 0, "says optimal and leaves out a job that can be placed: "+sol.Unscheduled[0].Reason)
		}
	}
}

// compare holds what no schedule is said to be below to the best schedule of all, planted or found by any solver.
func (t *trial) compare() {
	for _, c := range t.claims {
		truth, slack := t.upper, t.slack+c.slack
		if c.metric != "" {
			truth, slack = t.uppers[c.metric], t.tolerance(c.metric)
		}
		switch {
		case math.IsNaN(c.value) || math.IsInf(c.value, 0):
			t.report(c.by, c.what, 0, truth, fmt.Sprintf("states %v", c.value))
		case c.value > truth+slack:
			t.report(c.by, c.what, c.value, truth, fmt.Sprintf("says %s %v; a right schedule has %v", c.what, c.value, truth))
		default:
			continue
		}
		last := &t.found[len(t.found)-1]
		last.Seed, last.MaxEvals = c.seed, c.evals
	}
}
