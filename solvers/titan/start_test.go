package titan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/dll"
)

// batch is a batch with arrivals on clusters of different weights.
func batch(t testing.TB, seed uint64, objective string) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 5))
	b := model.NewBuilder("batch").Minimise(objective, 1.5)
	for c := range 3 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 4 + 60*c, Speed: 1 + float64(c)}},
			Weights: &model.WeightsSpec{OverDeadline: new(float64(rng.IntN(5))), Makespan: new(1.0), IdleTime: new(float64(rng.IntN(3)))}})
	}
	for j := range 60 {
		b.Job(model.JobSpec{ID: fmt.Sprint(j), Processors: model.Rigid(1 + rng.IntN(70)), Work: new(20 * rng.Float64()), Arrival: 20 * rng.Float64(), Deadline: new(80 * rng.Float64())})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestSeedSchedules reads starts of several solvers. For objectives that come apart by cluster the costs of the clusters
// make up the objective, CP of eq. 1 by weight for mcp; and the seed schedule, decoded in either coding, is never worse than
// the start: the jobs are in the order in which they start, each on its own processors.
func TestSeedSchedules(t *testing.T) {
	for seed := range uint64(5) {
		for _, objective := range []string{"mcp", "makespan", "over_deadline", "idle_time", "mean_response", "mean_wait"} {
			in := batch(t, seed, objective)
			for _, name := range []string{"dll", "wrand", "minmin", "muscle"} {
				for _, coding := range []ga.Coding{ga.Mask, ga.List} {
					info, _ := solve.Lookup(name)
					start, err := info.New().Solve(context.Background(), in, solve.Options{Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					p := ga.NewParameters()
					p.Coding = coding
					run, err := newEvolution(context.Background(), in, p, solve.Options{Start: start.Solution, Progress: func(solve.Progress) {}})
					if err != nil {
						t.Fatal(err)
					}
					evaluation, err := model.Evaluate(in, start.Solution)
					if err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("seed %d, %s, %s, coding %s", seed, objective, name, coding)
					if sum := run.goal.combine(run.costs); math.Abs(sum-evaluation.Objective) > 1e-9*(1+evaluation.Objective) {
						t.Errorf("%s: the clusters cost %v, the evaluator finds %v", what, sum, evaluation.Objective)
					}
					for k := range run.clusters {
						if c := &run.clusters[k]; seedCost(c) > c.cost+1e-9*(math.Abs(c.cost)+math.Abs(c.problem.Cost.Constant)) {
							t.Errorf("%s: the seed schedule costs %v, the start %v", what, seedCost(c), c.cost)
						}
					}
				}
			}
		}
	}
}

// seedCost is the cost of the decoded seed schedule.
func seedCost(c *cluster) float64 {
	var totals ga.Totals
	for _, at := range c.problem.Released {
		totals.Makespan = max(totals.Makespan, at-c.problem.Origin)
	}
	for id, start := range c.problem.Starts(c.seed) {
		j := &c.problem.Jobs[id]
		end := start + j.Duration
		totals.Makespan = max(totals.Makespan, end-c.problem.Origin)
		totals.Over += max(0, end-j.Deadline)
		totals.Response += end - j.Arrival
	}
	return c.problem.Cost.Of(totals)
}

// TestStreams gives two equal clusters equal jobs: their random numbers are not the same.
func TestStreams(t *testing.T) {
	b := model.NewBuilder("twins").Minimise("mcp", 1)
	start := &model.Solution{}
	for _, id := range []string{"a", "b"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		for j := range 30 {
			job := model.JobSpec{ID: fmt.Sprint(id, j), Work: new(float64(1 + j*7%30)), Processors: model.Rigid(1 + j%4), Deadline: new(float64(20 + j*11%30))}
			b.Job(job)
			start.Jobs = append(start.Jobs, model.Placement{Job: job.ID, Cluster: id, Processors: model.NewProcessorSet(model.Range{First: 0, Last: j % 4}), Start: float64(30 * j), End: float64(30*j) + *job.Work})
		}
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	run, err := newEvolution(context.Background(), in, ga.NewParameters(), solve.Options{Start: start, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.search(context.Background()); err != nil {
		t.Fatal(err)
	}
	if a, b := run.clusters[0], run.clusters[1]; !reflect.DeepEqual(a.seed, b.seed) || reflect.DeepEqual(a.best.Best, b.best.Best) {
		t.Error("two clusters draw the same random numbers")
	}
}

// TestSharesEvaluations splits limits in proportion to the jobs, to the last evaluation.
func TestSharesEvaluations(t *testing.T) {
	in := batch(t, 1, "mcp")
	start, err := dll.New().Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs := float64(len(start.Solution.Jobs))
	for _, limit := range []int64{1, 7, 1000, math.MaxInt64} {
		run, err := newEvolution(context.Background(), in, ga.NewParameters(), solve.Options{Start: start.Solution, MaxEvals: limit})
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for k := range run.clusters {
			c := &run.clusters[k]
			sum += c.limit
			if want := float64(limit) / jobs * float64(len(c.jobs)); math.Abs(float64(c.limit)-want) > 1+1e-12*want {
				t.Errorf("%d of %d evaluations for %d of %v jobs", c.limit, limit, len(c.jobs), jobs)
			}
		}
		if sum != limit {
			t.Errorf("shares of %d, found %d", limit, sum)
		}
	}
}
