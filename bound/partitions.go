package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "partitions", Metric: "mcp", Certifies: true,
	Doc:    "up to 16 jobs: the best of all ways to share the jobs among the clusters, with the best order of each small set of them, and what areas, dual feasible functions and smaller sets say of larger ones",
	Source: "allot; the functions as in dual-feasible",
	New: func(r *Relaxation, proved *Gate) Prover {
		return &partitionProver{r: r, proved: proved, ordered: leastOrdered}
	}})

// Limits of the method: jobs, ways to split sets of them among the clusters (fewer than 3^p for p jobs and each cluster), and jobs
// of the sets whose orders are looked at.
const (
	mostPartitioned = 16
	mostSplits      = 1 << 28
	leastOrdered    = 5
)

// partitionProver proves a bound with all orders of sets of 5 jobs. It goes on with larger sets each time it was given enough work.
type partitionProver struct {
	r       *Relaxation
	proved  *Gate
	ordered int
	credit  int64
}

// Improve implements [Prover].
func (p *partitionProver) Improve(ctx context.Context, work int64) bool {
	p.credit += work
	for need := p.r.partitionWork(p.ordered); need > 0; need = p.r.partitionWork(p.ordered) {
		if ctx.Err() != nil || p.credit < need {
			return true
		}
		sum, show, ok := provePartitions(ctx, p.r, p.ordered)
		if !ok {
			return ctx.Err() != nil
		}
		if p.proved.Prove(sum) {
			p.proved.Show(show)
		}
		p.credit -= need
		p.ordered++
	}
	return false
}

// partitionWork is about the work to look at all ways to share the jobs, with all orders of each set that has at most as many jobs as ordered says. It is 0 if the method does not
// apply or has nothing left to do.
func (r *Relaxation) partitionWork(ordered int) int64 {
	p, clusters := len(r.must), int64(len(r.in.Clusters()))
	if !r.all || !r.solid || p == 0 || p > mostPartitioned || ordered > max(leastOrdered, min(p, mostOrdered)) || r.shrinksIdle() {
		return 0
	}
	splits := clusters
	for range p {
		if splits *= 3; splits > mostSplits {
			return 0
		}
	}
	orders, all := int64(1), int64(0)
	for n := range min(p, ordered) {
		orders *= int64(p - n)
		all += orders
	}
	return splits + clusters*(40*all+20*int64(p)<<p)
}

// provePartitions bounds the cost of every set of jobs on every cluster, and finds the best way to share the jobs among the
// clusters by dynamic programming over sets of jobs.
//
// Let n jobs run on a cluster of m processors. The k-th of their ends is at least the k-th of the ends that they have alone. With
// shares of the cluster by a dual feasible function it is also at least their earliest start plus the k least of (share ·
// execution time). These ends t_k bound the makespan by t_n, and with the sorted deadlines d_k the time over deadlines by
// Σ max(0, t_k − d_k). The cluster costs (w_m + w_i·m)·makespan − w_i·area + w_o·late, divided by the sum of the weights. For sets
// with at most as many jobs as ordered says, the best list schedule gives the makespan, the time over deadlines and the least sum of
// both. What holds of a set holds of each that contains it.
//
// Complexity: O(K·3^p) for p jobs and K clusters, O(2^p·p) for each cluster and function, and p!/(p−n)! orders of n jobs.
func provePartitions(ctx context.Context, r *Relaxation, ordered int) (Sum, func() *proof.Argument, bool) {
	p := len(r.must)
	all := make([]clusterSets, len(r.in.Clusters()))
	costs := make([][]float64, len(all))
	var sum Sum
	for c := range all {
		all[c] = r.setsOn(c)
		if costs[c] = all[c].costs(ctx, ordered); costs[c] == nil {
			return Sum{}, nil, false
		}
		sum.Size += all[c].size()
		sum.Terms += len(all) + 8*p
	}
	best := costs[0]
	for _, own := range costs[1:] {
		if best = shared(ctx, best, own); best == nil {
			return Sum{}, nil, false
		}
	}
	sum.Value = best[len(best)-1]
	return r.Chained(sum), func() *proof.Argument { return showPartitions(all, ordered) }, !math.IsInf(sum.Value, 1)
}

// shrinksIdle says whether background load, which makes jobs longer, may make a schedule cheaper.
func (r *Relaxation) shrinksIdle() bool {
	return r.in.Features()&model.BackgroundLoad != 0 && slices.ContainsFunc(r.in.Clusters(), func(c model.Cluster) bool { return c.Weights.IdleTime > 0 })
}

// shared is, by set of jobs, the least sum if one part of the set costs as in a, and the rest as in b. It is nil if the context ends.
func shared(ctx context.Context, a, b []float64) []float64 {
	least := make([]float64, len(a))
	for set := range least {
		if set%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		v := a[0] + b[set]
		for part := set; part != 0; part = (part - 1) & set {
			v = min(v, a[part]+b[set&^part])
		}
		least[set] = v
	}
	return least
}

// clusterSets is what the costs of sets of jobs on a cluster depend on.
type clusterSets struct {
	cluster   *model.Cluster
	unit      float64 // 1/(p · sum of the weights); 0 if that sum is 0
	runs      []bool  // by job
	start     []float64
	end       []float64 // earliest ends
	due       []float64
	area      []float64
	sizes     []int
	durations []float64
	longest   []int // the jobs by execution time
	shares    []sizeShares
	moment    float64 // a job that takes no longer may have no length in a schedule, whose times are rounded
}

// sizeShares are the shares by a dual feasible function, as whole numbers by size.
type sizeShares struct {
	weights []proof.Weight
	parts   int
	time    []float64 // by job: share of the cluster times execution time
}

// setsOn prepares the sets of jobs on cluster c.
func (r *Relaxation) setsOn(c int) clusterSets {
	p := len(r.must)
	s := clusterSets{cluster: &r.in.Clusters()[c], runs: make([]bool, p), start: make([]float64, p), end: make([]float64, p), due: make([]float64, p), area: make([]float64, p)}
	if w := s.cluster.Weights.Sum(); w > 0 {
		s.unit = 1 / (float64(p) * w)
	}
	sizes, durations := make([]int, p), make([]float64, p)
	for k, j := range r.must {
		s.start[k], s.due[k] = r.start[j], r.due(j)
		if s.runs[k] = r.in.CanRun(j, c); s.runs[k] {
			sizes[k], _ = r.in.Width(j, c)
			durations[k] = r.in.DurationOn(j, c, sizes[k])
			s.end[k], s.area[k] = s.start[k]+durations[k], float64(sizes[k])*durations[k]
		}
	}
	for k := range durations {
		s.moment += 0x1p-48 * (s.start[k] + durations[k])
	}
	s.sizes, s.durations, s.longest = sizes, durations, sorted(durations)
	for _, f := range r.functionsOn(c) {
		f.time = make([]float64, p)
		for k, size := range sizes {
			if s.runs[k] {
				at := slices.IndexFunc(f.weights, func(w proof.Weight) bool { return w.Size == size })
				f.time[k] = float64(f.weights[at].Weight) / float64(f.parts) * durations[k]
			}
		}
		s.shares = append(s.shares, f)
	}
	return s
}

// functionsOn are the functions for cluster c: the plain area, and all others that no earlier or higher one makes useless.
func (r *Relaxation) functionsOn(c int) (kept []sizeShares) {
	processors := r.in.Clusters()[c].Processors
	shares := func(f sizeFunction) sizeShares {
		parts := f.parts(processors)
		own := r.sizeWeights(r.must, func(size, m int) int { return int(math.Round(f.sizes(size, m) * float64(parts))) })[c]
		return sizeShares{weights: own, parts: parts}
	}
	kept = append(kept, shares(sizeFunction{plainSizes, func(m int) int { return m }}))
	for _, f := range r.sizeFunctions() {
		own := shares(f)
		if !slices.ContainsFunc(kept, func(other sizeShares) bool { return own.within(&other) }) {
			kept = append(slices.DeleteFunc(kept, func(other sizeShares) bool { return other.within(&own) }), own)
		}
	}
	return kept
}

// within says that no size has a larger share than by the other function.
func (s *sizeShares) within(other *sizeShares) bool {
	for k, w := range s.weights {
		if w.Weight*other.parts > other.weights[k].Weight*s.parts {
			return false
		}
	}
	return true
}

// sorted are the positions of the jobs, by value.
func sorted(values []float64) []int {
	order := make([]int, len(values))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// costs are what sets of jobs cost at least on the cluster, divided by all jobs; +Inf if one of them cannot run there. It is nil if
// the context ends.
func (s *clusterSets) costs(ctx context.Context, ordered int) []float64 {
	w := s.cluster.Weights
	byEnd, byDue := sorted(s.end), sorted(s.due)
	orders := make([][]int, len(s.shares))
	for f := range orders {
		orders[f] = sorted(s.shares[f].time)
	}
	list, ends := make([]float64, 1<<len(s.runs)), make([]float64, 0, len(s.runs))
	parts := make([]setCost, len(list))
	for set := 1; set < len(list); set++ {
		if set%256 == 0 && ctx.Err() != nil {
			return nil
		}
		ends = ends[:0]
		first, area, late := math.Inf(1), 0.0, 0.0
		for _, k := range byEnd {
			if set>>k&1 == 0 {
				continue
			}
			if !s.runs[k] {
				area = math.Inf(-1) // the set costs +Inf
				break
			}
			ends = append(ends, s.end[k])
			first, area, late = min(first, s.start[k]), area+s.area[k], late+max(0, s.end[k]-s.due[k])
		}
		if math.IsInf(area, -1) {
			list[set] = math.Inf(1)
			continue
		}
		for f, order := range orders {
			sum, n := first, 0
			for _, k := range order {
				if set>>k&1 == 1 {
					sum += s.shares[f].time[k]
					ends[n] = max(ends[n], sum)
					n++
				}
			}
		}
		matched, n := 0.0, 0
		for _, k := range byDue {
			if set>>k&1 == 1 {
				matched += max(0, ends[n]-s.due[k])
				n++
			}
		}
		known := setCost{makespan: ends[n-1], late: max(late, matched)}
		for k := range s.runs { // what a part of the set costs at least
			if set>>k&1 == 1 {
				part := &parts[set&^(1<<k)]
				known.makespan, known.late = max(known.makespan, part.makespan), max(known.late, part.late)
				known.both = max(known.both, part.both)
			}
		}
		known.both = max(known.both, s.weigh(known.makespan, known.late))
		if n <= ordered {
			if n > leastOrdered && ctx.Err() != nil {
				return nil
			}
			known = s.inOrders(set, known)
		}
		parts[set] = known
		list[set] = s.unit * float64(n) * (known.both - w.IdleTime*area)
	}
	return list
}

// size limits the sum of the magnitudes of all numbers in the cost of any set.
func (s *clusterSets) size() float64 {
	w, m := s.cluster.Weights, float64(s.cluster.Processors)
	latest, area, due := 0.0, 0.0, 0.0
	for k, runs := range s.runs {
		if !runs {
			continue
		}
		latest += s.end[k] // no end is bounded by more than a start and all execution times
		area += s.area[k]
		if !math.IsInf(s.due[k], 1) {
			due += math.Abs(s.due[k])
		}
	}
	n := float64(len(s.runs))
	return s.unit * n * ((w.Makespan+w.IdleTime*m)*latest + w.IdleTime*area + w.OverDeadline*(n*latest+due))
}

// showPartitions states the functions; the checker computes the costs.
func showPartitions(all []clusterSets, ordered int) *proof.Argument {
	a := &proof.Partitions{Orders: ordered}
	for k := 0; ; k++ {
		weights := make([][]proof.Weight, len(all))
		more := false
		for c := range all {
			weights[c] = []proof.Weight{}
			if k < len(all[c].shares) {
				weights[c], more = all[c].shares[k].weights, true
			}
		}
		if !more {
			return &proof.Argument{Partitions: a}
		}
		a.Functions = append(a.Functions, proof.SizeFunction{Weights: weights})
	}
}

// inOrders raises what is known of a set of jobs to what its best list schedule costs.
func (s *clusterSets) inOrders(set int, known setCost) setCost {
	o := orders{clusterSets: s, known: known, least: setCost{math.Inf(1), math.Inf(1), math.Inf(1)}}
	for a := len(s.longest) - 1; a >= 0; a-- {
		if k := s.longest[a]; set>>k&1 == 1 {
			o.jobs = append(o.jobs, k)
		}
	}
	o.extend(0, 0, 0, setCost{})
	return setCost{max(known.makespan, o.least.makespan), max(known.late, o.least.late), max(known.both, o.least.both)}
}
