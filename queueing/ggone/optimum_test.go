package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// What is proved to be the optimum is the least of all assignments, of up to 7 tasks on up to 5 machines, some of which carry load already.
func TestSolveFindsTheOptimum(t *testing.T) {
	race.OneGoroutine(t)
	proved, tried := 0, 0
	for seed := range race.Fewer(uint64(250), 50) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p := randomProblem(rng, 7, 5)
		for k := range p.Classes {
			if rng.IntN(3) == 0 {
				p.Classes[k].Committed = 0.1 * rng.Float64()
				p.Rate += float64(p.Classes[k].Machines) * p.Classes[k].Committed
			}
		}
		best := math.Inf(1)
		everyAssignment(len(p.Tasks), len(p.servers()), func(machine []int) { best = min(best, costOf(p, machine)) })
		if math.IsInf(best, 1) {
			continue
		}
		tried++
		found, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v, an assignment costs %v", seed, err, best)
		}
		if found.Bound.Or(0) > best+1e-9*(1+best) || found.Objective < best-1e-9*(1+best) || found.Proved && found.Objective > best*(1+1e-6)+1e-9 {
			t.Errorf("seed %d: proved %v, objective %v, bound %v; the optimum is %v", seed, found.Proved, found.Objective, found.Bound, best)
		}
		if found.Proved {
			proved++
		}
	}
	if proved < tried*9/10 {
		t.Errorf("%d of %d are proved", proved, tried)
	}
}

// A machine stays stable below its service rate, with what it carries already: of 2 over a period of 10 that leaves 19 tasks, of 2 with
// 1.5 carried 4.
func TestMostByHand(t *testing.T) {
	for _, c := range []struct {
		committed float64
		most      int
	}{{0, 19}, {1, 9}, {1.5, 4}, {1.95, 0}, {2, 0}, {3, 0}} {
		class := Class{Machines: 1, ServiceRate: 2, Committed: c.committed}
		if found := class.most(10, 100); found != c.most {
			t.Errorf("%v carried: at most %d, expected %d", c.committed, found, c.most)
		}
		if found := class.most(10, 3); found != min(3, c.most) {
			t.Errorf("%v carried, of 3 tasks: at most %d", c.committed, found)
		}
	}
}

// A task that takes no time has a limit of 0: it keeps that where nobody waits, and costs +Inf where anybody does, however short the wait.
func TestLimitsOfZero(t *testing.T) {
	for _, c := range []struct {
		task  Task
		kappa float64
		want  float64
	}{
		{Task{0, math.Inf(1)}, 0, 0}, {Task{0, math.Inf(1)}, 1e-3, math.Inf(1)},
		{Task{math.Inf(1), 0}, 0, 0}, {Task{math.Inf(1), 0}, 1e-3, math.Inf(1)},
	} {
		p := &Problem{Period: 10, Rate: 0.1, Tasks: []Task{c.task},
			Classes: []Class{{Machines: 1, ServiceRate: 1, Kappa: c.kappa, Price: 1, Service: []float64{0}}}}
		found, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Objective != c.want {
			t.Errorf("%+v, κ %v: found %v, expected %v", c.task, c.kappa, found.Objective, c.want)
		}
	}
}
