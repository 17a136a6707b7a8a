package lists

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// drawLists draws an instance that the engine takes, with any objective that it can search.
func drawLists(t *rapid.T, jobs int) (*model.Instance, *problem) { return drawListsOn(t, jobs, 3) }

// drawListsOn is drawLists with at most the given number of clusters.
func drawListsOn(t *rapid.T, jobs, clusters int) (*model.Instance, *problem) {
	features := model.Arrivals | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes
	in := modeltest.Generator{Features: features, Jobs: jobs, Clusters: clusters}.Instance(t)
	objective := map[string]float64{}
	for range rapid.IntRange(1, 3).Draw(t, "metrics") {
		name := rapid.SampledFrom([]string{"mcp", "makespan", "idle_time", "over_deadline", "mean_response", "mean_wait", "bounded_slowdown",
			"mean_slowdown", "missed", "miss_rate", "cost", "unfinished"}).Draw(t, "metric")
		objective[name] = float64(rapid.IntRange(0, 12).Draw(t, "weight")) / 4
	}
	in, err := in.WithObjective(objective)
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(context.Background(), in)
	if p == nil || len(p.Movable) == 0 {
		t.Skip("not for the engine of lists")
	}
	p.guess = p.guessable() && rapid.Bool().Draw(t, "guess")
	return in, p
}

// anyOrders shares the jobs at random among clusters that can run them.
func anyOrders(p *problem, rng *rand.Rand) [][]int32 {
	orders := make([][]int32, len(p.Clusters))
	for _, k := range rng.Perm(len(p.Movable)) {
		j := p.Movable[k]
		c := rng.IntN(len(orders))
		for p.Clusters[c].Jobs[j].Size == 0 {
			c = rng.IntN(len(orders))
		}
		orders[c] = append(orders[c], j)
	}
	return orders
}

// evaluated is the schedule of the orders and its objective by the evaluator.
func evaluated(t *rapid.T, p *problem, orders [][]int32) (*model.Solution, float64) {
	e := &Engine{p: p, walks: []*chain{{orders: orders}}}
	s, err := e.Solution(0)
	if err != nil {
		t.Fatal(err)
	}
	at, err := engine.RankOf(p.In, s)
	if err != nil {
		t.Fatal(err)
	}
	return s, at.Objective
}

// near says that two sums of the same figures differ by rounding at most.
func near(p *problem, a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+p.Processors)
}

// At every temperature the walk adds up, move by move, the objective that the evaluator finds.
func TestListWalkAddsUpWhatTheEvaluatorDoes(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawLists(t, 12)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newChain(p, anyOrders(p, rng), rng)
		for range 20 {
			w.temperature = math.Pow(10, 3*rng.Float64()-2)
			for range 50 {
				w.step()
			}
			moved += int(w.accepted)
			orders := ordersOf(w)
			for c := range orders {
				for k, j := range orders[c] {
					if w.at[j] != int32(c) || w.pos[j] != int32(k) {
						t.Fatalf("job %d is at %d on cluster %d, and said to be at %d on %d", j, k, c, w.pos[j], w.at[j])
					}
				}
			}
			s, objective := evaluated(t, p, orders)
			if !near(p, w.objective, objective) {
				t.Fatalf("the walk says %v, the evaluator %v", w.objective, objective)
			}
			if report := model.Check(p.In, s); !report.OK() {
				t.Fatal(report.Violations[0])
			}
			if fresh := newChain(p, orders, rng); w.unit == fresh.unit && !near(p, w.energy, fresh.energy) {
				t.Fatalf("energy %v, decoded afresh %v", w.energy, fresh.energy)
			}
			if _, best := evaluated(t, p, w.orders); !near(p, w.best, best) {
				t.Fatalf("the best is said to be %v and is %v", w.best, best)
			}
		}
	})
	if moved < race.Enough(1) {
		t.Error("no walk moved: the test proves nothing")
	}
}

// A probe gives up if and only if the cluster would cost more than the limit. An estimate from the earlier costs does not
// change the figures.
func TestListProbeGivesUpWhatIsTooDear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawLists(t, 10)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newChain(p, anyOrders(p, rng), rng)
		c := int32(rng.IntN(len(p.Clusters)))
		s := &w.clusters[c]
		n := len(s.order)
		if n == 0 {
			t.Skip("no jobs on the cluster")
		}
		k := rng.IntN(n)
		rng.Shuffle(n-k, func(a, b int) { s.order[k+a], s.order[k+b] = s.order[k+b], s.order[k+a] })
		busy, floor := s.prefix[n].busy, w.lastBut(c, c)
		w.margin = math.Inf(1)
		decoded := func(limit float64, decode func(q *probe) bool) (float64, bool) {
			q := w.begin(c, k, n, busy, floor, limit)
			if !decode(q) {
				return 0, false
			}
			return q.done()
		}
		place := func(q *probe) bool { return q.place(s.order[k:]...) }
		follow := func(q *probe) bool { return q.follow(s.order[k:], s.prefix[k+1:]) }
		energy, _ := decoded(math.Inf(1), place)
		if fresh := newChain(p, ordersOf(w), rng); fresh.unit == w.unit && !near(p, energy, fresh.clusters[c].energy) {
			t.Fatalf("energy %v, decoded afresh %v", energy, fresh.clusters[c].energy)
		}
		all := energy + p.Makespan*max(w.probe.sums.latest-p.Origin, floor)
		rounding := 1e-9 * (1 + math.Abs(all) + p.Processors)
		for _, decode := range []func(*probe) bool{place, follow} {
			for _, limit := range []float64{all + rounding, all + 1, 2*all + 1} {
				if got, ok := decoded(limit, decode); !ok || !near(p, got, energy) {
					t.Fatalf("a cluster of %v was given up at the limit %v, or has the energy %v for %v", all, limit, got, energy)
				}
			}
			if _, ok := decoded(all-rounding-0.01*math.Abs(all), decode); ok {
				t.Fatalf("a cluster of %v was not given up at a limit below that", all)
			}
		}
	})
}

// ordersOf are the orders of a walk.
func ordersOf(w *chain) [][]int32 {
	orders := make([][]int32, len(w.clusters))
	for c := range w.clusters {
		orders[c] = w.clusters[c].order
	}
	return orders
}

// On small instances the search reaches the least objective of all list schedules.
func TestListsReachTheBestListSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, p := drawLists(t, 5)
		best := math.Inf(1)
		orders := make([][]int32, len(p.Clusters))
		used, left := make([]bool, len(in.Jobs())), len(p.Movable)
		var extend func()
		extend = func() {
			if left == 0 {
				best = min(best, p.objectiveOf(orders))
				return
			}
			for _, j := range p.Movable {
				if used[j] {
					continue
				}
				used[j] = true
				left--
				for c := range p.Clusters {
					if p.Clusters[c].Jobs[j].Size > 0 {
						orders[c] = append(orders[c], j)
						extend()
						orders[c] = orders[c][:len(orders[c])-1]
					}
				}
				used[j] = false
				left++
			}
		}
		if len(p.Movable)*len(p.Clusters) <= 10 {
			extend()
		} else {
			t.Skip("too many schedules")
		}
		start, _ := evaluated(t, p, anyOrders(p, rand.New(rand.NewPCG(1, 1))))
		reached := math.Inf(1)
		for seed := uint64(1); seed <= 4 && !near(p, reached, best); seed++ { // one walk in some thousands ends beside the optimum
			e, err := New(context.Background(), in, start, seed)
			if err != nil {
				t.Fatal(err)
			}
			for made := int64(0); made < 60_000; e.Exchange() {
				for k := range e.Chains() {
					made += e.Advance(k, min(e.Round(), 1000), func() bool { return false })
				}
			}
			for k := range e.Chains() {
				s, err := e.Solution(k)
				if err != nil {
					t.Fatal(err)
				}
				found, err := engine.RankOf(in, s)
				if err != nil {
					t.Fatal(err)
				}
				reached = min(reached, found.Objective)
			}
		}
		if !near(p, reached, best) {
			t.Fatalf("reached %v; the best list schedule has %v", reached, best)
		}
	})
}

// Batch is a batch of rigid jobs on clusters of different size and speed, as in MUSCLE's Fig. 4.
func Batch(t testing.TB, jobs int, objective string) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	b := model.NewBuilder("batch").Minimise(objective, 1)
	for k, size := range []int{20, 16, 12, 10} {
		b.Cluster(model.ClusterSpec{ID: string(rune('a' + k)), Machines: []model.MachineSpec{{ID: "m", Count: size, Speed: 1 + float64(k)/5}}})
	}
	for k := range jobs {
		work := 5 + 40*rng.ExpFloat64()
		b.Job(model.JobSpec{ID: "J" + string(rune('A'+k/676)) + string(rune('A'+k/26%26)) + string(rune('A'+k%26)),
			Processors: model.Rigid(1 + rng.IntN(10)), Work: &work, Deadline: new(work * (1 + 5*rng.Float64()))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// FirstOn runs all jobs in their order, each on the first cluster that can run it.
func FirstOn(t testing.TB, in *model.Instance) *model.Solution {
	t.Helper()
	p := newProblem(context.Background(), in)
	orders := p.orders(&model.Solution{})
	s, err := (&Engine{p: p, walks: []*chain{{orders: orders}}}).Solution(0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The figures are the same if only the states at every stride-th position are kept.
func TestListStatesMayBeSparse(t *testing.T) {
	in := Batch(t, 3000, "mean_response")
	p := newProblem(context.Background(), in)
	start := FirstOn(t, in)
	orders := p.orders(start)
	w := newChain(p, orders, rand.New(rand.NewPCG(1, 1)))
	if w.clusters[0].stride < 2 {
		t.Fatalf("stride %d: the test proves nothing", w.clusters[0].stride)
	}
	w.temperature = w.objective / 100
	for range 300 {
		w.step()
	}
	if w.accepted == 0 {
		t.Fatal("nothing was accepted: the test proves nothing")
	}
	if fresh := p.objectiveOf([][]int32{w.clusters[0].order, w.clusters[1].order, w.clusters[2].order, w.clusters[3].order}); math.Abs(fresh-w.objective) > 1e-9*fresh {
		t.Errorf("the walk says %v, decoding afresh %v", w.objective, fresh)
	}
}

// BenchmarkListMoves measures moves/s of one walk at a temperature at which good schedules are found.
func BenchmarkListMoves(b *testing.B) {
	for _, jobs := range []int{40, 100, 160} {
		b.Run("jobs="+string(rune('0'+jobs/100))+string(rune('0'+jobs/10%10))+"0", func(b *testing.B) {
			in := Batch(b, jobs, "mcp")
			p := newProblem(context.Background(), in)
			orders := p.dispatch(context.Background(), rules[0])
			e := &Engine{p: p, walks: []*chain{newChain(p, orders, rand.New(rand.NewPCG(1, 1)))}}
			e.ladder = newLadder(engine.DefaultWalks(), 1, jobs, e.walks[0].objective/float64(jobs), rand.New(rand.NewPCG(1, 0)))
			for range 50 { // until it is where the search is most of the time
				e.Advance(0, 4096, func() bool { return false })
				e.Exchange()
			}
			b.ReportAllocs()
			for b.Loop() {
				e.walks[0].step()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}
