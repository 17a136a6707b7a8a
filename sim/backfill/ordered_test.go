package backfill

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/sim"
)

// TestFixedOrderExtra: on 10 processors 6 are held until 100. The first waiting job needs 8, so 2 are extra at the shadow time 100. Of three long jobs, which need one or two processors,
// only what the extra ones allow starts; a job that ends at the shadow time needs none of them.
func TestFixedOrderExtra(t *testing.T) {
	job := func(arrival float64, processors int32, estimate float64) sim.Spec {
		return sim.Spec{Arrival: arrival, Processors: processors, Runtime: estimate, Estimate: estimate}
	}
	for name, c := range map[string]struct {
		waiting []sim.Spec
		want    []float64
	}{
		"two, of which one takes both extra processors": {[]sim.Spec{job(1, 8, 500), job(1, 2, 400), job(1, 1, 300)}, []float64{100, 1, 401}},
		"one each":                 {[]sim.Spec{job(1, 8, 500), job(1, 1, 400), job(1, 1, 300), job(1, 1, 200)}, []float64{100, 1, 1, 301}},
		"until the shadow time":    {[]sim.Spec{job(1, 8, 500), job(1, 2, 400), job(1, 2, 99)}, []float64{100, 1, 1}},
		"beyond the shadow time":   {[]sim.Spec{job(1, 8, 500), job(1, 2, 400), job(1, 2, 99.5)}, []float64{100, 1, 401}},
		"an extra one stays extra": {[]sim.Spec{job(1, 8, 500), job(1, 2, 99), job(1, 2, 98)}, []float64{100, 1, 1}},
	} {
		specs := append([]sim.Spec{job(0, 6, 100)}, c.waiting...)
		for _, depth := range []int{1, 2} {
			if depth == 2 && name != "until the shadow time" && name != "an extra one stays extra" {
				continue // the next job has a reservation too
			}
			policy := EASY(1, depth, Ranking{Order: byLongest})
			for k, got := range replay(t, specs, 10, policy, false) {
				if k > 0 && got != c.want[k-1] {
					t.Errorf("%s, depth %d: job %d starts at %v, want %v", name, depth, k, got, c.want[k-1])
				}
			}
		}
	}
}

// TestFixedOrderNaive compares orders that are fixed at arrival with the naive form, on deep queues of many sizes.
func TestFixedOrderNaive(t *testing.T) {
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 18))
		processors := 4 + rng.Int32N(60)
		specs := make([]sim.Spec, 20+rng.IntN(100))
		for k := range specs {
			runtime := float64(1 + rng.IntN(40))
			specs[k] = sim.Spec{Arrival: float64(rng.IntN(20)), Processors: 1 + rng.Int32N(processors), Runtime: runtime, Estimate: runtime * float64(1+rng.IntN(3))}
			if rng.IntN(3) > 0 {
				specs[k].Processors = 1 + rng.Int32N(1+processors/8)
			}
		}
		slices.SortStableFunc(specs, func(a, b sim.Spec) int { return cmp.Compare(a.Arrival, b.Arrival) })
		r := Ranking{Order: rapid.SampledFrom([]string{byArrival, byShortest, byLongest, bySmallest, byF1}).Draw(t, "order")}
		depth := rapid.SampledFrom([]int{1, 1, 2, 5, 1000}).Draw(t, "depth")
		want := newNaive(specs, processors, 1, false, func(n *naive) {
			queue := n.queue()
			newSlowRank(r, specs, int(processors)).sort(n.now, queue)
			n.deep(queue, depth)
		}).start
		got := replay(tb, specs, processors, EASY(1, depth, r), false)
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%+v, depth %d: job %d of %d starts at %v, the naive version says %v\n%s", r.Order, depth, k, len(specs), got[k], want[k], shown(specs, processors))
			}
		}
	})
}

// TestProfileUntil compares a look at whole pieces with one at each step.
func TestProfileUntil(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 200 {
		var p profile
		p.reset(0, 100)
		for range 60 {
			from := float64(rng.IntN(200))
			p.add(from, from+float64(1+rng.IntN(150)), -rng.Int32N(3))
		}
		for size := range int32(102) {
			want := infinite
			for k, x := range p.pieces {
				for step := x.n - 1; step >= 0; step-- {
					if x.free[step]+p.heads[k].more < size {
						want = min(want, x.times[step])
					}
				}
			}
			if got, _ := p.firstBelow(position{}, size); got != want {
				t.Fatalf("%d processors are free until %v, want %v", size, got, want)
			}
		}
	}
}
