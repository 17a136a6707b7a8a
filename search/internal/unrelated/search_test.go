package unrelated_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/unrelated"
)

// solveUnrelated searches an instance that the engine takes, checks the result and returns its makespan.
func solveUnrelated(t testing.TB, in *model.Instance, start *model.Solution, opt search.Options) (search.Result, float64) {
	t.Helper()
	e, err := unrelated.New(context.Background(), in, start, opt.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if e == nil {
		t.Fatal("the engine does not take the instance")
	}
	r, err := search.Minimise(context.Background(), in, start, opt)
	if err != nil {
		t.Fatal(err)
	}
	report := model.Check(in, r.Solution)
	if !report.OK() {
		t.Fatalf("the schedule is wrong: %v", report.Violations)
	}
	before, err := engine.RankOf(in, start)
	if err != nil {
		t.Fatal(err)
	}
	after, err := engine.RankOf(in, r.Solution)
	if err != nil {
		t.Fatal(err)
	}
	if before.Less(after) {
		t.Fatalf("start %v, found worse %v", before, after)
	}
	return r, after.Objective
}

// leastMakespan tries every processor for every job.
func leastMakespan(processors []int, rows [][]float64) float64 {
	best := math.Inf(1)
	loads := make([][]float64, len(processors))
	for c, n := range processors {
		loads[c] = make([]float64, n)
	}
	var place func(j int, most float64)
	place = func(j int, most float64) {
		if most >= best {
			return
		}
		if j == len(rows) {
			best = most
			return
		}
		for c := range loads {
			if rows[j][c] != rows[j][c] {
				continue
			}
			for i := range loads[c] {
				before := loads[c][i]
				loads[c][i] += rows[j][c]
				place(j+1, max(most, loads[c][i]))
				loads[c][i] = before
			}
		}
	}
	place(0, 0)
	return best
}

func TestUnrelatedFindsTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range race.Fewer(300, 60) {
		processors := make([]int, 1+rng.IntN(3))
		for c := range processors {
			processors[c] = 1
		}
		if len(processors) == 1 {
			processors[0] = 1 + rng.IntN(3)
		}
		rows := make([][]float64, 1+rng.IntN(8))
		for j := range rows {
			for range processors {
				time := float64(rng.IntN(100))
				if rng.IntN(8) == 0 && len(rows[j]) > 0 {
					time = math.NaN()
				}
				rows[j] = append(rows[j], time)
			}
		}
		in := unrelated.TimesInstance(t, processors, rows)
		_, found := solveUnrelated(t, in, unrelated.CompletionStart(in), search.Options{Seed: uint64(k), MaxEvals: 80_000, Workers: 1})
		if least := leastMakespan(processors, rows); math.Abs(found-least) > 1e-9*least {
			t.Errorf("instance %d: found %v, the least is %v: %v", k, found, least, rows)
		}
	}
}

func TestUnrelatedIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	rows := make([][]float64, 120) // enough for beam searches
	for j := range rows {
		rows[j] = []float64{rng.Float64(), rng.Float64(), 2 * rng.Float64()}
	}
	for _, processors := range [][]int{{1, 1, 1}, {40, 40, 3}} {
		in := unrelated.TimesInstance(t, processors, rows)
		var first search.Result
		for _, workers := range []int{1, 4, 2} {
			r, _ := solveUnrelated(t, in, unrelated.CompletionStart(in), search.Options{Seed: 7, MaxEvals: 3_000_001, Workers: workers})
			if workers == 1 {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Errorf("%d workers differ from one", workers)
			}
		}
	}
}

func TestUnrelatedTakesOddInstances(t *testing.T) {
	nan := math.NaN()
	many := make([][]float64, 3000)
	for j := range many {
		many[j] = []float64{float64(j%7) * 1e-9, 1e12}
	}
	for name, c := range map[string]struct {
		processors []int
		rows       [][]float64
	}{
		"one job, one machine":   {[]int{1}, [][]float64{{3}}},
		"one job, many machines": {[]int{1, 5, 70}, [][]float64{{3, 2, 4}}},
		"no time":                {[]int{1, 1}, [][]float64{{0, 0}, {0, 0}, {0, 0}}},
		"no time somewhere":      {[]int{1, 1}, [][]float64{{0, 5}, {7, 0}, {0, 5}}},
		"all equal":              {[]int{3, 3}, [][]float64{{2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}}},
		"all small":              {[]int{1, 1}, [][]float64{{1e-9, 3e-9}, {2e-9, 1e-9}, {1e-9, 1e-9}}},
		"all large":              {[]int{1, 1}, [][]float64{{1e12, 3e12}, {2e12, 1e12}, {1e12, 1e12}}},
		"small and large":        {[]int{2, 2}, many},
		"one place each":         {[]int{1, 1}, [][]float64{{3, nan}, {nan, 4}, {nan, 5}}},
		"one identical cluster":  {[]int{100}, many[:500:500]},
		"all magnitudes":         {[]int{1, 1}, [][]float64{{1, 1}, {1e18, 1e18}, {1e-18, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := c.rows
			if len(c.processors) == 1 {
				rows = nil
				for _, row := range c.rows {
					rows = append(rows, row[:1])
				}
			}
			in := unrelated.TimesInstance(t, c.processors, rows)
			solveUnrelated(t, in, unrelated.CompletionStart(in), search.Options{Seed: 1, MaxEvals: 300_000, Workers: 2})
		})
	}
}

// If every job takes no time somewhere, all jobs go there, wherever the start has put them.
func TestUnrelatedPutsJobsWhereTheyTakeNoTime(t *testing.T) {
	b := model.NewBuilder("free")
	b.Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Cluster(model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "j", Runtime: map[string]float64{"a": 1, "b": 0}})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	start := &model.Solution{Jobs: []model.Placement{{Job: "j", Cluster: "a", Processors: model.Processors(0), End: 1}}}
	result, err := search.Minimise(context.Background(), in, start, search.Options{MaxEvals: 10})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := engine.RankOf(in, result.Solution); err != nil || at.Objective != 0 {
		t.Errorf("%+v, %v; expected a makespan of 0", at, err)
	}
}

// BenchmarkUnrelatedBraun measures how far above the best published makespan two workers come. Run it with -benchtime 1x.
// UNRELATED_SECONDS in the environment sets the seconds, 2 by default.
func BenchmarkUnrelatedBraun(b *testing.B) {
	seconds, err := strconv.ParseFloat(os.Getenv("UNRELATED_SECONDS"), 64)
	if err != nil {
		seconds = 2
	}
	limit, _ := strconv.ParseInt(os.Getenv("UNRELATED_MOVES"), 10, 64)
	for _, name := range unrelated.BraunNames {
		b.Run("instance="+name, func(b *testing.B) {
			in, best := unrelated.Braun(b, name)
			start := unrelated.CompletionStart(in)
			sum, evaluations := 0.0, int64(0)
			for k := range b.N {
				ctx, cancel := context.WithTimeout(b.Context(), time.Duration(seconds*float64(time.Second)))
				r, err := search.Minimise(ctx, in, start, search.Options{Seed: uint64(k + 1), Workers: 2, MaxEvals: limit})
				cancel()
				if err != nil {
					b.Fatal(err)
				}
				at, err := engine.RankOf(in, r.Solution)
				if err != nil {
					b.Fatal(err)
				}
				sum += at.Objective / best
				evaluations += r.Evaluations
			}
			b.ReportMetric(100*(sum/float64(b.N)-1), "%above")
			b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds()/1e6, "Mmoves/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
