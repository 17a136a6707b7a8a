package titan

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// drawBehind draws a batch of a round behind earlier jobs, some of which are over, some in two pieces, some still to start.
func drawBehind(t *rapid.T, objective string) *model.Instance {
	b := model.NewBuilder("behind").Minimise(objective, 1.5)
	clusters, widest := rapid.IntRange(1, 3).Draw(t, "clusters"), 0
	var processors []int
	for c := range clusters {
		n := rapid.SampledFrom([]int{1, 3, 8, 70}).Draw(t, "processors")
		processors, widest = append(processors, n), max(widest, n)
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: 1 + float64(c)}},
			Weights: &model.WeightsSpec{OverDeadline: new(float64(c)), Makespan: new(1.0), IdleTime: new(2.0)}})
	}
	const jobs, earlier = 9, 4
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint(j), Processors: model.Rigid(rapid.IntRange(1, widest).Draw(t, "size")), Work: new(float64(rapid.IntRange(0, 20).Draw(t, "work"))),
			Arrival: float64(rapid.IntRange(0, 5).Draw(t, "arrival")), Deadline: new(float64(rapid.IntRange(0, 40).Draw(t, "deadline")))})
	}
	whole, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var holds []model.Hold
	for range rapid.IntRange(0, 6).Draw(t, "holds") {
		h := model.Hold{Job: &whole.Jobs()[rapid.IntRange(0, earlier-1).Draw(t, "held job")], Start: float64(rapid.IntRange(0, 9).Draw(t, "start"))}
		for range rapid.IntRange(1, 2).Draw(t, "pieces") {
			c := rapid.IntRange(0, clusters-1).Draw(t, "cluster")
			first := rapid.IntRange(0, processors[c]-1).Draw(t, "first")
			h.Pieces = append(h.Pieces, model.HoldPiece{Cluster: c, End: h.Start + float64(rapid.IntRange(0, 25).Draw(t, "length")),
				Processors: model.NewProcessorSet(model.Range{First: first, Last: rapid.IntRange(first, processors[c]-1).Draw(t, "last")})})
			h.End = max(h.End, h.Pieces[len(h.Pieces)-1].End)
		}
		holds = append(holds, h)
	}
	var batch []int
	var ready []float64
	for j := earlier; j < jobs; j++ {
		batch, ready = append(batch, j), append(ready, 6)
	}
	return whole.Batch(batch, ready, holds)
}

// literalCost is the objective of a schedule behind held jobs, with the sums over the clusters that have jobs of the schedule: the definitions of the
// metrics, with what is left of a held piece as one job more.
func literalCost(in *model.Instance, sol *model.Solution, objective string) float64 {
	origin, counted := in.FirstArrival(), float64(len(sol.Jobs))
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			if piece.End > origin && piece.End > h.Start {
				counted++
			}
		}
	}
	sum, worst := 0.0, 0.0
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		jobs, makespan, busy, over, response, wait := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		for _, p := range sol.Jobs {
			if p.Cluster != cluster.ID {
				continue
			}
			id, _ := in.JobIndex(p.Job)
			j := &in.Jobs()[id]
			jobs++
			makespan = max(makespan, p.End-origin)
			busy += float64(p.Processors.Len()) * (p.End - p.Start)
			over += max(0, p.End-j.Deadline)
			response += p.End - j.Arrival
			wait += p.Start - j.Arrival
		}
		if jobs == 0 {
			continue
		}
		for _, h := range in.Held() {
			for _, piece := range h.Pieces {
				if left := min(piece.End-origin, piece.End-h.Start); piece.Cluster == c && left > 0 {
					jobs++
					makespan = max(makespan, piece.End-origin)
					busy += float64(piece.Processors.Len()) * left
				}
			}
		}
		idle := float64(cluster.Processors)*makespan - busy
		w := cluster.Weights
		cp := (w.OverDeadline*over + w.Makespan*makespan + w.IdleTime*idle) / (w.OverDeadline + w.Makespan + w.IdleTime)
		sum += map[string]float64{"mcp": jobs / counted * cp, "idle_time": idle, "over_deadline": over, "mean_response": response / counted, "mean_wait": wait / counted}[objective]
		worst = max(worst, makespan)
	}
	if objective == "makespan" {
		sum = worst
	}
	return 1.5 * sum
}

// TestBehindHolds plans behind earlier jobs, from starts of two solvers and in both codings. The clusters' costs make up the objective that the
// definitions give, of the start and of the result; the result is no worse; no job starts on a processor before it is released; and the list
// schedule is the one that was searched.
func TestBehindHolds(t *testing.T) {
	improved := 0
	rapid.Check(t, func(t *rapid.T) {
		objective := rapid.SampledFrom([]string{"mcp", "makespan", "over_deadline", "idle_time", "mean_response", "mean_wait"}).Draw(t, "objective")
		in := drawBehind(t, objective)
		info, err := solve.Lookup(rapid.SampledFrom([]string{"dll", "muscle"}).Draw(t, "start"))
		if err != nil {
			t.Fatal(err)
		}
		start, err := info.New().Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := ga.NewParameters()
		p.Coding, p.Population, p.Generations = rapid.SampledFrom([]ga.Coding{ga.Mask, ga.List}).Draw(t, "coding"), 12, 6
		run, err := newEvolution(context.Background(), in, p, solve.Options{Start: start.Solution, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		before := literalCost(in, start.Solution, objective)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(100+math.Abs(b)) }
		if found := run.goal.combine(run.costs); !near(found, before) {
			t.Fatalf("the clusters cost %v, expected %v", found, before)
		}
		if err := run.search(context.Background()); err != nil {
			t.Fatal(err)
		}
		result, err := run.result(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		costs := make([]float64, len(run.clusters))
		for k := range run.clusters {
			c := &run.clusters[k]
			if costs[k] = c.cost; !c.improved() {
				continue
			}
			improved++
			costs[k] = c.best.Cost
			for id, start := range c.problem.Starts(c.best.Best) {
				if p := result.Solution.Jobs[c.from[id]]; p.Start != start {
					t.Fatalf("%s starts at %v, searched with %v", p.Job, p.Start, start)
				}
			}
		}
		if after := literalCost(in, result.Solution, objective); after > before+1e-9*(100+math.Abs(before)) || !near(run.goal.combine(costs), after) {
			t.Fatalf("the result costs %v, the start %v, the searched schedules %v", after, before, run.goal.combine(costs))
		}
		checkHolds(t, in, result.Solution)
	})
	if improved < race.Enough(1) {
		t.Error("no schedule was improved: the test proves little")
	}
}

// checkHolds checks that no job starts on a processor before it is released.
func checkHolds(t *rapid.T, in *model.Instance, sol *model.Solution) {
	for _, p := range sol.Jobs {
		c, _ := in.ClusterIndex(p.Cluster)
		for _, h := range in.Held() {
			for _, piece := range h.Pieces {
				if piece.Cluster == c && p.Start < piece.End && p.End > p.Start && overlap(p.Processors, piece.Processors) {
					t.Fatalf("%s starts at %v on %s, held until %v on %s", p.Job, p.Start, p.Processors, piece.End, piece.Processors)
				}
			}
		}
	}
}

// overlap says whether two sets have a processor in common.
func overlap(a, b model.ProcessorSet) bool {
	for _, r := range a {
		for _, s := range b {
			if r.First <= s.Last && s.First <= r.Last {
				return true
			}
		}
	}
	return false
}
