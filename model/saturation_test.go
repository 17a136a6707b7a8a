package model_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// saturated is an instance with a machine whose jobs come at nearly the rate that it serves. An idle rate goes to another machine, or to the same.
func saturated(t *testing.T, rng *rand.Rand) (in *model.Instance, jobs int, period, service float64) {
	t.Helper()
	jobs, period = 1+rng.IntN(7), []float64{10, 7, 3, 0.3, 1e6, rng.Float64() + 0.5}[rng.IntN(6)]
	need := float64(jobs) / period
	kind := rng.IntN(3) // no idle rate, one for the other machine, one for the same
	if kind == 2 {
		need *= 1.3
	}
	service = need * (1 + math.Pow(10, -1-14*rng.Float64()))
	for !(service > need) {
		service = math.Nextafter(service, math.Inf(1))
	}
	rate := need
	if kind == 1 {
		rate = need + 0.7*service
	}
	b := model.NewBuilder("saturated").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: period}
	machine := func(id string) model.MachineSpec {
		return model.MachineSpec{ID: id, Queue: &model.QueueSpec{ServiceRate: service, ArrivalVariance: new(2.0), ServiceVariance: new(1.0)}}
	}
	machines := []model.MachineSpec{machine("m"), machine("n")}
	if kind == 2 {
		machines = machines[:1]
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0), Deadline: new(4.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, jobs, period, service
}

// onFirst puts all jobs on the first machine, with loads.
func onFirst(jobs int, loads ...float64) *model.Solution {
	sol := &model.Solution{}
	for j := range jobs {
		sol.Jobs = append(sol.Jobs, model.Placement{Job: fmt.Sprint("j", j), Cluster: "c", Processors: model.Processors(0), Start: float64(j), End: float64(j + 1)})
	}
	for k, rate := range loads {
		sol.Loads = append(sol.Loads, model.Load{Cluster: "c", Machine: []string{"m", "n"}[k], Rate: rate})
	}
	return sol
}

// The penalty near saturation is that of the exact loads, and no rounding of the stated rates makes it less.
func TestPenaltyNearSaturation(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 32))
	accepted, refused := 0, 0
	for range race.Fewer(3000, 300) {
		in, jobs, period, service := saturated(t, rng)
		alone := in.Processors() == 1
		exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		load := new(big.Rat).Quo(big.NewRat(int64(jobs), 1), exact(period)) // n/T
		if alone {
			load = exact(in.Queueing().Rate)
		}
		spare := new(big.Rat).Sub(exact(service), load)
		wait := new(big.Rat).Quo(new(big.Rat).Mul(exact(1.5), new(big.Rat).Mul(load, exact(service))), spare)
		each := new(big.Rat).Quo(new(big.Rat).Sub(new(big.Rat).Add(wait, big.NewRat(1, 1)), big.NewRat(4, 1)), big.NewRat(4, 1))
		least, _ := new(big.Rat).Mul(each, big.NewRat(int64(jobs), 1)).Float64()
		least = max(0, least)
		rates := []float64{float64(jobs) / period, 0}
		if rates[1] = max(0, in.Queueing().Rate-rates[0]); alone {
			rates = []float64{in.Queueing().Rate}
		}
		full := alone && service*(1-1e-12) < in.Queueing().Rate // the evaluator parks no closer
		if got := evaluated(t, in, onFirst(jobs)).Objective; math.Abs(got-least) > 1e-12*least+1e-12 && !full {
			t.Fatalf("%d jobs, period %v, service rate %v: penalty %v, expected %v", jobs, period, service, got, least)
		}
		for k := range rates { // the last digits of the stated rates
			for range rng.IntN(8) {
				rates[k] = math.Nextafter(rates[k], float64(rng.IntN(2))*math.MaxFloat64)
			}
		}
		if rng.IntN(3) == 0 {
			rates[0] *= 1 - math.Pow(10, -9-6*rng.Float64())
		}
		report := model.Check(in, onFirst(jobs, rates...))
		if !report.OK() {
			refused++
			continue
		}
		accepted++
		if report.Objective < least*(1-1e-12)-1e-12 {
			t.Fatalf("%d jobs, period %v, service rate %v, rates %v: penalty %v, the least is %v", jobs, period, service, rates, report.Objective, least)
		}
	}
	if accepted < race.Enough(500) || refused < race.Enough(500) {
		t.Errorf("too few of a kind: %d accepted, %d refused", accepted, refused)
	}
}

// TestSaturationDefect: rates that lack a billionth of λ are refused where that is half of what the machine can spare.
func TestSaturationDefect(t *testing.T) {
	in, err := model.ReadInstanceFile("../data/defects/D_ggone_near_saturation.json")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolutionFile("../data/defects/D_ggone_near_saturation_better.sol.json")
	if err != nil {
		t.Fatal(err)
	}
	report := model.Check(in, sol)
	if len(report.Violations) != 2 || report.Violations[0].Code != "loads" || report.Objective < 4.4e8 {
		t.Errorf("%v, objective %v", report.Violations, report.Objective)
	}
}
