package solvers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
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
// the checker finds; +Inf: no schedule is right.
func leastOfAll(in *model.Instance, step float64) float64 {
	from, to, _ := in.Horizon()
	solution := &model.Solution{Jobs: make([]model.Placement, len(in.Jobs()))}
	least := math.Inf(1)
	var place func(j int)
	place = func(j int) {
		if j == len(in.Jobs()) {
			if report := model.Check(in, solution); report.OK() {
				least = min(least, report.Objective)
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
	race.OneGoroutine(t)
	objectives := []map[string]float64{
		{"energy_cost": 1}, {"energy": 1}, {"carbon": 2, "energy_cost": 1}, {"peak_power": 1}, {"makespan": 1}, {"energy_cost": 1, "mean_wait": 3},
		{"energy_cost": 1, "peak_power": 0.5}, {"mean_response": 1, "over_deadline": 2, "energy": 0.25}, {"makespan": 1, "energy_cost": 0.5},
	}
	ran, proved, infeasible, negative, refused := 0, 0, 0, 0, 0
	for seed := range race.Fewer(uint64(81), 10) {
		if seed == 80 {
			seed = 191 // where the least power of a machine decides
		}
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
		if jobs*in.Processors() > 12 {
			continue // too many schedules
		}
		best := leastOfAll(in, step)
		result, err := solve.Run(t.Context(), solve.Choice{Info: mustLookup(t, "exact"), Solver: solver}, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ran++
		if math.IsInf(best, 1) {
			infeasible++
			switch sol := result.Solution; {
			case result.Status == model.Infeasible: // not even an empty schedule is right
				if none := (&model.Solution{Unscheduled: unscheduled(in)}); model.Check(in, none).OK() {
					t.Errorf("seed %d: infeasible, and a schedule of nothing is right", seed)
				}
			case sol == nil || result.Owed < 1 || sol.Owed != result.Owed || in.Owed(sol) < result.Owed || result.Status != model.Feasible && in.Owed(sol) > result.Owed:
				t.Errorf("seed %d: %s, %d owed, no schedule of all jobs is right", seed, result.Status, result.Owed)
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
	if ran-proved-infeasible > 2 { // where a way of the model costs more than one through other times
		t.Errorf("of %d instances %d are proved and %d are infeasible", ran, proved, infeasible)
	}
	t.Logf("%d ran, %d proved, %d infeasible, %d negative, %d refused", ran, proved, infeasible, negative, refused)
}

// A job that ends behind the horizon, whatever else runs, changes neither the least cost of the others nor what is proved of it. Whoever takes the programme of all jobs, of which
// there is no schedule, as a proof calls any schedule of the others optimal, or says that two jobs are owed.
func TestExactWithPowerLeavesOut(t *testing.T) {
	race.OneGoroutine(t)
	objectives := []map[string]float64{{"energy_cost": 1}, {"energy": 1}, {"energy_cost": 1, "mean_wait": 3}, {"peak_power": 1}, {"makespan": 1}, {"mean_response": 1, "energy": 0.25}}
	ran, proved, infeasible := 0, 0, 0
	for seed := uint64(1000); seed < race.Fewer(uint64(1040), 1010); seed++ {
		objective := objectives[seed%uint64(len(objectives))]
		b, all := powerBatch(seed), powerBatch(seed)
		b.Spec().Objective, all.Spec().Objective = objective, objective
		to := all.Spec().Horizon.To
		all.Job(model.JobSpec{ID: "behind", Arrival: to - 1, Work: new(2.0)})
		if seed%2 == 0 {
			all.Job(model.JobSpec{ID: "waits", Work: new(0.0), After: []string{"behind"}})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		with, err := all.Build()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		behind := len(with.Jobs()) - len(in.Jobs())
		solver := &solvers.Exact{}
		if solver.Supports(with) != nil || len(in.Jobs())*in.Processors() > 9 {
			continue
		}
		best := leastOfAll(in, 1)
		for _, evals := range []int64{1, 4, 20, 100, 0} {
			result, err := solve.Run(t.Context(), solve.Choice{Info: mustLookup(t, "exact"), Solver: solver}, with, solve.Options{Seed: 1, MaxEvals: evals})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			ran++
			sol := result.Solution
			switch {
			case math.IsInf(best, 1):
				infeasible++
				if sol != nil && result.Status == model.Optimal && with.Owed(sol) == behind {
					t.Errorf("seed %d, %d evaluations: optimal, and no schedule of the others is right", seed, evals)
				}
				continue
			case result.Owed > behind:
				t.Errorf("seed %d, %d evaluations: %d jobs are owed, as it states; right is %d", seed, evals, result.Owed, behind)
			case sol == nil || with.Owed(sol) > behind:
				continue
			}
			if value, known := result.Bound.Value(); known && result.Owed == behind && value > best+1e-9*(1+math.Abs(best)) {
				t.Errorf("seed %d, %d evaluations: bound %v, the least is %v", seed, evals, value, best)
			}
			if result.Status == model.Optimal {
				proved++
				if found := *sol.Objective; math.Abs(found-best) > 1e-9*(1+math.Abs(best)) {
					t.Errorf("seed %d, %d evaluations: %v is called optimal, the least is %v", seed, evals, found, best)
				}
			}
		}
	}
	if proved < race.Fewer(40, 1) || infeasible < race.Fewer(5, 0) {
		t.Errorf("%d runs, %d proved, %d of which no schedule has the others", ran, proved, infeasible)
	}
	t.Logf("%d runs, %d proved, %d of which no schedule has the others", ran, proved, infeasible)
}

// Planted optima: jobs that fill the cheap times of a few machines exactly. No unit of work can cost less, and no machine need be on at other times.
func TestExactWithPowerPlanted(t *testing.T) {
	race.OneGoroutine(t)
	for seed := range race.Fewer(uint64(24), 6) {
		rng := rand.New(rand.NewPCG(seed, 7))
		machines, unit := 1+rng.IntN(3), []float64{1, 0.25, 900, 0x1p-30, 1e9}[rng.IntN(5)]
		scaled := func(slots int) float64 { return float64(slots) * unit }
		b := model.NewBuilder("planted").Minimise("energy_cost", 1)
		idle, busy, cheap := float64(1+rng.IntN(5)), float64(rng.IntN(5)), float64(rng.IntN(7)-3)
		dear := max(cheap, 0) + 1 + float64(rng.IntN(9))
		power := &model.PowerSpec{Idle: idle, Busy: busy, Begin: "off", End: "off", Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: unit}, Up: model.WaySpec{Time: unit}}}}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: machines, Power: power}}})
		from, jobs, begin, length := float64(rng.IntN(3)), 0, 2+rng.IntN(12), 3+rng.IntN(8)
		end := begin + length + 2 + rng.IntN(12)
		for m := range machines { // each has its time cut into jobs
			for left := length; left > 0; jobs++ {
				n := min(left, 1+rng.IntN(length))
				if jobs+machines-m >= 9 || left-n > 0 && jobs == 8 {
					n = left
				}
				b.Job(model.JobSpec{ID: fmt.Sprint("j", jobs), Work: new(scaled(n))})
				left -= n
			}
		}
		at := func(slot int) float64 { return scaled(slot) + from*unit }
		b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, dear}, {at(begin), cheap}, {at(begin + length), dear}}}
		b.Spec().Horizon = &model.HorizonSpec{From: from * unit, To: at(end)}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := float64(machines) * scaled(length) * cheap * (idle + busy)
		if result.Status != model.Optimal || math.Abs(*result.Solution.Objective-want) > 1e-9*math.Abs(want) {
			t.Errorf("seed %d: %s, planted is %v, %v", seed, result.Status, want, result)
		}
	}
}

// What is too large, or cannot be taken into account, is refused by name.
func TestExactWithPowerRefuses(t *testing.T) {
	for _, c := range []struct {
		vary func(*model.InstanceSpec)
		want string
	}{
		{func(s *model.InstanceSpec) {}, ""},
		{func(s *model.InstanceSpec) {
			for k := range 11 {
				s.Jobs = append(s.Jobs, model.JobSpec{ID: fmt.Sprint("k", k), Work: new(1.0)})
			}
		}, "unsupported: search: too large for an exhaustive search: expected at most 10 jobs where power counts or limits schedules, found 12"},
		{func(s *model.InstanceSpec) { s.Jobs[0].Work = new(0x1p-9) },
			"unsupported: search: too large for an exhaustive search: expected at most 4096 units of time up to the horizon"},
		{func(s *model.InstanceSpec) { s.Jobs[0].Work = new(1.0 / 3) }, "unsupported: search: the exhaustive search does not take times that are no multiples of a unit"},
		{func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Count = 9 }, "unsupported: search: too large for an exhaustive search: expected at most 8 machines that can be off"},
		{func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Power.SuspendAfter = new(1.0) }, "unsupported: search: the exhaustive search does not take machines that are suspended by a rule"},
		{func(s *model.InstanceSpec) { s.Objective = map[string]float64{"peak_power": 1} }, "unsupported: search: the exhaustive search does not take peak_power beside machines that can be off"},
		{func(s *model.InstanceSpec) { s.Objective["missed"] = 1 }, "unsupported: search: the exhaustive search does not take the metric missed"},
		{func(s *model.InstanceSpec) { s.Objective["energy"] = -1 }, "unsupported: search: the exhaustive search does not take a negative weight of energy"},
		{func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.Rigid(5) }, "unsupported: search: the exhaustive search does not take jobs that can run nowhere"},
		{func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.ProcessorRange{Min: 1, Max: 2} }, "unsupported: search: the exhaustive search does not take moldable jobs"},
	} {
		b := model.NewBuilder("x").Minimise("energy_cost", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Off: []model.OffSpec{{Name: "off"}}}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
		b.Spec().Tariff, b.Spec().Horizon = &model.TariffSpec{Price: [][]float64{{0, 1}}}, &model.HorizonSpec{To: 10}
		c.vary(b.Spec())
		in, err := b.Build()
		if err != nil {
			t.Fatalf("%s: %v", c.want, err)
		}
		if err := (&solvers.Exact{}).Supports(in); fmt.Sprint(err) != "<nil>" && c.want == "" || !strings.HasPrefix(fmt.Sprint(err), c.want) || err != nil && !errors.Is(err, solve.ErrUnsupported) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// On one machine two methods that share no code find the same: this one and the programme of tou.
func TestExactAgreesWithTOU(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine does the work")
	}
	for seed := range race.Fewer(uint64(6), 1) {
		b := solvecases.Power(seed)
		b.Spec().Jobs = b.Spec().Jobs[:race.Fewer(uint64(5), 4)+seed%2] // the first: with eight the exhaustive search takes seconds
		in := solvecases.Built(t, b)
		var found [2]float64
		for k, solver := range []solve.Solver{&solvers.Exact{}, &solvers.TOU{}} {
			name := []string{"exact", "tou"}[k]
			result, err := solve.Run(t.Context(), solve.Choice{Info: mustLookup(t, name), Solver: solver}, in, solve.Options{Seed: 1})
			if err != nil || result.Status != model.Optimal {
				t.Fatalf("seed %d: %s: %s, %v", seed, name, result.Status, err)
			}
			found[k] = *result.Solution.Objective
		}
		if found[0] != found[1] {
			t.Errorf("seed %d: %v and %v", seed, found[0], found[1])
		}
	}
}

// unscheduled leaves out all jobs.
func unscheduled(in *model.Instance) (list []model.Unscheduled) {
	for j := range in.Jobs() {
		list = append(list, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "left out"})
	}
	return list
}
