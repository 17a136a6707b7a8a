package ggone

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// least is the least penalty of all assignments of tasks to machines, by the definition; +Inf where none is possible.
func least(p *Problem) float64 {
	var classes []*Class
	for k := range p.Classes {
		for range p.Classes[k].Machines {
			classes = append(classes, &p.Classes[k])
		}
	}
	excess := func(x, limit float64) float64 {
		if math.IsInf(limit, 1) {
			return 0
		}
		return max(0, x-limit) / limit
	}
	best, at := math.Inf(1), make([]int, len(p.Tasks))
	for {
		load := make([]float64, len(classes))
		for _, r := range at {
			load[r] += 1 / p.Period
		}
		sum := 0.0
		for y, r := range at {
			c := classes[r]
			if math.IsInf(c.Service[y], 1) || load[r] >= c.ServiceRate {
				sum = math.Inf(1)
				break
			}
			wait := c.Kappa * load[r] / (1 - load[r]/c.ServiceRate)
			held, charged := 1.0, wait+c.Service[y]
			if c.Processors != nil {
				held = c.Processors[y]
			}
			if p.ServiceOnly {
				charged = c.Service[y]
			}
			sum += excess(wait+c.Service[y], p.Tasks[y].Deadline) + excess(held*c.Price*charged, p.Tasks[y].Budget)
		}
		best = min(best, sum)
		k := 0
		for ; k < len(at); k++ {
			if at[k]++; at[k] < len(classes) {
				break
			}
			at[k] = 0
		}
		if k == len(at) {
			return best
		}
	}
}

// Tasks that cannot be on some machines, and tasks that hold several processors, against all assignments.
func TestForbiddenPairsAgainstEnumeration(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(33, 1))
	solved, none := 0, 0
	for n := range race.Fewer(1500, 150) {
		p := randomProblem(rng, 6, 4)
		for k := range p.Classes {
			c := &p.Classes[k]
			if rng.IntN(2) == 0 {
				c.Processors = make([]float64, len(p.Tasks))
			}
			for y := range p.Tasks {
				if rng.IntN(3) == 0 {
					c.Service[y] = math.Inf(1)
				}
				if c.Processors != nil {
					c.Processors[y] = float64(1 + rng.IntN(3))
				}
			}
		}
		want := least(p)
		result, err := Solve(context.Background(), p, Options{})
		if infeasible := (*InfeasibleError)(nil); errors.As(err, &infeasible) {
			if none++; !math.IsInf(want, 1) {
				t.Errorf("%d: %v, and an allocation costs %v", n, err, want)
			}
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(want, 1) {
			if none++; !math.IsInf(result.Objective, 1) || result.Proved {
				t.Errorf("%d: %v, proved: %t; no allocation is possible", n, result.Objective, result.Proved)
			}
			continue
		}
		if solved++; !result.Proved || math.Abs(result.Objective-want) > 1e-9*(1+want) || result.Bound.Or(0) > want*(1+1e-9) {
			t.Errorf("%d: %v, bound %v, proved: %t; expected %v", n, result.Objective, result.Bound, result.Proved, want)
		}
		if lower, _ := Bound(context.Background(), p, 200, 1<<20); lower.Or(0) > want*(1+1e-9) {
			t.Errorf("%d: root bound %v of %v", n, lower, want)
		}
		p.Rate *= 1.1 // with an idle rate nothing gets cheaper
		if idle, err := Solve(context.Background(), p, Options{Evaluations: 300}); err == nil && idle.Objective < want*(1-1e-9) {
			t.Errorf("%d: %v with an idle rate, %v without", n, idle.Objective, want)
		}
	}
	if solved < race.Enough(500) || none < race.Enough(50) {
		t.Errorf("%d solved, %d impossible: too few of a kind", solved, none)
	}
}
