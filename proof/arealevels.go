package proof

import (
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
	case slices.ContainsFunc(f.must, func(j int) bool { return spreads(f.in, j) }):
		return doubt(step, "jobs that may spread over several clusters are not covered")
	}
	areas := make([]*big.Rat, jobs)
	runs := make([]bool, len(clusters))
	for k, j := range f.must {
		for c := range clusters {
			x, ok := area(f.in, j, c)
			if !ok {
				continue
			}
			runs[c] = true
			speed, _ := fastest(&clusters[c])
			if x.Mul(x, number(speed)); areas[k] == nil || x.Cmp(areas[k]) < 0 {
				areas[k] = x // fewer work at speed 1 is right everywhere
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
	work, rate := gridFor(sum, 52), gridFor(highest, 52)
	sums := make([]int64, jobs+1)
	for k, x := range areas {
		sums[k+1] = sums[k] + work.down(x)
	}
	rates := make([]int64, len(clusters))
	for c := range rates {
		if rates[c] = rate.down(factors[c]); !runs[c] {
			rates[c] = -1
		}
	}
	shift := uint(max(0, 104+2*bits.Len(uint(jobs))-60)) // so that sums of jobs · area · rate fit
	units := grid{work.exponent + rate.exponent + int(shift)}
	value := blocks(f, sums, rates, shift)
	if value < 0 {
		return doubt(step, "the check was cut off")
	}
	found := new(big.Rat).Quo(new(big.Rat).SetInt64(value), units.inverse())
	if found.Quo(found, big.NewRat(int64(jobs), 1)).Cmp(goal) < 0 {
		return short(step, decimal(found), goal)
	}
	return nil
}

// blocks is the least Σ n·A·rate, rounded down; a rate of −1: no job runs on the cluster. It is −1 where the context ends.
func blocks(f *facts, sums, rates []int64, shift uint) int64 {
	best := make([][]int64, 1<<len(rates)) // by set of clusters used and number of jobs given out
	best[0] = slices.Repeat([]int64{closed}, len(sums))
	best[0][0] = 0
	for set := 1; set < len(best); set++ {
		if f.ctx.Err() != nil {
			return -1
		}
		row := slices.Repeat([]int64{closed}, len(sums))
		for rest := set; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros(uint(rest))
			before := best[set&^(1<<c)]
			for to := range row {
				row[to] = min(row[to], before[to])
				for from := 0; from < to && rates[c] >= 0; from++ {
					if before[from] < closed {
						row[to] = min(row[to], before[from]+int64(to-from)*product(sums[to]-sums[from], rates[c]).down(shift))
					}
				}
			}
		}
		best[set] = row
	}
	return best[len(best)-1][len(sums)-1]
}
