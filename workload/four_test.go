package workload_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// Jobs, limits and the queueing view follow the recipe.
func TestFourFollowsTheRecipe(t *testing.T) {
	const n = 20000
	in, err := with(workload.Default[workload.Four](), func(x *workload.Four) { x.Jobs, x.Clusters = n, "1x8:1:16,2x16:1.2:64,3x4:1.6:12" }).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	var times, ratios, budgets, memory sample
	serial, powers, large, total := 0, 0, 0, 0.0
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		times.add(j.Work)
		ratios.add(j.Deadline/j.Work - 1) // the slowest cluster has speed 1
		if j.Max == 1 {
			serial++
		} else if j.Max&(j.Max-1) == 0 {
			powers++
		}
		if j.Max > 16 || j.Max != j.Min || j.DeadlineHard || j.Arrival > 0 {
			t.Fatalf("job %s: %d to %d processors, hard deadline %t, arrival %v", j.ID, j.Min, j.Max, j.DeadlineHard, j.Arrival)
		}
		budgets.add(j.Budget / (0.01 * j.Work * float64(j.Max))) // speed 1 is the cheapest, and large enough: 400 nodes of 16 GB
		if j.Memory <= 2 {
			memory.add(j.Memory)
		} else if large++; j.Memory > 4 {
			t.Fatalf("job %s: %v GB a task, where the most that a node has for a processor is 4", j.ID, j.Memory)
		}
		total += j.Work * float64(j.Max)
	}
	ratio := math.Pow(5./60, 1.1) // eq. 4 of MUSCLE
	times.follows(t, "times", func(x float64) float64 { return (1 - math.Pow(5/x, 1.1)) / (1 - ratio) })
	ratios.uniform(t, "deadline ratios", 0, 2)
	budgets.uniform(t, "budgets", 1, 4)
	memory.uniform(t, "memory", 0, 2)
	share(t, "sequential jobs", serial, n, 0.2927)
	share(t, "large memory", large, n, 0.1)
	// Of parallel jobs 2 and 4 come from x in [1.2, 2.5] and from [2.5, 4], 8 and 16 from the latter; rounded on purpose or by chance.
	pow2 := 0.6686 + (1-0.6686)*(0.875*(math.Log2(2.5)-1.2+math.Log2(4.5)-math.Log2(3.5))/1.3+0.125*(math.Log2(8.5)-math.Log2(7.5)+4-math.Log2(15.5))/1.5)
	share(t, "powers of two", powers, n-serial, pow2)

	q, rate, mean := in.Queueing(), 0.0, total/n
	for c, want := range []struct {
		count, processors int
		speed             float64
	}{{400, 8, 1}, {800, 16, 1.2}, {1200, 4, 1.6}} {
		m := in.Clusters()[c].Machines[0]
		power := float64(want.processors) * want.speed
		if m.Count != want.count || m.Processors != want.processors {
			t.Errorf("cluster %d: %d nodes of %d processors", c, m.Count, m.Processors)
		}
		near("cost", m.Cost, 0.01*want.speed*want.speed)
		near("service rate", m.Queue.ServiceRate, power/mean)
		near("arrival variance", *m.Queue.ArrivalVariance, math.Pow(mean/(0.2*power), 2))
		rate += 0.2 * float64(want.count) * power / mean
	}
	near("rate", q.Rate, rate)
	near("arrivals in a period", q.Rate*q.Period, n)
	variance := 0.0
	for k := range in.Jobs() {
		x := in.Jobs()[k].Work * float64(in.Jobs()[k].Max)
		variance += ((x-mean)*(x-mean) + 0.09*x*x) / n
	}
	near("service variance", *in.Clusters()[0].Machines[0].Queue.ServiceVariance, variance/64)
}

// Few jobs have a system of their own, on which each of them can run: with one processor a node, with clusters of which only one is wide enough and only
// another has the memory.
func TestFourJobsCanRun(t *testing.T) {
	choice, err := solve.Choose("search")
	if err != nil {
		t.Fatal(err)
	}
	for _, clusters := range []string{"1x8:1:16,1x16:1.2:64,1x6:1.5:12,1x4:2:16", "1x1:1:1", "2x5:1:12", "3x1:2:1,1x2:1:100", "1x16:1:1,1x2:1:64"} {
		for seed := range uint64(5) {
			in, err := with(workload.Default[workload.Four](), func(x *workload.Four) { x.Jobs, x.Clusters, x.LargeMemory = 8, clusters, 0.5 }).Generate(seed)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 10})
			if err != nil || result.Solution == nil || len(result.Solution.Unscheduled) > 0 {
				t.Errorf("%s, seed %d: a schedule without all jobs: %v, %v", clusters, seed, result.Solution, err)
			}
			for _, j := range in.Jobs() {
				if !(j.Budget > 0) || math.IsInf(j.Budget, 1) {
					t.Errorf("%s, seed %d: job %s has a budget of %v", clusters, seed, j.ID, j.Budget)
				}
			}
		}
	}
}

// The objective is another instance, the batch is the same; the same seed gives the same bytes.
func TestFourIsDeterministic(t *testing.T) {
	var texts [3]bytes.Buffer
	for k := range texts {
		in, err := with(workload.Default[workload.Four](), func(x *workload.Four) { x.Objective = []string{"cost", "cost", "mcp"}[k] }).Generate(7)
		if err != nil {
			t.Fatal(err)
		}
		if k == 2 {
			if in, err = in.WithObjective(map[string]float64{"cost": 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := model.WriteInstance(&texts[k], in); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the same seed gives two instances")
	}
	if !bytes.Equal(bytes.ReplaceAll(texts[2].Bytes(), []byte("s7-mcp"), []byte("s7-cost")), texts[0].Bytes()) {
		t.Error("another objective makes another batch")
	}
}
