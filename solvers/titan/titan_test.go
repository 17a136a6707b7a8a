package titan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers" // they make starts, here and in start_test.go
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/solvers/titan"
)

// instance has rigid jobs with arrivals, deadlines and run times that leave clusters out; one job fits nowhere.
func instance(t testing.TB, seed uint64, jobs int, objective map[string]float64) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := model.NewBuilder("titan")
	for metric, weight := range objective {
		b.Minimise(metric, weight)
	}
	for c := range 4 {
		spec := solvecases.Machines(fmt.Sprint("c", c), 3+5*c, 1+float64(c)/3)
		if c == 2 {
			spec.Weights = &model.WeightsSpec{OverDeadline: new(12.0), Makespan: new(3.0), IdleTime: new(1.0)}
		}
		b.Cluster(spec)
	}
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(8)), Work: new(1 + 30*rng.Float64()), Arrival: float64(rng.IntN(30))}
		if rng.IntN(3) > 0 {
			job.Deadline = new(job.Arrival + 60*rng.Float64())
		}
		if rng.IntN(5) == 0 {
			job.Work, job.Runtime = nil, map[string]float64{"c1": 5 + 9*rng.Float64(), "c3": 5 + 20*rng.Float64()}
		}
		b.Job(job)
	}
	return solvecases.Built(t, b.Job(model.JobSpec{ID: "giant", Processors: model.Rigid(99), Work: new(1.0)}))
}

// objectives are objectives that come apart by cluster.
var objectives = []map[string]float64{
	{"mcp": 1}, {"makespan": 2}, {"over_deadline": 1}, {"idle_time": 1}, {"mean_response": 1}, {"mean_wait": 1},
	{"mcp": 1, "over_deadline": 0.3, "idle_time": 0.01, "mean_response": 2, "mean_wait": 3, "unfinished": 1000, "finished": -1},
	{"makespan": 1, "unfinished": 10, "work_done": -1},
}

// solveChecked runs a solver and checks its solution.
func solveChecked(t testing.TB, name, coding string, in *model.Instance, opt solve.Options) solve.Result {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	solver := info.New()
	if coding != "" {
		if err := params.Set(solver, "coding", coding); err != nil {
			t.Fatal(err)
		}
	}
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatalf("%s: %v", name, report.Violations[0])
	}
	return result
}

// clusterOf is the cluster of each job; that of a job left out is its reason.
func clusterOf(s *model.Solution) map[string]string {
	clusters := map[string]string{}
	for _, p := range s.Jobs {
		clusters[p.Job] = p.Cluster
	}
	for _, u := range s.Unscheduled {
		clusters[u.Job] = u.Reason
	}
	return clusters
}

// TestSection3 improves schedules of several solvers, for every objective that comes apart by cluster: the result is
// never worse than the start, every job stays where it is, what is left out stays out for the same reason, and the start
// does not change. The progress ends with the objective that the evaluator finds.
func TestSection3(t *testing.T) {
	improved, tried := 0, 0
	for k, objective := range objectives {
		for seed := range race.Fewer(uint64(3), 1) {
			in := instance(t, seed, 40, objective)
			for _, from := range []string{"dll", "wrand", "minmin"} {
				start := solveChecked(t, from, "", in, solve.Options{Seed: seed}).Solution
				before := solverstest.Encoded(t, solve.Result{Solution: start})
				for _, coding := range []string{"mask", "list"} {
					what := fmt.Sprintf("%v, seed %d, from %s, %s", objective, seed, from, coding)
					reported := solve.Progress{Objective: math.Inf(1)}
					result := solveChecked(t, "titan", coding, in, solve.Options{Seed: seed, Start: start, Workers: 2, Progress: func(p solve.Progress) {
						if p.Objective > reported.Objective+1e-9*math.Abs(p.Objective) || p.Evaluations < reported.Evaluations || p.Bound.Known() {
							t.Errorf("%s: progress %+v after %+v", what, p, reported)
						}
						reported = p
					}})
					found, began := *result.Solution.Objective, *start.Objective
					if tried++; found < began {
						improved++
					} else if found > began {
						t.Errorf("%s: %v from a start of %v", what, found, began)
					}
					if math.Abs(reported.Objective-found) > 1e-9*math.Abs(began) || reported.Evaluations != result.Evaluations {
						t.Errorf("%s: progress %+v, objective %v after %d evaluations", what, reported, found, result.Evaluations)
					}
					if want, got := clusterOf(start), clusterOf(result.Solution); !reflect.DeepEqual(want, got) {
						t.Errorf("%s: %v from %v", what, got, want)
					}
				}
				if !bytes.Equal(before, solverstest.Encoded(t, solve.Result{Solution: start})) {
					t.Errorf("objective %d: the start has changed", k)
				}
			}
		}
	}
	if improved < tried*8/10 {
		t.Errorf("improved %d of %d", improved, tried)
	}
}

// TestTable1 starts from MUSCLE's seeds of the case study, of mean CP 2.75.
func TestTable1(t *testing.T) {
	in, err := model.ReadInstanceFile("../../examples/table1.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, coding := range []string{"mask", "list"} {
		start, found := solveChecked(t, "muscle", "", in, solve.Options{Seed: 1}), solveChecked(t, "muscle+titan", coding, in, solve.Options{Seed: 1})
		if *start.Solution.Objective != 2.75 || *found.Solution.Objective > 2.75 {
			t.Errorf("%s: %v from %v", coding, *found.Solution.Objective, *start.Solution.Objective)
		}
	}
}

// TestFindsTheOptimum compares with all list schedules of up to five jobs on one cluster.
func TestFindsTheOptimum(t *testing.T) {
	race.OneGoroutine(t)
	optimal, tried := 0, 0
	for seed := range race.Fewer(uint64(40), 15) {
		for _, objective := range objectives {
			rng := rand.New(rand.NewPCG(seed, 4))
			processors := 1 + rng.IntN(5)
			b := model.NewBuilder("one").Cluster(solvecases.Machines("c", processors, 1))
			for metric, weight := range objective {
				b.Minimise(metric, weight)
			}
			for j := range 2 + rng.IntN(4) {
				b.Job(model.JobSpec{ID: fmt.Sprint(j), Processors: model.Rigid(1 + rng.IntN(processors)), Work: new(float64(rng.IntN(9))), Arrival: float64(rng.IntN(4)), Deadline: new(float64(rng.IntN(20)))})
			}
			in := solvecases.Built(t, b)
			best := solvecases.BruteForce(t, in)
			found := *solveChecked(t, "titan", "list", in, solve.Options{Seed: seed}).Solution.Objective
			tolerance := 1e-9 * math.Max(1, math.Abs(best))
			if found < best-tolerance {
				t.Errorf("seed %d, %v: %v below the optimum %v", seed, objective, found, best)
			}
			if tried++; found <= best+tolerance {
				optimal++
			}
		}
	}
	if optimal < tried*98/100 {
		t.Errorf("%d of %d optimal", optimal, tried)
	}
}

// TestAnyWorkers wants the same bytes at any number of workers, with and without a limit of evaluations.
func TestAnyWorkers(t *testing.T) {
	in := instance(t, 5, 80, map[string]float64{"mcp": 1})
	for _, coding := range []string{"mask", "list"} {
		for _, limit := range []int64{0, 999} {
			var first []byte
			for _, workers := range []int{0, 1, 2, 4, 9} {
				text := solverstest.Encoded(t, solveChecked(t, "titan", coding, in, solve.Options{Seed: 3, Workers: workers, MaxEvals: limit}))
				if first == nil {
					first = text
				} else if !bytes.Equal(first, text) {
					t.Errorf("%s, at most %d evaluations: another solution at %d workers", coding, limit, workers)
				}
			}
			if other := solverstest.Encoded(t, solveChecked(t, "titan", coding, in, solve.Options{Seed: 4, MaxEvals: limit})); bytes.Equal(first, other) {
				t.Errorf("%s: the seed makes no difference", coding)
			}
		}
	}
}

func TestCountsEvaluations(t *testing.T) {
	in := instance(t, 6, 60, map[string]float64{"mcp": 1})
	last := math.Inf(1)
	for _, limit := range []int64{1, 2, 3, 5, 10, 60, 200, 1000, 4000, 1 << 62} {
		result := solveChecked(t, "titan", "list", in, solve.Options{Seed: 1, MaxEvals: limit})
		if result.Evaluations > limit {
			t.Errorf("%d evaluations of %d", result.Evaluations, limit)
		}
		if limited := result.Stop == model.StopEvaluations; limited != (limit <= 4000) || limited && result.Evaluations < limit*9/10 {
			t.Errorf("stop %q after %d evaluations of %d", result.Stop, result.Evaluations, limit)
		}
		if limit == 1<<62 || limit == 1 {
			if *result.Solution.Objective >= last {
				t.Errorf("%d evaluations: %v, a single one %v", limit, *result.Solution.Objective, last)
			}
			last = *result.Solution.Objective
		}
	}
}

// TestCancelled ends the context before and while the clusters are searched.
func TestCancelled(t *testing.T) {
	in := instance(t, 7, 60, map[string]float64{"mcp": 1})
	start := solveChecked(t, "dll", "", in, solve.Options{}).Solution
	for _, coding := range []string{"mask", "list"} {
		for _, after := range []int{0, 1, 20} {
			ctx, cancel := context.WithCancel(context.Background())
			reports := 0
			if after == 0 {
				cancel()
			}
			info, _ := solve.Lookup("titan")
			result, err := solve.Run(ctx, solve.Choice{Info: info, Solver: solverstest.With(solve.Default[titan.Solver](), func(x *titan.Solver) { x.Coding = ga.Coding(coding) })}, in, solve.Options{Seed: 1, Start: start, Workers: 2, Progress: func(solve.Progress) {
				if reports++; reports == after {
					cancel()
				}
			}})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() || result.Stop != model.StopCancelled || *result.Solution.Objective > *start.Objective {
				t.Errorf("%s, after %d reports: stop %q at %v from %v, %v", coding, after, result.Stop, *result.Solution.Objective, *start.Objective, report.Violations)
			}
			if after == 0 && (result.Evaluations != 0 || *result.Solution.Objective != *start.Objective) {
				t.Errorf("%s: %d evaluations after the end, objective %v", coding, result.Evaluations, *result.Solution.Objective)
			}
		}
	}
}

// TestProgressAtAnyNumberOfWorkers: what is told after each generation is the same whatever the order in which the searches of the clusters advance, also where
// evaluations run out and clusters are left out of the search.
func TestProgressAtAnyNumberOfWorkers(t *testing.T) {
	for _, objective := range []map[string]float64{{"mcp": 1}, {"mean_response": 1}, {"makespan": 1}} {
		for _, coding := range []string{"mask", "list"} {
			for _, limit := range []int64{0, 700, 3} {
				in := instance(t, 11, 60, objective)
				start := solveChecked(t, "dll", "", in, solve.Options{}).Solution
				var first []solve.Progress
				for _, workers := range []int{1, 2, 4} {
					for range 3 {
						var told []solve.Progress
						solveChecked(t, "titan", coding, in, solve.Options{Seed: 3, Start: start, Workers: workers, MaxEvals: limit, Progress: func(p solve.Progress) { p.Schedule = nil; told = append(told, p) }})
						if first == nil {
							first = told
						}
						if len(told) == 0 || !reflect.DeepEqual(told, first) {
							t.Errorf("%v, %s, at most %d evaluations: %d workers tell other progress than one: %d reports, expected %d", objective, coding, limit, workers, len(told), len(first))
						}
					}
				}
			}
		}
	}
}

// TestStarts tries starts that are no list schedules: with gaps, with a hole filled, with a job of no time within another
// on the same processor.
func TestStarts(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("starts").Minimise("mean_response", 1).Cluster(solvecases.Machines("c", 3, 1)).Job(
		model.JobSpec{ID: "wide", Processors: model.Rigid(3), Work: new(4.0)}, model.JobSpec{ID: "long", Processors: model.Rigid(2), Work: new(9.0)},
		model.JobSpec{ID: "short", Work: new(2.0)}, model.JobSpec{ID: "none", Work: new(0.0)}))
	at := func(job string, first, last int, start, length float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.NewProcessorSet(model.Range{First: first, Last: last}), Start: start, End: start + length}
	}
	for _, start := range [][]model.Placement{
		{at("wide", 0, 2, 50, 4), at("long", 0, 1, 7, 9), at("short", 2, 2, 30, 2), at("none", 0, 0, 20, 0)},
		{at("long", 0, 1, 0, 9), at("wide", 0, 2, 9, 4), at("short", 2, 2, 3, 2), at("none", 2, 2, 5, 0)},
		{at("none", 1, 1, 4, 0), at("long", 0, 1, 0, 9), at("wide", 0, 2, 9, 4), at("short", 2, 2, 0, 2)},
	} {
		solution := &model.Solution{Jobs: start}
		if report := model.Check(in, solution); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		evaluation, _ := model.Evaluate(in, solution)
		for _, coding := range []string{"mask", "list"} {
			for _, limit := range []int64{1, 0} {
				if found := solveChecked(t, "titan", coding, in, solve.Options{Start: solution, MaxEvals: limit}).Solution; *found.Objective > evaluation.Objective {
					t.Errorf("%s: %v from %v", coding, *found.Objective, evaluation.Objective)
				}
			}
		}
	}
}

func TestRefusesStarts(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("starts").Minimise("mcp", 1).Cluster(solvecases.Machines("c", 2, 1), solvecases.Machines("d", 1, 1)).Job(
		model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(4.0)}))
	both := model.NewProcessorSet(model.Range{First: 0, Last: 1})
	for _, test := range []struct {
		name string
		jobs []model.Placement
	}{
		{"unknown job", []model.Placement{{Job: "b", Cluster: "c", Processors: both, End: 4}}},
		{"unknown cluster", []model.Placement{{Job: "a", Cluster: "e", Processors: both, End: 4}}},
		{"too narrow a cluster", []model.Placement{{Job: "a", Cluster: "d", Processors: both, End: 4}}},
		{"twice", []model.Placement{{Job: "a", Cluster: "c", Processors: both, End: 4}, {Job: "a", Cluster: "c", Processors: both, Start: 4, End: 8}}},
		{"one processor", []model.Placement{{Job: "a", Cluster: "c", Processors: model.Processors(1), End: 4}}},
		{"foreign processors", []model.Placement{{Job: "a", Cluster: "c", Processors: model.Processors(1, 2), End: 4}}},
		{"one processor twice", []model.Placement{{Job: "a", Cluster: "c", Processors: model.ProcessorSet{{First: 1, Last: 1}, {First: 1, Last: 1}}, End: 4}}},
		{"runs that are none", []model.Placement{{Job: "a", Cluster: "c", Processors: model.ProcessorSet{{First: 1, Last: -1}, {First: 0, Last: 2}}, End: 4}}},
		{"time that is none", []model.Placement{{Job: "a", Cluster: "c", Processors: both, Start: 5, End: math.NaN()}}},
		{"pieces on an unknown cluster", []model.Placement{{Job: "a", End: 4, Pieces: []model.Piece{{Cluster: "e", Processors: both, Tasks: 2, End: 4}}}}},
	} {
		for _, coding := range []string{"mask", "list"} {
			_, err := solverstest.With(solve.Default[titan.Solver](), func(x *titan.Solver) { x.Coding = ga.Coding(coding) }).Solve(context.Background(), in, solve.Options{Start: &model.Solution{Jobs: test.jobs}})
			if err == nil || errors.Is(err, solve.ErrUnsupported) {
				t.Errorf("%s, %s: %v", test.name, coding, err)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	in := instance(t, 8, 20, map[string]float64{"mcp": 1})
	for name, set := range map[string]func(*titan.Solver){
		"coding":      func(s *titan.Solver) { s.Coding = "tree" },
		"population":  func(s *titan.Solver) { s.Population = 0 },
		"generations": func(s *titan.Solver) { s.Generations = -2 },
		"patience":    func(s *titan.Solver) { s.Patience = 0 },
		"improvement": func(s *titan.Solver) { s.Improvement = -1 },
		"crossover":   func(s *titan.Solver) { s.Crossover = 1.5 },
		"swap":        func(s *titan.Solver) { s.Swap = -1 },
		"move":        func(s *titan.Solver) { s.Move = math.NaN() },
	} {
		_, err := solverstest.With(solve.Default[titan.Solver](), set).Solve(context.Background(), in, solve.Options{})
		if wrong := (*params.Error)(nil); !errors.As(err, &wrong) || wrong.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A zero means zero: without any variation no child differs from a schedule of the first generation, so all that more generations change is nothing.
	still := func(generations int) *model.Solution {
		solver := solverstest.With(solve.Default[titan.Solver](), func(s *titan.Solver) { s.Generations, s.Crossover, s.Swap, s.Move = generations, 0, 0, 0 })
		result, err := solver.Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return result.Solution
	}
	if !reflect.DeepEqual(still(1), still(15)) {
		t.Error("with all probabilities 0 more generations change the schedule")
	}
}

// TestMemory refuses masks that would not fit into memory and takes the list coding for them.
func TestMemory(t *testing.T) {
	b := model.NewBuilder("wide").Cluster(solvecases.Machines("c", 1<<22, 1))
	for j := range 30 {
		b.Job(model.JobSpec{ID: fmt.Sprint(j), Processors: model.Rigid(1 << 20), Work: new(float64(1 + j))})
	}
	in := solvecases.Built(t, b)
	if _, err := solve.Default[titan.Solver]().Solve(context.Background(), in, solve.Options{}); !errors.Is(err, solve.ErrUnsupported) || !strings.Contains(err.Error(), "list coding") {
		t.Errorf("%v", err)
	}
	solveChecked(t, "titan", "list", in, solve.Options{})
}
