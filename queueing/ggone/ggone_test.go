package ggone

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// randomProblem draws a problem with a limited number of tasks and of machines, in classes; some limits of tasks are missing.
func randomProblem(rng *rand.Rand, tasks, machines int) *Problem {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	p := &Problem{Period: 10, ServiceOnly: rng.IntN(3) == 0}
	n := 1 + rng.IntN(tasks)
	p.Rate = float64(n) / 10
	for range n {
		task := Task{math.Inf(1), math.Inf(1)}
		if rng.IntN(5) > 0 {
			task.Deadline = between(1, 10)
		}
		if rng.IntN(5) > 0 {
			task.Budget = between(0.1, 2)
		}
		p.Tasks = append(p.Tasks, task)
	}
	for left := 1 + rng.IntN(machines); left > 0; {
		c := Class{Machines: 1 + rng.IntN(left), ServiceRate: between(0.2, 0.9), Kappa: between(0, 6), Price: between(0, 0.4)}
		left -= c.Machines
		for range p.Tasks {
			c.Service = append(c.Service, between(0.5, 6))
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

// The pricing of a level against sorting, from whatever margin the last pricing left.
func TestPriceAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		c := newCore(context.Background(), randomProblem(rng, 30, 4), 0)
		u := make([]float64, c.tasks)
		for range 5 {
			for y := range u {
				u[y] += rng.NormFloat64()
			}
			for k := range c.classes {
				for n := range c.classes[k].levels {
					l := &c.classes[k].levels[n]
					c.price(k, n, u)
					values := make([]float64, c.tasks)
					c.classes[k].at(l.wait, values)
					for y := range values {
						values[y] -= u[y]
					}
					slices.Sort(values)
					if want := sum(values[:n]); math.Abs(l.g-want) > 1e-9*(1+math.Abs(want)) || n > 0 && l.theta != values[n-1] {
						t.Fatalf("class %d, load %d: g %v, theta %v; sorted %v", k, n, l.g, l.theta, values[:n])
					}
					count := make([]float64, c.tasks)
					c.addServed(k, n, u, 2, count)
					if got := sum(count); got != 2*float64(n) {
						t.Fatalf("class %d, load %d: serves %v", k, n, got/2)
					}
				}
			}
		}
	})
}

func TestSelectSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 60).Draw(t, "v")
		n := rapid.IntRange(1, len(v)).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(v))
		total, largest := selectSmallest(v, n)
		if largest != sorted[n-1] || math.Abs(total-sum(sorted[:n])) > 1e-9 {
			t.Fatalf("sum %v and largest %v of the %d smallest of %v", total, largest, n, sorted)
		}
	})
}

// everyLoads calls yield for all loads in the box that add up to the number of tasks.
func everyLoads(b box, total int, yield func(loads []int)) {
	loads := make([]int, len(b.low))
	var extend func(r, left int)
	extend = func(r, left int) {
		if r == len(loads) {
			if left == 0 {
				yield(loads)
			}
			return
		}
		for n := b.low[r]; n <= min(b.high[r], left); n++ {
			loads[r] = n
			extend(r+1, left-n)
		}
	}
	extend(0, total)
}

// The knapsack and its table of loads against all loads.
func TestKnapsackAgainstEnumeration(t *testing.T) {
	manyKnapsacks(t, 1, 7, 4, func(t *rapid.T, rng *rand.Rand, c *core) {
		s := newKnapsack(context.Background(), c)
		for k := range c.classes {
			for n := range c.classes[k].levels {
				c.classes[k].levels[n].g = rng.NormFloat64()
			}
		}
		b := c.root()
		for r := range b.low {
			b.low[r] = rng.IntN(b.high[r] + 1)
			b.high[r] -= rng.IntN(b.high[r] - b.low[r] + 1)
		}
		best, with := math.Inf(1), map[[2]int]float64{}
		everyLoads(b, c.tasks, func(loads []int) {
			g := 0.0
			for r, n := range loads {
				g += c.classes[c.class[r]].levels[n].g
			}
			best = min(best, g)
			for r, n := range loads {
				if old, known := with[[2]int{r, n}]; !known || g < old {
					with[[2]int{r, n}] = g
				}
			}
		})
		got := s.solve(b)
		if got != best && !(math.Abs(got-best) < 1e-9) {
			t.Fatalf("%v, by enumeration %v", got, best)
		}
		if math.IsInf(got, 1) {
			return
		}
		s.complete(b)
		for r := range b.low {
			for n := b.low[r]; n <= b.high[r]; n++ {
				want, known := with[[2]int{r, n}]
				if !known {
					want = math.Inf(1)
				}
				if got := s.leastWith(r, n); got != want && !(math.Abs(got-want) < 1e-9) {
					t.Fatalf("load %d on rank %d: %v, by enumeration %v", n, r, got, want)
				}
			}
		}
	})
}

// everyAssignment calls yield for all ways to put the tasks on the machines.
func everyAssignment(tasks, machines int, yield func(machine []int)) {
	machine := make([]int, tasks)
	for {
		yield(machine)
		k := 0
		for ; k < tasks; k++ {
			if machine[k]++; machine[k] < machines {
				break
			}
			machine[k] = 0
		}
		if k == tasks {
			return
		}
	}
}

// costOf is the penalty of an assignment at the loads n/T; +Inf where it is not stable.
func costOf(p *Problem, machine []int) float64 {
	servers := p.servers()
	count := make([]int, len(servers))
	for _, r := range machine {
		count[r]++
	}
	total := 0.0
	for y, r := range machine {
		s := &servers[r]
		response := s.class.wait(float64(count[r]), p.Period) + s.class.Service[y]
		charged := s.class.Service[y]
		if !p.ServiceOnly {
			charged = response
		}
		if math.IsInf(response, 1) {
			return response
		}
		total += max(0, response-p.Tasks[y].Deadline) / p.Tasks[y].Deadline * finiteOne(p.Tasks[y].Deadline)
		total += max(0, s.class.Price*charged-p.Tasks[y].Budget) / p.Tasks[y].Budget * finiteOne(p.Tasks[y].Budget)
	}
	return total
}

// finiteOne is 1 for a limit and 0 for none.
func finiteOne(limit float64) float64 {
	if math.IsInf(limit, 1) {
		return 0
	}
	return 1
}

// At given loads the transportation problem against all assignments; its prices are dual to it.
func TestTransportAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		p := randomProblem(rng, 5, 3)
		if p.room() < len(p.Tasks) {
			return
		}
		s := newSearch(context.Background(), newCore(context.Background(), p, 0), Options{})
		best := map[string]float64{}
		everyAssignment(s.tasks, len(s.class), func(machine []int) {
			loads := make([]int, len(s.class))
			for _, r := range machine {
				loads[r]++
			}
			key, cost := keyOf(loads), costOf(p, machine)
			if least, seen := best[key]; !seen || cost < least {
				best[key] = cost
			}
		})
		everyLoads(s.root(), s.tasks, func(loads []int) {
			if !slices.Equal(loads, s.descending(loads)) {
				return
			}
			want := best[keyOf(loads)]
			found := s.assign(loads)
			got := found.cost
			if found.bound > want || found.bound < want-1e-9*(1+want) {
				t.Fatalf("loads %v: bound %v, by enumeration %v", loads, found.bound, want)
			}
			if math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("loads %v: %v, by enumeration %v", loads, got, want)
			}
			s.placeTasks(loads)
			if got := costOf(p, s.rankOf); math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("loads %v: the allocation costs %v, not %v", loads, got, want)
			}
			u := make([]float64, s.tasks)
			s.transport.prices(u)
			dual := sum(u)
			for r, n := range loads {
				s.core.price(s.class[r], n, u)
				dual += s.classes[s.class[r]].levels[n].g
			}
			if math.Abs(dual-want) > 1e-9*(1+want) {
				t.Fatalf("loads %v: the prices prove %v of %v", loads, dual, want)
			}
		})
	})
}

// Whatever the prices, the bound is below every allocation, and what fix and sieve remove holds nothing better than the best.
func TestBoundAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		p := randomProblem(rng, 6, 3)
		optimum := math.Inf(1)
		everyAssignment(len(p.Tasks), len(p.servers()), func(machine []int) { optimum = min(optimum, costOf(p, machine)) })
		if p.room() < len(p.Tasks) {
			if !math.IsInf(optimum, 1) {
				t.Fatalf("no room, and yet %v", optimum)
			}
			return
		}
		s := newSearch(context.Background(), newCore(context.Background(), p, 0), Options{Tolerance: leastTolerance})
		u := make([]float64, s.tasks)
		for range 20 {
			for y := range u {
				u[y] += rng.NormFloat64()
			}
			if l := s.bound(u, s.root()); l > optimum*(1+1e-12) {
				t.Fatalf("bound %v at prices %v of the optimum %v", l, u, optimum)
			}
		}
		s.run()
		if math.Abs(s.best-optimum) > 1e-9*(1+optimum) || s.proved > optimum*(1+1e-12) || s.proved < optimum*(1-2e-9)-1e-12 {
			t.Fatalf("found %v, proved %v; the optimum is %v", s.best, s.proved, optimum)
		}
		if l, _ := Bound(context.Background(), p, 50, 1<<30); l.Or(0) > optimum*(1+1e-12) {
			t.Fatalf("Bound %v of the optimum %v", l, optimum)
		}
	})
}

// Parking against small steps that each go where they cost least, which is optimal in the limit for a convex penalty.
func TestParkAgainstSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		p := randomProblem(rng, 6, 3)
		servers := p.servers()
		tasks := make([][]int, len(servers))
		for y := range p.Tasks {
			r := rng.IntN(len(servers))
			tasks[r] = append(tasks[r], y)
		}
		room := 0.0
		for r := range servers {
			if float64(len(tasks[r])) > servers[r].most {
				return
			}
			room += servers[r].most
		}
		total := float64(len(p.Tasks)) + rng.Float64()*0.8*(room-float64(len(p.Tasks)))
		loads, _, bound, ok := p.park(context.Background(), servers, tasks, total)
		if !ok || math.Abs(sum(loads)-total) > 1e-9*total {
			t.Fatalf("loads %v do not add up to %v", loads, total)
		}
		if cost := p.cost(servers, tasks, loads); bound > cost || bound < cost*(1-1e-6)-1e-12 && !math.IsInf(bound, -1) {
			t.Fatalf("parked for %v, bound %v", cost, bound)
		}
		const steps = 400
		stepped := make([]float64, len(servers))
		for r := range servers {
			stepped[r] = float64(len(tasks[r]))
		}
		h := (total - sum(stepped)) / steps
		for range steps {
			at, least := -1, math.Inf(1)
			for r := range servers {
				if stepped[r]+h > servers[r].most {
					continue
				}
				before := p.cost(servers, tasks, stepped)
				stepped[r] += h
				if growth := p.cost(servers, tasks, stepped) - before; growth < least {
					at, least = r, growth
				}
				stepped[r] -= h
			}
			if at < 0 {
				return
			}
			stepped[at] += h
		}
		if got, want := p.cost(servers, tasks, loads), p.cost(servers, tasks, stepped); got > want*(1+1e-9)+1e-9 {
			t.Fatalf("parked at %v for %v; in steps %v for %v", loads, got, stepped, want)
		}
	})
}

// The bound of a box of real loads is below every allocation with loads in it.
func TestIdleBoundAgainstAllocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		p := randomProblem(rng, 6, 3)
		servers := p.servers()
		tasks, machine := make([][]int, len(servers)), make([]int, len(p.Tasks))
		for y := range machine {
			machine[y] = rng.IntN(len(servers))
			tasks[machine[y]] = append(tasks[machine[y]], y)
		}
		loads, total := make([]float64, len(servers)), 0.0
		n := &idleNode{}
		for r := range servers {
			least := float64(len(tasks[r]))
			if least >= servers[r].most {
				return
			}
			loads[r] = least + rng.Float64()*(servers[r].most-least)*0.9
			total += loads[r]
			n.low = append(n.low, loads[r]*rng.Float64())
			n.high = append(n.high, loads[r]+(servers[r].most-loads[r])*(0.01+0.99*rng.Float64()))
		}
		for _, r := range machine {
			if rng.IntN(3) == 0 {
				n.place, n.placed = append(n.place, r), true
			} else {
				n.place = append(n.place, -1)
			}
		}
		s := &idleSearch{p: p, ctx: context.Background(), servers: servers, total: total, pieces: make([]piece, len(servers)),
			values: make([]float64, len(p.Tasks)), work: make([]float64, len(p.Tasks))}
		cost := p.cost(servers, tasks, loads)
		prices := make([]float64, len(p.Tasks)+1)
		for range 10 {
			for y := range prices {
				prices[y] = max(0, prices[y]+rng.NormFloat64())
			}
			if l := s.bound(n, prices); l > cost*(1+1e-9)+1e-9 {
				t.Fatalf("bound %v of an allocation that costs %v at %v in %v to %v", l, cost, loads, n.low, n.high)
			}
		}
	})
}

// What is no problem is an error, and the limits of a run are kept.
func TestSolveLimits(t *testing.T) {
	good := func() *Problem { return randomProblem(rand.New(rand.NewPCG(1, 7)), 6, 3) }
	for name, change := range map[string]func(p *Problem){
		"period":   func(p *Problem) { p.Period = 0 },
		"rate":     func(p *Problem) { p.Rate = math.NaN() },
		"deadline": func(p *Problem) { p.Tasks[0].Deadline = math.NaN() },
		"service":  func(p *Problem) { p.Classes[0].Service = nil },
		"negative": func(p *Problem) { p.Classes[0].Service[0] = -1 },
		"kappa":    func(p *Problem) { p.Classes[0].Kappa = math.Inf(1) },
		"machines": func(p *Problem) { p.Classes[0].Machines = -1 },
	} {
		p := good()
		change(p)
		if _, err := Solve(context.Background(), p, Options{}); !errors.Is(err, errInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if result, err := Solve(ctx, good(), Options{}); err != nil || result.Machine != nil || result.Proved {
		t.Errorf("cancelled before it began: %+v, %v", result, err)
	}
	p := good()
	p.Rate = 100
	if _, err := Solve(context.Background(), p, Options{}); !errors.As(err, new(*InfeasibleError)) {
		t.Errorf("a rate above all service rates: %v", err)
	}
	if result, err := Solve(context.Background(), &Problem{Period: 1}, Options{}); err != nil || result.Objective != 0 || !result.Proved {
		t.Errorf("no tasks: %+v, %v", result, err)
	}
}
