package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/modeltest"
)

// completionStart puts each job where it ends first.
func completionStart(in *model.Instance) *model.Solution {
	clusters := in.Clusters()
	free := make([][]float64, len(clusters))
	for c := range clusters {
		free[c] = make([]float64, clusters[c].Processors)
		for i := range free[c] {
			free[c][i] = in.FirstArrival()
		}
	}
	s := &model.Solution{}
	for j := range in.Jobs() {
		cluster, processor, end := -1, 0, math.Inf(1)
		for c := range clusters {
			d := in.DurationOn(j, c, 1)
			for i, t := range free[c] {
				if t+d < end {
					cluster, processor, end = c, i, t+d
				}
			}
		}
		id := in.Jobs()[j].ID
		if cluster < 0 {
			s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: id, Reason: "it can run nowhere"})
			continue
		}
		start := free[cluster][processor]
		free[cluster][processor] = end
		s.Jobs = append(s.Jobs, model.Placement{Job: id, Cluster: clusters[cluster].ID, Start: start, End: end,
			Processors: model.NewProcessorSet(model.Range{First: processor, Last: processor})})
	}
	return s
}

// timesInstance is an instance of so many processors in each cluster and a row of run times a job; NaN: cannot run there.
func timesInstance(t testing.TB, processors []int, rows [][]float64) *model.Instance {
	t.Helper()
	b := model.NewBuilder("times").Minimise("makespan", 1)
	for c, n := range processors {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: n}}})
	}
	for j, row := range rows {
		runtime := map[string]float64{}
		for c, time := range row {
			if time == time {
				runtime[fmt.Sprint("c", c)] = time
			}
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Runtime: runtime})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// solveUnrelated runs the engine alone, checks what it returns and returns its makespan.
func solveUnrelated(t testing.TB, in *model.Instance, start *model.Solution, opt Options) (Result, float64) {
	t.Helper()
	e, err := newUnrelated(context.Background(), in, start, opt.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if e == nil {
		t.Fatal("the engine does not take the instance")
	}
	r, err := run(context.Background(), e, in, start, opt)
	if err != nil {
		t.Fatal(err)
	}
	report := model.Check(in, r.Solution)
	if !report.OK() {
		t.Fatalf("the schedule is wrong: %v", report.Violations)
	}
	before, err := rankOf(in, start)
	if err != nil {
		t.Fatal(err)
	}
	after, err := rankOf(in, r.Solution)
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
		in := timesInstance(t, processors, rows)
		_, found := solveUnrelated(t, in, completionStart(in), Options{Seed: uint64(k), MaxEvals: 80_000, Workers: 1})
		if least := leastMakespan(processors, rows); math.Abs(found-least) > 1e-9*least {
			t.Errorf("instance %d: found %v, the least is %v: %v", k, found, least, rows)
		}
	}
}

func TestUnrelatedIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	rows := make([][]float64, 60)
	for j := range rows {
		rows[j] = []float64{rng.Float64(), rng.Float64(), 2 * rng.Float64()}
	}
	for _, processors := range [][]int{{1, 1, 1}, {40, 40, 3}} {
		in := timesInstance(t, processors, rows)
		var first Result
		for _, workers := range []int{1, 4, 2} {
			r, _ := solveUnrelated(t, in, completionStart(in), Options{Seed: 7, MaxEvals: 3_000_001, Workers: workers})
			if workers == 1 {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Errorf("%d workers differ from one", workers)
			}
		}
	}
}

func TestUnrelatedLoadsAddUp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		processors := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 4).Draw(r, "processors")
		rows := make([][]float64, rapid.IntRange(1, 40).Draw(r, "jobs"))
		for j := range rows {
			rows[j] = rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 1000), func(n int) float64 { return float64(n) / 128 }), len(processors), len(processors)).Draw(r, "times")
		}
		in := timesInstance(t, processors, rows)
		e, err := newUnrelated(context.Background(), in, completionStart(in), 1)
		if err != nil {
			r.Fatal(err)
		}
		c := e.(*unrelated).runs[0]
		if c.advance(rapid.Int64Range(1, 5000).Draw(r, "moves"), func() bool { return false }) == 0 {
			return
		}
		jobs := make([]int, len(c.load))
		loads := make([]float64, len(c.load))
		for k, i := range c.at {
			loads[i] += c.p.weighted(k, int(c.p.clusterOf[i]))
			jobs[i]++
			if c.members != nil && c.members[i][c.place[k]] != int32(k) {
				r.Fatalf("job %d is not where it should be among the members of machine %d", k, i)
			}
		}
		for i, load := range loads {
			if math.Abs(load-c.load[i]) > 1e-9 {
				r.Fatalf("machine %d: load %v, added up %v", i, c.load[i], load)
			}
			if c.members != nil && len(c.members[i]) != jobs[i] {
				r.Fatalf("machine %d: %d members of %d jobs", i, len(c.members[i]), jobs[i])
			}
		}
		if found := c.p.makespan(c.bestAt, c.scratch); found != c.best {
			r.Fatalf("best %v, its schedule %v", c.best, found)
		}
	})
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
			in := timesInstance(t, c.processors, rows)
			solveUnrelated(t, in, completionStart(in), Options{Seed: 1, MaxEvals: 300_000, Workers: 2})
		})
	}
}

func TestUnrelatedTakesWhatItCan(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Wild: rapid.Bool().Draw(r, "wild")}.Instance(r)
		if rapid.Bool().Draw(r, "plain") {
			in = modeltest.Generator{Features: model.UnrelatedTimes | model.RestrictedTimes, Wild: rapid.Bool().Draw(r, "wild")}.Instance(r)
		}
		start := completionStart(in)
		if report := model.Check(in, start); !report.OK() {
			return
		}
		e, err := newUnrelated(context.Background(), in, start, 1)
		if err != nil {
			r.Fatal(err)
		}
		if e == nil {
			return
		}
		if _, err := run(context.Background(), e, in, start, Options{MaxEvals: 5000}); err != nil {
			r.Fatal(err)
		}
		for k := range e.chains() {
			s, err := e.solution(k)
			if err != nil {
				r.Fatal(err)
			}
			if report := model.Check(in, s); !report.OK() {
				r.Fatalf("chain %d: %v", k, report.Violations)
			}
		}
	})
}

func TestUnrelatedLeavesOtherInstancesAlone(t *testing.T) {
	cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}
	work := 1.0
	for name, b := range map[string]*model.Builder{
		"other objective":  model.NewBuilder("").Minimise("mean_response", 1).Job(model.JobSpec{ID: "a", Work: &work}),
		"two metrics":      model.NewBuilder("").Minimise("makespan", 1).Minimise("mean_response", 1).Job(model.JobSpec{ID: "a", Work: &work}),
		"maximised":        model.NewBuilder("").Minimise("makespan", -1).Job(model.JobSpec{ID: "a", Work: &work}),
		"arrivals":         model.NewBuilder("").Minimise("makespan", 1).Job(model.JobSpec{ID: "a", Work: &work}, model.JobSpec{ID: "b", Work: &work, Arrival: 1}),
		"precedence":       model.NewBuilder("").Minimise("makespan", 1).Job(model.JobSpec{ID: "a", Work: &work}, model.JobSpec{ID: "b", Work: &work, After: []string{"a"}}),
		"a job in two":     model.NewBuilder("").Minimise("makespan", 1).Job(model.JobSpec{ID: "a", Work: &work, Processors: model.Rigid(2)}),
		"nothing to place": model.NewBuilder("").Minimise("makespan", 1),
	} {
		in, err := b.Cluster(cluster).Build()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, err := newUnrelated(context.Background(), in, &model.Solution{}, 1); e != nil || err != nil {
			t.Errorf("%s: engine %v, error %v", name, e, err)
		}
	}
}

func TestUnrelatedStopsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("a large instance")
	}
	rng := rand.New(rand.NewPCG(3, 1))
	b := model.NewBuilder("large").Minimise("makespan", 1)
	for c := range 10 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 20, Speed: 1 + rng.Float64()}}})
	}
	for j := range 20_000 {
		work := rng.ExpFloat64()
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &work})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	start := completionStart(in)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := newUnrelated(cancelled, in, start, 1); e != nil || err != nil {
		t.Errorf("cancelled before: engine %v, error %v", e, err)
	}
	e, err := newUnrelated(context.Background(), in, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	began := time.Now()
	made := e.advance(0, math.MaxInt64, func() bool { asked++; return asked > 100 })
	took := time.Since(began)
	if most := int64(100 * unrelatedBlock); made > most {
		t.Errorf("%d moves after being asked to stop, expected at most %d", made, most)
	}
	t.Logf("%v between two looks at the clock", took/100)
}

func TestUnrelatedStopsWhileItPrepares(t *testing.T) {
	if testing.Short() {
		t.Skip("a large instance")
	}
	rng := rand.New(rand.NewPCG(4, 1))
	processors := make([]int, 100)
	for c := range processors {
		processors[c] = 1
	}
	rows := make([][]float64, 5000)
	for j := range rows {
		for range processors {
			rows[j] = append(rows[j], rng.Float64())
		}
	}
	in := timesInstance(t, processors, rows)
	start := completionStart(in)
	latest := time.Duration(0)
	for wait := time.Millisecond; wait < 2*time.Second; wait = wait * 3 / 2 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		began := time.Now()
		e, err := newUnrelated(ctx, in, start, 1)
		late := time.Since(began) - wait
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			break
		}
		latest = max(latest, late)
	}
	t.Logf("at most %v late", latest)
	if latest > time.Second { // a slip by orders of magnitude, on a busy machine
		t.Errorf("%v late", latest)
	}
}

func TestIncreasingIsASort(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		numbers := rapid.SliceOf(rapid.OneOf(rapid.Float64Min(0), rapid.SampledFrom([]float64{0, 1, 2, math.Inf(1)}))).Draw(r, "numbers")
		order := increasing(context.Background(), numbers)
		if len(order) != len(numbers) {
			r.Fatalf("%d of %d numbers", len(order), len(numbers))
		}
		for k := 1; k < len(order); k++ {
			a, b := order[k-1], order[k]
			if numbers[a] > numbers[b] || numbers[a] == numbers[b] && a >= b {
				r.Fatalf("%v before %v", numbers[a], numbers[b])
			}
		}
	})
}

// Where every job takes no time somewhere, all of them go there, wherever the start has put them.
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
	result, err := Minimise(context.Background(), in, start, Options{MaxEvals: 10})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := rankOf(in, result.Solution); err != nil || at.Objective != 0 {
		t.Errorf("%+v, %v; expected a makespan of 0", at, err)
	}
}
