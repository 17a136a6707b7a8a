package model_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// judge computes metrics in exact numbers, and what docs/rules.md says of bounds from them.
type judge struct {
	*rules
	found    model.Evaluation // for the metrics that have no exact form
	off      float64
	coarse   bool  // schedules cannot be told apart
	finished []int // the jobs that are
	all      gridSums
}

func newJudge(r *rules, sol *model.Solution, found model.Evaluation) *judge {
	g := &judge{rules: r, found: found}
	r.resolve(sol)
	for k := range r.in.Jobs() {
		if p := r.placed[k]; p != nil && !(r.in.Jobs()[k].DeadlineHard && g.late(k)) {
			g.finished = append(g.finished, k)
		}
		long, short := 0.0, 0.0
		for _, piece := range r.pieces[k] {
			lacks := r.duration(k, piece, r.link(r.pieces[k])) - (piece.End - piece.Start)
			if short = max(short, lacks); !r.shared(piece) {
				long = max(long, -lacks)
			}
		}
		g.off += max(long, short)
	}
	lasts := 0.0
	for k := range g.pieces {
		for _, piece := range g.pieces[k] {
			lasts += piece.End - piece.Start
		}
	}
	g.coarse = g.off > 1e-5*lasts
	g.all = g.grid()
	return g
}

// late says whether a placed job is late.
func (g *judge) late(k int) bool {
	j, end := &g.in.Jobs()[k], g.placed[k].End
	return !math.IsInf(j.Deadline, 1) && exactly([]float64{end}).Cmp(exactly([]float64{j.Deadline}, []float64{2, ulp(end)})) > 0
}

// scaled is an exact number, times another.
func scaled(x *big.Rat, n float64) *big.Rat { return x.Mul(x, new(big.Rat).SetFloat64(n)) }

// overOf is x/n; 0 of nothing.
func overOf(x *big.Rat, n int) *big.Rat {
	if n == 0 {
		return new(big.Rat)
	}
	return x.Quo(x, big.NewRat(int64(n), 1))
}

// deadlines counts the jobs with a deadline, and those that miss it.
func (g *judge) deadlines() (all, missed int) {
	for k := range g.in.Jobs() {
		if math.IsInf(g.in.Jobs()[k].Deadline, 1) {
			continue
		}
		if all++; g.placed[k] == nil || g.late(k) {
			missed++
		}
	}
	return all, missed
}

// cost is what a job costs, per time and in all.
func (g *judge) cost(k int) *big.Rat {
	sum := new(big.Rat)
	for _, p := range g.pieces[k] {
		c, _ := g.in.ClusterIndex(p.Cluster)
		for _, q := range members(p.Processors) {
			sum.Add(sum, exactly([]float64{g.at[c][q].Cost, p.End}, []float64{-g.at[c][q].Cost, p.Start}))
		}
	}
	return sum
}

// sums are makespan, busy time and time over deadlines of a cluster (its jobs are those whose first piece is there), and the number of its jobs.
func (g *judge) sums(c int) (makespan, busy, over *big.Rat, jobs int) {
	id, first := g.in.Clusters()[c].ID, exactly([]float64{g.in.FirstArrival()})
	makespan, busy, over = new(big.Rat), new(big.Rat), new(big.Rat)
	for k, pieces := range g.pieces {
		for n, p := range pieces {
			if p.Cluster != id {
				continue
			}
			if end := exactly([]float64{p.End}); end.Sub(end, first).Cmp(makespan) > 0 {
				makespan = end
			}
			processors := float64(len(members(p.Processors)))
			busy.Add(busy, exactly([]float64{processors, p.End}, []float64{-processors, p.Start}))
			if n > 0 {
				continue
			}
			jobs++
			if d, end := g.in.Jobs()[k].Deadline, g.placed[k].End; end > d {
				over.Add(over, exactly([]float64{end}, []float64{-1, d}))
			}
		}
	}
	return makespan, busy, over, jobs
}

// performance is the weighted mean of the parts of cp, of which size is the idle time or its magnitude.
func performance(w model.Weights, size, makespan, over *big.Rat) *big.Rat {
	all := exactly([]float64{w.IdleTime}, []float64{w.Makespan}, []float64{w.OverDeadline})
	if all.Sign() == 0 {
		return all
	}
	sum := new(big.Rat)
	for x, weight := range map[*big.Rat]float64{size: w.IdleTime, makespan: w.Makespan, over: w.OverDeadline} {
		sum.Add(sum, scaled(new(big.Rat).Set(x), weight))
	}
	return sum.Quo(sum, all)
}

// grid is what the clusters make together.
type gridSums struct {
	makespan, busy, idle, size, over, mcp *big.Rat
	largest                               float64 // performance with sizes
}

func (g *judge) grid() gridSums {
	s := gridSums{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), 0}
	for c := range g.in.Clusters() {
		makespan, busy, over, jobs := g.sums(c)
		capacity := scaled(new(big.Rat).Set(makespan), float64(len(g.at[c])))
		idle, size := new(big.Rat).Sub(capacity, busy), new(big.Rat).Add(capacity, busy)
		w := g.in.Clusters()[c].Weights
		if cp := performance(w, idle, makespan, over); jobs > 0 {
			s.mcp.Add(s.mcp, overOf(scaled(cp, float64(jobs)), len(g.placed)))
		}
		large, _ := performance(w, size, makespan, over).Float64()
		s.largest = max(s.largest, large)
		s.busy.Add(s.busy, busy)
		s.idle.Add(s.idle, idle)
		s.size.Add(s.size, size)
		s.over.Add(s.over, over)
	}
	first := exactly([]float64{g.in.FirstArrival()})
	for _, p := range g.placed { // a job ends when it says, whatever its pieces do
		if end := exactly([]float64{p.End}); end.Sub(end, first).Cmp(s.makespan) > 0 {
			s.makespan = end
		}
	}
	return s
}

// metric is the exact value of a metric, or the one that was found, and whether it is exact.
func (g *judge) metric(name string) (value *big.Rat, exact bool) {
	whole := func(n int) (*big.Rat, bool) { return big.NewRat(int64(n), 1), true }
	sum, all := new(big.Rat), g.all
	deadlines, missed := g.deadlines()
	switch name {
	case "makespan":
		return sum.Set(all.makespan), true
	case "idle_time":
		return sum.Set(all.idle), true
	case "over_deadline":
		return sum.Set(all.over), true
	case "mcp":
		return sum.Set(all.mcp), true
	case "mean_response", "mean_wait", "data_moved", "work_done":
		for _, k := range g.finished {
			j, p := &g.in.Jobs()[k], g.placed[k]
			sum.Add(sum, map[string]*big.Rat{
				"mean_response": exactly([]float64{p.End}, []float64{-1, j.Arrival}), "mean_wait": exactly([]float64{p.Start}, []float64{-1, j.Arrival}),
				"data_moved": exactly([]float64{j.Input + j.Output}), "work_done": exactly([]float64{float64(j.Tasks) * j.Work}),
			}[name])
		}
		if name == "mean_response" || name == "mean_wait" {
			overOf(sum, len(g.finished))
		}
		return sum, true
	case "finished":
		return whole(len(g.finished))
	case "unfinished":
		return whole(len(g.in.Jobs()) - len(g.finished))
	case "missed":
		return whole(missed)
	case "miss_rate":
		return overOf(big.NewRat(int64(100*missed), 1), deadlines), true
	case "utilisation":
		if all.makespan.Sign() == 0 {
			return sum, true
		}
		return sum.Quo(scaled(sum.Set(all.busy), 100), scaled(new(big.Rat).Set(all.makespan), float64(g.in.Processors()))), true
	case "cost":
		for k := range g.placed {
			sum.Add(sum, g.cost(k))
		}
		return sum, true
	case "workflow_failures":
		n := 0
		for _, w := range g.in.Workflows() {
			whole, spent, last := true, new(big.Rat), math.Inf(-1)
			for _, k := range w.Jobs {
				if p := g.placed[k]; p != nil {
					last = max(last, p.End)
				} else {
					whole = false
				}
				spent.Add(spent, g.cost(k))
			}
			if !whole || last > w.Deadline || !math.IsInf(w.Budget, 1) && spent.Cmp(exactly([]float64{w.Budget})) > 0 {
				n++
			}
		}
		return whole(n)
	case "over_budget":
		n := 0
		for k := range g.placed {
			if j := &g.in.Jobs()[k]; !math.IsInf(j.Budget, 1) && g.cost(k).Cmp(exactly([]float64{j.Budget})) > 0 {
				n++
			}
		}
		return whole(n)
	}
	x, _ := g.found.Metrics.Get(name)
	return exactly([]float64{x}), false
}

// whole says that a metric counts jobs or workflows.
func counted(name string) bool {
	switch name {
	case "finished", "unfinished", "missed", "miss_rate", "over_budget", "workflow_failures":
		return true
	}
	return false
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
		all, _ := g.deadlines()
		return over(100*count(), float64(all))
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
	case "utilisation", "processor_usage", "licence_usage":
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
	summands := len(g.in.Jobs()) + len(g.in.Clusters()) + len(g.in.Objective()) + 8
	for _, pieces := range g.pieces {
		summands += len(pieces)
	}
	roundings := 0x1p-52 * float64(summands)
	for _, term := range g.in.Objective() {
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
		v.rounding += weight * g.rounding(term.Metric)
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
		if !m.PerCluster && (m.Name != "qos_penalty" || in.Queueing().Rate > 0) {
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
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 6 {
			in, spec, sol, by := timed(t)
			for range 4 {
				in := objective(t, in)
				found := evaluated(t, in, sol)
				if math.IsInf(found.Objective, 0) {
					if found.Proves(model.ProvedBound(1e300)) || found.Refutes(model.ProvedBound(1e300)) {
						t.Fatal("an infinite objective is compared")
					}
					continue
				}
				g := newJudge(newRules(in, spec), sol, found)
				g.judges(t, by, seen)
				g.others(t)
				if alone, err := model.Objective(in, sol); err != nil || alone != found.Objective {
					t.Fatalf("the objective alone is %v, %v, and %v beside the metrics", alone, err, found.Objective)
				}
			}
		}
	})
	for _, what := range []string{"proves", "proves nothing", "refutes", "refutes nothing", "refutes none that noise explains"} {
		if seen[what] < race.Enough(200) {
			t.Errorf("%s: seen %d times", what, seen[what])
		}
	}
}

// others compares the metrics that have no exact form.
func (g *judge) others(t *rapid.T) {
	want := map[string]float64{}
	long := 0.0
	for _, k := range g.finished {
		j, p := &g.in.Jobs()[k], g.placed[k]
		want["bounded_slowdown"] += max(1, (p.End-j.Arrival)/max(10, p.End-p.Start)) / float64(len(g.finished))
		if p.End > p.Start {
			want["mean_slowdown"] += (p.End - j.Arrival) / (p.End - p.Start)
			long++
		}
	}
	want["mean_slowdown"] = over(want["mean_slowdown"], long)
	squares, mean, tasks := 0.0, 0.0, 0.0
	cps, works := map[string]float64{}, map[string]float64{}
	for k, pieces := range g.pieces {
		for _, p := range pieces {
			works[p.Cluster] += float64(p.Tasks) * g.in.Jobs()[k].Work
			tasks += float64(p.Tasks) * g.in.Jobs()[k].Work
		}
	}
	mean, _ = g.all.mcp.Float64()
	for c := range g.in.Clusters() {
		makespan, busy, over, _ := g.sums(c)
		id := g.in.Clusters()[c].ID
		cps[id], _ = performance(g.in.Clusters()[c].Weights, new(big.Rat).Sub(scaled(new(big.Rat).Set(makespan), float64(len(g.at[c]))), busy), makespan, over).Float64()
		squares += (cps[id] - mean) * (cps[id] - mean)
		if tasks > 0 {
			works[id] *= 100 / tasks
		}
	}
	if n := len(g.at); n > 1 {
		want["balance"] = math.Sqrt(squares / float64(n-1))
	}
	near := func(name string, got, want, slack float64) {
		if math.Abs(got-want) > slack+1e-12*math.Abs(want) {
			t.Fatalf("%s is %v, expected %v", name, got, want)
		}
	}
	for _, name := range []string{"bounded_slowdown", "mean_slowdown", "balance"} {
		got, _ := g.found.Metrics.Get(name)
		near(name, got, want[name], g.rounding(name))
	}
	for _, c := range g.in.Clusters() {
		near("cp", g.found.Metrics["cp"].ByCluster[c.ID], cps[c.ID], g.rounding("mcp"))
		near("workload_share", g.found.Metrics["workload_share"].ByCluster[c.ID], works[c.ID], 0)
	}
}

// judges compares an evaluation with the rules.
func (g *judge) judges(t *rapid.T, by float64, seen map[string]int) {
	v := g.verdict()
	fail := func(format string, args ...any) {
		t.Fatalf("objective %v, metrics %v, verdict %+v, off by %v: "+format, append([]any{g.in.Objective(), g.found.Metrics, v, g.off}, args...)...)
	}
	for _, m := range model.MetricTable() {
		if want, exact := g.metric(m.Name); exact {
			got, ok := g.found.Metrics.Get(m.Name)
			x, _ := want.Float64()
			if slack := 1e-12*math.Abs(x) + g.rounding(m.Name); !ok || math.Abs(got-x) > slack {
				fail("%s is %v, expected %v", m.Name, got, x)
			}
		}
	}
	if !(math.Abs(g.found.Rounding-v.rounding) <= 1e-6*v.rounding) {
		fail("the rounding is %v, expected %v", g.found.Rounding, v.rounding)
	}
	fuzz := 1e-13 * v.size
	for _, times := range []float64{0, by} {
		want := v.doubt
		for _, term := range g.in.Objective() {
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
		unsure := 1e-7*allowed + 1e-22*v.size
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

// Below compares metric by metric. What it leaves to rounding is 1e-12 of each metric that differs.
func TestBelowAllowsForRounding(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1, "cost": 1, "missed": 1e6, "mean_wait": 0}`, `"work": 10, "deadline": 0`)
	at := func(start, end float64) model.Evaluation {
		return evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", start, end)}})
	}
	a := at(0, 10)
	for _, c := range []struct {
		longer float64
		below  bool
	}{{0, false}, {3e-12, false}, {9.6e-12, false}, {1.04e-11, true}, {1e-9, true}, {1, true}, {-1.04e-11, false}, {-1, false}} {
		if b := at(0, 10+c.longer); a.Below(b) != c.below || b.Below(a) != (c.longer < -1e-11) {
			t.Errorf("longer by %v: below %v, above %v", c.longer, a.Below(b), b.Below(a))
		}
	}
	// Makespans of 10 and 30, costs of 30 and 10: the doubt is that of 30 and 30.
	for above, below := range map[float64]bool{4e-11: false, 5.5e-11: false, 6.5e-11: true} {
		if b := at(30-(10+above)/3, 30); a.Below(b) != below || b.Below(a) {
			t.Errorf("%v above: below %v", above, a.Below(b))
		}
	}
	stated := func(x float64) model.Evaluation { return model.Evaluation{Objective: x} }
	for _, pair := range [][2]model.Evaluation{{stated(1), stated(2)}, {stated(1), a}, {a, stated(1e9)}, {stated(1), stated(math.Inf(1))}, {a, stated(math.Inf(1))}} {
		if !pair[0].Below(pair[1]) || pair[1].Below(pair[0]) || pair[0].Below(pair[0]) {
			t.Errorf("%v and %v", pair[0].Objective, pair[1].Objective)
		}
	}
	if stated(1).Proves(model.ProvedBound(1)) || stated(1).Refutes(model.ProvedBound(2)) || !math.IsInf(stated(1).Doubt(0), 1) {
		t.Error("an objective that was not computed decides")
	}
}

// An infinite objective is above any other, proved by nothing and refutes nothing.
func TestInfiniteObjectives(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1, "makespan": 1}, "queueing": {"rate": 1, "period": 2},`,
		`{"id": "c", "machines": [{"id": "m", "queue": {"service_rate": 0.25}}, {"id": "n", "queue": {"service_rate": 4}}]}`, `{"id": "j", "work": 1, "deadline": 100}`))
	if err != nil {
		t.Fatal(err)
	}
	full, free := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 0, 1)}}), evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "1", 0, 1)}})
	if !math.IsInf(full.Objective, 1) || math.IsInf(free.Objective, 0) {
		t.Fatalf("the objectives are %v and %v", full.Objective, free.Objective)
	}
	if !free.Below(full) || full.Below(free) || full.Below(full) || full.Proves(model.ProvedBound(1)) || full.Refutes(model.ProvedBound(1e18)) {
		t.Error("an infinite objective counts as a finite one")
	}
}

// A metric without an exact form is taken with its rounding error against the claim, whichever sign its weight has. Of one job, one piece, one cluster and
// one term that error is 12·2⁻⁵² of the metric, a 2.7-millionth of what a bound may lack.
func TestInexactMetricsAreTakenAgainstTheClaim(t *testing.T) {
	for _, weight := range []float64{1, 0.5, -1, -0.5} {
		in := oneMachine(t, fmt.Sprintf(`{"mean_slowdown": %v}`, weight), `"work": 8`)
		found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 24, 32)}})
		for lacks, proves := range map[float64]bool{1 - 1e-6: false, 1 - 2e-6: false, 1 - 3e-6: true, 0: true} {
			if got := found.Proves(model.ProvedBound(4*weight - 4e-9*lacks*math.Abs(weight))); got != proves {
				t.Errorf("weight %v, lacks %v: proves %v", weight, lacks, got)
			}
		}
	}
}

// Clusters whose weights are all 0, and those without jobs, add nothing to mcp in exact numbers either.
func TestExactPerformanceOfClustersWithoutWeight(t *testing.T) {
	in, err := readInstance(document(`"objective": {"mcp": 1}, "weights": {"idle_time": 1, "makespan": 2, "over_deadline": 4},`,
		`{"id": "a", "machines": [{"id": "m"}]}, {"id": "b", "weights": {"idle_time": 0, "makespan": 0, "over_deadline": 0}, "machines": [{"id": "m"}]}, {"id": "unused", "machines": [{"id": "m"}]}`,
		`{"id": "j", "arrival": 1, "work": 7}, {"id": "k", "arrival": 1, "work": 3, "deadline": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{placed("j", "a", "0", 1, 8), placed("k", "b", "0", 1, 4)}}
	found := evaluated(t, in, sol) // cp of a is 2·7/7, and a has one of two jobs
	if !found.Proves(model.ProvedBound(1-0.9999999e-9)) || found.Proves(model.ProvedBound(1-1.0000001e-9)) {
		t.Errorf("mcp is %v", found.Objective)
	}
	if none := evaluated(t, in, &model.Solution{}); none.Objective != 0 || !none.Proves(model.ProvedBound(0)) || none.Proves(model.ProvedBound(-1e-300)) {
		t.Errorf("mcp is %v without jobs", none.Objective)
	}
}

// A schedule that breaks the rules so that a duration is unknown proves and refutes nothing.
func TestUnknownDurationsProveNothing(t *testing.T) {
	in, err := readInstance(document("", `{"id": "a", "machines": [{"id": "m"}]}, {"id": "b", "machines": [{"id": "m"}]}`, `{"id": "j", "runtime": {"a": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "b", "0", 0, 1)}})
	if found.Proves(model.ProvedBound(1)) || found.Proves(model.ProvedBound(1e9)) || found.Refutes(model.ProvedBound(1e9)) {
		t.Error("a job whose run time is not stated proves or refutes something")
	}
}

// The penalty of the queueing view is taken with twice its rounding in favour of a proof, of which exact numbers take one back.
func TestProofsOfThePenaltyAllowForItsRounding(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 1, "period": 1, "k": 0},`,
		`{"id": "c", "machines": [{"id": "m", "queue": {"service_rate": 2, "arrival_variance": 0, "service_variance": 0}}]}`, `{"id": "j", "work": 1, "deadline": 0.99999}`))
	if err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 0, 1)}})
	if want := 1e-14 + 12*0x1p-52*found.Objective; math.Abs(found.Objective-1.00001e-5) > 1e-9 || !near(found.Doubt(7), want) {
		t.Errorf("the penalty is %v, its doubt %v", found.Objective, found.Doubt(7))
	}
	for below, proves := range map[float64]bool{0: true, 1.9e-14: true, 2.1e-14: false, 3.1e-14: false} {
		if got := found.Proves(model.ProvedBound(found.Objective - below)); got != proves {
			t.Errorf("%v below: proves %v", below, got)
		}
	}
}

// The checker refuses a bound above the objective, however few jobs there are, and one of a schedule without jobs never.
func TestBoundsOfOneJobAndOfNone(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1}`, `"work": 8`)
	one := &model.Solution{Bound: model.ProvedBound(9), Jobs: []model.Placement{placed("j0", "c", "0", 0, 8)}}
	none := &model.Solution{Bound: model.ProvedBound(9), Unscheduled: []model.Unscheduled{{Job: "j0", Reason: "no"}}}
	if got, want := violations(model.Check(in, one)), "wrong-bound: the lower bound 9 is above the objective 8"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := violations(model.Check(in, none)); got != "" {
		t.Errorf("nothing is placed, and the bound is refused: %s", got)
	}
}

func TestMost(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1}`, `"work": 8, "input": 2, "output": 3`, `"work": 2, "tasks": 4`)
	want := map[string]float64{"finished": 2, "utilisation": 100, "processor_usage": 100, "licence_usage": 100, "data_moved": 5, "work_done": 16}
	for _, m := range model.MetricTable() {
		most, limited := in.Most(m.Name)
		if x, any := want[m.Name]; most != x || limited != any {
			t.Errorf("%s: %v, %v", m.Name, most, limited)
		}
	}
}

// A job counts as one that may be late or not if its end is as far from its deadline as the schedule is short of the rule, and four spacings.
func TestJobsAboutTheirDeadlinesRefuteNothing(t *testing.T) {
	const short, end = 0x1p-28, 8 - 0x1p-28
	for spacings, refutes := range map[float64]bool{3: false, 4: false, 5: true} {
		in := oneMachine(t, `{"missed": 1}`, fmt.Sprintf(`"work": 8, "deadline": %v`, end-short-spacings*0x1p-50))
		found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, end)}})
		if found.Objective != 1 || found.Refutes(model.ProvedBound(1.5)) != refutes {
			t.Errorf("%v spacings: missed %v, refutes %v", spacings, found.Objective, !refutes)
		}
	}
}
