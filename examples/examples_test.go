package examples_test

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// shows are the features that each example is there to show; examples_test fails on a file that is not listed.
var shows = map[string]model.Features{
	"tiny.json":         model.ParallelJobs,
	"table1.json":       model.ParallelJobs,
	"multicluster.json": model.ParallelJobs,
	"four.json":         model.ParallelJobs | model.MemoryLimits,
	"etc.json":          model.UnrelatedTimes,
	"backfilling.json":  model.Arrivals | model.LicencePools | model.ParallelJobs,
	"machines.json":     model.Arrivals | model.HardDeadlines | model.MemoryLimits | model.BandwidthNeeds | model.MixedMachines,
	"workflow.json":     model.Precedence | model.LicencePools | model.ParallelJobs,
	"moldable.json":     model.MoldableJobs,
	"ggone.json":        0,
	"twolevel.json":     model.Arrivals | model.LicencePools | model.ParallelJobs | model.MixedMachines | model.MachineSpan,
	"spaceshare.json":   model.Arrivals | model.MoldableJobs,
	"tariff.json":       model.ParallelJobs | model.HorizonLimits,

	"ggone-workflows.json": model.Arrivals | model.Precedence,
	"gpu.json": model.Arrivals | model.MemoryLimits | model.ParallelJobs | model.NodeResources | model.Blocks | model.NodeFeatures | model.ClosedTimes |
		model.ExclusiveJobs,
	"small-grid.json": model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools |
		model.ParallelJobs | model.MoldableJobs | model.UnrelatedTimes | model.BackgroundLoad | model.MachineSpan,
}

// read reads an example.
func read(t *testing.T, file string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstanceFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Every file reads without error, has a name and units, shows what it should and has its line in the README.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return file == "job.json" }) // a job, see TestJob
	if listed := slices.Sorted(maps.Keys(shows)); !slices.Equal(files, listed) {
		t.Fatalf("the folder holds %v, this test lists %v", files, listed)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		in := read(t, file)
		if in.Name() == "" || in.Units() == (model.Units{}) {
			t.Errorf("%s: expected a name and units", file)
		}
		if missing := shows[file] &^ in.Features(); missing != 0 {
			t.Errorf("%s does not show %s", file, missing)
		}
		if !strings.Contains(string(readme), "]("+file+")") {
			t.Errorf("README.md has no line for %s", file)
		}
	}
}

// Every solver that supports an example gives a schedule that the checker accepts.
func TestSolvers(t *testing.T) {
	for file := range shows {
		in := read(t, file)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, info := range solve.Solvers() {
				choice := info.Choice()
				if err := choice.Solver.Supports(in); err != nil {
					t.Logf("%s: %v", info.Name, err)
					continue
				}
				result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1, MaxEvals: race.Fewer(int64(2000), 100)})
				if err != nil {
					t.Error(err)
					continue
				}
				if result.Solution == nil {
					t.Errorf("%s found no schedule: %s, %s", info.Name, result.Status, result.Stop)
					continue
				}
				if report := model.Check(in, result.Solution); !report.OK() {
					t.Errorf("%s: %v", info.Name, report.Violations)
				}
			}
		})
	}
}

// Examples that a workload makes are what it makes now.
func TestGenerated(t *testing.T) {
	for file, made := range map[string]struct {
		workload string
		seed     uint64
	}{
		"four.json":       {"four", 1},
		"twolevel.json":   {"twolevel:jobs=40:clusters=5,3,2:time_scale=10:mean_gap=60", 8},
		"tariff.json":     {"tariff", 4},
		"spaceshare.json": {"spaceshare:jobs=40:clusters=4:processors=4:max_parallelism=16:speeds=generations", 3},
	} {
		_, w, err := workload.Choose(made.workload)
		if err != nil {
			t.Fatal(err)
		}
		in, err := w.Generate(made.seed)
		if err != nil {
			t.Fatal(err)
		}
		if want := read(t, file); in.SHA256() != want.SHA256() || in.Name() != want.Name() {
			t.Errorf("%s is not what %s with seed %d makes", file, made.workload, made.seed)
		}
	}
}

// Every formulation runs on four.json with each objective, and all metrics of its schedule are finite: the queues are stable, but where cost is all that counts.
func TestFour(t *testing.T) {
	for _, objective := range []string{"makespan", "missed", "cost", "qos_penalty", "mcp"} {
		in, err := read(t, "four.json").WithObjective(map[string]float64{objective: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"muscle", "titan", "mts", "ggone", "minmin", "heft", "search"} {
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1, MaxEvals: 500})
			if err != nil || result.Solution == nil || len(result.Solution.Unscheduled) > 0 {
				t.Errorf("%s, %s: expected a schedule of all jobs: %v, %s", objective, name, err, result.Status)
				continue
			}
			for _, metric := range []string{"makespan", "missed", "cost", "qos_penalty", "mcp"} {
				if objective == "cost" && name == "search" && (metric == "qos_penalty" || metric == "mcp") {
					continue // the cheapest servers are given more than they can take
				}
				if x, ok := result.Solution.Metrics.Get(metric); !ok || math.IsInf(x, 0) {
					t.Errorf("%s, %s: %s is %v, expected a finite number", objective, name, metric, x)
				}
			}
		}
	}
}

// table1.json is the paper's case study: its seed schedules (Fig. 3 of He et al. 2004) cost what they should.
func TestTable1(t *testing.T) {
	in := read(t, "table1.json")
	place := func(job, cluster string, first, last int, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: cluster, Processors: model.NewProcessorSet(model.Range{First: first, Last: last}), Start: start, End: end}
	}
	report := model.Check(in, &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{
		place("J4", "C1", 0, 2, 0, 6), place("J2", "C1", 3, 3, 0, 4), place("J5", "C1", 3, 3, 4, 6),
		place("J3", "C2", 0, 3, 0, 4), place("J1", "C2", 4, 5, 0, 2), place("J6", "C2", 4, 5, 2, 6),
	}})
	if !report.OK() {
		t.Fatal(report.Violations)
	}
	balance, _ := report.Metrics.Get("balance")
	if report.Objective != 2.75 || math.Abs(balance-0.707107) > 1e-6 {
		t.Errorf("mcp %v and balance %v, expected 2.75 and 0.707107", report.Objective, balance)
	}
}

// ggone.json is the worked instance: of the eight assignments of t1, t2, t3 to R1 and R2 the best costs 1/3.
func TestGGOne(t *testing.T) {
	in := read(t, "ggone.json")
	for assignment, want := range map[string]float64{
		"111": 2.45, "112": 1.0 / 3, "121": 0.5, "122": 3.65, "211": 0.5 + 0.2/3, "212": 5.9, "221": 4.55, "222": math.Inf(1),
	} {
		sol := &model.Solution{Schema: model.SolutionSchema}
		free := map[string]float64{}
		for k, resource := range assignment {
			job, cluster := &in.Jobs()[k], "R"+string(resource)
			c, _ := in.ClusterIndex(cluster)
			start := free[cluster]
			free[cluster] = start + in.DurationOn(k, c, 1)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: job.ID, Cluster: cluster, Processors: model.Processors(0), Start: start, End: free[cluster]})
		}
		report := model.Check(in, sol)
		if !report.OK() {
			t.Errorf("%s: %v", assignment, report.Violations)
		}
		if found := report.Objective; !(math.Abs(found-want) <= 1e-9) && found != want {
			t.Errorf("%s costs %v, expected %v", assignment, found, want)
		}
	}
}

// tiny.json can be done by hand, as the README says.
func TestTiny(t *testing.T) {
	in := read(t, "tiny.json")
	mct, err := solve.Choose("mct")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), mct, in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if *result.Solution.Objective != 5 {
		t.Errorf("makespan %v, expected 5", *result.Solution.Objective)
	}
}

// The job of the what-if question fits the instance that the README asks it of, and under EASY backfilling it waits there.
func TestJob(t *testing.T) {
	job, err := model.ReadJobFile("job.json")
	if err != nil {
		t.Fatal(err)
	}
	job.Arrival = 20
	in, err := read(t, "backfilling.json").WithJob(*job, "job.json")
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("easy")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Solution.Jobs {
		if p.Job == job.ID && p.Start > job.Arrival {
			return
		}
	}
	t.Errorf("expected %s to be placed and to wait", job.ID)
}

// The example that is a module of its own passes its tests, against the library as it is here.
func TestOwnModule(t *testing.T) {
	if testing.Short() {
		t.Skip("its tests are of a single goroutine")
	}
	needs.Program(t, "go")
	if text, err := exec.Command("go", "-C", "ownpolicy", "test", "./...").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
