package solvers_test

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// workedTasks is the worked instance of the G/G/1 allocation, see model, with its works as estimates: the tasks really need nothing. Its
// objective is the number of failed workflows, of which it has none.
func workedTasks(t *testing.T) *model.Instance {
	b := model.NewBuilder("worked").Minimise("workflow_failures", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.3}
	b.Cluster(model.ClusterSpec{ID: "g", Machines: []model.MachineSpec{
		{ID: "R1", Speed: 10000, Cost: 0.2, Queue: &model.QueueSpec{ServiceRate: 0.5, ArrivalVariance: new(6.0), ServiceVariance: new(2.0)}},
		{ID: "R2", Speed: 5000, Cost: 0.1, Queue: &model.QueueSpec{ServiceRate: 0.25, ArrivalVariance: new(8.0), ServiceVariance: new(8.0)}},
	}})
	b.Job(
		model.JobSpec{ID: "t1", Work: new(0.0), Estimate: new(20000.0), Deadline: new(4.0), Budget: new(0.5)},
		model.JobSpec{ID: "t2", Work: new(0.0), Estimate: new(30000.0), Deadline: new(8.0), Budget: new(1.0)},
		model.JobSpec{ID: "t3", Work: new(0.0), Estimate: new(10000.0), Deadline: new(5.0), Budget: new(0.4)},
	)
	return solvecases.Built(t, b)
}

// assigned is the machines of t1, t2 and t3 as digits.
func assigned(t *testing.T, in *model.Instance, sol *model.Solution) string {
	t.Helper()
	machines := []byte("...")
	for _, p := range sol.Jobs {
		j, _ := in.JobIndex(p.Job)
		machines[j] = byte('1' + p.Processors.Min())
	}
	return string(machines)
}

// Rounds of the worked instance in a window of 10, 50 periods of 0.2. With nothing given before, 112 is best, as in the specification: 1/3. With two tasks given
// to R1 in the window, λ_1 = (2 + n_1)/10, and so W_1 is 3 with one more, 8 with two: 112 costs 6.075, 121 over 8.8, 122, with W_2 = 8 for its
// two, 1.25 + 1.15 + 2.5 = 4.9, and the others more than 5. What was given a window ago or earlier counts no more.
func TestRoundsByHand(t *testing.T) {
	in := workedTasks(t)
	given := []solve.Given{{At: 90}, {At: 95}, {At: 95}}
	for _, c := range []struct {
		window float64
		given  []solve.Given
		want   string
	}{{50, nil, "112"}, {50, given, "122"}, {25, given[:2], "112"}} {
		g := solve.Default[solvers.GGOne]()
		g.Window = c.window
		round := solve.Round{Batch: in.Known().Batch([]int{0, 1, 2}, []float64{0, 0, 0}, nil), Now: 100, Period: 0.2, Given: c.given}
		result, err := g.SolveRound(context.Background(), round, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := assigned(t, in, result.Solution); got != c.want {
			t.Errorf("window %v, %d given: %s, expected %s", c.window, len(c.given), got, c.want)
		}
		if result.Bound.Known() || result.Status != model.Feasible {
			t.Errorf("a round states a bound or an optimum of the stream: %+v", result)
		}
	}
}

// In a window of 4 no machine is stable with three tasks: μT is 2 on R1 and 1 on R2, so Σ(⌈μT⌉ − 1) = 1. t1 goes to R1, where W = κλ/(1 − λ/μ) =
// 4·0.25/(1 − 0.5) = 2, not to R2, which is not stable with it. Then neither is stable: R2 has λ/μ = 1 with t2, R1 would have 1 too, and
// stands first; t3 goes to R2, where λ/μ is 1, not 1.5.
func TestRoundsOfLeastWait(t *testing.T) {
	in := workedTasks(t)
	g := solve.Default[solvers.GGOne]()
	g.Window = 4 // periods of 1
	result, err := g.SolveRound(context.Background(), solve.Round{Batch: in.Known(), Now: 0, Period: 1}, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := assigned(t, in, result.Solution); got != "112" {
		t.Errorf("%s, expected 112", got)
	}
}

// What was given counts on the machine that it was given to: with three tasks in the window, R2 has λ = 0.3 above its μ = 0.25, so all go to
// R1, whose λ is then 0.3 of 0.5.
func TestRoundsCountByMachine(t *testing.T) {
	in := workedTasks(t)
	given := []solve.Given{{At: 95, Processor: 1}, {At: 95, Processor: 1}, {At: 95, Processor: 1}}
	round := solve.Round{Batch: in.Known().Batch([]int{0, 1, 2}, []float64{0, 0, 0}, nil), Now: 100, Period: 0.2, Given: given}
	result, err := solve.Default[solvers.GGOne]().SolveRound(context.Background(), round, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := assigned(t, in, result.Solution); got != "111" {
		t.Errorf("%s, expected 111", got)
	}
}

// On line it takes whatever it takes at once: parallel jobs, any objective, no view.
func TestRoundsTakeAnyInstance(t *testing.T) {
	run := func(change func(b *model.Builder)) (solve.Result, error) {
		b := model.NewBuilder("any").Minimise("qos_penalty", 1).Cluster(solvecases.Machines("c", 2, 1))
		b.Spec().Queueing = &model.QueueingSpec{Rate: 1}
		b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0)})
		change(b)
		rolling, err := solve.NewRolling(solve.Choice{Info: solve.Info{Name: "ggone"}, Solver: solve.Default[solvers.GGOne]()}, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "ggone"}, Solver: rolling}, solvecases.Built(t, b), solve.Options{})
	}
	for name, change := range map[string]func(b *model.Builder){
		"precedence": func(b *model.Builder) { b.Spec().Jobs[1].After = []string{"a"} },
		"parallel":   func(b *model.Builder) { b.Spec().Jobs[1].Processors = model.Rigid(2) },
		"objective":  func(b *model.Builder) { b.Spec().Objective = map[string]float64{"makespan": 1} },
		"no view": func(b *model.Builder) {
			b.Spec().Queueing, b.Spec().Objective = nil, map[string]float64{"workflow_failures": 1}
		},
	} {
		if result, err := run(change); err != nil || len(result.Solution.Jobs) != 2 {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	result, err := run(func(b *model.Builder) { b.Spec().Jobs[1].Processors = model.Rigid(3) })
	if err != nil || len(result.Solution.Jobs) != 1 || len(result.Solution.Unscheduled) != 1 {
		t.Errorf("too wide: %+v, %v", result, err)
	}
}

// The limits of a task of a workflow in a round are its share of what is left: of a chain of works 10 and 30 with the deadline 80 and the
// budget 8, the first task, planned at 0, has 10/40 of both: 20 and 2. It really ends at 4, on a machine of cost 0.5, so the second, planned at
// 10, has all of the rest: the deadline 80 and the budget 8 − 4·0.5 = 6. A third workflow has nothing left and so no limits.
func TestRoundsShareWhatIsLeft(t *testing.T) {
	b := model.NewBuilder("shares").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 1}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Cost: 0.5}}})
	b.Spec().Workflows = []model.WorkflowSpec{{ID: "w", Deadline: new(80.0), Budget: new(8.0)}, {ID: "v", Deadline: new(0.0), Budget: new(0.0)}}
	b.Job(
		model.JobSpec{ID: "a", Work: new(4.0), Estimate: new(10.0), Workflow: "w"},
		model.JobSpec{ID: "b", Work: new(1.0), Estimate: new(30.0), Workflow: "w", After: []string{"a"}},
		model.JobSpec{ID: "z", Arrival: 5, Work: new(1.0), Estimate: new(2.0), Workflow: "v"},
	)
	seen := &seer{GGOne: solve.Default[solvers.GGOne](), limits: map[string][2]float64{}}
	solver, err := solve.NewRolling(solve.Choice{Solver: seen}, 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := solvecases.Built(t, b)
	if err := solver.Supports(in); err != nil {
		t.Fatal(err)
	}
	if _, err := solver.Solve(context.Background(), in, solve.Options{}); err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string][2]float64{"a": {20, 2}, "b": {80, 6}, "z": {math.Inf(1), math.Inf(1)}} {
		if seen.limits[job] != want {
			t.Errorf("%s: deadline and budget %v, expected %v", job, seen.limits[job], want)
		}
	}
	if seen.works["a"] != 10 {
		t.Errorf("the solver sees the work %v of a, expected its estimate 10", seen.works["a"])
	}
}

// A round solver plans in rounds of its own too where no estimate differs from the truth and no job waits for others: else a task that turns
// out to need more than its estimate would change what was decided before it.
func TestRoundsWhereEstimatesAreTrue(t *testing.T) {
	build := func(work float64) *model.Instance {
		b := model.NewBuilder("true").Minimise("qos_penalty", 1)
		b.Spec().Queueing = &model.QueueingSpec{Rate: 100}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "slow", Queue: &model.QueueSpec{ServiceRate: 1}}, {ID: "fast", Speed: 2, Queue: &model.QueueSpec{ServiceRate: 2}}}})
		b.Job(model.JobSpec{ID: "a", Work: new(4.0)}, model.JobSpec{ID: "b", Arrival: 15, Work: &work, Estimate: new(2.0)})
		return solvecases.Built(t, b)
	}
	for _, work := range []float64{2, 3} {
		seen := &seer{GGOne: solve.Default[solvers.GGOne](), limits: map[string][2]float64{}}
		solver, err := solve.NewRolling(solve.Choice{Solver: seen}, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solver.Solve(context.Background(), build(work), solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.limits) != 2 || result.Solution == nil || len(result.Solution.Jobs) != 2 {
			t.Errorf("work %v: %d tasks in rounds, %v", work, len(seen.limits), result)
		}
	}
}

// seer notes what the rounds show.
type seer struct {
	*solvers.GGOne
	limits map[string][2]float64
	works  map[string]float64
}

// SolveRound implements [solve.RoundSolver].
func (s *seer) SolveRound(ctx context.Context, round solve.Round, opt solve.Options) (solve.Result, error) {
	for _, j := range round.Batch.Jobs() {
		s.limits[j.ID] = [2]float64{j.Deadline, j.Budget}
		if s.works == nil {
			s.works = map[string]float64{}
		}
		s.works[j.ID] = j.Work
	}
	return s.GGOne.SolveRound(ctx, round, opt)
}
