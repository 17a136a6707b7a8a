package ggone

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
)

// near says whether two numbers are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Every allocation of small problems is a point of the level form, at its cost; what the form makes of it is no worse, and
// an allocation at that cost.
func TestLevelFormHoldsEveryAllocation(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		p := randomProblem(rng, 1+rng.IntN(5), 1+rng.IntN(3))
		f, err := p.Level(context.Background())
		if infeasible := (*InfeasibleError)(nil); errors.As(err, &infeasible) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Model.WriteLP(io.Discard); err != nil {
			t.Fatal(err)
		}
		everyAssignment(len(p.Tasks), len(f.core.class), func(machine []int) {
			cost := costOf(p, machine)
			if math.IsInf(cost, 1) {
				return
			}
			values := f.Start(machine)
			if v := f.Model.Violation(values); v > 1e-12 || !near(f.Model.Objective(values), cost) {
				t.Errorf("%d: %v costs %v; as a point %v, violation %v", seed, machine, cost, f.Model.Objective(values), v)
			}
			found := f.Allocation(values)
			if found.Machine == nil || found.Objective > cost+1e-9 || f.IdleLoad() == 0 && !near(costOf(p, found.Machine), found.Objective) {
				t.Errorf("%d: %v costs %v; the form makes it %+v", seed, machine, cost, found)
			}
		})
	}
}

// Every allocation, with the waits and penalties that follow, is a point of the chord form, at its cost, and no lower waits or
// penalties would do.
func TestChordFormHoldsEveryAllocation(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 22))
		p := randomProblem(rng, 1+rng.IntN(4), 1+rng.IntN(3))
		c, _, err := p.prepare(context.Background())
		if err != nil {
			continue
		}
		f, err := p.Chord(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Model.WriteLP(io.Discard); err != nil {
			t.Fatal(err)
		}
		everyAssignment(len(p.Tasks), len(c.class), func(machine []int) {
			cost := costOf(p, machine)
			load := make([]int, len(c.class))
			for _, r := range machine {
				load[r]++
			}
			for r := 1; r < len(load); r++ {
				if c.class[r] == c.class[r-1] && load[r] > load[r-1] {
					return // the fuller comes first
				}
			}
			if math.IsInf(cost, 1) {
				return
			}
			values := f.Start(machine)
			// The order of the variables: zd and zc of each task, then W, x and n of each machine.
			n := len(p.Tasks)
			wait := 2 * n
			for r, k := range c.class {
				q := &c.classes[k]
				w := q.levels[load[r]].wait
				values[wait] = w
				wait++
				for y := range n {
					if len(q.levels) > 1 && !math.IsInf(q.of(y, q.levels[1].wait), 1) {
						wait++
					}
					if machine[y] != r {
						continue
					}
					if !math.IsInf(q.deadline[y], 0) {
						values[2*y] = max(0, w+q.service[y]-q.deadline[y])
					}
					if !q.serviceOnly && !math.IsInf(q.budget[y], 0) {
						values[2*y+1] = max(0, q.price*(w+q.service[y])-q.budget[y])
					}
				}
				wait++
			}
			if v := f.Model.Violation(values); v > 1e-9 || !near(f.Model.Objective(values), cost) {
				t.Errorf("%d: %v costs %v; as a point %v, violation %v", seed, machine, cost, f.Model.Objective(values), v)
			}
			for k := range f.Model.Variables() { // less of any z that is above 0 breaks the model
				if k < 2*n && values[k] > 1e-6 {
					values[k] *= 0.99
					if f.Model.Violation(values) < 1e-9 {
						t.Errorf("%d: %v: penalty %d need not be %v", seed, machine, k, values[k]/0.99)
					}
					values[k] /= 0.99
				}
			}
		})
	}
}

// Fixing against any limit keeps every allocation below it: prices of a few iterations, a limit well above the optimum, and all
// allocations of small problems.
func TestReducedFormKeepsWhatIsBelowTheLimit(t *testing.T) {
	kept, fixed := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 23))
		p := randomProblem(rng, 2+rng.IntN(4), 2+rng.IntN(2))
		c, idle, err := p.prepare(context.Background())
		if err != nil {
			continue
		}
		whole, err := p.Level(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		optimum := math.Inf(1)
		everyAssignment(len(p.Tasks), len(c.class), func(machine []int) { optimum = min(optimum, costOf(p, machine)) })
		if math.IsInf(optimum, 1) || optimum == 0 {
			continue
		}
		s := newSearch(context.Background(), c, Options{Tolerance: leastTolerance})
		root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
		s.ascend(root, ascent{iterations: 100, step: 1, patience: 20})
		s.best = optimum * (1 + rng.Float64())
		root.bound = math.Inf(-1)
		if !s.fix(root) {
			continue
		}
		s.sieve(root)
		f := p.levelForm(context.Background(), c, root.box, idle)
		fixed += whole.Model.Variables() - f.Model.Variables()
		everyAssignment(len(p.Tasks), len(c.class), func(machine []int) {
			cost := costOf(p, machine)
			if cost >= s.limit() {
				return
			}
			kept++
			values := f.Start(machine)
			if v := f.Model.Violation(values); v > 1e-12 || !near(f.Model.Objective(values), cost) {
				t.Errorf("%d: %v costs %v, below the limit %v; as a point %v, violation %v", seed, machine, cost, s.limit(), f.Model.Objective(values), v)
			}
		})
	}
	if kept < 200 || fixed < 200 {
		t.Errorf("%d allocations kept and %d variables gone: the test proves little", kept, fixed)
	}
}

func TestFormsRefuse(t *testing.T) {
	p := &Problem{Period: 10, Rate: 0.1, Tasks: make([]Task, 3), Classes: []Class{{Machines: 1, ServiceRate: 0.1, Service: make([]float64, 3)}}}
	for name, state := range map[string]func(context.Context) (*Form, error){"level": p.Level, "chord": p.Chord} {
		if _, err := state(context.Background()); !errors.As(err, new(*InfeasibleError)) {
			t.Errorf("%s: infeasible: %v", name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.Classes[0].ServiceRate = 1
		if _, err := state(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
		p.Classes[0].ServiceRate = 0.1
	}
	if _, err := (&Problem{}).Level(context.Background()); !errors.Is(err, errInvalid) {
		t.Errorf("invalid: %v", err)
	}
	const tasks = 3000
	large := &Problem{Period: 1, Rate: tasks, Tasks: make([]Task, tasks), Classes: []Class{{Machines: 1, ServiceRate: 1e4, Service: make([]float64, tasks)}}}
	if _, err := large.Level(context.Background()); !errors.As(err, new(*TooLargeError)) {
		t.Errorf("too large: %v", err)
	}
}
