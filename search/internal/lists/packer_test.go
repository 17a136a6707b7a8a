package lists

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/beam"
)

// OneCluster is a batch of rigid jobs on one cluster, whose sizes and run times are whole multiples of the given ones.
func OneCluster(t testing.TB, jobs, grain int, unit float64) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(jobs), 2))
	b := model.NewBuilder("batch").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64 * grain}}})
	for k := range jobs {
		work := unit * float64(1+rng.IntN(100))
		b.Job(model.JobSpec{ID: fmt.Sprintf("J%04d", k), Processors: model.Rigid(grain * (1 + rng.IntN(32))), Work: &work})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// packed makes the engine, which must have packers.
func packed(t testing.TB, in *model.Instance) *Engine {
	t.Helper()
	e, err := New(context.Background(), in, FirstOn(t, in), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.(*Engine).packed) != packers {
		t.Fatalf("%d packers, expected %d", len(e.(*Engine).packed), packers)
	}
	return e.(*Engine)
}

// never never stops.
func never() bool { return false }

// Packers find schedules that the checker accepts, of the objective that they say, never worse than the first and never below the shortest.
func TestPackersSayWhatTheEvaluatorSays(t *testing.T) {
	better := 0
	rapid.Check(t, func(t *rapid.T) {
		in, err := modeltest.Generator{Features: model.ParallelJobs | model.Arrivals, Jobs: 12, Clusters: 1}.Instance(t).WithObjective(map[string]float64{"makespan": 2})
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(context.Background(), in)
		if p == nil || len(p.Movable) == 0 || !p.packable() {
			t.Skip("nothing to pack")
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		orders := anyOrders(p, rng)
		first := p.objectiveOf(orders)
		k := newPacker(p, first, orders, rng)
		if k == nil {
			t.Skip("no job takes time")
		}
		for range 20 {
			k.advance(20, never)
			s, objective := evaluated(t, p, k.orders)
			if report := model.Check(in, s); !report.OK() {
				t.Fatal(report.Violations[0])
			}
			if !near(p, k.best, objective) || k.best > first || objective < p.Constant+p.Makespan*k.shortest*(1-1e-9) {
				t.Fatalf("the packer says %v, the evaluator %v, the first is %v, none is below %v", k.best, objective, first, p.Makespan*k.shortest)
			}
		}
		if k.best < first {
			better++
		}
	})
	if better < race.Enough(1) {
		t.Error("nothing better was found: the test proves nothing")
	}
}

// The engine packs where the makespan on one cluster is all that counts and all jobs arrive at once.
func TestEnginePacksWhereItCan(t *testing.T) {
	for _, c := range []struct {
		name      string
		objective map[string]float64
		change    func(b *model.Builder)
		jobs      int
		want      int
	}{
		{"makespan", map[string]float64{"makespan": 1}, nil, 5, packers},
		{"with another metric", map[string]float64{"makespan": 1, "mean_response": 1}, nil, 5, 0},
		{"with idle time", map[string]float64{"makespan": 1, "idle_time": 1}, nil, 5, 0},
		{"with mcp", map[string]float64{"makespan": 1, "mcp": 1}, nil, 5, 0},
		{"idle time alone", map[string]float64{"idle_time": 1}, nil, 5, 0},
		{"two clusters", map[string]float64{"makespan": 1}, func(b *model.Builder) {
			b.Cluster(model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		}, 5, 0},
		{"a later job", map[string]float64{"makespan": 1}, func(b *model.Builder) {
			b.Job(model.JobSpec{ID: "late", Processors: model.Rigid(2), Work: new(3.0), Arrival: 1})
		}, 5, 0},
		{"as many jobs as it takes", map[string]float64{"makespan": 1}, nil, packedMost, packers},
		{"one more", map[string]float64{"makespan": 1}, nil, packedMost + 1, 0},
	} {
		b := model.NewBuilder("b")
		for metric, weight := range c.objective {
			b.Minimise(metric, weight)
		}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		for k := range c.jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(1 + k%3), Work: new(1 + float64(k%7))})
		}
		if c.change != nil {
			c.change(b)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		made, err := New(context.Background(), in, FirstOn(t, in), 1)
		if err != nil || made == nil {
			t.Fatalf("%s: no engine: %v", c.name, err)
		}
		if e := made.(*Engine); len(e.packed) != c.want || e.Chains() != len(e.walks)+c.want {
			t.Errorf("%s: %d packers and %d chains, expected %d packers", c.name, len(e.packed), e.Chains(), c.want)
		}
	}
}

// With packers the engine comes much nearer the bound than walks that make as many evaluations.
func TestPackersAreBetterThanWalks(t *testing.T) {
	race.OneGoroutine(t)
	for _, jobs := range []int{80, 300} {
		reached := func(walksAlone bool) (objective, shortest float64) {
			e := packed(t, OneCluster(t, jobs, 1, 1))
			shortest = e.packed[0].shortest
			if walksAlone {
				e.packed = nil
			}
			for made := int64(0); made < 20_000; e.Exchange() {
				for k := range e.Chains() {
					n := e.Advance(k, 100, never)
					if n != 100 {
						t.Fatalf("%d jobs: chain %d made %d evaluations of 100", jobs, k, n)
					}
					made += n
				}
			}
			objective = math.Inf(1)
			for k := range e.Chains() {
				objective = min(objective, e.Best(k).Objective)
			}
			return objective, shortest
		}
		walked, least := reached(true)
		found, _ := reached(false)
		t.Logf("%d jobs: %.2f %% above the bound without packers, %.2f %% with", jobs, 100*(walked/least-1), 100*(found/least-1))
		if found-least > 0.5*(walked-least) {
			t.Errorf("%d jobs: %v with packers and %v without; the bound is %v", jobs, found, walked, least)
		}
	}
}

// A packer works more while a packer has found the best schedule, and less while a walk has.
func TestPackersShareByWhoFoundTheBest(t *testing.T) {
	e := packed(t, OneCluster(t, 100, 1, 1))
	k, w := e.packed[0], e.walks[0]
	behind, first := k.effort, e.best
	for _, step := range []struct {
		walked, found float64
		ahead         bool
	}{{first, first, false}, {first, first - 10, true}, {first - 10, first - 10, true}, {first - 20, first - 10, false}, {first - 20, first - 20, false}, {first - 20, first - 30, true}, {first - 40, first - 40, false}} {
		w.best, k.best = step.walked, step.found
		if e.share(); (k.effort > behind) != step.ahead || e.packed[1].effort != k.effort {
			t.Errorf("walks at %v, packers at %v: work of %d and %d in an evaluation, %d at first", step.walked, step.found, k.effort, e.packed[1].effort, behind)
		}
	}
}

// Sizes with a common divisor are searched in units of it, so that multiples of an instance give the same schedules.
func TestPackersDivideSizes(t *testing.T) {
	var first []int32
	for _, grain := range []int{1, 1000} {
		k := packed(t, OneCluster(t, 30, grain, 1)).packed[0]
		k.advance(100, never)
		if first == nil {
			first = k.orders[0]
		} else if !slices.Equal(first, k.orders[0]) {
			t.Errorf("another schedule with sizes in thousands: %v and %v", first, k.orders[0])
		}
	}
}

// Between rounds packers learn what the others have found, and aim at less.
func TestPackersLearnTheBest(t *testing.T) {
	e := packed(t, OneCluster(t, 30, 1, 1))
	e.Advance(len(e.walks), 300, never)
	best := e.Best(len(e.walks)).Objective
	if other := e.Best(len(e.walks) + 1).Objective; best >= other {
		t.Fatalf("%v after some work, %v without: the test proves nothing", best, other)
	}
	e.Exchange()
	for k, p := range e.packed {
		if p.known != best {
			t.Errorf("packer %d knows %v, the best is %v", k, p.known, best)
		}
	}
}

// A packer stops at once, and for good where nothing shorter is to be found.
func TestPackersStop(t *testing.T) {
	in := OneCluster(t, 300, 1, 1)
	k := packed(t, in).packed[0]
	calls := 0
	if made := k.advance(1000, func() bool { calls++; return calls > 7 }); made != 7 {
		t.Errorf("%d evaluations, stopped after 7", made)
	}
	k.running = false
	k.learn(k.p.Makespan*k.shortest + k.p.Constant)
	if made := k.advance(1000, never); made != 0 {
		t.Errorf("%d evaluations where nothing is to be found", made)
	}
	if before := k.work(); before == 0 {
		t.Error("no work was counted")
	}
}

// Jobs that take no time are placed with the others, and alone they leave a packer nothing to do.
func TestPackersPlaceJobsOfNoTime(t *testing.T) {
	for _, timed := range []int{0, 6} {
		b := model.NewBuilder("b").Minimise("makespan", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		for k := range 10 {
			work := 0.0
			if k < timed {
				work = float64(1 + k)
			}
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(1 + k%3), Work: &work})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(context.Background(), in)
		orders := [][]int32{p.Movable} // short jobs first: not the best
		k := newPacker(p, p.objectiveOf(orders), orders, rand.New(rand.NewPCG(1, 1)))
		if timed == 0 {
			if k != nil {
				t.Error("a packer without work")
			}
			continue
		}
		first := k.best
		if k.advance(100, never); k.best >= first || len(k.orders[0]) != 10 || p.objectiveOf(k.orders) != k.best {
			t.Errorf("%d of 10 jobs in a schedule of %v, said to be %v; the first is %v", len(k.orders[0]), p.objectiveOf(k.orders), k.best, first)
		}
	}
}

// Makespans that are less than a unit apart are the same.
func TestPackersAimAtWholeUnits(t *testing.T) {
	for _, c := range []struct {
		durations []float64
		want      float64
	}{{[]float64{4, 6, 10}, 2}, {[]float64{0.5, 0.75}, 0.25}, {[]float64{1, 0.1}, 0}, {[]float64{7}, 7}, {[]float64{1e300, 1}, 0}} {
		var jobs []beam.Job
		for _, d := range c.durations {
			jobs = append(jobs, beam.Job{Size: 1, Duration: d})
		}
		if got := unitOf(jobs); got != c.want {
			t.Errorf("unit of %v: %v, expected %v", c.durations, got, c.want)
		}
	}
	k := &packer{unit: 0.25}
	for _, c := range [][3]float64{{1.3, 1.25, 1.5}, {1.25 * (1 + 1e-12), 1.25, 1.25}, {1.25 * (1 - 1e-12), 1.25, 1.25}, {0, 0, 0}} {
		if down, up := k.rounded(c[0], math.Floor), k.rounded(c[0], math.Ceil); down != c[1] || up != c[2] {
			t.Errorf("%v is rounded to %v and %v, expected %v and %v", c[0], down, up, c[1], c[2])
		}
	}
}
