//go:build highs && cgo

package solvers_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// definedGGOne states the allocation by the definition, eqs. 2, 3, 9–16 and 23, from the instance alone: of a kind of machines, w machines carry n
// tasks, and x says which. It shares no code with package ggone. Tasks may only be where their penalty is finite.
func definedGGOne(t testing.TB, in *model.Instance) *milp.Model {
	view, err := model.Queues(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, m := in.Queueing(), &milp.Model{Name: "defined"}
	served := make([][]milp.Term, len(in.Jobs()))
	first := 0
	for c := range in.Clusters() { // one group of machines each
		group := &in.Clusters()[c].Machines[0]
		mu, kappa := view.Machines[first].ServiceRate, view.Machines[first].Kappa
		first += group.Count
		var used []milp.Term
		for n := 1; n <= len(in.Jobs()); n++ {
			lambda := float64(n) / q.Period
			if lambda >= mu {
				break
			}
			wait := kappa * lambda / (1 - lambda/mu)
			w := m.Add(milp.Variable{Name: fmt.Sprintf("w_%d_%d", c, n), Upper: float64(group.Count), Integer: true})
			used = append(used, milp.Term{Var: w, Coefficient: 1})
			level := []milp.Term{{Var: w, Coefficient: -float64(n)}}
			for y := range in.Jobs() {
				job := &in.Jobs()[y]
				service := job.TotalWork() / group.Speed * (1 + q.K*job.WorkCV)
				charged := group.Cost * (wait + service)
				if q.Charge == model.ChargeService {
					charged = group.Cost * service
				}
				penalty := over(wait+service, job.Deadline-job.Arrival) + over(charged, job.Budget)
				if math.IsInf(penalty, 1) {
					continue
				}
				x := m.Add(milp.Variable{Name: fmt.Sprintf("x_%d_%d_%d", c, n, y), Upper: 1, Cost: penalty})
				level = append(level, milp.Term{Var: x, Coefficient: 1})
				served[y] = append(served[y], milp.Term{Var: x, Coefficient: 1})
				m.AddRow(fmt.Sprintf("open_%d_%d_%d", c, n, y), math.Inf(-1), 0, milp.Term{Var: x, Coefficient: 1}, milp.Term{Var: w, Coefficient: -1})
			}
			m.AddRow(fmt.Sprintf("level_%d_%d", c, n), 0, 0, level...)
		}
		m.AddRow(fmt.Sprintf("machines_%d", c), 0, float64(group.Count), used...)
	}
	for y, terms := range served {
		m.AddRow(fmt.Sprintf("task_%d", y), 1, 1, terms...)
	}
	return m
}

// over is max(0, x − limit)/limit.
func over(x, limit float64) float64 {
	switch {
	case x <= limit:
		return 0
	case limit <= 0:
		return math.Inf(1)
	}
	return (x - limit) / limit
}

// Odd instances of 10 to 60 tasks against the definition on HiGHS: what the solvers call optimal is, and what they call a bound is one.
func TestGGOneAgainstTheDefinition(t *testing.T) {
	first, count := ggoneProve()
	optimal, began := 0, time.Now()
	for seed := first; seed < first+count; seed++ {
		in := solvecases.Built(t, oddGGOne(seed))
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		known, err := milp.Solve(ctx, definedGGOne(t, in), milp.Options{Gap: 1e-9})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		for name, solver := range map[string]solve.Solver{"ggone": solve.Default[solvers.GGOne](), "hybrid": solve.Default[solvers.GGOneHybrid]()} {
			result := runHighs(t, in, solver, solve.Options{MaxEvals: 30000})
			fault := func(format string, args ...any) {
				t.Errorf("%s: %s: %s; HiGHS: %s, %v, bound %v", in.Name(), name, fmt.Sprintf(format, args...), known.Status, known.Objective, known.Bound)
			}
			objective := math.Inf(1)
			if result.Solution != nil && result.Solution.Objective != nil {
				objective = *result.Solution.Objective
			}
			room := 2e-6*math.Abs(known.Objective) + 1e-6 // HiGHS's tolerances
			switch {
			case known.Values != nil && result.Status == model.Infeasible:
				fault("infeasible")
			case known.Values != nil && result.Bound.Or(math.Inf(-1)) > known.Objective+room:
				fault("bound %v", result.Bound)
			case result.Status == model.Optimal && objective > known.Objective+room:
				fault("optimal at %v", objective)
			case known.Status == model.Optimal && objective < known.Objective-room, known.Status == model.Infeasible && !math.IsInf(objective, 1):
				fault("objective %v", objective)
			}
			if result.Status == model.Optimal && name == "ggone" {
				optimal++
			}
		}
	}
	t.Logf("%d of %d proved by ggone, in %v", optimal, count, time.Since(began).Round(time.Millisecond))
	if optimal < int(count)*3/4 {
		t.Errorf("%d of %d proved: the test proves little", optimal, count)
	}
}
