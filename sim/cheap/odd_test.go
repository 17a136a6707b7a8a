package cheap

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
)

// At odd places, known times and budgets that are lost in a clock since 1970, or far longer than the tariff, and prices of 0 or below, a job joins the queue within its budget by each rule. And
// prices that hold only behind all that a rule may look at change nothing, however high they are.
func TestJobsJoinWithinTheBudgetAtOddPlaces(t *testing.T) {
	waited := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 57))
		odd := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
		begin, unit := odd(0, 1_700_000_000), odd(1, 1, 0.1)
		most, known := odd(1e-9, 0.3, 1, 7, 1e9), odd(1e-9, 0.3, 1, 7, 1e9)
		b := Budget{PriceBudget: params.Time(fmt.Sprint(most)), TariffKnown: params.Time(fmt.Sprint(known)), PriceRule: rules[int(seed)%len(rules)],
			PriceWorth: odd(0, 0.1, 1), PriceQuantile: odd(0, 0.3, 1)}
		var prices [][]float64
		at := begin
		for range 1 + rng.IntN(5) {
			prices = append(prices, []float64{at, odd(-2, 0, 1, 3, 5)})
			at += unit * float64(1+rng.IntN(4))
		}
		arrival, estimate, runtime := begin+unit*float64(rng.IntN(12)), unit*float64(1+rng.IntN(5)), unit*float64(1+rng.IntN(5))
		until := func(prices [][]float64) float64 {
			spec := model.NewBuilder("odd").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "j", Arrival: arrival, Work: &runtime, Estimate: &estimate})
			spec.Spec().Units, spec.Spec().Tariff = &model.Units{Time: "s"}, &model.TariffSpec{Price: prices}
			in, err := spec.Build()
			if err != nil {
				t.Fatal(err)
			}
			if err := b.CheckTariff(in); err != nil {
				t.Fatal(err)
			}
			return b.Deferral(in)(sim.Deferrable{Arrival: arrival, Estimate: estimate, Runtime: runtime, Processors: 1})
		}
		joins := until(prices)
		if !(joins >= arrival && joins <= arrival+most) {
			t.Fatalf("seed %d: %+v: a job of %v joins the queue at %v", seed, b, arrival, joins)
		}
		if joins > arrival {
			waited++
		}
		seen := max(arrival+min(most, known)+max(estimate, runtime), arrival+known, at)
		if high := until(append(prices, []float64{seen + 1, 1e15})); high != joins {
			t.Fatalf("seed %d: %+v: a job of %v that takes %v, by its estimate %v, joins the queue at %v, and at %v if prices rise at %v: %v", seed, b, arrival, runtime, estimate, joins, high, seen+1, prices)
		}
	}
	if waited < 200 {
		t.Errorf("%d jobs waited", waited)
	}
}
