package proof_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// leastSet is what the cheapest set of so many jobs costs on cluster c, less the prices of its jobs: by all sets and all orders; +Inf: there is none.
func (n *naive) leastSet(c, jobs int, prices []float64) float64 {
	least := math.Inf(1)
	_, _, idle := n.weights(c)
	for set := range 1 << len(n.specs) {
		if bits.OnesCount(uint(set)) != jobs {
			continue
		}
		var list []int
		cost, runs := 0.0, true
		for j := range n.specs {
			if runs = runs && (set>>j&1 == 0 || n.in.CanRun(j, c)); runs && set>>j&1 == 1 {
				size, time := n.on(j, c)
				list = append(list, j)
				cost -= float64(jobs)*idle*float64(size)*time/float64(len(n.specs)) + prices[j]
			}
		}
		if !runs {
			continue
		}
		if of, ok := n.setCost(&proof.Partitions{Orders: jobs}, c, list); ok {
			least = min(least, cost+float64(jobs)*of.both/float64(len(n.specs)))
		}
	}
	return least
}

// Costs of sets hold up to that of the cheapest set, and a tree proves with them what it should.
func TestCountsWithCheapSetsProveWhatTheyShould(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(5, 17)), tally{}
	for range race.Fewer(400, 60) {
		n := rigid(t, rng, true)
		counts := &proof.Counts{Nodes: []proof.Node{{Prices: []int{0}}}}
		var prices proof.JobPrices
		counts.Limits, prices.Clusters = n.priced(rng, nil)
		for range n.specs {
			prices.Jobs = append(prices.Jobs, float64(rng.IntN(9)-2)/4)
		}
		raised := slices.Repeat([][]float64{nil}, len(n.in.Clusters()))
		for c := range n.in.Clusters() {
			prices.Sets = append(prices.Sets, []proof.SetFloor{})
			for jobs := 1; jobs <= len(n.specs); jobs++ {
				if least := n.leastSet(c, jobs, prices.Jobs); !math.IsInf(least, 1) && rng.IntN(3) > 0 {
					prices.Sets[c] = append(prices.Sets[c], proof.SetFloor{Jobs: jobs, Least: least - 1e-9*(1+math.Abs(least))})
					raised[c] = append(raised[c], least)
				}
			}
		}
		counts.Prices = []proof.JobPrices{prices}
		goals := around(func(goal float64) bool { return n.provesTree(counts, goal) })
		for _, goal := range goals {
			want := proof.Refuted
			if n.provesTree(counts, goal) {
				want = proof.Verified
			}
			n.says(t, seen, "true", "mcp", goal, want, proof.Argument{Counts: counts})
		}
		if len(goals) == 0 {
			continue
		}
		for c := range raised { // a little more than the cheapest set costs
			for k, least := range raised[c] {
				more := *counts
				more.Prices = []proof.JobPrices{prices}
				more.Prices[0].Sets = slices.Clone(prices.Sets)
				more.Prices[0].Sets[c] = slices.Clone(prices.Sets[c])
				more.Prices[0].Sets[c][k].Least = least + 1e-9*(1+math.Abs(least))
				n.says(t, seen, "raised", "mcp", goals[0], proof.Refuted, proof.Argument{Counts: &more})
			}
		}
	}
	if least := race.Fewer(100, 10); seen["true verified"] < least || seen["true refuted"] < least || seen["raised refuted"] < least {
		t.Errorf("the test says little: %v", seen)
	}
}

// What is stated of sets must fit the instance.
func TestRefusalsOfSets(t *testing.T) {
	n := rigid(t, rand.New(rand.NewPCG(5, 18)), false)
	free := func() *proof.Counts {
		counts := &proof.Counts{Nodes: []proof.Node{{Prices: []int{0}}}, Prices: []proof.JobPrices{{Jobs: make([]float64, len(n.specs))}}}
		counts.Limits, counts.Prices[0].Clusters = n.priced(rand.New(rand.NewPCG(5, 19)), nil)
		counts.Prices[0].Sets = slices.Repeat([][]proof.SetFloor{{}}, len(n.in.Clusters()))
		return counts
	}
	for name, change := range map[string]func(p *proof.JobPrices){
		"a cluster more": func(p *proof.JobPrices) { p.Sets = append(p.Sets, []proof.SetFloor{}) },
		"no jobs":        func(p *proof.JobPrices) { p.Sets[0] = []proof.SetFloor{{Jobs: 0}} },
		"too many jobs":  func(p *proof.JobPrices) { p.Sets[0] = []proof.SetFloor{{Jobs: len(n.specs) + 1}} },
		"too much":       func(p *proof.JobPrices) { p.Sets[0] = []proof.SetFloor{{Jobs: 1, Least: 1e140}} },
		"endless":        func(p *proof.JobPrices) { p.Sets[0] = []proof.SetFloor{{Jobs: 1, Least: 1e308}} },
	} {
		counts := free()
		change(&counts.Prices[0])
		if r := verdict(t.Context(), n.in, claim(n.in, "mcp", 1e-3, 0, &proof.Argument{Counts: counts})); r.Verdict != proof.Refuted {
			t.Errorf("%s: %v", name, fmt.Sprint(r))
		}
	}
}
