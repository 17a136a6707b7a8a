package solvers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// powerBatch has up to 4 jobs on up to two clusters of few processors, within a horizon of a few units.
func powerBatch(seed uint64) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 42))
	b := model.NewBuilder("power")
	few := func(n int) float64 { return float64(rng.IntN(n)) }
	tariff := func(least int) *model.TariffSpec {
		t := &model.TariffSpec{}
		for at := 0.0; at < 8; at += 1 + few(3) {
			t.Price = append(t.Price, []float64{at, few(9) + float64(least)})
			t.Carbon = append(t.Carbon, []float64{at, few(5)})
		}
		if rng.IntN(3) == 0 {
			t.Period = 8 + few(3)
		}
		return t
	}
	least := -2 * rng.IntN(2)
	b.Spec().Tariff = tariff(least)
	sleeps := rng.IntN(3) > 0
	clusters, jobs := 1+rng.IntN(2), 1+rng.IntN(4)
	for c := range clusters {
		machine := model.MachineSpec{ID: "m", Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(2), Power: &model.PowerSpec{Idle: few(4), Busy: few(4)}}
		if sleeps {
			for k := range 1 + rng.IntN(2) {
				machine.Power.Off = append(machine.Power.Off, model.OffSpec{Name: fmt.Sprint("off", k), Power: few(2),
					Down: model.WaySpec{Time: few(3), Power: few(3)}, Up: model.WaySpec{Time: few(3), Power: few(5)}})
			}
			if rng.IntN(2) == 0 {
				machine.Power.Begin = "off0"
			}
			if rng.IntN(2) == 0 {
				machine.Power.End = "off0"
			}
		}
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{machine}}
		if rng.IntN(4) == 0 {
			spec.Tariff = tariff(least)
		}
		if rng.IntN(3) == 0 {
			idle := machine.Power.Idle * float64(machine.Count)
			spec.PowerCap = [][]float64{{few(3), idle + 1 + few(5)}, {4, max(idle, 1) + few(9)}}
		}
		b.Cluster(spec)
	}
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(few(4)), Processors: model.Rigid(1 + rng.IntN(2))}
		if rng.IntN(3) == 0 {
			job.Arrival = few(3)
		}
		if rng.IntN(4) == 0 {
			job.Power = new(few(6))
		}
		if j > 0 && rng.IntN(4) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		job.Deadline = new(1 + few(6))
		b.Job(job)
	}
	b.Spec().Horizon = &model.HorizonSpec{From: few(2), To: float64(4 + rng.IntN(4))}
	return b
}

// leastOfAll looks at all schedules of an instance whose jobs start at multiples of a step within the horizon, on all sets of processors, and returns the least objective that
// the checker and the evaluator find; +Inf: no schedule is right.
func leastOfAll(in *model.Instance, step float64) float64 {
	from, to, _ := in.Horizon()
	solution := &model.Solution{Jobs: make([]model.Placement, len(in.Jobs()))}
	least := math.Inf(1)
	var place func(j int)
	place = func(j int) {
		if j == len(in.Jobs()) {
			if model.Check(in, solution).OK() {
				if cost, err := model.EvaluateObjective(in, solution); err == nil {
					least = min(least, cost)
				}
			}
			return
		}
		for c := range in.Clusters() {
			cluster := &in.Clusters()[c]
			if !in.CanRun(j, c) {
				continue
			}
			width, _ := in.Width(j, c)
			length := in.DurationOn(j, c, width)
			for set := range 1 << cluster.Processors {
				var held []int
				for p := range cluster.Processors {
					if set&(1<<p) != 0 {
						held = append(held, p)
					}
				}
				if len(held) != width || length == 0 && held[len(held)-1] >= width {
					continue
				}
				for start := max(from, in.Jobs()[j].Arrival); start+length <= to; start += step {
					clash := false
					for k := range j {
						other := &solution.Jobs[k]
						clash = clash || other.Cluster == cluster.ID && other.Start < start+length && start < other.End && length > 0 && other.End > other.Start && meet(other.Processors, held)
					}
					if !clash {
						solution.Jobs[j] = model.Placement{Job: in.Jobs()[j].ID, Cluster: cluster.ID, Processors: model.Processors(held...), Start: start, End: start + length}
						place(j + 1)
					}
				}
			}
		}
	}
	place(0)
	return least
}

// meet says whether a set has one of the processors.
func meet(set model.ProcessorSet, held []int) bool {
	for _, p := range held {
		for _, r := range set {
			if r.First <= p && p <= r.Last {
				return true
			}
		}
	}
	return false
}

// On small instances with power the solver finds what a look at all schedules finds: with negative prices, jobs of no time, caps, states, precedence, and a horizon that leaves
// no room. Starts between the whole units are no better.
func TestExactWithPower(t *testing.T) {
	objectives := []map[string]float64{
		{"energy_cost": 1}, {"energy": 1}, {"carbon": 2, "energy_cost": 1}, {"peak_power": 1}, {"makespan": 1}, {"energy_cost": 1, "mean_wait": 3},
		{"energy_cost": 1, "peak_power": 0.5}, {"mean_response": 1, "over_deadline": 2, "energy": 0.25}, {"makespan": 1, "energy_cost": 0.5},
	}
	ran, proved, infeasible, negative, refused := 0, 0, 0, 0, 0
	for seed := range race.Fewer(uint64(500), 40) {
		b := powerBatch(seed)
		objective := objectives[seed%uint64(len(objectives))]
		b.Spec().Objective = objective
		in, err := b.Build()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		solver := &solvers.Exact{}
		if solver.Supports(in) != nil {
			refused++
			continue
		}
		step, jobs := 1.0, len(in.Jobs())
		if seed%3 == 0 && jobs < 3 {
			step = 0.5
		}
		if jobs == 4 && in.Processors() > 4 {
			continue // too many schedules
		}
		best := leastOfAll(in, step)
		result, err := solve.Run(t.Context(), solve.Choice{Info: mustLookup(t, "exact"), Solver: solver}, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ran++
		if math.IsInf(best, 1) {
			if infeasible++; result.Status != model.Infeasible {
				t.Errorf("seed %d: %s, no schedule is right", seed, result.Status)
			}
			continue
		}
		if result.Solution == nil {
			t.Errorf("seed %d: no schedule, %s; %v is possible", seed, result.Status, best)
			continue
		}
		found := *result.Solution.Objective
		if best < 0 {
			negative++
		}
		if value, known := result.Bound.Value(); known && value > best+1e-9*(1+math.Abs(best)) {
			t.Errorf("seed %d: bound %v, the least is %v", seed, value, best)
		}
		if found < best-1e-9*(1+math.Abs(best)) && step == 1 {
			t.Errorf("seed %d: found %v, the least of all is %v", seed, found, best)
		}
		if result.Status == model.Optimal {
			if proved++; math.Abs(found-best) > 1e-9*(1+math.Abs(best)) {
				t.Errorf("seed %d: %v is called optimal, the least is %v", seed, found, best)
			}
		} else {
			t.Logf("seed %d: %s %v, bound %v; the least is %v", seed, result.Status, found, result.Bound, best)
		}
	}
	t.Logf("%d ran, %d proved, %d infeasible, %d negative, %d refused", ran, proved, infeasible, negative, refused)
}
