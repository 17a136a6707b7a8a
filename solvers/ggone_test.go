package solvers_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// runGGOne runs the solver and checks its schedule.
func runGGOne(t testing.TB, in *model.Instance, solver *solvers.GGOne, opt solve.Options) solve.Result {
	t.Helper()
	info, err := solve.Lookup("ggone")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	if result.Solution != nil {
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Fatalf("%s: %v", in.Name(), report.Violations[0])
		}
	}
	return result
}

// onMachines is the schedule that puts each job on the machine of that number, all machines numbered in order.
func onMachines(t testing.TB, in *model.Instance, machine []int) *model.Solution {
	t.Helper()
	view, err := model.Queues(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Schema: model.SolutionSchema}
	free := make([]float64, len(view.Machines))
	for j, r := range machine {
		m := &view.Machines[r]
		c, _ := in.ClusterIndex(m.Cluster)
		set := model.Processors(in.Clusters()[c].Machines[m.Group].First + m.Number*in.Clusters()[c].Machines[m.Group].Units)
		start := max(free[r], in.Jobs()[j].Arrival)
		free[r] = start + in.Duration(j, c, set)
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: m.Cluster, Processors: set, Start: start, End: free[r]})
	}
	return sol
}

// enumerated is the least penalty of all assignments, by the evaluator; +Inf where all are unstable.
func enumerated(t testing.TB, in *model.Instance, machines int) float64 {
	t.Helper()
	best := math.Inf(1)
	machine := make([]int, len(in.Jobs()))
	for {
		evaluation, err := model.Evaluate(in, onMachines(t, in, machine))
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, evaluation.Objective)
		k := 0
		for ; k < len(machine); k++ {
			if machine[k]++; machine[k] < machines {
				break
			}
			machine[k] = 0
		}
		if k == len(machine) {
			return best
		}
	}
}

// tabulated is enumerated for an instance without an idle rate, from a table of the penalty of each job on each machine at each load, with
// the best assignment checked by the evaluator: the same by fewer evaluations.
func tabulated(t testing.TB, in *model.Instance, machines int) float64 {
	t.Helper()
	view, err := model.Queues(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, q := len(in.Jobs()), in.Queueing()
	excess := func(x, limit float64) float64 { return max(0, x-limit) / limit }
	table := make([]float64, machines*(n+1)*n)
	for r := range machines {
		m := &view.Machines[r]
		c, _ := in.ClusterIndex(m.Cluster)
		group := &in.Clusters()[c].Machines[m.Group]
		for load := range n + 1 {
			wait := model.Wait(m.Kappa, float64(load)/q.Period, m.ServiceRate)
			for y := range n {
				j := &in.Jobs()[y]
				service := j.Work / group.Speed * (1 + q.K*j.WorkCV)
				cost, penalty := group.Cost*service, 0.0
				if q.Charge == model.ChargeResponse {
					cost = group.Cost * (wait + service)
				}
				if j.HasDeadline() {
					penalty = excess(wait+service, j.Deadline-j.Arrival)
				}
				if j.HasBudget() {
					penalty += excess(cost, j.Budget)
				}
				if math.IsInf(wait, 1) {
					penalty = wait
				}
				table[(r*(n+1)+load)*n+y] = penalty
			}
		}
	}
	best, machine, at := math.Inf(1), make([]int, n), make([]int, n)
	loads := make([]int, machines)
	for loads[0] = n; ; {
		total := 0.0
		for y, r := range machine {
			total += table[(r*(n+1)+loads[r])*n+y]
		}
		if total < best {
			best = total
			copy(at, machine)
		}
		k := 0
		for ; k < n; k++ {
			loads[machine[k]]--
			if machine[k]++; machine[k] < machines {
				loads[machine[k]]++
				break
			}
			machine[k] = 0
			loads[0]++
		}
		if k == n {
			break
		}
	}
	if !math.IsInf(best, 1) {
		evaluation, err := model.Evaluate(in, onMachines(t, in, at))
		if err != nil || math.Abs(evaluation.Objective-best) > 1e-9*best {
			t.Fatalf("%s: assignment %v costs %v by the table and %v by the evaluator, %v", in.Name(), at, best, evaluation.Objective, err)
		}
	}
	return best
}

// The eight assignments of the worked instance, and that the solver finds and proves the best of them.
func TestGGOneWorkedInstance(t *testing.T) {
	in := solvecases.Built(t, workedQueues(t, 0.3))
	for k, want := range []float64{2.45, 1.0 / 3, 0.5, 3.65, 0.5 + 0.2/3, 5.9, 4.55, math.Inf(1)} {
		evaluation, err := model.Evaluate(in, onMachines(t, in, []int{k / 4, k / 2 % 2, k % 2}))
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluation.Objective; got != want && !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("assignment %d costs %v, expected %v", k, got, want)
		}
	}
	result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if result.Status != model.Optimal || result.Stop != model.StopDone || math.Abs(*result.Solution.Objective-1.0/3) > 1e-12 || result.Bound.Or(0) > 1.0/3 || result.Bound.Or(0) < 1.0/3-1e-9 {
		t.Errorf("%s, %s, objective %v, bound %v; expected the optimum 1/3", result.Status, result.Stop, *result.Solution.Objective, result.Bound)
	}
	if loads := result.Solution.Loads; len(loads) != 2 || loads[0].Rate != 0.2 || loads[1].Rate != 0.1 {
		t.Errorf("loads %v, expected 0.2 and 0.1", loads)
	}
	view, err := model.Queues(in, result.Solution)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{4.0/3 + 2, 4.0/3 + 3, 4.0/3 + 2} {
		if got := view.Jobs[k].Response; math.Abs(got-want) > 1e-12 {
			t.Errorf("job %d: response %v, expected %v", k, got, want)
		}
	}
}

// At λ = 0.4 one task's worth of load is parked where it costs least.
func TestGGOneIdleRate(t *testing.T) {
	in := solvecases.Built(t, workedQueues(t, 0.4))
	result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if got := *result.Solution.Objective; math.Abs(got-0.85) > 1e-9 || result.Status != model.Optimal || result.Bound.Or(0) < 0.85*(1-2e-6) {
		t.Errorf("continuous: %v, bound %v, %s; expected 0.85, optimal", got, result.Bound, result.Status)
	}
	// As a dummy task: 112 with four tasks' load is W = (3, 4/3) or (4/3, 8); the former costs (1 − 0.5)/0.5 + (5 − 4)/4 + (1.2 − 1).
	result = runGGOne(t, in, solverstest.With(solve.Default[solvers.GGOne](), func(x *solvers.GGOne) { x.Slack = "dummy" }), solve.Options{})
	if got := *result.Solution.Objective; math.Abs(got-1.45) > 1e-9 || result.Status != model.Feasible || result.Bound.Or(0) > 0.85 {
		t.Errorf("dummy: %v, bound %v, %s; expected 1.45, feasible, as the bound is that of any spread of the idle rate", got, result.Bound, result.Status)
	}
}

// Committed rates take the same part of λ, but the machine for them is given.
func TestGGOneCommitted(t *testing.T) {
	in := solvecases.Built(t, workedQueues(t, 0.4))
	result := runGGOne(t, in, solverstest.With(solve.Default[solvers.GGOne](), func(x *solvers.GGOne) { x.Committed = "R2/m=0.1" }), solve.Options{})
	// R2 carries 0.1, so that a task there waits 8: t2 costs (14 − 8)/8 + (1.4 − 1)/1 there, t1 and t3 0.5 on R1; all on R1, 2.45.
	if got := *result.Solution.Objective; math.Abs(got-1.65) > 1e-9 {
		t.Errorf("objective %v, expected 1.65, t2 on R2", got)
	}
	if loads := result.Solution.Loads; math.Abs(loads[0].Rate-0.2) > 1e-12 || math.Abs(loads[1].Rate-0.2) > 1e-12 {
		t.Errorf("loads %v, expected 0.2 and 0.2", loads)
	}
	for committed, want := range map[string]string{
		"R2/m":               "cluster/machine=rate",
		"R2/x=1":             "expected a machine",
		"R2/m=-1":            "finite rate",
		"R2/m=NaN":           "finite rate",
		"R2/m=0.05,R1/m=0.2": "at most the rate",
	} {
		_, err := solverstest.With(solve.Default[solvers.GGOne](), func(x *solvers.GGOne) { x.Committed = committed }).Solve(context.Background(), in, solve.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected one that says %q", committed, err, want)
		}
	}
}

// Where the machines cannot take the tasks the result says so, with both sides of the condition.
func TestGGOneInfeasible(t *testing.T) {
	b := workedQueues(t, 0.7)
	for k := range 4 {
		b.Job(model.JobSpec{ID: fmt.Sprint("more", k), Work: new(1000.0)})
	}
	result := runGGOne(t, solvecases.Built(t, b), solve.Default[solvers.GGOne](), solve.Options{})
	if result.Status != model.Infeasible || result.Solution != nil || !strings.Contains(result.Reason, "= 6 tasks") || !strings.Contains(result.Reason, "there are 7") {
		t.Errorf("%s: %q; expected infeasible, 6 against 7", result.Status, result.Reason)
	}
	result = runGGOne(t, solvecases.Built(t, workedQueues(t, 0.75)), solve.Default[solvers.GGOne](), solve.Options{})
	if result.Status != model.Infeasible || !strings.Contains(result.Reason, "0.75") {
		t.Errorf("%s: %q; expected infeasible, λ = Σμ", result.Status, result.Reason)
	}
	info, err := solve.Lookup("auto")
	if err != nil {
		t.Fatal(err)
	}
	if result, err = solve.Run(context.Background(), info.Choice(), solvecases.Built(t, b), solve.Options{}); err != nil || result.Status != model.Infeasible {
		t.Errorf("auto: %s, %v; expected infeasible", result.Status, err)
	}
}

// Near μ the wait is a large number that must not spoil the rest: six tasks fill the machines of the worked instance to one
// below their limits, and μ a hair above a whole number of tasks leaves waits of 1e9.
func TestGGOneNearUnstable(t *testing.T) {
	b := workedQueues(t, 0.6)
	for k := range 3 {
		b.Job(model.JobSpec{ID: fmt.Sprint("more", k), Work: new(1000.0), Deadline: new(10.0)})
	}
	in := solvecases.Built(t, b)
	result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if want := enumerated(t, in, 2); math.Abs(*result.Solution.Objective-want) > 1e-9*want || result.Status != model.Optimal {
		t.Errorf("%v, %s; expected %v, optimal", *result.Solution.Objective, result.Status, want)
	}
	b = workedQueues(t, 0.3)
	b.Spec().Clusters[0].Machines[0].Queue.ServiceRate = 0.2 * (1 + 1e-9)
	b.Spec().Clusters[1].Machines[0].Queue.ServiceRate = 0.1 * (1 + 1e-9)
	in = solvecases.Built(t, b)
	result = runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if want := enumerated(t, in, 2); math.Abs(*result.Solution.Objective-want) > 1e-9*want || result.Status != model.Optimal || want < 1e8 {
		t.Errorf("%v, %s; expected %v, optimal", *result.Solution.Objective, result.Status, want)
	}
}

// randomGGOne is an instance of few tasks with queues, and the number of its machines.
func randomGGOne(t testing.TB, seed uint64, idle bool) (in *model.Instance, machines int) {
	in = solvecases.Built(t, solvecases.Queues(seed, idle))
	for _, cluster := range in.Clusters() {
		machines += cluster.Processors
	}
	return in, machines
}

// Random instances of 3 to 7 tasks against all assignments: the optimum without an idle rate, and with an idle rate in any amount.
func TestGGOneAgainstEnumeration(t *testing.T) {
	agree := func(name string, in *model.Instance, want, tolerance float64) {
		result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
		switch {
		case math.IsInf(want, 1):
			if result.Status != model.Infeasible {
				t.Errorf("%s: %s, expected infeasible", name, result.Status)
			}
		case result.Solution == nil || result.Solution.Objective == nil:
			t.Errorf("%s: %s, expected %v", name, result.Status, want)
		case math.Abs(*result.Solution.Objective-want) > tolerance*max(want, 1e-9) || result.Status != model.Optimal:
			t.Errorf("%s: %v, %s; expected %v", name, *result.Solution.Objective, result.Status, want)
		case result.Bound.Or(0) > want*(1+1e-9) || result.Bound.Or(0) < want*(1-1.1*tolerance)-1e-12:
			t.Errorf("%s: bound %v of the optimum %v", name, result.Bound, want)
		}
	}
	for seed := range race.Fewer(uint64(1500), 100) {
		in, machines := randomGGOne(t, seed, false)
		agree(in.Name(), in, tabulated(t, in, machines), 1e-9)
	}
	for seed := range race.Fewer(uint64(300), 20) {
		in, machines := randomGGOne(t, seed, true)
		agree(in.Name(), in, enumerated(t, in, machines), 1e-6)
	}
}

// referenceGGOne are the reference instances with their best known values and bounds.
func referenceGGOne(t testing.TB) map[string][2]float64 {
	t.Helper()
	rows, err := csv.NewReader(realdata.Open(t, "ggone", "best_known.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][2]float64{}
	for _, row := range rows[1:] {
		value, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		bound := value
		if row[2] != "proved" {
			if bound, err = strconv.ParseFloat(row[3], 64); err != nil {
				t.Fatal(err)
			}
		}
		known[row[0]] = [2]float64{value, bound}
	}
	return known
}

// Every proved optimum of the reference instances is reproduced, and J1000_b, which was open, is proved within its bounds.
func TestGGOneReferenceInstances(t *testing.T) {
	for name, known := range referenceGGOne(t) {
		if (race.Enabled || testing.Short()) && (strings.Contains(name, "J1000") || strings.Contains(name, "J0500")) {
			continue // seconds, and minutes with the race detector
		}
		in, err := model.ReadInstanceFile(realdata.Path(t, "ggone", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
		value := *result.Solution.Objective
		if result.Status != model.Optimal || value > known[0]*(1+2e-8) || value < known[1]*(1-2e-8) {
			t.Errorf("%s: %v, %s; expected an optimum from %v to %v", name, value, result.Status, known[1], known[0])
		}
	}
}

// A run stopped at any time has a valid bound and schedule, and the same number of evaluations gives the same bytes.
func TestGGOneIsAnytime(t *testing.T) {
	in := solvecases.Built(t, solvecases.MediumQueues())
	optimum := *runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{}).Solution.Objective
	for _, limit := range []int64{1, 2, 10, 100, 600, 650, 700, 800} {
		var reported []solve.Progress
		opt := solve.Options{MaxEvals: limit, Workers: 1, Progress: func(p solve.Progress) { reported = append(reported, p) }}
		result := runGGOne(t, in, solve.Default[solvers.GGOne](), opt)
		if result.Status == model.Feasible && result.Stop != model.StopEvaluations {
			t.Errorf("%d evaluations: stopped by %s", limit, result.Stop)
		}
		if result.Bound.Or(0) > optimum*(1+1e-9) || *result.Solution.Objective < optimum*(1-1e-9) {
			t.Errorf("%d evaluations: bound %v, objective %v; the optimum is %v", limit, result.Bound, *result.Solution.Objective, optimum)
		}
		for _, p := range reported {
			if p.Bound.Or(0) > optimum*(1+1e-9) || p.Objective < optimum*(1-1e-9) {
				t.Errorf("%d evaluations: reports bound %v and objective %v; the optimum is %v", limit, p.Bound, p.Objective, optimum)
			}
		}
		opt.Workers = 3
		if string(solverstest.Encoded(t, result)) != string(solverstest.Encoded(t, runGGOne(t, in, solve.Default[solvers.GGOne](), opt))) {
			t.Errorf("%d evaluations: two runs give two solutions", limit)
		}
	}
}

// Limits of 0 that every allocation exceeds make the penalty infinite: there is a schedule all the same, and no proof.
func TestGGOneInfinitePenalty(t *testing.T) {
	b := workedQueues(t, 0.4)
	b.Job(model.JobSpec{ID: "late", Work: new(1.0), Arrival: 5, Deadline: new(3.0)})
	result := runGGOne(t, solvecases.Built(t, b), solve.Default[solvers.GGOne](), solve.Options{})
	if result.Solution == nil || result.Solution.Objective != nil || result.Status != model.Feasible || len(result.Solution.Jobs) != 4 {
		t.Errorf("%s, %+v; expected a schedule of an infinite penalty", result.Status, result.Solution)
	}
	// A budget of 0 is met on a machine that costs nothing.
	b = workedQueues(t, 0.3)
	b.Spec().Clusters[1].Machines[0].Cost = 0
	b.Spec().Jobs[0].Budget = new(0.0)
	in := solvecases.Built(t, b)
	result = runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if want := enumerated(t, in, 2); math.Abs(*result.Solution.Objective-want) > 1e-9 || result.Status != model.Optimal {
		t.Errorf("%v, %s; expected %v, optimal", *result.Solution.Objective, result.Status, want)
	}
}

// What the model does not state it solves all the same, and proves nothing; no MILP states it.
func TestGGOneProvesNothingOfOthers(t *testing.T) {
	for name, change := range map[string]func(b *model.Builder){
		"objective":  func(b *model.Builder) { b.Spec().Objective = map[string]float64{"makespan": 1} },
		"two terms":  func(b *model.Builder) { b.Minimise("makespan", 1) },
		"negative":   func(b *model.Builder) { b.Spec().Objective = map[string]float64{"qos_penalty": -1} },
		"precedence": func(b *model.Builder) { b.Spec().Jobs[1].After = []string{"t1"} },
		"parallel": func(b *model.Builder) {
			b.Spec().Clusters[0].Machines[0].Count, b.Spec().Jobs[1].Processors = 2, model.Rigid(2)
		},
		"transfer": func(b *model.Builder) { b.Spec().Clusters[1].Machines[0].Bandwidth, b.Spec().Jobs[1].Input = 10, 5 },
		"hard":     func(b *model.Builder) { b.Spec().Jobs[1].DeadlineHard = true },
		"unstable": func(b *model.Builder) { b.Spec().Queueing.Rate = 5; b.Minimise("makespan", 1) },
	} {
		b := workedQueues(t, 0.3)
		change(b)
		in := solvecases.Built(t, b)
		raw, err := solve.Default[solvers.GGOne]().Solve(t.Context(), in, solve.Options{Certify: true})
		if err != nil || raw.Status != model.Feasible || raw.Bound.Known() || raw.Certificate != nil {
			t.Errorf("%s: %s, bound %v, %v", name, raw.Status, raw.Bound, err)
		}
		if result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{}); len(result.Solution.Jobs) != 3 {
			t.Errorf("%s: places %d of 3 jobs", name, len(result.Solution.Jobs))
		}
		if _, err := solve.Default[solvers.GGOneMILP]().MILP(t.Context(), in); !errors.Is(err, solve.ErrUnsupported) {
			t.Errorf("%s: a MILP, %v", name, err)
		}
	}
}

// A weight scales objective and bound alike.
func TestGGOneWeight(t *testing.T) {
	b := workedQueues(t, 0.3)
	b.Spec().Objective = map[string]float64{"qos_penalty": 3, "makespan": 0}
	result := runGGOne(t, solvecases.Built(t, b), solve.Default[solvers.GGOne](), solve.Options{})
	if result.Status != model.Optimal || math.Abs(*result.Solution.Objective-1) > 1e-12 || result.Bound.Or(0) > 1 || result.Bound.Or(0) < 1-1e-9 {
		t.Errorf("%s, objective %v, bound %v; expected 1", result.Status, *result.Solution.Objective, result.Bound)
	}
}

// A problem too large to be searched still gets a schedule, without a step of the search.
func TestGGOneLarge(t *testing.T) {
	b := model.NewBuilder("large").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 100, CV: new(1.0), Period: 200}
	b.Cluster(solvecases.Machines("a", 200, 1), solvecases.Machines("b", 200, 2))
	for k := range 20000 {
		b.Job(model.JobSpec{ID: fmt.Sprint("t", k), Work: new(float64(1 + k%7)), Deadline: new(float64(3 + k%11))})
	}
	in := solvecases.Built(t, b)
	result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if result.Solution == nil || result.Solution.Objective == nil || result.Status != model.Feasible || result.Evaluations > 0 {
		t.Errorf("%s after %d evaluations, %v", result.Status, result.Evaluations, result.Solution)
	}
}

// With R2 given 0.1 of the rate the best costs 1.65, which is no optimum of the instance: where the rate is parked freely, 0.85.
func TestCommittedRatesProveNothingOfTheInstance(t *testing.T) {
	in := solvecases.Built(t, workedQueues(t, 0.4))
	result := runGGOne(t, in, solverstest.With(solve.Default[solvers.GGOne](), func(x *solvers.GGOne) { x.Committed = "R2/m=0.1" }), solve.Options{})
	if result.Status == model.Optimal || result.Bound.Or(0) > 0.85*(1+1e-9) {
		t.Errorf("found %s, bound %v of %v", result.Status, result.Bound, *result.Solution.Objective)
	}
}
