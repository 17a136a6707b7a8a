package bound

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// slowSets are, by set of jobs, what its makespan and time over deadlines cost in the best of all orders on the cluster.
func slowSets(s *clusterSets) []float64 {
	list := make([]float64, 1<<len(s.runs))
	for set := range list {
		list[set] = math.Inf(1)
		var jobs []int
		runs := true
		for j := range s.runs {
			if set>>j&1 == 1 {
				jobs, runs = append(jobs, j), runs && s.runs[j]
			}
		}
		var extend func(left, placed []int, last float64, ends []float64)
		extend = func(left, placed []int, last float64, ends []float64) {
			if len(left) == 0 {
				makespan, late := 0.0, 0.0
				for k, j := range placed {
					makespan, late = max(makespan, ends[k]), late+max(0, ends[k]-s.due[j])
				}
				list[set] = min(list[set], s.weigh(makespan, late))
				return
			}
			for k, j := range left {
				starts := append([]float64{max(last, s.start[j])}, ends...)
				slices.Sort(starts)
				for _, at := range starts {
					used := s.sizes[j]
					for i, end := range ends {
						if end > at {
							used += s.sizes[placed[i]]
						}
					}
					if at >= max(last, s.start[j]) && used <= s.cluster.Processors {
						others := append(slices.Clone(left[:k]), left[k+1:]...)
						extend(others, append(slices.Clone(placed), j), at, append(slices.Clone(ends), at+s.durations[j]))
						break
					}
				}
			}
		}
		if runs {
			extend(jobs, nil, 0, nil)
		}
	}
	return list
}

// Least finds the least cost of all sets and all orders, one by one; with a limit at most that.
func TestTheCheapestSets(t *testing.T) {
	ctx := context.Background()
	found, limited := 0, 0
	for seed := range race.Fewer(uint64(40), 4) {
		rng := rand.New(rand.NewPCG(seed, 91))
		in := fewJobs(t, rng, 6)
		for i, c := range newRelaxation(ctx, in).cheapSets() {
			costs := slowSets(c.clusterSets)
			for range 6 {
				prices := make([]float64, len(c.runs))
				for j := range prices {
					prices[j] = rng.Float64() * rng.Float64() * 4
				}
				for n := 1; n <= c.Most(); n++ {
					least, q := math.Inf(1), float64(n)*c.unit
					for set, both := range costs {
						if bits.OnesCount(uint(set)) != n {
							continue
						}
						v := q * both
						for j, u := range prices {
							if set>>j&1 == 1 {
								v -= q*c.cluster.Weights.IdleTime*c.area[j] + u
							}
						}
						least = min(least, v)
					}
					limit := least + rng.Float64() - 0.5
					value, set, _, ok := c.Least(ctx, n, prices, math.Inf(-1), limit, 1<<40)
					if want := min(least, limit); !ok || math.Abs(value-want) > 1e-12*(1+c.Size()) || len(set) != n && least < limit-1e-9 {
						t.Errorf("seed %d, cluster %d, %d jobs: %v, %v, %v; expected %v", seed, i, n, value, set, ok, want)
					}
					if set != nil {
						found++
					} else {
						limited++
					}
				}
			}
		}
	}
	if found < race.Fewer(100, 10) || limited < race.Fewer(100, 10) {
		t.Errorf("the test says little: %d sets found, %d searches ended by the limit", found, limited)
	}
}

// A search that is cut off says so.
func TestACutSearchForSets(t *testing.T) {
	ctx := context.Background()
	c := newRelaxation(ctx, fewJobs(t, rand.New(rand.NewPCG(1, 91)), 12)).cheapSets()[0]
	prices := slices.Repeat([]float64{1}, 12)
	if _, _, used, ok := c.Least(ctx, 5, prices, math.Inf(-1), 1e9, 3); ok || used > 50 {
		t.Errorf("after %d steps: %v", used, ok)
	}
}

// Sets of few jobs raise the bound of the batches of 40 jobs, and the bound stays below their best schedules.
func TestSetsRaiseTheBound(t *testing.T) {
	for name, at := range map[string]struct{ least, best float64 }{"mcp-n040-1": {13.13, 15.042}, "mcp-n040-6": {13.15, 15.326}} {
		if testing.Short() && name != "mcp-n040-1" {
			continue
		}
		in, err := model.ReadInstanceFile(fmt.Sprint("../data/mcp/", name, ".json"))
		if err != nil {
			t.Fatal(err)
		}
		p := New(context.Background(), in)
		p.Limit(at.best)
		for range 4 {
			if got, known := p.Bound().Value(); known && got >= at.least {
				break
			}
			p.Improve(context.Background(), 500_000_000)
		}
		if got, known := p.Bound().Value(); !known || got < at.least || got > at.best {
			t.Errorf("%s: %v, expected from %v to %v", name, got, at.least, at.best)
		}
	}
}

// patience is a context that is cancelled once it has been asked so many times.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// Prices that are small beside the costs do not make the steps small by which sets raise them: with few jobs all is soon done.
func TestSetsAtSmallPrices(t *testing.T) {
	b := model.NewBuilder("small prices").Minimise("mcp", 1)
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(1.0 / 3), Makespan: new(1e-9), IdleTime: new(1.0)}
	b.Cluster(machine("c", 3, 1))
	for j, x := range []struct {
		processors              int
		arrival, work, deadline float64
	}{{2, 0.7666666666666666, 0.5, 3.6}, {1, 2.9, 2, 0.8}, {1, 2.9, 2, 0.8}, {3, 0.30000000000000004, 0, 7.8}} {
		job := rigid(fmt.Sprint("j", j), x.processors, x.work)
		job.Arrival, job.Deadline = x.arrival, new(x.deadline)
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := &patience{context.Background(), 100_000}
	p := New(ctx, in)
	for range 10 {
		p.Improve(ctx, 500_000_000)
	}
	if got, known := p.Bound().Value(); !known || ctx.left < 0 {
		t.Errorf("%v, %v; asked %d times too often whether to go on", got, known, -ctx.left)
	}
}
