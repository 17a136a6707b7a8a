package proof_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// crowd is an instance of the given number of jobs, on the given number of clusters with the given number of processors each.
func crowd(t testing.TB, clusters, processors, jobs int) *model.Instance {
	b := model.NewBuilder("crowd").Minimise("mcp", 1)
	for c := range clusters {
		b.Cluster(cluster(fmt.Sprint("c", c), processors, 1))
	}
	for j := range jobs {
		b.Job(job(fmt.Sprint("j", j), 1, 1))
	}
	return built(t, b)
}

// Instances beyond the limits of work are not covered, and those just within are. The certificates fail right behind the limits, so that nothing is
// computed: their context has ended, or they have no prices, or no tree.
func TestLimitsOfWork(t *testing.T) {
	race.OneGoroutine(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	levels := proof.Argument{AreaLevels: &proof.AreaLevels{}}
	limits := func(n int) (list []float64) {
		for k := range n {
			list = append(list, float64(k))
		}
		return list
	}
	prices := func(n int) proof.Argument { return proof.Argument{TimePrices: &proof.TimePrices{Limits: limits(n)}} }
	counts := func(n int) proof.Argument { return proof.Argument{Counts: &proof.Counts{Limits: limits(n)}} }
	for _, c := range []struct {
		clusters, processors, jobs int
		metric                     string
		by                         proof.Argument
		why                        string
	}{
		{20, 1, 1, "mcp", levels, "the check was cut off"},
		{21, 1, 1, "mcp", levels, "too many clusters and jobs"},
		{1, 1, 23170, "mcp", levels, "the check was cut off"}, // 2 · (23170² + 1) is just below 2³⁰
		{1, 1, 23171, "mcp", levels, "too many clusters and jobs"},
		{1, 1, 1 << 15, "mean_response", prices(2), "expected prices for each of 1 clusters, found 0"},
		{1, 1, 1<<15 + 1, "mean_response", prices(2), "more than 32768 jobs or 4096 buckets are not covered"},
		{1, 1, 1, "mean_response", prices(4096), "expected prices for each of 1 clusters, found 0"},
		{1, 1, 1, "mean_response", prices(4097), "more than 32768 jobs or 4096 buckets are not covered"},
		// 2³¹ = 1024 limits · (1024 jobs that fit at once · 1984 processors + 1024 jobs · 64).
		{1, 1984, 1024, "mean_response", prices(1024), "expected prices for each of 1 clusters, found 0"},
		{1, 1985, 1024, "mean_response", prices(1024), "the instance is too large for prices over time"},
		{2, 1000, 1000, "mean_response", prices(1009), "expected prices for each of 2 clusters, found 0"},
		{2, 1000, 1000, "mean_response", prices(1010), "the instance is too large for prices over time"},
		// A tree has a table by cluster, limit and number of jobs, of at most 2²⁴ cells, for each of which it looks at all jobs. 4096 clusters · 2048 limits ·
		// (190 + 64 + 2 · 1) = 2³¹.
		{1, 1, 1023, "mcp", counts(1929), "expected a root"},
		{1, 1, 1023, "mcp", counts(1930), "the instance is too large for a tree of boxes"},
		{4096, 190, 1, "mcp", counts(2048), "expected a root"},
		{4096, 191, 1, "mcp", counts(2048), "the instance is too large for a tree of boxes"},
		{4096, 1, 1, "mcp", counts(2049), "the instance is too large for a tree of boxes"},
	} {
		in := crowd(t, c.clusters, c.processors, c.jobs)
		if r := verdict(ended, in, claim(in, c.metric, 1e-3, 0, &c.by)); r.Reason != c.why {
			t.Errorf("%d clusters of %d, %d jobs: %v, expected %q", c.clusters, c.processors, c.jobs, r, c.why)
		}
	}
}

// Where the context ends before all is known of the jobs of a large instance, nothing is said of it, whatever the certificate states.
func TestFactsAreCutOff(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	in := crowd(t, 512, 1, 512)
	cut := proof.Report{Verdict: proof.NotCertified, Reason: "the check was cut off"}
	sets := claim(in, "makespan", 1, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}})
	sets.OwedBy, sets.Owed = []proof.OwedSet{{Jobs: []int{0}, By: &proof.MachinePrices{}}}, 1
	for name, c := range map[string]*proof.Certificate{
		"a bound":    claim(in, "makespan", 1, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}),
		"sets":       sets,
		"infeasible": {Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Infeasible: &proof.Infeasible{}},
	} {
		if r := verdict(ended, in, c); r != cut {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if x := proof.ListRounding(ended, in, map[string]float64{"mean_response": 1}, 1); !math.IsInf(x, 1) {
		t.Errorf("rounding of %v", x)
	}
}

// Jobs that cannot run on a cluster are no work there.
func TestJobsThatRunElsewhereAreNoWork(t *testing.T) {
	const jobs = 1024
	b := model.NewBuilder("elsewhere").Cluster(cluster("c", 1, 1), cluster("d", 1985, 1))
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1), Runtime: map[string]float64{"c": 1}})
	}
	in := built(t, b)
	by := proof.Argument{TimePrices: &proof.TimePrices{}}
	for k := range 1024 { // on d they would be 1024 · 1024 · 1985 steps, which is a little less than 2³¹, and what jobs cost comes on top
		by.TimePrices.Limits = append(by.TimePrices.Limits, float64(k))
	}
	if r := verdict(t.Context(), in, claim(in, "mean_response", 1e-3, 0, &by)); r.Reason != "expected prices for each of 2 clusters, found 0" {
		t.Error(r)
	}
}

// Loads and machines have 2²⁵ cells with the tasks. The certificates within the limits fail right behind them, as they have prices of no task.
func TestLimitsOfLevels(t *testing.T) {
	race.OneGoroutine(t)
	const round, odd = 1<<12 - 1, 4050 // 4051 divides 2²⁵ + 1: 8283 are one cell too many
	queue := func(most float64) *model.QueueSpec {
		return &model.QueueSpec{ServiceRate: most + 0.5, ArrivalVariance: new(1.0), ServiceVariance: new(0.0)}
	}
	full, none := queue(round), queue(0)
	for k, c := range []struct {
		tasks    int
		machines []model.MachineSpec
		many     bool
	}{
		{round, []model.MachineSpec{{ID: "m", Count: 1 << 13, Queue: none}}, false},
		{round, []model.MachineSpec{{ID: "m", Count: 1<<13 + 1, Queue: none}}, true},
		{round, []model.MachineSpec{{ID: "m", Queue: full}, {ID: "n", Queue: full}}, false}, // two groups that may have any of 4096 loads
		{round, []model.MachineSpec{{ID: "m", Queue: full}, {ID: "n", Queue: full}, {ID: "o", Queue: none}}, true},
		{odd, []model.MachineSpec{{ID: "m", Count: 8282, Queue: none}}, false},
		{odd, []model.MachineSpec{{ID: "m", Count: 8283, Queue: none}}, true},
		{odd, []model.MachineSpec{{ID: "m", Queue: full}, {ID: "n", Queue: full}, {ID: "o", Queue: queue(8282 - 2*(odd+1) - 1)}}, false},
		{odd, []model.MachineSpec{{ID: "m", Queue: full}, {ID: "n", Queue: full}, {ID: "o", Queue: queue(8283 - 2*(odd+1) - 1)}}, true},
	} {
		b := model.NewBuilder("full").Minimise("qos_penalty", 1).Cluster(model.ClusterSpec{ID: "c", Machines: c.machines})
		for j := range c.tasks {
			b.Job(job(fmt.Sprint("j", j), 1, 1))
		}
		b.Spec().Queueing = &model.QueueingSpec{Rate: float64(c.tasks), Period: 1}
		in := built(t, b)
		by := proof.Argument{Levels: &proof.Levels{Prices: [][]float64{{}}}}
		why := fmt.Sprintf("expected prices of %d tasks, found 0", c.tasks)
		if c.many {
			why = "too many tasks and machines"
		}
		if r := verdict(t.Context(), in, claim(in, "qos_penalty", 1e-3, 0, &by)); r.Reason != why {
			t.Errorf("%d: %v, expected %q", k, r, why)
		}
	}
}

// Areas that add up to a little less than a float64 do not prove it: nothing is rounded up on the way.
func TestAreaLevelsRoundDown(t *testing.T) {
	only := cluster("c", 1, 1)
	only.Weights = &model.WeightsSpec{OverDeadline: new(0.0), Makespan: new(1.0), IdleTime: new(0.0)}
	by := proof.Argument{AreaLevels: &proof.AreaLevels{}}
	for less, want := range map[float64]proof.Verdict{0: proof.Verified, 0x1p-70: proof.Refuted} {
		in := built(t, model.NewBuilder("sum").Minimise("mcp", 1).Cluster(only).Job(job("a", 1, 1-0x1p-53), job("b", 1, 0x1p-53-less)))
		if r := verdict(t.Context(), in, claim(in, "mcp", 1, 0, &by)); r.Verdict != want {
			t.Errorf("a sum of 1 − %v: %v", less, r)
		}
	}
	third := cluster("c", 3, 1)
	third.Weights = only.Weights
	for _, value := range []float64{1, 1.25, 5.0 / 4096, math.Pi} {
		sum := 3 * value
		in := built(t, model.NewBuilder("third").Minimise("mcp", 1).Cluster(third).Job(job("a", 1, sum/2), job("b", 1, sum/2-math.Ldexp(sum, -75))))
		if r := verdict(t.Context(), in, claim(in, "mcp", value, 0, &by)); r.Verdict != proof.Refuted && sum/2-math.Ldexp(sum, -75) != sum/2 {
			t.Errorf("a little less than a third of %v: %v", sum, r)
		}
	}
}

// No digit is rounded up: the next float64 above the least sum over all ways to share out the jobs is not proved.
func TestAreaLevelsAreNotAboveTheExactValue(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(14, 7))
	by := proof.Argument{AreaLevels: &proof.AreaLevels{}}
	for range race.Fewer(1500, 300) {
		b := model.NewBuilder("exact").Minimise("mcp", 1)
		processors, factors, works := []int{1 + rng.IntN(5), 1 + rng.IntN(5)}, make([]*big.Rat, 2), make([]*big.Rat, 3)
		for c := range factors {
			spec, over := cluster(fmt.Sprint("c", c), processors[c], 1), rng.Float64()
			spec.Weights = &model.WeightsSpec{OverDeadline: &over, Makespan: new(1.0), IdleTime: new(0.0)}
			b.Cluster(spec)
			below := new(big.Rat).Add(exactly(over), exactly(1))
			factors[c] = below.Inv(below.Mul(below, exactly(float64(processors[c]))))
		}
		for j := range works {
			work := 1 + rng.Float64()
			b.Job(job(fmt.Sprint("j", j), 1, work))
			works[j] = exactly(work)
		}
		in := built(t, b)
		var least *big.Rat
		for at := range 1 << len(works) {
			sum := new(big.Rat)
			for c := range factors {
				area, jobs := new(big.Rat), 0
				for j := range works {
					if at>>j&1 == c {
						area.Add(area, works[j])
						jobs++
					}
				}
				sum.Add(sum, area.Mul(area, new(big.Rat).Mul(factors[c], big.NewRat(int64(jobs), int64(len(works))))))
			}
			if least == nil || sum.Cmp(least) < 0 {
				least = sum
			}
		}
		goal, _ := least.Float64()
		if exactly(goal).Cmp(least) <= 0 {
			goal = math.Nextafter(goal, math.Inf(1))
		}
		for goal, want := range map[float64]proof.Verdict{goal: proof.Refuted, goal * (1 - 1e-15): proof.Verified} {
			if r := verdict(t.Context(), in, claim(in, "mcp", goal, 0, &by)); r.Verdict != want {
				t.Fatalf("mcp ≥ %v, which is at least %s: %v\n%s", goal, least.FloatString(25), r, written(in))
			}
		}
	}
}

// The evaluator rounds areas twice, so the work of jobs over the speed counts a little less: by 2⁻⁵¹ of it.
func TestAreasCountALittleLess(t *testing.T) {
	two := job("a", 1, 2)
	two.Processors, two.Tasks = model.Moldable(1, 2), 2
	stated := model.JobSpec{ID: "a", Processors: model.Moldable(1, 2), Tasks: 2, Runtime: map[string]float64{"c": 2}}
	for name, j := range map[string]model.JobSpec{"work": two, "run times": stated} {
		in := built(t, model.NewBuilder(name).Cluster(cluster("c", 2, 1)).Job(j))
		by := proof.Argument{Area: &proof.Area{Prices: []float64{1}}}
		const value = 2 // two tasks of 2 on two processors
		below := value - 0x1p-50
		for bound, want := range map[float64]proof.Verdict{below: proof.Verified, math.Nextafter(below, 3): proof.Refuted} {
			if r := verdict(t.Context(), in, claim(in, "makespan", bound, 0, &by)); r.Verdict != want {
				t.Errorf("%s: makespan ≥ %v − %g: %v", name, value, value-bound, r)
			}
		}
	}
}
