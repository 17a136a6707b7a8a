package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// cheapestMatching is the least sum of a square table with one entry a row and column, by the Hungarian method with potentials: H. W. Kuhn
// (1955), The Hungarian method for the assignment problem, doi:10.1002/nav.3800020109.
func cheapestMatching(cost [][]float64) float64 {
	n := len(cost)
	u, v, match := make([]float64, n+1), make([]float64, n+1), make([]int, n+1) // match: by column from 1, its row
	for row := 1; row <= n; row++ {
		match[0] = row
		least, used, from := make([]float64, n+1), make([]bool, n+1), make([]int, n+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		j0 := 0
		for match[j0] != 0 {
			used[j0] = true
			delta, j1 := math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if used[j] {
					continue
				}
				if x := cost[match[j0]-1][j-1] - u[match[j0]] - v[j]; x < least[j] {
					least[j], from[j] = x, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[match[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			match[j0] = match[from[j0]]
			j0 = from[j0]
		}
	}
	sum := 0.0
	for j := 1; j <= n; j++ {
		sum += cost[match[j]-1][j-1]
	}
	return sum
}

// crowded is a problem of the given number of tasks on machines that are all different and nearly full, so that every load matters.
func crowded(rng *rand.Rand, tasks, machines int) *Problem {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	p := &Problem{Period: 10, Rate: float64(tasks) / 10}
	for range tasks {
		p.Tasks = append(p.Tasks, Task{Deadline: between(2, 12), Budget: between(0.5, 4)})
	}
	for range machines {
		c := Class{Machines: 1, ServiceRate: between(0.4, 0.9), Kappa: between(1, 8), Price: between(0.1, 0.5)}
		for range tasks {
			c.Service = append(c.Service, between(1, 6))
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

// The optimum of problems too large to enumerate: the least over all loads of the cheapest matching of tasks and places.
func TestSolveAgainstMatchings(t *testing.T) {
	for seed := range race.Fewer(uint64(60), 10) {
		rng := rand.New(rand.NewPCG(seed, 12))
		p := crowded(rng, 11, 4)
		servers := p.servers()
		best := math.Inf(1)
		var extend func(r, left int, cost [][]float64)
		extend = func(r, left int, cost [][]float64) {
			if r == len(servers) {
				if left == 0 {
					table := make([][]float64, len(p.Tasks)) // of places, which is as good
					copy(table, cost)
					best = min(best, cheapestMatching(table))
				}
				return
			}
			for n := 0; n <= min(left, servers[r].class.most(p.Period, left)); n++ {
				place := make([]float64, len(p.Tasks))
				wait := servers[r].class.wait(float64(n), p.Period)
				for y, task := range p.Tasks {
					response := wait + servers[r].class.Service[y]
					place[y] = max(0, response-task.Deadline)/task.Deadline + max(0, servers[r].class.Price*response-task.Budget)/task.Budget
				}
				next := cost[:len(cost):len(cost)]
				for range n {
					next = append(next, place)
				}
				extend(r+1, left-n, next)
			}
		}
		extend(0, len(p.Tasks), nil)
		if math.IsInf(best, 1) {
			continue
		}
		found, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !found.Proved || math.Abs(found.Objective-best) > 1e-6*best+1e-12 || found.Bound.Or(0) > best*(1+1e-9) {
			t.Errorf("seed %d: proved %v, objective %v, bound %v; the optimum is %v", seed, found.Proved, found.Objective, found.Bound, best)
		}
	}
}

// Loads in the box of a node are in that of one of its children.
func TestChildrenHoldTheLoadsOfTheirParent(t *testing.T) {
	split := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 13))
		p := randomProblem(rng, 8, 4)
		if p.room() < len(p.Tasks) {
			continue
		}
		s := newSearch(context.Background(), newCore(context.Background(), p, 0), Options{Tolerance: leastTolerance})
		root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
		s.ascend(root, nodeAscent)
		s.order(root.box)
		if slices.Equal(root.low, root.high) {
			continue
		}
		up, down := s.children(root)
		everyLoads(root.box, s.tasks, func(loads []int) {
			if !slices.Equal(loads, s.descending(slices.Clone(loads))) {
				return
			}
			split++
			if !up.holds(loads) && !down.holds(loads) {
				t.Errorf("seed %d: loads %v are in neither child, %v and %v", seed, loads, up.box, down.box)
			}
		})
	}
	if split < 500 {
		t.Errorf("%d loads, expected more", split)
	}
}
