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
//	cp ≥ H·t_n − w_i·(processor time) + w_o·(time over deadlines)
//
// All weights are divided by their sum and rounded down, and times are rounded as for prices over time, which lowers the cost.

const (
	mostPartitioned = 16
	mostSplits      = 1 << 28 // clusters · 3^p for p jobs
	mostEnds        = 1 << 31 // steps to find the ends of all sets
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
	if jobs > mostPartitioned || splits > mostSplits || len(a.Functions)+1 > mostEnds/(len(clusters)*jobs<<jobs) {
		return doubt(step, "too many jobs, clusters and functions")
	}
	t := f.onGrid(new(big.Rat))
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
		wide[c] = t.sets(c, shares[c], t.weigh(c, prices))
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

// sets are the least costs of all sets of jobs on the cluster, in units of times and prices. It is nil where the context ends.
func (t *timetable) sets(c int, shares [][]int64, w weighed) []int128 {
	jobs := len(t.length)
	order := func(of func(j int) int64) []int {
		list := make([]int, jobs)
		for j := range list {
			list[j] = j
		}
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(of(a), of(b)) })
		return list
	}
	alone := func(j int) int64 { return t.head[j] + t.length[j][c].low }
	byEnd, byDue := order(alone), order(func(j int) int64 { return t.due[j] })
	byShare := make([][]int, len(shares))
	for k := range shares {
		byShare[k] = order(func(j int) int64 { return shares[k][j] })
	}
	list, ends := make([]int128, 1<<jobs), make([]int64, jobs)
	for set := 1; set < len(list); set++ {
		if set%256 == 0 && t.ctx.Err() != nil {
			return nil
		}
		n, first, late, held := 0, int64(math.MaxInt64), int64(0), int128{}
		for _, j := range byEnd {
			if set>>j&1 == 0 {
				continue
			}
			run := t.length[j][c]
			if run.size == 0 {
				n = -1
				break
			}
			ends[n] = alone(j)
			n++
			first, late = min(first, t.head[j]), late+max(0, alone(j)-t.due[j])
			held = held.plus(product(w.costs.busy*int64(run.size), run.top))
		}
		if n < 0 {
			list[set] = impossible
			continue
		}
		for k, share := range shares {
			at, sum := 0, first
			for _, j := range byShare[k] {
				if set>>j&1 == 1 {
					sum += share[j]
					ends[at] = max(ends[at], sum)
					at++
				}
			}
		}
		at, paired := 0, int64(0)
		for _, j := range byDue {
			if set>>j&1 == 1 {
				paired += max(0, ends[at]-t.due[j])
				at++
			}
		}
		list[set] = product(w.height, ends[n-1]).minus(held).plus(product(w.costs.over, max(late, paired)))
	}
	return list
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
