// Package external_test runs the example programs as solvers.
package external_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// run runs a program of this folder. It skips the test if Python or one of the program's libraries is missing.
func run(t *testing.T, command string, in *model.Instance, opt solve.Options) (solve.Result, error) {
	t.Helper()
	python := needs.Program(t, "python3")
	if strings.HasPrefix(command, "cpsat.py") {
		python = needs.Python(t, "ortools")
	}
	choice, err := solve.Choose("exec:" + python + " " + command)
	if err != nil {
		t.Fatal(err)
	}
	return solve.Run(t.Context(), choice, in, opt)
}

// instance makes a random instance that both programs support: rigid jobs on clusters, with work or run times.
func instance(t *testing.T, seed uint64, objective map[string]float64) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := model.NewBuilder("random")
	b.Spec().Objective = objective
	for c := range 1 + rng.IntN(3) {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Weights: &model.WeightsSpec{OverDeadline: new(rng.Float64()), IdleTime: new(float64(rng.IntN(3)))},
			Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(4), Speed: 0.5 + rng.Float64()}}})
	}
	for j := range 1 + rng.IntN(6) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Arrival: 5 * rng.Float64()}
		if rng.IntN(2) == 0 {
			job.Work = new(10 * rng.Float64())
		} else {
			job.Runtime = map[string]float64{"c0": 10 * rng.Float64()}
		}
		if rng.IntN(2) == 0 {
			job.Deadline = new(20 * rng.Float64())
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The programs return schedules that the checker accepts, or say what they do not support.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../*.json")
	if err != nil {
		t.Fatal(err)
	}
	for program, supported := range map[string][]string{
		"first_come.py": {"etc.json", "multicluster.json", "table1.json", "tiny.json"},
		"cpsat.py":      {"etc.json", "multicluster.json", "table1.json", "tiny.json"},
	} {
		t.Run(program, func(t *testing.T) {
			for _, file := range files {
				if filepath.Base(file) == "job.json" { // a job, not an instance
					continue
				}
				in, err := model.ReadInstanceFile(file)
				if err != nil {
					t.Fatal(err)
				}
				_, err = run(t, program, in, solve.Options{Seed: 1, MaxEvals: 1})
				if refused := errors.Is(err, solve.ErrUnsupported); refused == slices.Contains(supported, filepath.Base(file)) || err != nil && !refused {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// A job may state its length by an estimate alone; where it states its work too, the estimate does not count.
func TestFirstComeTakesEstimates(t *testing.T) {
	b := model.NewBuilder("estimates")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Speed: 3}}})
	b.Job(model.JobSpec{ID: "a", Estimate: new(6.0), ReferenceSpeed: 2}, model.JobSpec{ID: "b", Work: new(3.0), Estimate: new(30.0)},
		model.JobSpec{ID: "d", Runtime: map[string]float64{"c": 5}, Estimate: new(30.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	result, err := run(t, "first_come.py", in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, end := range []float64{4, 5, 10} {
		if p := result.Solution.Jobs[k]; p.End != end {
			t.Errorf("job %s ends at %v, expected %v", p.Job, p.End, end)
		}
	}
}

// A trace of 20,000 jobs on a large machine takes a second or so. If each job looked at each processor, it would take 4·10⁹ steps.
func TestFirstComeTakesALargeMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := model.NewBuilder("trace")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 1000, Processors: 200}}})
	for j := range 20_000 {
		work := 1000 * rng.Float64()
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: float64(j), Processors: model.Rigid(1 + rng.IntN(1<<rng.IntN(17))), Work: &work, Estimate: new(2 * work)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("exec:" + needs.Program(t, "python3") + " first_come.py")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{})
	if err != nil || result.Solution == nil || len(result.Solution.Jobs) != len(in.Jobs()) {
		t.Errorf("expected a schedule of all jobs: %v, stopped by %v", err, result.Stop)
	}
	t.Logf("%v", result.Elapsed)
}

// On small instances CP-SAT is as good as search for every objective that it supports; search is optimal on nearly all of them. Rounding to CP-SAT's
// whole numbers costs almost nothing.
func TestCPSATIsOptimal(t *testing.T) {
	search, err := solve.Choose("search")
	if err != nil {
		t.Fatal(err)
	}
	for k, objective := range []map[string]float64{{"makespan": 1}, {"mcp": 1}, {"over_deadline": 1}, {"mean_response": 1}, {"mcp": 0.5, "makespan": 2, "mean_response": 0.1}} {
		in := instance(t, uint64(k), objective)
		result, err := run(t, "cpsat.py --limit 60", in, solve.Options{Seed: 1, Workers: 2})
		if err != nil {
			t.Fatalf("%v: %v", objective, err)
		}
		other, err := solve.Run(t.Context(), search, in, solve.Options{Seed: 1, MaxEvals: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if best, found := *other.Solution.Objective, *result.Solution.Objective; found > best*1.001 {
			t.Errorf("%v: %v, search finds %v", objective, found, best)
		}
	}
}

// CP-SAT's search begins at the start.
func TestCPSATStarts(t *testing.T) {
	in, err := model.ReadInstanceFile("../multicluster.json")
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("muscle")
	if err != nil {
		t.Fatal(err)
	}
	start, err := solve.Run(t.Context(), choice, in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var first float64
	_, err = run(t, "cpsat.py --limit 60", in, solve.Options{Seed: 1, MaxEvals: 1, Start: start.Solution, Progress: func(p solve.Progress) { first = p.Objective }})
	if err != nil || first > *start.Solution.Objective {
		t.Errorf("starts at %v after %v: %v", first, *start.Solution.Objective, err)
	}
}

// Without OR-Tools the program refuses the instance and says what to install. The flag -S hides the packages that are installed.
func TestMissingORTools(t *testing.T) {
	needs.Program(t, "python3")
	in := instance(t, 1, nil)
	choice, err := solve.Choose("exec:python3 -S cpsat.py")
	if err != nil {
		t.Fatal(err)
	}
	_, err = solve.Run(t.Context(), choice, in, solve.Options{})
	if !errors.Is(err, solve.ErrUnsupported) || !strings.HasSuffix(err.Error(), "unsupported: needs OR-Tools: pip install ortools") {
		t.Error(err)
	}
}
