package proof

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file verifies bounds of mcp of few jobs by all ways to share them among the clusters: p·mcp is the sum over clusters of (its jobs)·cp.
//
// Let a set of n jobs run on a cluster. At any instant the running jobs weigh at most the capacity, so the first k of them have ended no earlier than
// their earliest start plus the k least of weight·time/capacity, and no earlier than the k-th of their ends alone. For these ends t_k the time over
// deadlines is at least Σ max(0, t_k − d_k), with the deadlines sorted too: any other pairing has a larger sum. So with H = w_m + w_i·m
//
//	cp + w_i·(processor time) ≥ H·t_n + w_o·(time over deadlines)
//
// Small sets are put into all orders. If the jobs start in the order of a schedule, each as soon as there is room and not before the one before it, none
// starts later than in that schedule. What the makespan, the time over deadlines or both together are at least for a set holds for every set with more jobs.
//
// All weights are divided by their sum and rounded down, and times are rounded as for prices over time, which lowers the cost.

const (
	mostPartitioned = 16
	mostSplits      = 1 << 28 // clusters · 3^p for p jobs
	mostEnds        = 1 << 31 // steps to find the ends of all sets
	mostOrdered     = 8       // jobs of a set that is put into all orders
)

// partitions verifies the bound.
func (f *facts) partitions(a *Partitions, goal *big.Rat, step string) error {
	if err := f.needRectangles(step); err != nil {
		return err
	}
	jobs, clusters := len(f.in.Jobs()), f.in.Clusters()
	idle := slices.ContainsFunc(clusters, func(c model.Cluster) bool { return c.Weights.IdleTime > 0 })
	if idle && f.in.Features()&model.BackgroundLoad != 0 {
		return doubt(step, "idle time beside background load is not covered")
	}
	splits := len(clusters)
	for k := 0; k < jobs && splits <= mostSplits; k++ {
		splits *= 3
	}
	if a.Orders > mostOrdered {
		return doubt(step+".orders", "more than %d jobs in all orders are not covered", mostOrdered)
	}
	if jobs > mostPartitioned || splits > mostSplits || len(a.Functions)+1 > mostEnds/(len(clusters)*jobs<<jobs) {
		return doubt(step, "too many jobs, clusters and functions")
	}
	t := f.onGrid(f.oneAfterTheOther())
	if t == nil {
		return short(step, "0", goal)
	}
	shares, err := t.shares(a, step)
	if err != nil {
		return err
	}
	most := 1
	for c := range clusters {
		most = max(most, clusters[c].Processors)
	}
	if most > 1<<30 {
		return doubt(step, "more than %d processors are not covered", 1<<30)
	}
	prices := gridFor(number(float64(most)), priceDigits)
	wide := make([][]int128, len(clusters))
	highest := 1.0
	for c := range clusters {
		s := &sets{timetable: t, cluster: c, shares: shares[c], weighed: t.weigh(c, prices)}
		wide[c] = s.costs(a.Orders)
		if wide[c] == nil {
			return doubt(step, "the check was cut off")
		}
		for _, x := range wide[c] {
			if x != impossible {
				highest = max(highest, x.magnitude())
			}
		}
	}
	_, digits := math.Frexp(highest * float64(jobs*len(clusters)))
	cut := uint(max(0, digits-60))
	best := []int64(nil)
	for c := range clusters {
		if best = t.joined(best, wide[c], cut); best == nil {
			return doubt(step, "the check was cut off")
		}
	}
	if best[len(best)-1] >= closed {
		return doubt(step, "no way to share the jobs is possible")
	}
	value := new(big.Rat).SetInt64(best[len(best)-1])
	value.Quo(value, grid{t.times.exponent + prices.exponent + int(cut)}.inverse())
	if value.Quo(value, big.NewRat(int64(jobs), 1)); value.Cmp(goal) < 0 {
		return short(step, decimal(value), goal)
	}
	return nil
}

// oneAfterTheOther is when all jobs end if they run one after the other, each where it takes longest, once all may start. In an order a job may start as late, so
// deadlines up to then count.
func (f *facts) oneAfterTheOther() *big.Rat {
	latest := new(big.Rat)
	for j := range f.in.Jobs() {
		latest = larger(latest, f.head[j])
	}
	sum := new(big.Rat).Set(latest)
	for j := range f.in.Jobs() {
		sum.Add(sum, f.longest(j))
	}
	return sum
}

// impossible is the cost of a set of jobs that cannot all run on the cluster.
var impossible = int128{high: math.MaxInt64}

// shares are, by cluster and function, weight·time/capacity of each job, rounded down. The first function is the number of processors.
func (t *timetable) shares(a *Partitions, step string) ([][][]int64, error) {
	list := make([][][]int64, len(t.in.Clusters()))
	add := func(weight func(c, size int) int64, capacities []int64) {
		for c := range list {
			if capacities[c] == 0 {
				continue
			}
			row := make([]int64, len(t.length))
			for j := range row {
				if run := t.length[j][c]; run.size > 0 {
					high, low := bits.Mul64(uint64(weight(c, run.size)), uint64(run.low))
					quotient, _ := bits.Div64(high, low, uint64(capacities[c])) // no job weighs more than the capacity
					row[j] = int64(quotient)
				}
			}
			list[c] = append(list[c], row)
		}
	}
	plain := make([]int64, len(list))
	for c := range plain {
		plain[c] = int64(t.in.Clusters()[c].Processors)
	}
	add(func(_, size int) int64 { return int64(size) }, plain)
	for k := range a.Functions {
		at := fmt.Sprintf("%s.functions[%d].weights", step, k)
		if a.Functions[k].Weights == nil {
			return nil, refute(at, "expected weights")
		}
		weights, capacities, err := t.weights(a.Functions[k].Weights, at)
		if err != nil {
			return nil, err
		}
		add(func(c, size int) int64 { return weights[c][size] }, capacities)
	}
	return list, nil
}

// sets finds the least costs of sets of jobs on a cluster.
type sets struct {
	*timetable
	weighed
	cluster int
	shares  [][]int64 // by function and job
	list    []setCost // by set
}

// setCost is what a set of jobs has at least.
type setCost struct {
	makespan, late int64
	both           int128 // of these two, weighted
}

// atLeast raises what is known by what else is known.
func (x *setCost) atLeast(other setCost) {
	x.makespan, x.late = max(x.makespan, other.makespan), max(x.late, other.late)
	if x.both.below(other.both) {
		x.both = other.both
	}
}

// both is the cost of a makespan and a time over deadlines.
func (w weighed) both(makespan, late int64) int128 {
	return product(w.height, makespan).plus(product(w.over, late))
}

// alone is the earliest end of a job.
func (s *sets) alone(j int) int64 { return s.head[j] + s.length[j][s.cluster].low }

// inOrder lists all jobs by a value.
func (s *sets) inOrder(of func(j int) int64) []int {
	list := make([]int, len(s.length))
	for j := range list {
		list[j] = j
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(of(a), of(b)) })
	return list
}

// costs are the least costs of all sets, in units of times and prices. It is nil where the context ends.
func (s *sets) costs(ordered int) []int128 {
	byEnd, byDue := s.inOrder(s.alone), s.inOrder(func(j int) int64 { return s.due[j] })
	byShare := make([][]int, len(s.shares))
	for k := range s.shares {
		byShare[k] = s.inOrder(func(j int) int64 { return s.shares[k][j] })
	}
	costs := make([]int128, 1<<len(s.length))
	s.list = make([]setCost, len(costs))
	for set := 1; set < len(costs); set++ {
		jobs, held := []int(nil), int128{}
		runs := true
		for _, j := range byEnd {
			if set>>j&1 == 1 {
				run := s.length[j][s.cluster]
				runs, jobs, held = runs && run.size > 0, append(jobs, j), held.plus(product(s.busy*int64(run.size), run.top))
			}
		}
		if !runs {
			costs[set] = impossible
			continue
		}
		known := &s.list[set]
		*known = s.byShares(set, jobs, byShare, byDue)
		for _, j := range jobs {
			known.atLeast(s.list[set&^(1<<j)])
		}
		known.atLeast(setCost{both: s.both(known.makespan, known.late)})
		if n := len(jobs); n <= ordered {
			slices.Reverse(jobs) // the last to end first, which finds a good order soon
			o := allOrders{sets: s, order: listed{timetable: s.timetable, cluster: s.cluster, jobs: jobs}, known: *known, best: setCost{math.MaxInt64, math.MaxInt64, impossible}}
			o.extend(0, 0, math.MinInt64, setCost{})
			known.atLeast(o.best)
		}
		if (set%256 == 0 || len(jobs) > 5) && s.ctx.Err() != nil {
			return nil
		}
		costs[set] = known.both.minus(held)
	}
	return costs
}

// byShares is what the shares say of a set. Its jobs are sorted by their ends alone.
func (s *sets) byShares(set int, jobs []int, byShare [][]int, byDue []int) setCost {
	first, late, ends := int64(math.MaxInt64), int64(0), make([]int64, len(jobs))
	for n, j := range jobs {
		ends[n] = s.alone(j)
		first, late = min(first, s.head[j]), late+max(0, ends[n]-s.due[j])
	}
	for k, share := range s.shares {
		n, sum := 0, first
		for _, j := range byShare[k] {
			if set>>j&1 == 1 {
				sum += share[j]
				ends[n] = max(ends[n], sum)
				n++
			}
		}
	}
	n, paired := 0, int64(0)
	for _, j := range byDue {
		if set>>j&1 == 1 {
			paired += max(0, ends[n]-s.due[j])
			n++
		}
	}
	return setCost{makespan: ends[n-1], late: max(late, paired)}
}

// allOrders puts a set of jobs into all orders.
type allOrders struct {
	*sets
	order listed
	known setCost // no order has less
	best  setCost // of the orders so far; each of its numbers may be of another order
}

// extend adds each job that is left to the first n, of which the last starts at the time last.
func (o *allOrders) extend(n, used int, last int64, at setCost) {
	hope := o.known
	hope.atLeast(at)
	hope.atLeast(setCost{both: o.both(hope.makespan, hope.late)})
	if hope.makespan >= o.best.makespan && hope.late >= o.best.late && !hope.both.below(o.best.both) {
		return
	}
	if n == len(o.order.jobs) {
		o.best.makespan, o.best.late = min(o.best.makespan, at.makespan), min(o.best.late, at.late)
		if x := o.both(at.makespan, at.late); x.below(o.best.both) {
			o.best.both = x
		}
		return
	}
	for k, j := range o.order.jobs {
		if used>>k&1 == 1 {
			continue
		}
		start := o.order.start(k, used, last)
		end := start + o.length[j][o.cluster].low
		o.order.ends[k] = end
		o.extend(n+1, used|1<<k, start, setCost{makespan: max(at.makespan, end), late: at.late + max(0, end-o.due[j])})
	}
}

// listed is a list schedule of a set of jobs on a cluster, as far as it has been made.
type listed struct {
	*timetable
	cluster int
	jobs    []int
	ends    [mostOrdered]int64 // by position in jobs
}

// start is the earliest start of the k-th job beside the jobs used, the last of which starts at the time last.
func (o *listed) start(k, used int, last int64) int64 {
	j := o.jobs[k]
	at, run := max(last, o.head[j]), o.length[j][o.cluster]
	if run.low == 0 { // a job of no length needs no room
		return at
	}
	for {
		free, next := o.in.Clusters()[o.cluster].Processors, int64(math.MaxInt64)
		for i, other := range o.jobs {
			if used>>i&1 == 1 && o.ends[i] > at {
				free, next = free-o.length[other][o.cluster].size, min(next, o.ends[i])
			}
		}
		if free >= run.size {
			return at
		}
		at = next
	}
}

// joined adds a cluster to the least costs of the sets of jobs: of each set, (jobs there)·cost for a part of it, and what the rest costs on the clusters
// before, none for the first. It drops binary digits. It is nil where the context ends.
func (t *timetable) joined(before []int64, wide []int128, cut uint) []int64 {
	own := make([]int64, len(wide))
	for set, x := range wide {
		if own[set] = closed; x != impossible {
			own[set] = x.down(cut) * int64(bits.OnesCount(uint(set)))
		}
	}
	if before == nil {
		return own
	}
	best := make([]int64, len(own))
	for set := range best {
		if set%1024 == 0 && t.ctx.Err() != nil {
			return nil
		}
		least := together(before[0], own[set])
		for part := set; part != 0; part = (part - 1) & set {
			least = min(least, together(before[part], own[set&^part]))
		}
		best[set] = least
	}
	return best
}
