package model_test

import (
	"math"
	"math/big"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// judge computes metrics in exact numbers, and what docs/rules.md says of bounds from them.
type judge struct {
	*rules
	found     model.Evaluation // for the metrics that have no exact form
	off       float64
	coarse    bool  // schedules cannot be told apart
	finished  []int // the jobs that are
	deadlines int   // jobs that have one
	missed    int   // jobs that miss it
	all       gridSums
}

func newJudge(r *rules, sol *model.Solution) *judge {
	g := &judge{rules: r}
	r.resolve(sol)
	for k := range r.in.Jobs() {
		j, placed := &r.in.Jobs()[k], r.placed[k] != nil
		late := placed && g.late(k)
		if placed && !(j.DeadlineHard && late) {
			g.finished = append(g.finished, k)
		}
		if !math.IsInf(j.Deadline, 1) {
			g.deadlines++
			if !placed || late {
				g.missed++
			}
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

// cost is what a job costs.
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

// paid is the same in float64, in which the last digit may decide whether a budget is exceeded.
func (g *judge) paid(k int) (sum float64) {
	for _, p := range g.pieces[k] {
		c, _ := g.in.ClusterIndex(p.Cluster)
		rate := 0.0
		for _, run := range p.Processors {
			for q, alike := run.First, 1; q <= run.Last; q, alike = q+1, alike+1 {
				if m := g.at[c][q]; q == run.Last || g.at[c][q+1] != m {
					rate += m.Cost * float64(alike)
					alike = 0
				}
			}
		}
		sum += (p.End - p.Start) * rate
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
		return whole(g.missed)
	case "miss_rate":
		return overOf(big.NewRat(int64(100*g.missed), 1), g.deadlines), true
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
			whole, spent, last := true, 0.0, math.Inf(-1)
			for _, k := range w.Jobs {
				if p := g.placed[k]; p != nil {
					last = max(last, p.End)
				} else {
					whole = false
				}
				spent += g.paid(k)
			}
			if !whole || last > w.Deadline || spent > w.Budget {
				n++
			}
		}
		return whole(n)
	case "over_budget":
		n := 0
		for k := range g.placed {
			if g.paid(k) > g.in.Jobs()[k].Budget {
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

// metrics compares the metrics, those that have an exact form first.
func (g *judge) metrics(t *rapid.T) {
	for _, m := range model.MetricTable() {
		if want, exact := g.metric(m.Name); exact {
			got, ok := g.found.Metrics.Get(m.Name)
			x, _ := want.Float64()
			if slack := 1e-12*math.Abs(x) + g.rounding(m.Name); !ok || math.Abs(got-x) > slack {
				t.Fatalf("%s is %v, expected %v", m.Name, got, x)
			}
		}
	}
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
