package ga

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// minimise runs the algorithm, which must not fail.
func minimise(t interface {
	Helper()
	Fatal(...any)
}, c Cluster, s Schedule, p Parameters, random int64, limits Limits) Result {
	t.Helper()
	result, err := Minimise(context.Background(), c, s.in(p.Coding), p, random, limits)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestNeverWorseThanTheSeed(t *testing.T) {
	for name, coding := range codings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, s := drawCluster(t, 8, 12)
				before := Schedule{slices.Clone(s.Order), slices.Clone(s.Masks)}
				limit := int64(rapid.IntRange(0, 120).Draw(t, "limit"))
				result := minimise(t, c, s, with(coding), rapid.Int64().Draw(t, "random"), Limits{Evaluations: limit})
				if result.Cost > costOf(&c, s.in(coding)) || result.Cost != costOf(&c, result.Best) {
					t.Fatalf("cost %v, of the seed %v, of the schedule %v", result.Cost, costOf(&c, s.in(coding)), costOf(&c, result.Best))
				}
				if wrong := isRight(&c, result.Best); wrong != "" {
					t.Fatal(wrong)
				}
				if limit > 0 && result.Evaluations > limit {
					t.Fatalf("%d evaluations of %d", result.Evaluations, limit)
				}
				if !reflect.DeepEqual(s, before) {
					t.Fatal("the seed has changed")
				}
			})
		})
	}
}

// TestFindsTheOptimumOfTinyClusters compares with all orders of up to five jobs. The list coding reaches the optimum nearly
// always; nothing is below it, as no schedule in the mask coding is better than the list schedule of its order of starts.
func TestFindsTheOptimumOfTinyClusters(t *testing.T) {
	for name, coding := range codings {
		optimal, tried := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			c, s := drawCluster(t, 5, 6)
			best := math.Inf(1)
			permute(s.Order, func(order []int32) { best = min(best, costOf(&c, Schedule{Order: order})) })
			found := minimise(t, c, s, with(coding), 1, Limits{}).Cost
			tolerance := 1e-9 * math.Abs(best)
			if found < best-tolerance {
				t.Fatalf("cost %v below the optimum %v", found, best)
			}
			if tried++; found <= best+tolerance {
				optimal++
			}
		})
		if least := map[Coding]float64{List: 0.99, Mask: 0.9}[coding]; float64(optimal) < least*float64(race.Enough(tried)) {
			t.Errorf("%s: %d of %d optimal", name, optimal, tried)
		}
	}
}

// permute calls visit with every order.
func permute(items []int32, visit func([]int32)) {
	order := slices.Clone(items)
	var from func(int)
	from = func(k int) {
		if k == len(order) {
			visit(order)
			return
		}
		for n := k; n < len(order); n++ {
			order[k], order[n] = order[n], order[k]
			from(k + 1)
			order[k], order[n] = order[n], order[k]
		}
	}
	from(0)
}

func TestSameSeedSameResult(t *testing.T) {
	for name, coding := range codings {
		c, s := randomCluster(25, 70, 20, 4)
		first := minimise(t, c, s, with(coding), 9, Limits{})
		if second := minimise(t, c, s, with(coding), 9, Limits{}); !reflect.DeepEqual(first, second) {
			t.Errorf("%s: two results", name)
		}
		if other := minimise(t, c, s, with(coding), 10, Limits{}); slices.Equal(first.Best.Order, other.Best.Order) {
			t.Errorf("%s: the random seed makes no difference", name)
		}
	}
}

func TestStopsWhenStable(t *testing.T) {
	for name, coding := range codings {
		c, s := randomCluster(12, 8, 4, 1)
		c.Cost = Cost{Constant: 3} // no schedule is better than another
		result := minimise(t, c, s, with(coding), 1, Limits{})
		if result.Stop != stable || result.Generations != 20 || result.Cost != 3 {
			t.Errorf("%s: stop %v after %d generations at %v", name, result.Stop, result.Generations, result.Cost)
		}
	}
}

// TestStableMeansLessThanATenthOfAPercent feeds the stopping rule with costs.
func TestStableMeansLessThanATenthOfAPercent(t *testing.T) {
	c, s := randomCluster(5, 4, 2, 1)
	p := NewParameters()
	p.Patience = 3
	for _, test := range []struct {
		costs []float64
		stops int // generation after which the run stops; 0: it does not
	}{
		{[]float64{100, 100, 100, 100}, 4},
		{[]float64{100, 99.95, 99.92, 99.901}, 4}, // 0.099 % in three generations
		{[]float64{100, 99.95, 99.92, 99.89}, 0},  // 0.11 %
		{[]float64{100, 99, 99, 99, 98, 98, 98, 98}, 8},
		{[]float64{-100, -100.05, -100.09, -100.09}, 4},
		{[]float64{-100, -101, -102, -103, -104}, 0},
		{[]float64{0, 0, 0, 0}, 4},
	} {
		r := newTestRun(&c, s, p)
		stops := 0
		for k, cost := range test.costs {
			if r.result.Cost = cost; r.mustStop() {
				stops = k + 1
				break
			}
		}
		if stops != test.stops || stops > 0 && r.result.Stop != stable {
			t.Errorf("%v: stops after %d, want %d", test.costs, stops, test.stops)
		}
	}
}

func TestStopsAtTheLastGeneration(t *testing.T) {
	c, s := randomCluster(25, 20, 10, 1)
	p := NewParameters()
	p.Generations = 7
	result := minimise(t, c, s, p, 1, Limits{})
	if result.Stop != lastGeneration || result.Generations != 7 || result.Evaluations > 50+7*49 {
		t.Errorf("%+v", result)
	}
	p.Generations, p.Patience = 300, 1000
	if result = minimise(t, c, s, p, 1, Limits{}); result.Stop != lastGeneration || result.Generations != 300 {
		t.Errorf("%+v", result)
	}
}

func TestStopsAtTheLimitOfEvaluations(t *testing.T) {
	c, s := randomCluster(25, 20, 10, 1)
	for name, coding := range codings {
		for _, limit := range []int64{1, 2, 49, 50, 51, 99, 137, 500} {
			result := minimise(t, c, s, with(coding), 1, Limits{Evaluations: limit})
			if result.Stop != Evaluations || result.Evaluations != limit {
				t.Errorf("%s, %d: stop %v after %d", name, limit, result.Stop, result.Evaluations)
			}
		}
	}
}

func TestFewJobs(t *testing.T) {
	for name, coding := range codings {
		for jobs := range 2 {
			c, s := randomCluster(jobs, 3, 2, 1)
			result := minimise(t, c, s, with(coding), 1, Limits{})
			if result.Stop != stable || result.Evaluations != 1 || len(result.Best.Order) != jobs {
				t.Errorf("%s: %+v", name, result)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	c, s := randomCluster(25, 20, 10, 1)
	for name, coding := range codings {
		ctx, cancel := context.WithCancel(context.Background())
		generations := 0
		seed := costOf(&c, s.in(coding))
		result, err := Minimise(ctx, c, s.in(coding), with(coding), 1, Limits{Progress: func(int64, float64) {
			if generations++; generations == 4 {
				cancel()
			}
		}})
		if err != nil || result.Stop != Cancelled || result.Generations != 3 || result.Cost >= seed || costOf(&c, result.Best) != result.Cost {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
		result, err = Minimise(ctx, c, s.in(coding), with(coding), 1, Limits{})
		if err != nil || result.Stop != Cancelled || result.Evaluations != 0 || !math.IsNaN(result.Cost) || !slices.Equal(result.Best.Order, s.Order) {
			t.Errorf("%s: cancelled before it began: %+v, %v", name, result, err)
		}
	}
}

// TestCostsThatAreNoNumbers checks that costs too large for a number neither stop a run nor win.
func TestCostsThatAreNoNumbers(t *testing.T) {
	c, s := randomCluster(6, 4, 3, 1)
	for k := range c.Jobs {
		c.Jobs[k].Duration *= 1e300
		c.Jobs[k].Deadline = 0
	}
	c.Cost.Over = 1e10
	for name, coding := range codings {
		if result := minimise(t, c, s, with(coding), 1, Limits{}); result.Cost != math.MaxFloat64 || isRight(&c, result.Best) != "" {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestRefusesWhatIsWrong(t *testing.T) {
	c, s := randomCluster(3, 70, 4, 1)
	inf := math.Inf(1)
	for _, test := range []struct {
		name   string
		change func(c *Cluster, s *Schedule, p *Parameters)
	}{
		{"coding", func(_ *Cluster, _ *Schedule, p *Parameters) { p.Coding = "tree" }},
		{"no population", func(_ *Cluster, _ *Schedule, p *Parameters) { p.Population = 0 }},
		{"negative patience", func(_ *Cluster, _ *Schedule, p *Parameters) { p.Patience = -1 }},
		{"a probability of 2", func(_ *Cluster, _ *Schedule, p *Parameters) { p.Swap = 2 }},
		{"NaN", func(_ *Cluster, _ *Schedule, p *Parameters) { p.Improvement = math.NaN() }},
		{"a job twice", func(_ *Cluster, s *Schedule, _ *Parameters) { s.Order[0] = s.Order[1] }},
		{"a job too many", func(_ *Cluster, s *Schedule, _ *Parameters) { s.Order[0] = 3 }},
		{"a job left out", func(_ *Cluster, s *Schedule, _ *Parameters) { s.Order = s.Order[1:] }},
		{"no masks", func(_ *Cluster, s *Schedule, _ *Parameters) { s.Masks = nil }},
		{"too few processors", func(_ *Cluster, s *Schedule, _ *Parameters) { s.Masks[0], s.Masks[1] = 0, 0 }},
		{"foreign processors", func(c *Cluster, s *Schedule, _ *Parameters) { s.Masks[0], s.Masks[1] = 0, (1<<c.Jobs[0].Size-1)<<20 }},
		{"too wide", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Jobs[1].Size = 71 }},
		{"before the origin", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Jobs[1].Arrival = -1 }},
		{"releases of other processors", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Released = make([]float64, 69) }},
		{"a release before the origin", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Released = append(make([]float64, 69), -1) }},
		{"a processor never released", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Released = append(make([]float64, 69), inf) }},
		{"a release that is no number", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Released = append(make([]float64, 69), math.NaN()) }},
		{"negative duration", func(c *Cluster, _ *Schedule, _ *Parameters) { c.Jobs[1].Duration = -inf }},
	} {
		c, s, p := c, Schedule{slices.Clone(s.Order), slices.Clone(s.Masks)}, NewParameters()
		c.Jobs = slices.Clone(c.Jobs)
		test.change(&c, &s, &p)
		if _, err := Minimise(context.Background(), c, s, p, 1, Limits{}); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
}

// BenchmarkCancellation measures how long a run takes to return after its context ends, on one large cluster.
func BenchmarkCancellation(b *testing.B) {
	for _, coding := range []string{"mask", "list"} {
		b.Run(fmt.Sprintf("coding=%s/jobs=20000/processors=512", coding), func(b *testing.B) {
			c, s := randomCluster(20_000, 512, 64, 1)
			s = s.in(codings[coding])
			worst := time.Duration(0)
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				var at time.Time
				time.AfterFunc(100*time.Millisecond, func() { at = time.Now(); cancel() })
				if _, err := Minimise(ctx, c, s, with(codings[coding]), 1, Limits{}); err != nil {
					b.Fatal(err)
				}
				worst = max(worst, time.Since(at))
			}
			b.ReportMetric(float64(worst)/1e6, "ms-latency")
		})
	}
}
