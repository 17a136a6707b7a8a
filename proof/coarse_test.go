package proof_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// What prices of one machine prove is worked out here in exact numbers, and so is the optimum, over all orders. Whatever the units and however high the prices, nothing above the optimum is verified,
// and nothing refuted that the prices prove: where the grid of times is too coarse to tell, the certificate is not certified.
func TestPricesOfAnySizeAreNeitherVerifiedNorRefutedWrongly(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(race.Fewer(1500, 300)) {
		rng := rand.New(rand.NewPCG(seed, 57))
		unit := []float64{8e-9, 1e-3, 0.1, 1, 1e9}[rng.IntN(5)]
		metric := []string{"bounded_slowdown", "mean_slowdown", "mean_response", "mean_wait"}[rng.IntN(4)]
		b := model.NewBuilder(fmt.Sprint("coarse", seed)).Minimise(metric, 1).Cluster(solvecases.Machines("c", 1, 1))
		jobs := 1 + rng.IntN(4)
		for j := range jobs {
			arrival := 0.0
			if j > 0 {
				arrival = unit * float64(rng.IntN(4))
			}
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: arrival, Work: new(unit * float64(1+rng.IntN(6)))})
		}
		in := solvecases.Built(t, b)
		limits, at := []float64{0}, 0
		prices := proof.ClusterPrices{}
		size := 1 / (unit * float64(jobs))
		if rng.IntN(2) == 0 {
			size *= float64(uint64(1) << rng.IntN(60))
		}
		for range 1 + rng.IntN(4) {
			at += 1 + rng.IntN(5)
			limits = append(limits, unit*float64(at))
			prices.Processor = append(prices.Processor, size*rng.Float64())
		}
		value, optimum := dualOf(in, metric, limits, prices.Processor), leastInOrder(in, metric)
		by := &proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: []proof.ClusterPrices{prices}}}
		for _, shift := range []float64{-1, -1e-3, -1e-9, -1e-14, 1e-14, 1e-9, 1e-3, 1} {
			off := new(big.Rat).Abs(value)
			off.Mul(off, new(big.Rat).SetFloat64(shift))
			goal, _ := off.Add(off, value).Float64()
			if !(goal > 0) {
				continue
			}
			r := verdict(t.Context(), in, claim(in, metric, goal, 0, by))
			exact := new(big.Rat).SetFloat64(goal)
			if r.Verdict == proof.Verified && exact.Cmp(optimum) > 0 || r.Verdict == proof.Refuted && exact.Cmp(value) <= 0 {
				f, _ := value.Float64()
				best, _ := optimum.Float64()
				t.Fatalf("seed %d: %s ≥ %v by prices that prove %v, of %v: %v", seed, metric, goal, f, best, r)
			}
			if tooCoarse(r) {
				seen["coarse"]++
			} else {
				seen[string(r.Verdict)]++
			}
		}
	}
	t.Log(seen)
	if seen["coarse"] < race.Enough(50) || seen[string(proof.Verified)] < race.Enough(300) || seen[string(proof.Refuted)] < race.Enough(300) {
		t.Errorf("%v: the test says little", seen)
	}
}

// dualOf is what the prices of the one processor prove: the least that each job costs and pays, less what the processor can take in. As a function of a start that is linear but where its start, its
// end or what it costs meets a limit.
func dualOf(in *model.Instance, metric string, limits, prices []float64) *big.Rat {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	n := new(big.Rat).SetInt64(int64(len(in.Jobs())))
	// paid is what the processor takes in up to a time.
	paid := func(until *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for b, price := range prices {
			from, to := rat(limits[b]), rat(limits[b+1])
			if until.Cmp(to) < 0 {
				to = until
			}
			if to.Cmp(from) > 0 {
				sum.Add(sum, new(big.Rat).Mul(rat(price), new(big.Rat).Sub(to, from)))
			}
		}
		return sum
	}
	total := new(big.Rat).Neg(paid(rat(limits[len(limits)-1])))
	for j := range in.Jobs() {
		arrival, takes := rat(in.Jobs()[j].Arrival), rat(in.DurationOn(j, 0, 1))
		due := costOf(in, metric, j).due
		var best *big.Rat
		try := func(start *big.Rat) {
			if start.Cmp(arrival) < 0 {
				return
			}
			end := new(big.Rat).Add(start, takes)
			cost := new(big.Rat).Quo(costOf(in, metric, j).at(end), n)
			if cost.Add(cost, paid(end)).Sub(cost, paid(start)); best == nil || cost.Cmp(best) < 0 {
				best = cost
			}
		}
		try(arrival)
		try(new(big.Rat).Sub(due, takes))
		for _, limit := range limits {
			try(rat(limit))
			try(new(big.Rat).Sub(rat(limit), takes))
		}
		total.Add(total, best)
	}
	return total
}

// endCost is what the end of a job costs: a constant, and a weight for each unit of time after one.
type endCost struct{ constant, weight, due *big.Rat }

func costOf(in *model.Instance, metric string, j int) endCost {
	takes := new(big.Rat).SetFloat64(in.DurationOn(j, 0, 1))
	c := endCost{new(big.Rat), big.NewRat(1, 1), new(big.Rat).SetFloat64(in.Jobs()[j].Arrival)}
	switch metric {
	case "mean_wait":
		c.due.Add(c.due, takes)
	case "mean_slowdown":
		c = endCost{big.NewRat(1, 1), new(big.Rat).Inv(takes), c.due.Add(c.due, takes)}
	case "bounded_slowdown":
		if long := big.NewRat(10, 1); takes.Cmp(long) < 0 {
			takes = long
		}
		c = endCost{big.NewRat(1, 1), new(big.Rat).Inv(takes), c.due.Add(c.due, takes)}
	}
	return c
}

func (c endCost) at(end *big.Rat) *big.Rat {
	cost := new(big.Rat).Set(c.constant)
	if end.Cmp(c.due) > 0 {
		cost.Add(cost, new(big.Rat).Mul(c.weight, new(big.Rat).Sub(end, c.due)))
	}
	return cost
}

// leastInOrder is the least mean cost on the one processor, over all orders of the jobs.
func leastInOrder(in *model.Instance, metric string) *big.Rat {
	var best *big.Rat
	var next func(done int, free, cost *big.Rat)
	next = func(done int, free, cost *big.Rat) {
		if done == 1<<len(in.Jobs())-1 {
			if best == nil || cost.Cmp(best) < 0 {
				best = cost
			}
			return
		}
		for j := range in.Jobs() {
			if done>>j&1 == 1 {
				continue
			}
			end := new(big.Rat).SetFloat64(in.Jobs()[j].Arrival)
			if end.Cmp(free) < 0 {
				end.Set(free)
			}
			end.Add(end, new(big.Rat).SetFloat64(in.DurationOn(j, 0, 1)))
			next(done|1<<j, end, new(big.Rat).Add(cost, costOf(in, metric, j).at(end)))
		}
	}
	next(0, new(big.Rat), new(big.Rat))
	return best.Quo(best, new(big.Rat).SetInt64(int64(len(in.Jobs()))))
}
