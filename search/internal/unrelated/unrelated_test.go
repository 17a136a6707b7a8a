package unrelated

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/looks"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// CompletionStart puts each job where it ends first.
func CompletionStart(in *model.Instance) *model.Solution {
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

// TimesInstance has the given number of processors in each cluster and a row of run times for each job; NaN: the job cannot run
// there.
func TimesInstance(t testing.TB, processors []int, rows [][]float64) *model.Instance {
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

func TestUnrelatedLoadsAddUp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		processors := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 4).Draw(r, "processors")
		rows := make([][]float64, rapid.IntRange(1, 40).Draw(r, "jobs"))
		for j := range rows {
			rows[j] = rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 1000), func(n int) float64 { return float64(n) / 128 }), len(processors), len(processors)).Draw(r, "times")
		}
		in := TimesInstance(t, processors, rows)
		e, err := New(context.Background(), in, CompletionStart(in), 1)
		if err != nil {
			r.Fatal(err)
		}
		c := e.(*Engine).runs[0]
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
		for i, row := range c.rows {
			if len(row) != jobs[i] || !slices.IsSortedFunc(row, func(a, b entry) int { return cmp.Compare(a.w, b.w) }) {
				r.Fatalf("machine %d has %d jobs, its row is %v", i, jobs[i], row)
			}
			for _, e := range row {
				if c.at[e.k] != int32(i) || e.w != c.p.weighted(int(e.k), int(c.p.clusterOf[i])) {
					r.Fatalf("machine %d: job %d is on %d, weighted time %v", i, e.k, c.at[e.k], e.w)
				}
			}
		}
		if found := c.p.makespan(c.bestAt, c.scratch); found != c.best {
			r.Fatalf("best %v, its schedule %v", c.best, found)
		}
	})
}

func TestUnrelatedTakesWhatItCan(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Wild: rapid.Bool().Draw(r, "wild")}.Instance(r)
		if rapid.Bool().Draw(r, "plain") {
			in = modeltest.Generator{Features: model.UnrelatedTimes | model.RestrictedTimes, Wild: rapid.Bool().Draw(r, "wild")}.Instance(r)
		}
		start := CompletionStart(in)
		if report := model.Check(in, start); !report.OK() {
			return
		}
		e, err := New(context.Background(), in, start, 1)
		if err != nil {
			r.Fatal(err)
		}
		if e == nil {
			return
		}
		for range 2 {
			for k := range e.Chains() {
				e.Advance(k, 625, func() bool { return false })
			}
			e.Exchange()
		}
		for k := range e.Chains() {
			s, err := e.Solution(k)
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
		if e, err := New(context.Background(), in, &model.Solution{}, 1); e != nil || err != nil {
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
	start := CompletionStart(in)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := New(cancelled, in, start, 1); e != nil || err != nil {
		t.Errorf("cancelled before: engine %v, error %v", e, err)
	}
	e, err := New(context.Background(), in, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	made := e.Advance(0, math.MaxInt64, func() bool { asked++; return asked > 100 })
	if most := int64(100 * block); made > most {
		t.Errorf("%d moves after being asked to stop, expected at most %d", made, most)
	}
}

// Whenever its context ends while the engine prepares, it gives up at that look or the few after it; and it looks once for every job at least. How long
// that takes, BenchmarkSearchCancellation measures.
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
	in := TimesInstance(t, processors, rows)
	start := CompletionStart(in)
	whole := looks.Count()
	if e, err := New(whole, in, start, 1); e == nil || err != nil {
		t.Fatal(e, err)
	}
	t.Logf("%d looks", whole.Taken())
	if whole.Taken() < int64(len(rows)) {
		t.Errorf("it looks at its context %d times", whole.Taken())
	}
	for after := int64(0); after < whole.Taken(); after += 1 + after/5 {
		ctx := looks.Until(after)
		if e, err := New(ctx, in, start, 1); e != nil || err != nil {
			t.Fatalf("ended at look %d: %v, %v", after, e, err)
		}
		if late := ctx.Taken() - after; late > 10 {
			t.Errorf("ended at look %d, and it looked %d times more", after, late)
		}
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
