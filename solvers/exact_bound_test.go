package solvers_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// The bound of a proof by enumeration is at most the optimum in exact numbers, although the times of tenths that it adds up are rounded.
func TestExactBoundsAreAtMostTheExactOptimum(t *testing.T) {
	race.OneGoroutine(t)
	const jobs = 5
	info, above, proved := mustLookup(t, "exact"), 0, 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 46))
		b := model.NewBuilder("tenths").Minimise("over_deadline", 1).Cluster(solvecases.Machines("c", 1, 1))
		var works, deadlines [jobs]float64
		for j := range jobs {
			works[j], deadlines[j] = float64(1+rng.IntN(9))/10, float64(1+rng.IntN(20))/10
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &works[j], Deadline: &deadlines[j]})
		}
		var best *big.Rat
		var extend func(done uint, end, over *big.Rat)
		extend = func(done uint, end, over *big.Rat) {
			if done == 1<<jobs-1 && (best == nil || over.Cmp(best) < 0) {
				best = over
			}
			for j := range jobs {
				if done>>j&1 == 0 {
					next := new(big.Rat).SetFloat64(works[j])
					late := new(big.Rat).SetFloat64(deadlines[j])
					if late.Sub(next.Add(next, end), late).Sign() < 0 {
						late.SetInt64(0)
					}
					extend(done|1<<j, next, late.Add(late, over))
				}
			}
		}
		extend(0, new(big.Rat), new(big.Rat))
		result, err := solve.Run(t.Context(), info.Choice(), solvecases.Built(t, b), solve.Options{Seed: 1, MaxEvals: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if bound, ok := result.Bound.Value(); ok && new(big.Rat).SetFloat64(bound).Cmp(best) > 0 {
			t.Errorf("seed %d: a bound of %v, the optimum is %s", seed, bound, best.FloatString(25))
		}
		if result.Status == model.Optimal {
			proved++
		}
		if new(big.Rat).SetFloat64(*result.Solution.Objective).Cmp(best) > 0 {
			above++
		}
	}
	if proved < 25 || above < 5 {
		t.Errorf("%d of 30 proved, the objective of %d is rounded up: the test says little", proved, above)
	}
}
