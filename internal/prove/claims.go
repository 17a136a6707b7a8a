package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
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

	refutes *model.Solution // a right schedule below the value; nil: none
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

// tolerance is the one allowance of this package: two ways to compute a metric may differ by 1e-9 of the largest time, cost or number of jobs that is
// part of it, or of a penalty or slowdown of 1 and its optimum. It is absolute, as optima may be 0. The model's checker allows as much of a
// stated figure. It is not to be widened until a claim passes.
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
	case "jobs":
		return relative * float64(len(p.Instance.Jobs()))
	}
	return relative * max(1, p.Optimum[metric], p.Least[metric])
}

// trial is what is said of an instance with one objective.
type trial struct {
	*Planted
	in        *model.Instance
	objective map[string]float64
	tolerated float64 // see tolerance
	found     []Falsehood
	upper     float64            // the least objective of all right schedules that leave out nothing that can be placed
	best      *model.Solution    // one of these that has it
	uppers    map[string]float64 // the same for each metric alone
	claims    []claim
	tight     map[string]bool // by metric/method: the bound is the optimum
	cut       int             // runs cut short
}

// claim is a number that no schedule is said to be below; metric "": of the objective.
type claim struct {
	by, what, metric string
	value, tolerated float64
	seed             uint64
	evals            int64
}

// Outcome is what trying an instance gave.
type Outcome struct {
	Falsehoods []Falsehood
	Objectives int             // that the instance was tried with
	Runs       int             // of solvers
	Bounds     int             // that were compared
	Cut        int             // runs cut short after a time
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
		out.Cut += t.cut
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
		t.tolerated += weight * p.tolerance(metric)
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
		t.lower(sol, evaluation)
	}
	for metric := range objective {
		if optimum, known := p.Optimum[metric]; known && !(math.Abs(optimum-t.uppers[metric]) <= p.tolerance(metric)) {
			t.report("planted", "planted", t.uppers[metric], optimum, fmt.Sprintf("the best planted schedule has %v of %s, by construction it is %v", t.uppers[metric], metric, optimum))
		}
	}
	return t
}

// lower takes note of a right schedule that leaves out nothing that can be placed.
func (t *trial) lower(sol *model.Solution, evaluation model.Evaluation) {
	if evaluation.Objective < t.upper {
		t.upper, t.best = evaluation.Objective, sol
	}
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
	defer func() {
		if fault := recover(); fault != nil {
			t.report("bound", "error", 0, 0, fmt.Sprintf("panic: %v\n%s", fault, debug.Stack()))
		}
	}()
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
		when := fmt.Sprintf(", after work %d", work)
		if limited {
			when += " and a limit"
		}
		if value, ok := proof.Bound().Value(); ok {
			t.claims = append(t.claims, claim{by: "bound" + when, what: "bound", value: value})
		}
		for _, part := range proof.Parts() {
			t.claims = append(t.claims, claim{by: part.Method + when, what: "bound", metric: part.Metric, value: part.Value})
			if optimum, known := t.Optimum[part.Metric]; known && len(t.objective) == 1 && part.Value >= optimum-t.tolerance(part.Metric) {
				t.tight[part.Metric+"/"+part.Method], t.tight[part.Metric+"/any"] = true, true
			}
		}
		if !more {
			return
		}
	}
}

// compare holds what no schedule is said to be below to the best schedule of all, planted or found by any solver.
func (t *trial) compare() {
	for _, c := range t.claims {
		truth, tolerated := t.upper, t.tolerated+c.tolerated
		if c.metric != "" {
			truth, tolerated = t.uppers[c.metric], t.tolerance(c.metric)
		}
		switch {
		case math.IsNaN(c.value) || math.IsInf(c.value, 0):
			t.report(c.by, c.what, 0, truth, fmt.Sprintf("states %v", c.value))
		case c.value > truth+tolerated:
			t.report(c.by, c.what, c.value, truth, fmt.Sprintf("says %s %v; a right schedule has %v", c.what, c.value, truth))
		default:
			continue
		}
		last := &t.found[len(t.found)-1]
		last.Seed, last.MaxEvals, last.refutes = c.seed, c.evals, t.best
	}
}
