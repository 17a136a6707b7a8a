package proof

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// areaLevels bounds mcp by areas: the makespan of a cluster is at least the area A of its n jobs over its processors, so that p·mcp is at least the sum
// over clusters of n·A·factor, where factor is the weight of the makespan over the sum of the weights, the processors and the speed, and A is counted at
// speed 1. For fixed numbers of jobs the larger factors n·factor get the smaller jobs, so clusters take consecutive blocks of the jobs sorted by area. The
// least sum over all orders of clusters and sizes of blocks is found by dynamic programming. Complexity: O(2^K·K·p²) for K clusters and p jobs.
func (f *facts) areaLevels(goal *big.Rat, step string) error {
	const most = 1 << 30
	clusters, jobs := f.in.Clusters(), len(f.must)
	switch {
	case !f.all || jobs == 0:
		return doubt(step, "instances with jobs that may be left out are not covered")
	case len(clusters) > 20 || (1<<len(clusters))*len(clusters) > most/(jobs*jobs+1):
		return doubt(step, "too many clusters and jobs")
	case slices.ContainsFunc(f.must, func(j int) bool { return f.over[j] != nil }):
		return doubt(step, "jobs that may spread over several clusters are not covered")
	}
	areas := make([]*big.Rat, jobs)
	runs := make([]bool, len(clusters))
	for k, j := range f.must {
		for c := range clusters {
			x, ok := f.held(j, c)
			if !ok {
				continue
			}
			runs[c] = true
			speed, _ := fastest(&clusters[c])
			if x.Mul(x, number(speed)); areas[k] == nil || x.Cmp(areas[k]) < 0 {
				areas[k] = x // the least work at speed 1 is no more than that of any cluster
			}
		}
	}
	slices.SortFunc(areas, (*big.Rat).Cmp)
	sum, highest := new(big.Rat), new(big.Rat)
	for _, x := range areas {
		sum.Add(sum, x)
	}
	factors := make([]*big.Rat, len(clusters))
	for c := range clusters {
		factors[c] = new(big.Rat)
		if w := clusters[c].Weights; w.Sum() > 0 && runs[c] {
			speed, _ := fastest(&clusters[c])
			below := new(big.Rat).Add(number(w.OverDeadline), new(big.Rat).Add(number(w.Makespan), number(w.IdleTime)))
			below.Mul(below, new(big.Rat).Mul(number(speed), big.NewRat(int64(clusters[c].Processors), 1)))
			factors[c].Quo(number(w.Makespan), below)
		}
		highest = larger(highest, factors[c])
	}
	if sum.Sign() == 0 || highest.Sign() == 0 {
		return short(step, "0", goal)
	}
	work, rate := gridFor(sum, 62-bits.Len(uint(jobs))), gridFor(highest, 60) // so that jobs · area · rate fits into 128 bits
	down, up := make([]int64, jobs+1), make([]int64, jobs+1)                  // sums of the smallest areas
	sum = new(big.Rat)
	for k, x := range areas {
		sum.Add(sum, x)
		down[k+1], up[k+1] = work.down(sum), work.up(sum)
	}
	rates := make([]int64, len(clusters))
	for c := range rates {
		if rates[c] = rate.down(factors[c]); !runs[c] {
			rates[c] = -1
		}
	}
	value, ok := blocks(f, down, up, rates)
	if !ok {
		return doubt(step, "the check was cut off")
	}
	found := value.big()
	found.Quo(found.Quo(found, work.inverse()), rate.inverse())
	if found.Quo(found, big.NewRat(int64(jobs), 1)).Cmp(goal) < 0 {
		return short(step, decimal(found), goal)
	}
	return nil
}

// blocks is the least Σ n·A·rate. A rate of −1 says that no job runs on the cluster. It is false where the context ends.
func blocks(f *facts, down, up, rates []int64) (least int128, ok bool) {
	most := int128{high: math.MaxInt64}
	best := make([][]int128, 1<<len(rates)) // by set of clusters used and number of jobs given out
	best[0] = slices.Repeat([]int128{most}, len(down))
	best[0][0] = int128{}
	for set := 1; set < len(best); set++ {
		if f.ctx.Err() != nil {
			return least, false
		}
		row := slices.Repeat([]int128{most}, len(down))
		for rest := set; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros(uint(rest))
			before := best[set&^(1<<c)]
			for to := range row {
				if before[to].below(row[to]) {
					row[to] = before[to]
				}
				for from := 0; from < to && rates[c] >= 0; from++ {
					if !before[from].below(most) {
						continue
					}
					if x := before[from].plus(product(int64(to-from)*max(0, down[to]-up[from]), rates[c])); x.below(row[to]) {
						row[to] = x
					}
				}
			}
		}
		best[set] = row
	}
	return best[len(best)-1][len(down)-1], true
}
