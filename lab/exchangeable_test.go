package lab

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

var exchangeableTraces = flag.Int("lab.traces", 100, "traces in TestIntervalsOfExchangeablePolicies")

// exchangeable draws a trace of 60 to 400 days on 64 processors at a load from 0.5 to 0.9, with busy hours, weekends and log-normal run times, twice: the two
// differ in the estimates alone, which come from the same distribution. What a policy does to the one it might as well do to the other.
func exchangeable(t *testing.T, seed uint64) (pair [2]*model.Instance, policy string) {
	const processors = 64
	rng := rand.New(rand.NewPCG(seed, 77))
	days, aDay, load := 60+rng.IntN(341), 10+rng.IntN(40), 0.5+0.4*rng.Float64()
	policy = []string{"easy", "easy:order=sjf", "conservative"}[rng.IntN(3)]
	type job struct {
		at, takes  float64
		estimates  [2]float64
		processors int
	}
	var jobs []job
	at, work := 0.0, 0.0
	for at < float64(days)*86400 {
		rate := float64(aDay) / 86400
		if hour := math.Mod(at, 86400) / 3600; hour < 8 || hour > 20 {
			rate *= 0.4
		}
		if int(at/86400)%7 >= 5 {
			rate *= 0.5
		}
		at += rng.ExpFloat64() / rate
		j := job{at: at, takes: math.Min(2*86400, math.Ceil(math.Exp(7+2*rng.NormFloat64()))), processors: 1 << rng.IntN(6)}
		for k := range j.estimates {
			j.estimates[k] = math.Ceil(j.takes * (1 + 9*rng.Float64()*rng.Float64()))
		}
		jobs = append(jobs, j)
		work += j.takes * float64(j.processors)
	}
	longer := load * processors * at / work
	for which := range pair {
		b := model.NewBuilder(fmt.Sprint("trace ", seed))
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "n", Count: processors}}})
		for k, j := range jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Arrival: j.at, Work: new(j.takes * longer), Estimate: new(j.estimates[which] * longer), Processors: model.Rigid(j.processors)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		pair[which] = in
	}
	return pair, policy
}

// TestIntervalsOfExchangeablePolicies: where two policies differ by chance alone, intervals of 95 % for the ratio of their mean waits hold 1 in 93 to 97 % of the traces
// (-lab.traces 2000, about two minutes of processor time; fewer traces tell less), and no interval is below −100 %.
func TestIntervalsOfExchangeablePolicies(t *testing.T) {
	race.OneGoroutine(t)
	if testing.Short() {
		t.Skip("simulates two policies on many traces")
	}
	var tried, held atomic.Int64
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for seed := range *exchangeableTraces {
		pair, name := exchangeable(t, uint64(seed))
		g.Go(func() error {
			var runs []Run
			for which, in := range pair {
				policy, err := solve.Choose(name)
				if err != nil {
					return err
				}
				result, err := solve.Run(context.Background(), policy, in, solve.Options{})
				if err != nil {
					return err
				}
				runs = append(runs, Run{fmt.Sprint(which), true, result.Solution})
			}
			r, err := Compare(context.Background(), pair[0], runs, Defaults())
			if err != nil {
				return err
			}
			d := r.Groups[0].Policies[1].Classes[0].WaitDifference
			if d.RatioLow == nil {
				return fmt.Errorf("trace %d of %d days: no interval: %+v", seed, r.Days, d)
			}
			if !(*d.RatioLow > 0 && *d.Low > -d.First && *d.RatioLow <= *d.Ratio && *d.Ratio <= *d.RatioHigh) {
				return fmt.Errorf("trace %d: impossible interval from %v to %v of the ratio %v", seed, *d.RatioLow, *d.RatioHigh, *d.Ratio)
			}
			tried.Add(1)
			if *d.RatioLow <= 1 && 1 <= *d.RatioHigh {
				held.Add(1)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	share, n := float64(held.Load())/float64(tried.Load()), float64(tried.Load())
	t.Logf("%d of %d intervals hold the truth: %.1f %%", held.Load(), tried.Load(), 100*share)
	chance := 3 * math.Sqrt(0.95*0.05/n)
	if n >= 2000 {
		chance = 0
	}
	if share < 0.93-chance || share > 0.97+chance {
		t.Errorf("%.1f %% of the intervals hold the truth, expected 93 to 97 %%", 100*share)
	}
}
