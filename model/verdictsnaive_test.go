package model_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// timed draws a schedule whose durations are right or off by a little, of an instance in which deadlines lie about the ends; by is by how much, or 0.
func timed(t *rapid.T) (in *model.Instance, spec model.InstanceSpec, sol *model.Solution, by float64) {
	in, spec = clocked(t)
	r := newRules(in, spec)
	sol = &model.Solution{Status: model.Feasible}
	by = rapid.SampledFrom([]float64{0x1p-30, 0x1p-10, 0.25, 1, 3}).Draw(t, "times are off by")
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if rapid.IntRange(0, 9).Draw(t, "left out") == 9 {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: j.ID, Reason: "no"})
			continue
		}
		p := model.Placement{Job: j.ID, Start: j.Arrival + float64(rapid.IntRange(0, 20).Draw(t, "wait"))/4}
		left := j.Tasks
		for n := min(left, rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "pieces")); n > 0; n-- {
			c := rapid.IntRange(0, len(r.at)-1).Draw(t, "cluster")
			first := rapid.IntRange(0, len(r.at[c])-1).Draw(t, "first")
			set := model.NewProcessorSet(model.Range{First: first, Last: rapid.IntRange(first, len(r.at[c])-1).Draw(t, "last")})
			p.Pieces = append(p.Pieces, model.Piece{Cluster: in.Clusters()[c].ID, Processors: set, Tasks: left - n + 1, Start: p.Start})
			left -= left - n + 1
		}
		ineligible := false
		error := rapid.SampledFrom([]float64{0, 0, 0, 0x1p-31, -0x1p-31, 3e-10, -9e-10}).Draw(t, "error")
		for n := range p.Pieces {
			piece := &p.Pieces[n]
			d := r.duration(k, *piece, r.link(p.Pieces))
			ineligible = ineligible || math.IsNaN(d)
			piece.End = model.End(p.Start, d*(1+error))
			p.End = max(p.End, piece.End)
		}
		if ineligible {
			continue
		}
		if p.End > 0 && (j.DeadlineHard || rapid.Bool().Draw(t, "about the end")) {
			near := ulp(p.End) * float64(rapid.IntRange(-6, 6).Draw(t, "ulps"))
			due := max(p.End+float64(rapid.IntRange(-1, 1).Draw(t, "off"))*by+near, j.Arrival)
			spec.Jobs[k].Deadline = &due
		}
		sol.Jobs = append(sol.Jobs, p)
	}
	limits(t, r, sol, &spec)
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in, spec, sol, by
}

// limits makes some budgets and deadlines of jobs and workflows just what the schedule costs and when it ends.
func limits(t *rapid.T, r *rules, sol *model.Solution, spec *model.InstanceSpec) {
	r.resolve(sol)
	costs := judge{rules: r}
	flows := map[string]*big.Rat{}
	for k := range spec.Jobs {
		cost := costs.cost(k)
		if x, whole := cost.Float64(); whole && len(r.pieces[k]) == 1 && x > 0 && rapid.Bool().Draw(t, "just the budget") {
			spec.Jobs[k].Budget = &x
		}
		if id := spec.Jobs[k].Workflow; flows[id] == nil {
			flows[id] = cost
		} else {
			flows[id].Add(flows[id], cost)
		}
	}
	for n := range spec.Workflows {
		w := &spec.Workflows[n]
		if flows[w.ID] == nil || rapid.Bool().Draw(t, "any limit") {
			continue
		}
		if x, whole := flows[w.ID].Float64(); whole && x > 0 {
			w.Budget = &x
		}
		last := 0.0
		for k, p := range r.placed {
			if spec.Jobs[k].Workflow == w.ID {
				last = max(last, p.End)
			}
		}
		if last > 0 {
			w.Deadline = &last
		}
	}
}

// objective draws an objective of some metrics, with weights of any size.
func objective(t *rapid.T, in *model.Instance) *model.Instance {
	weights := map[string]float64{}
	for range rapid.IntRange(1, 3).Draw(t, "metrics") {
		m := rapid.SampledFrom(model.MetricTable()).Draw(t, "metric")
		if !m.PerCluster && m.Only != "devices" && m.Only != "power" && m.Only != "prices" && m.Only != "carbon" && (m.Name != "qos_penalty" || in.Queueing().Rate > 0) {
			weights[m.Name] = rapid.SampledFrom([]float64{1, 1, 1, 3, -1, -3, -0.5, 1e3, 1e6, 1e9, 1e-6, 0}).Draw(t, "weight")
		}
	}
	other, err := in.WithObjective(weights)
	if err != nil {
		t.Skip(err)
	}
	return other
}

// What proves, what refutes, what is below and how much times can change, on random schedules at three clocks.
func TestVerdictsAreThoseOfTheRules(t *testing.T) {
	race.OneGoroutine(t)
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 6 {
			in, spec, sol, by := timed(t)
			g := newJudge(newRules(in, spec), sol)
			for range 4 {
				g.in = objective(t, in)
				g.found = evaluated(t, g.in, sol)
				if math.IsInf(g.found.Objective, 0) {
					if g.found.Proves(model.ProvedBound(1e300)) || g.found.Refutes(model.ProvedBound(1e300)) {
						t.Fatal("an infinite objective is compared")
					}
					continue
				}
				g.judges(t, by, seen)
				if alone, err := model.EvaluateObjective(g.in, sol); err != nil || alone != g.found.Objective {
					t.Fatalf("the objective alone is %v, %v, and %v beside the metrics", alone, err, g.found.Objective)
				}
			}
			g.metrics(t)
		}
	})
	for _, what := range []string{"proves", "proves nothing", "refutes", "refutes nothing", "refutes none that noise explains"} {
		if seen[what] < race.Enough(200) {
			t.Errorf("%s: seen %d times", what, seen[what])
		}
	}
}

// change is the table of the page: what moving each start and each end by s can make of a metric.
func (g *judge) change(name string, s float64) float64 {
	near := func(such func(end, deadline float64) bool) (n float64) {
		for k, p := range g.placed {
			if d := g.in.Jobs()[k].Deadline; !math.IsInf(d, 1) && such(p.End, d) {
				n++
			}
		}
		return n
	}
	count := func() float64 {
		return near(func(end, d float64) bool { return math.Abs(end-d) <= s+4*ulp(end) })
	}
	if s == 0 {
		return 0
	}
	switch name {
	case "makespan", "mean_response", "mean_wait":
		return s
	case "over_deadline":
		return s * near(func(end, d float64) bool { return end-d > -s })
	case "idle_time":
		return 2 * s * float64(g.in.Processors())
	case "mcp", "balance":
		most := 0.0
		for c := range g.in.Clusters() {
			w := g.in.Clusters()[c].Weights
			if sum := w.IdleTime + w.Makespan + w.OverDeadline; sum > 0 {
				most = max(most, (w.IdleTime*2*s*float64(len(g.at[c]))+w.Makespan*s+w.OverDeadline*s*float64(len(g.in.Jobs())))/sum)
			}
		}
		if name == "balance" {
			most *= 2 * math.Sqrt2
		}
		return most
	case "cost":
		sum := 0.0
		for c := range g.at {
			for _, m := range g.at[c] {
				sum += m.Cost
			}
		}
		return s * sum
	case "mean_slowdown", "bounded_slowdown":
		sum := 0.0
		for k, p := range g.placed {
			l := p.End - p.Start
			if name == "bounded_slowdown" {
				if l = max(l, 10); p.End-g.in.Jobs()[k].Arrival+s <= l-2*s {
					continue
				}
			}
			if l > 0 && l <= 2*s {
				return math.Inf(1)
			}
			if l > 0 {
				sum += s * (1 + 2*(p.End-g.in.Jobs()[k].Arrival)/l) / (l - 2*s)
			}
		}
		return sum / max(1, float64(len(g.finished)))
	case "missed", "finished", "unfinished":
		return count()
	case "miss_rate":
		return over(100*count(), float64(g.deadlines))
	case "over_budget":
		return float64(len(g.in.Jobs()))
	case "workflow_failures":
		return float64(len(g.in.Workflows()))
	case "qos_penalty", "data_moved", "work_done":
		return 0
	}
	return math.Inf(1)
}

// parts are the waits, responses or excesses that a metric adds up; nil: it adds up none.
func (g *judge) parts(name string) (parts []float64) {
	if name == "over_deadline" {
		for k, p := range g.placed {
			parts = append(parts, max(0, p.End-g.in.Jobs()[k].Deadline))
		}
	}
	for _, k := range g.finished {
		switch p := g.placed[k]; name {
		case "mean_wait":
			parts = append(parts, p.Start-g.in.Jobs()[k].Arrival)
		case "mean_response":
			parts = append(parts, p.End-g.in.Jobs()[k].Arrival)
		}
	}
	return parts
}

// rounding is what a stated metric may differ by.
func (g *judge) rounding(name string) float64 {
	all := g.all
	switch name {
	case "idle_time":
		x, _ := all.size.Float64()
		return 1e-14 * x
	case "mcp":
		return 1e-14 * all.largest
	case "balance":
		if len(g.at) < 2 {
			return 0
		}
		return 2 * math.Sqrt2 * 1e-14 * all.largest
	case "qos_penalty":
		return 1e-14 * float64(len(g.placed))
	}
	return 0
}

// largest is the largest value of a metric, if there is one.
func (g *judge) largest(name string) (most float64, any bool) {
	for k := range g.in.Jobs() {
		j := &g.in.Jobs()[k]
		switch name {
		case "data_moved":
			most += j.Input + j.Output
		case "work_done":
			most += float64(j.Tasks) * j.Work
		case "finished":
			most++
		}
	}
	switch name {
	case "utilisation", "processor_usage", "licence_usage", "device_utilisation":
		return 100, true
	}
	return most, name == "data_moved" || name == "work_done" || name == "finished"
}

// verdict is what the page says of the objective.
type verdict struct {
	objective             *big.Rat
	least, noise, refutes float64
	size                  float64 // of the summands
	rounding              float64
	doubt                 float64 // of double precision: a rounding for each summand and a few more
	exact                 bool
	nothing               bool // is proved, as the rounding of one metric may hide what another lacks
}

func (g *judge) verdict() verdict {
	v := verdict{objective: new(big.Rat), least: math.Inf(1), exact: true}
	makespan, _ := g.metric("makespan")
	lasts, _ := makespan.Float64()
	off, metrics := 0.0, 0
	last := math.Inf(1)
	for k := range g.in.Jobs() {
		last = min(last, g.in.Jobs()[k].Arrival)
	}
	for _, p := range g.placed {
		last = max(last, p.End)
	}
	if g.off > 0 {
		off = min(1e-6*lasts, 2*ulp(last))
	}
	summands := len(g.in.Jobs()) + len(g.in.Clusters()) + len(g.in.ObjectiveTerms()) + 8
	for _, pieces := range g.pieces {
		summands += len(pieces)
	}
	roundings := 0x1p-52 * float64(summands)
	for _, term := range g.in.ObjectiveTerms() {
		weight := math.Abs(term.Weight)
		if weight == 0 {
			continue
		}
		metrics++
		value, exact := g.metric(term.Metric)
		v.exact = v.exact && exact
		x, _ := value.Float64()
		v.objective.Add(v.objective, scaled(new(big.Rat).Set(value), term.Weight))
		magnitude := math.Abs(x)
		v.rounding += weight * (g.rounding(term.Metric) + 1e-14*magnitude)
		if most, any := g.largest(term.Metric); term.Weight < 0 && any {
			value.Sub(exactly([]float64{most}), value)
			magnitude += most
		}
		v.size += weight * (magnitude + g.rounding(term.Metric)*1e14)
		if v.doubt += weight * (roundings*magnitude + g.rounding(term.Metric)); term.Metric != "qos_penalty" {
			v.doubt += weight * g.rounding(term.Metric) * (roundings*1e14 - 1)
		}
		x, _ = value.Abs(value).Float64()
		z := 0.0
		if term.Weight > 0 && !counted(term.Metric) {
			if change := g.change(term.Metric, off); !math.IsInf(change, 1) {
				z = min(x, change)
			}
			if parts := g.parts(term.Metric); parts != nil && slices.Max(parts) > off {
				sum := 0.0
				for _, part := range parts {
					sum += min(part, off)
				}
				if term.Metric != "over_deadline" {
					sum /= float64(len(parts))
				}
				z = min(x, sum)
			}
		}
		if term.Metric == "qos_penalty" {
			z = 2 * g.rounding(term.Metric)
		}
		if x > z {
			v.least = min(v.least, weight*x)
		}
		v.noise += weight * z
		v.refutes += weight * g.change(term.Metric, g.off)
	}
	if math.IsInf(v.least, 1) {
		v.least = 0
	} else {
		v.nothing = metrics > 1 && v.noise > 1e-6*v.least
		v.noise = min(v.noise, 1e-6*v.least)
	}
	v.refutes += 1e-9 * v.least
	return v
}

// gap is objective − bound − allowed.
func (v verdict) gap(bound, allowed float64) float64 {
	x, _ := new(big.Rat).Sub(v.objective, exactly([]float64{bound}, []float64{1, allowed})).Float64()
	return x
}

// judges compares an evaluation with the rules.
func (g *judge) judges(t *rapid.T, by float64, seen map[string]int) {
	v := g.verdict()
	fail := func(format string, args ...any) {
		t.Fatalf("objective %v, metrics %v, verdict %+v, off by %v: "+format, append([]any{g.in.ObjectiveTerms(), g.found.Metrics, v, g.off}, args...)...)
	}
	if !(math.Abs(g.found.Rounding-v.rounding) <= 1e-6*v.rounding) {
		fail("the rounding is %v, expected %v", g.found.Rounding, v.rounding)
	}
	fuzz := 1e-13 * v.size
	for _, times := range []float64{0, by} {
		want := v.doubt
		for _, term := range g.in.ObjectiveTerms() {
			if term.Weight != 0 && !counted(term.Metric) {
				want += math.Abs(term.Weight) * g.change(term.Metric, times)
			}
		}
		if got := g.found.Doubt(times); got != want && !(math.Abs(got-want) <= 1e-9*want) {
			fail("the doubt at %v is %v, expected %v", times, got, want)
		}
	}
	objective, _ := v.objective.Float64()
	for _, tolerance := range []float64{0, 1e-3} {
		allowed := (1e-9+tolerance)*v.least + v.noise
		if math.IsInf(allowed, 0) {
			continue
		}
		unsure := 1e-7*allowed + 1e-22*v.size + (1e-6+tolerance)*v.rounding // the smallest term is that of the stated metric
		if v.least == 0 {
			unsure += 1e-14 * v.size
		}
		if !v.exact {
			unsure += fuzz
		}
		for _, bound := range []float64{objective + allowed, objective, objective - 0.5*allowed, objective - (1-3e-7)*allowed, objective - (1+3e-7)*allowed, objective - 1.5*allowed,
			objective - 3*allowed, objective - 1e4*allowed, objective + ulp(math.Abs(objective)), objective - ulp(math.Abs(objective))} {
			gap, above := v.gap(bound, allowed), v.gap(bound, -allowed)
			if math.Abs(gap) <= unsure || math.Abs(above) <= unsure {
				continue
			}
			proves := gap < 0 && !v.nothing && !(g.coarse && allowed > 0) && !(g.off > 0 && v.least > 0 && above < 0)
			if got := g.found.ProvesWithin(model.ProvedBound(bound), tolerance); got != proves {
				fail("the bound %v, and %v allowed: proves %v", bound, allowed, got)
			}
			seen[map[bool]string{true: "proves", false: "proves nothing"}[proves]]++
		}
	}
	if math.IsInf(v.refutes, 0) {
		if g.found.Refutes(model.ProvedBound(objective + 1e9*v.size)) {
			fail("noise without limit, and a bound is refuted")
		}
		return
	}
	for _, factor := range []float64{-1, 0, 0.5, 1 - 1e-4, 1 + 1e-4, 2, 1e3} {
		bound := model.ProvedBound(objective + factor*v.refutes)
		gap := -v.gap(bound.Or(0), -v.refutes)
		switch {
		case gap > fuzz:
			seen["refutes"]++
			if !g.found.Refutes(bound) {
				fail("%v refutes nothing", bound)
			}
		case gap < -1e-6*v.refutes-1e-16*v.size:
			seen["refutes nothing"]++
			if gap < 0 && bound.Or(0) > objective+1e-8*v.least {
				seen["refutes none that noise explains"]++
			}
			if g.found.Refutes(bound) {
				fail("%v refutes", bound)
			}
		}
	}
}
