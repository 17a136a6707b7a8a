package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// oddCosts draws costs of tasks in sinks that ties, zeros, differences of one rounding error, infinities or far apart sizes make hard.
func oddCosts(rng *rand.Rand, tasks, sinks int) [][]float64 {
	size := math.Pow(10, float64(rng.IntN(3)*9-9)) // 1e-9, 1, 1e9
	draw := []func() float64{
		rng.Float64,
		func() float64 { return float64(rng.IntN(3)) },
		func() float64 { return 1 + float64(rng.IntN(4))*0x1p-52 },
		func() float64 { return math.Pow(10, float64(rng.IntN(19)-9)) },
		func() float64 { return float64(rng.IntN(2)) * rng.Float64() },
	}[rng.IntN(5)]
	missing := rng.IntN(3) == 0
	costs := make([][]float64, tasks)
	for y := range costs {
		if y > 0 && rng.IntN(4) == 0 { // a task like another
			costs[y] = costs[rng.IntN(y)]
			continue
		}
		costs[y] = make([]float64, sinks)
		for s := range costs[y] {
			if costs[y][s] = size * draw(); missing && rng.IntN(3) == 0 {
				costs[y][s] = math.Inf(1)
			}
		}
	}
	return costs
}

// oddTransport draws sinks whose places are as many as the tasks, with prices that may be far off.
func oddTransport(rng *rand.Rand, tasks, sinks int) *transport {
	t := &transport{sinks: make([]sink, sinks)}
	for s := range t.sinks {
		t.sinks[s].class = s
		switch rng.IntN(3) {
		case 0:
			t.sinks[s].price = rng.NormFloat64()
		case 1:
			t.sinks[s].price = float64(rng.IntN(3) - 1)
		}
	}
	for range tasks {
		t.sinks[rng.IntN(sinks)].capacity++
	}
	return t
}

// leastCost is the cost of the best assignment, by dynamic programming over the places that are left.
func leastCost(costs [][]float64, capacity []int) float64 {
	known := map[string]float64{}
	var from func(y int) float64
	from = func(y int) float64 {
		if y == len(costs) {
			return 0
		}
		key := keyOf(capacity)
		if least, ok := known[key]; ok {
			return least
		}
		least := math.Inf(1)
		for s, x := range costs[y] {
			if capacity[s] > 0 {
				capacity[s]--
				least = min(least, x+from(y+1))
				capacity[s]++
			}
		}
		known[key] = least
		return least
	}
	return from(0)
}

// checkAssignment demands that every sink holds as many tasks as it has places, each task once, and that the costs add up.
func checkAssignment(t *rapid.T, r *transport, costs [][]float64, cost float64) {
	seen, sum := make([]bool, len(costs)), 0.0
	for s := range r.sinks {
		if len(r.sinks[s].members) != r.sinks[s].capacity {
			t.Fatalf("sink %d holds %d tasks in %d places", s, len(r.sinks[s].members), r.sinks[s].capacity)
		}
		for _, y := range r.sinks[s].members {
			if seen[y] || r.sinkOf[y] != s {
				t.Fatalf("task %d is in sink %d and in %d", y, s, r.sinkOf[y])
			}
			seen[y] = true
			sum += costs[y][s]
		}
	}
	if math.Abs(sum-cost) > 1e-12*cost {
		t.Fatalf("the cost is %v, not %v", sum, cost)
	}
}

// The transportation problem against dynamic programming on costs that are hard for rounding: what it finds holds each task once, is the
// least, and its bound is one.
func TestTransportOfOddCosts(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		for range 5 {
			tasks, sinks := 1+rng.IntN(10), 1+rng.IntN(4)
			costs, r := oddCosts(rng, tasks, sinks), oddTransport(rng, tasks, sinks)
			capacity := make([]int, sinks)
			for s := range capacity {
				capacity[s] = r.sinks[s].capacity
			}
			want := leastCost(costs, capacity)
			found := r.solve(context.Background(), tasks, func(s *sink, y int) float64 { return costs[y][s.class] })
			if math.IsInf(want, 1) {
				if !math.IsInf(found.cost, 1) || !math.IsInf(found.bound, 1) {
					t.Fatalf("%+v; no assignment is of finite cost", found)
				}
				continue
			}
			largest := 1.0 // of the prices that it starts from, and of the costs that are not infinite
			for _, row := range costs {
				for _, x := range row {
					if !math.IsInf(x, 1) {
						largest = max(largest, x)
					}
				}
			}
			if found.bound > want || math.Abs(found.cost-want) > 1e-13*largest*float64(tasks) {
				t.Fatalf("%+v, by dynamic programming %v", found, want)
			}
			checkAssignment(t, r, costs, found.cost)
			if found.bound >= want-1e-13*largest*float64(tasks) {
				proved++
			} else {
				t.Fatalf("%+v proves too little of %v", found, want)
			}
		}
	})
	if proved < race.Enough(100) {
		t.Errorf("%d proved: the test proves little", proved)
	}
}

// At sizes beyond dynamic programming the prices prove the assignment, and the counts hold.
func TestTransportOfManyTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
		tasks, sinks := 20+rng.IntN(60), 4+rng.IntN(20)
		costs, r := oddCosts(rng, tasks, sinks), oddTransport(rng, tasks, sinks)
		found := r.solve(context.Background(), tasks, func(s *sink, y int) float64 { return costs[y][s.class] })
		if math.IsInf(found.cost, 1) {
			if !math.IsInf(found.bound, 1) {
				t.Fatalf("neither an assignment nor a proof that there is none: %+v", found)
			}
			return
		}
		checkAssignment(t, r, costs, found.cost)
		largest := 1.0
		for _, row := range costs {
			for _, x := range row {
				if !math.IsInf(x, 1) {
					largest = max(largest, x)
				}
			}
		}
		if found.bound > found.cost || found.bound < found.cost-1e-13*largest*float64(tasks) {
			t.Fatalf("%+v", found)
		}
	})
}

// Costs that overflow, and a context that ends, are unknown: neither a cost nor a proof.
func TestTransportUnknown(t *testing.T) {
	unknown := func(name string, found assignment) {
		if !math.IsInf(found.cost, 1) || !math.IsInf(found.bound, -1) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	two := func() *transport { return &transport{sinks: []sink{{class: 0, capacity: 1}, {class: 1, capacity: 1}}} }
	unknown("huge", two().solve(context.Background(), 2, func(s *sink, y int) float64 { return 1e305 * float64(1+s.class*y) }))
	unknown("not a number", two().solve(context.Background(), 2, func(s *sink, y int) float64 { return math.NaN() }))
	unknown("places", two().solve(context.Background(), 3, func(s *sink, y int) float64 { return 1 }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	many := &transport{sinks: []sink{{class: 0, capacity: 50}, {class: 1, capacity: 50}}}
	unknown("cancelled", many.solve(ctx, 100, func(s *sink, y int) float64 { return float64(s.class) }))
}
