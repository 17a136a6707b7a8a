package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// errRedraw says that the instance drawn cannot be planted. The caller draws again.
var errRedraw = errors.New("drawn in vain")

// Falsehood is a claim that is false.
type Falsehood struct {
	Kind      string             `json:"kind"`
	Objective map[string]float64 `json:"objective"`
	By        string             `json:"by"`   // the solver or the method of bounds
	What      string             `json:"what"` // the kind of claim: bound, optimal, schedule, error or planted
	Value     float64            `json:"value"`
	Truth     float64            `json:"truth"`
	Text      string             `json:"text"`
	Seed      uint64             `json:"seed"` // the seed of the solver's run
	MaxEvals  int64              `json:"max_evals"`

	refutes *model.Solution // a correct schedule below the claimed value; nil: none
}

func (f *Falsehood) String() string {
	return fmt.Sprintf("%s, %v: %s: %s: %s", f.Kind, f.Objective, f.By, f.What, f.Text)
}

// Effort limits the work of the methods.
type Effort struct {
	Works   []int64 // work of the bounds, one step after another
	Evals   int64   // evaluations of a solver
	Solvers int     // number of solvers that run besides the provers; -1: all
	Metrics int     // number of metrics to minimise, one after another; -1: all
}

// Quick is the effort of a run that tries many instances.
var Quick = Effort{Works: []int64{20_000, 1_000_000}, Evals: 300, Solvers: 3, Metrics: 2}

// tolerance is the only tolerance of this package besides small.slack. Two ways to compute a metric may differ by 1e-9 of the largest time, cost or
// number of jobs in it, where times are counted from the earliest arrival; for a penalty or a slowdown, by 1e-9 of 1 plus its optimum. The tolerance is absolute, because optima may be 0. The model's checker allows the same
// for a stated figure. Never widen it to make a claim pass.
func (p *Planted) tolerance(metric string) float64 {
	const relative = 1e-9
	horizon, cost, first := 0.0, 0.0, math.Inf(1)
	for k := range p.Instance.Jobs() {
		first = min(first, p.Instance.Jobs()[k].Arrival)
	}
	for _, sol := range p.Schedules {
		for k := range sol.Jobs {
			horizon = max(horizon, sol.Jobs[k].End-first)
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

// trial collects the claims of the methods on an instance with one objective.
type trial struct {
	*Planted
	in        *model.Instance
	objective map[string]float64
	ranking   *ranking // what is known of an objective with weights as priorities; nil: it is another
	tolerated float64  // see tolerance
	found     []Falsehood
	upper     float64            // the least objective of all correct schedules that leave out no job that can be placed
	best      *model.Solution    // such a schedule with this objective
	uppers    map[string]float64 // by metric: the least value of the same schedules
	claims    []claim
	tight     map[string]bool // by metric/method: the bound equals the optimum
	cut       int             // runs cut short
	certified map[string]int  // by method or solver and verdict: certificates
	optima    []optimum       // schedules called optimal, for an objective with weights as priorities
	lowest    *big.Rat        // the least objective of all checked schedules then
	proved    []proved        // certificates that are verified, for an objective with weights as priorities
	known     *judged         // the right schedules so far
	judged    *judged         // the same where nothing is known by construction and the evaluator compares them; nil: elsewhere
}

// claim is a claimed lower bound: a method says that no schedule has less. The metric "" stands for the objective.
type claim struct {
	by, what, metric string
	value, tolerated float64
	owed             int             // the jobs that every schedule owes, as it says; the value is of those that owe no more
	sol              *model.Solution // that is called optimal
	seed             uint64
	evals            int64
}

// Outcome is the result of trying an instance.
type Outcome struct {
	Falsehoods []Falsehood
	Objectives int             // number of objectives tried
	Runs       int             // number of solver runs
	Bounds     int             // number of bounds compared
	Cut        int             // number of runs cut short by the time limit
	Optimal    int             // number of claimed optima compared
	Tight      map[string]bool // metric/method: the bound equals the optimum; metric/any: some bound does; only for optima known by construction
	Known      []string        // metrics whose optimum is known by construction
	Certified  map[string]int  // by method or solver and verdict: certificates
}

// Try compares all claims of the registered methods about the instance with the facts that are known of it.
func (p *Planted) Try(ctx context.Context, rng *rand.Rand, effort Effort) Outcome {
	out := Outcome{Tight: map[string]bool{}, Certified: map[string]int{}}
	for _, objective := range p.objectives(rng, effort.Metrics) {
		t := p.trial(objective)
		if len(t.found) == 0 {
			t.prove(ctx, effort.Works, rng)
			out.Runs += t.solve(ctx, effort, rng)
			out.Runs += t.rolling(ctx, effort, rng)
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
		for key, n := range t.certified {
			out.Certified[key] += n
		}
		for metric := range objective {
			if _, known := p.Optimum[metric]; known && len(objective) == 1 {
				out.Known = append(out.Known, metric)
			}
		}
	}
	return out
}

// objectives draws the objectives to try: those with weights as priorities, or else first metrics whose optimum is known, then others, and sometimes
// a sum of two.
func (p *Planted) objectives(rng *rand.Rand, most int) []map[string]float64 {
	if p.judged {
		return []map[string]float64{p.objective}
	}
	var list []map[string]float64
	for _, k := range rng.Perm(len(p.rankings)) {
		list = append(list, p.rankings[k].objective)
	}
	if len(list) > 0 {
		if most >= 0 && len(list) > most {
			list = list[:most]
		}
		return list
	}
	var known, others []string
	for _, m := range model.MetricTable() { // in a fixed order, unlike the order of a map
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

// trial prepares a trial. It checks that the planted schedules are correct and have the optimum.
func (p *Planted) trial(objective map[string]float64) *trial {
	t := &trial{Planted: p, objective: objective, upper: math.Inf(1), uppers: map[string]float64{}, tight: map[string]bool{}, certified: map[string]int{}}
	t.ranking = p.ranked(objective)
	in, err := p.Instance.WithObjective(objective)
	if err != nil {
		t.report("planted", "error", 0, 0, err.Error())
		return t
	}
	t.in = in
	if t.known = newJudged(in); p.judged {
		t.judged = t.known
	}
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
		if t.ranking != nil {
			t.judgeRanked("planted", sol, false)
		}
	}
	for metric := range objective {
		if optimum, known := p.Optimum[metric]; known && !math.IsInf(t.uppers[metric], 1) && !(math.Abs(optimum-t.uppers[metric]) <= p.tolerance(metric)) {
			t.report("planted", "planted", t.uppers[metric], optimum, fmt.Sprintf("the best planted schedule has %v of %s, by construction it is %v", t.uppers[metric], metric, optimum))
		}
	}
	return t
}

// lower records a correct schedule that leaves out no job that can be placed.
func (t *trial) lower(sol *model.Solution, evaluation model.Evaluation) {
	if !t.known.add(sol, evaluation) {
		return // bounds say nothing of a schedule that owes a job which can run
	}
	if evaluation.Objective < t.upper {
		t.upper, t.best = evaluation.Objective, sol
	}
	for metric := range t.uppers {
		if value, ok := evaluation.Metrics.Get(metric); ok {
			t.uppers[metric] = min(t.uppers[metric], value)
		}
	}
}

// report records a false claim.
func (t *trial) report(by, what string, value, truth float64, text string) {
	t.found = append(t.found, Falsehood{Kind: t.Kind, Objective: t.objective, By: by, What: what, Value: value, Truth: truth, Text: text})
}

// prove asks all methods for bounds, with more and more work. From a random step on, it also tells them a limit at or above the objective of a known
// schedule. Methods may then ignore schedules that cost more than the limit.
func (t *trial) prove(ctx context.Context, works []int64, rng *rand.Rand) {
	defer func() {
		if fault := recover(); fault != nil {
			t.report("bound", "error", 0, 0, fmt.Sprintf("panic: %v\n%s", fault, debug.Stack()))
		}
	}()
	proof := bound.NewCertified(ctx, t.in)
	limit, limited := rng.IntN(len(works)+2), false
	// Some faults show only after hundreds of steps. With few jobs these take little time.
	switch draw := rng.IntN(24); {
	case draw == 0:
		works = append(slices.Clone(works), 150_000_000)
	case draw <= 5 || draw <= 16 && len(t.in.Jobs()) <= 10:
		works = append(slices.Clone(works), 40_000_000)
	}
	for k, work := range works {
		if k == limit && !math.IsInf(t.upper, 1) {
			proof.Limit(t.upper + math.Abs(t.upper)*pick(rng, 0, 0, 0.3))
			limited = true
		}
		more := proof.Improve(ctx, work)
		when := fmt.Sprintf(", after work %d", work)
		if limited {
			when += " and a limit"
		}
		if value, ok := proof.Bound().Value(); ok {
			t.claims = append(t.claims, claim{by: "bound" + when, what: "bound", value: value, owed: proof.Owed()})
		}
		for _, part := range proof.Parts() {
			if part.Lacks || part.Together {
				continue // it is no bound of one metric; the bound above has it
			}
			t.claims = append(t.claims, claim{by: part.Method + when, what: "bound", metric: part.Metric, value: part.Value, owed: proof.Owed()})
			if optimum, known := t.Optimum[part.Metric]; known && len(t.objective) == 1 && part.Value >= optimum-t.tolerance(part.Metric) {
				t.tight[part.Metric+"/"+part.Method], t.tight[part.Metric+"/any"] = true, true
			}
		}
		if c := proof.Certificate(); c != nil {
			t.verify(ctx, "bound"+when, "bound", c)
		}
		for _, c := range proof.Certificates() {
			method := "each-choice"
			if len(c.Parts) > 0 {
				method = c.Parts[0].Method
			}
			t.verify(ctx, method+when, method, c)
		}
		if !more {
			return
		}
	}
}

// compare compares each claimed lower bound with the best schedule, planted or found by any solver.
func (t *trial) compare() {
	switch {
	case t.ranking != nil:
		t.compareRanked()
		return
	case t.judged != nil:
		t.compareJudged()
		return
	}
	for k := range t.claims {
		c := &t.claims[k]
		truth, tolerated := t.upper, t.tolerated+c.tolerated
		if c.metric != "" {
			truth, tolerated = t.uppers[c.metric], t.tolerance(c.metric)
		}
		switch {
		case math.IsNaN(c.value) || math.IsInf(c.value, 0):
			t.report(c.by, c.what, 0, truth, fmt.Sprintf("states %v", c.value))
		case c.value > truth+tolerated && !(c.metric == "" && c.roundsTo(t.in, truth)):
			t.report(c.by, c.what, c.value, truth, fmt.Sprintf("says %s %v; a right schedule has %v", c.what, c.value, truth))
		default:
			continue
		}
		last := &t.found[len(t.found)-1]
		last.Seed, last.MaxEvals, last.refutes = c.seed, c.evals, t.best
	}
}
