package spaceshare_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

// paperWorkload is the workload of the paper's section 3: 8 clusters of 8 processors; Poisson arrivals; maximum parallelism uniform in 1 to 64,
// with as many tasks; the total demand of a job hyper-exponential of two stages with balanced means, mean 14.06 and CV 3.5.
func paperWorkload(t testing.TB, jobs int, load float64, seed uint64) *model.Instance {
	t.Helper()
	const mean, cv, processors = 14.06, 3.5, 64
	rng := rand.New(rand.NewPCG(seed, 1))
	b := model.NewBuilder("paper")
	for c := range 8 {
		b.Cluster(model.ClusterSpec{ID: "c" + strconv.Itoa(c), Machines: []model.MachineSpec{{ID: "m", Count: 8}}})
	}
	often := (1 + math.Sqrt((cv*cv-1)/(cv*cv+1))) / 2
	arrival := 0.0
	for k := range jobs {
		arrival += rng.ExpFloat64() * mean / processors / load
		demand := rng.ExpFloat64() * mean
		if rng.Float64() < often {
			demand /= 2 * often
		} else {
			demand /= 2 * (1 - often)
		}
		tasks := 1 + rng.IntN(64)
		b.Job(model.JobSpec{ID: "j" + strconv.Itoa(k), Arrival: arrival, Processors: model.Moldable(1, tasks), Tasks: tasks, Work: new(demand / float64(tasks)), Span: "grid"})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// meanResponse is the mean response time of the jobs but the first.
func meanResponse(t testing.TB, in *model.Instance, policy sim.Discipline, without int) float64 {
	t.Helper()
	sol, _, err := sim.Simulate(context.Background(), in, policy, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for _, p := range sol.Jobs {
		if k, _ := in.JobIndex(p.Job); k >= without {
			sum, n = sum+p.End-in.Jobs()[k].Arrival, n+1
		}
	}
	return sum / float64(n)
}

// Section 4.1: "at low system loads, there is no significant difference among the two policies"; "as the load increases the dynamic
// policy performs better".
func TestPaperSection41(t *testing.T) {
	const jobs = 10_000
	change := func(load float64, policy sim.Discipline) float64 {
		in := paperWorkload(t, jobs, load, 3)
		return meanResponse(t, in, policy, jobs/10)/meanResponse(t, in, spaceshare.MAP(spaceshare.Floor), jobs/10) - 1
	}
	for _, start := range []spaceshare.Start{spaceshare.Wait, spaceshare.Available} {
		policy := spaceshare.Dynamic(spaceshare.Options{Start: start, Rounding: spaceshare.Floor, Alpha: 2})
		low, high := change(0.1, policy), change(0.8, policy)
		t.Logf("%s: %.1f %% at load 0.1, %.1f %% at load 0.8", start, 100*low, 100*high)
		if low < -0.1 || low > 0 || high > -0.15 {
			t.Errorf("%s: %.1f %% at load 0.1, %.1f %% at load 0.8", start, 100*low, 100*high)
		}
	}
}

// BenchmarkSpaceShare runs 100,000 jobs of the paper's workload on 64 processors on one core. Target: 2 s.
func BenchmarkSpaceShare(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, load := range []float64{0.7, 0.9, 1.5} {
		in := paperWorkload(b, 100_000, load, 1)
		for _, c := range []struct {
			solver string
			policy sim.Discipline
		}{
			{"spaceshare", spaceshare.Dynamic(spaceshare.Options{Start: spaceshare.Available, Rounding: spaceshare.Nearest, Alpha: 2})},
			{"map", spaceshare.MAP(spaceshare.Nearest)},
		} {
			b.Run("solver="+c.solver+"/load="+strconv.FormatFloat(load, 'g', -1, 64), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := sim.Simulate(context.Background(), in, c.policy, sim.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
