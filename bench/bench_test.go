package bench_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

var (
	instancesFlag = flag.String("instances", "", "glob of instance files to benchmark instead of examples/, from the repository's root or this folder")
	solversFlag   = flag.String("solvers", "", "solvers to benchmark instead of all that support the instance, separated by commas")
)

// benchmarkFiles lists the instance files to benchmark.
func benchmarkFiles(b *testing.B) []string {
	pattern := *instancesFlag
	if pattern == "" {
		pattern = "examples/*.json"
	}
	// go test runs in the folder of the package, but a user names files relative to his own folder.
	for _, folder := range []string{"", ".."} {
		candidate := pattern
		if !filepath.IsAbs(pattern) {
			candidate = filepath.Join(folder, pattern)
		}
		files, err := filepath.Glob(candidate)
		if err != nil {
			b.Fatalf("-instances: %v", err)
		}
		files = slices.DeleteFunc(files, func(file string) bool { return file == filepath.Join("..", "examples", "job.json") }) // a job, not an instance
		if len(files) > 0 {
			return files
		}
	}
	b.Fatalf("-instances: no file matches %q", pattern)
	return nil
}

// Benchmark runs every solver on every instance: /solver=NAME/instance=NAME. It reports ns/op, objective, gap% (to the proved
// bound, if there is one), jobs/s and evals/s; where a solver does not take an instance, a line says why. The instances are the examples, generated ones and, if
// present, some of the real data. The flags -instances and -solvers name others; then no other benchmark of the package runs (see TestMain).
func Benchmark(b *testing.B) {
	instances := map[string]*model.Instance{}
	var names []string
	add := func(name string, in *model.Instance) {
		instances[name] = in
		names = append(names, name)
	}
	for _, path := range benchmarkFiles(b) {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			b.Fatal(err)
		}
		add(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".json"), in)
	}
	if *instancesFlag == "" {
		for _, c := range suiteCases(b) {
			add(c.name, c.in)
		}
	}
	var solvers []string
	if *solversFlag != "" {
		solvers = solve.SplitNames(*solversFlag)
	} else {
		for _, info := range solve.Solvers() {
			if info.Source != "the tests" {
				solvers = append(solvers, info.Name)
			}
		}
	}
	for _, solver := range solvers {
		choice, err := solve.Choose(solver)
		if err != nil {
			b.Fatalf("-solvers: %v", err)
		}
		for _, name := range names {
			b.Run("solver="+choice.Label+"/instance="+name, func(b *testing.B) {
				if choice.Info.Absent != "" {
					refused(b, errors.New(choice.Info.Absent))
				}
				benchmarkSolver(b, choice, instances[name])
			})
		}
	}
}

// refused ends the benchmark of a solver that does not take the instance, and says why: go test tells of a skipped benchmark with -v alone. The line
// begins with a parenthesis, so that tools which read results pass over it.
func refused(b *testing.B, err error) {
	fmt.Printf("(%s: %v)\n", b.Name(), err)
	b.SkipNow()
}

// suiteCases are instances of each kind that solvers are compared on: generated ones and real ones.
func suiteCases(b *testing.B) []searchCase {
	cases := []searchCase{
		{name: "muscle-100", in: muscleBatch(b, 100)},
		{name: "mts-500", in: grid(b, 500, 0)},
		{name: "ggone-96-machines", in: generatedGGOne(b, 0.5)},
	}
	cases = append(cases, mcpCases(b)[1], braunCases(b)[0])
	for _, c := range stripPackingCases(b, false) {
		if c.name == "BKW8" {
			cases = append(cases, c)
		}
	}
	cases = append(cases, workflowCases(b, 16)[3])
	return append(cases, searchCase{name: "mira-2000", in: batch(b, 2000)})
}

// benchmarkSolver times one solver on one instance.
func benchmarkSolver(b *testing.B, choice solve.Choice, in *model.Instance) {
	b.ReportAllocs()
	var result solve.Result
	for b.Loop() {
		var err error
		result, err = solve.Run(context.Background(), choice, in, solve.Options{Seed: 1})
		if errors.Is(err, solve.ErrUnsupported) {
			refused(b, err)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(in.Jobs())*b.N)/b.Elapsed().Seconds(), "jobs/s")
	if result.Evaluations > 0 {
		b.ReportMetric(float64(result.Evaluations)*float64(b.N)/b.Elapsed().Seconds(), "evals/s")
	}
	if result.Solution == nil || result.Solution.Objective == nil {
		return
	}
	b.ReportMetric(*result.Solution.Objective, "objective")
	if gap, ok := result.Solution.Gap(); ok {
		b.ReportMetric(gap, "gap%")
	}
}

func TestMeasureChecksAndReports(t *testing.T) {
	in := muscleBatch(t, 30)
	for _, choice := range bench.SupportingSolvers(solve.NewPresolver(in), false) {
		name := choice.Label
		if name == "auto" {
			t.Error("auto is compared with what it runs")
		}
		row := bench.Measure(context.Background(), choice, in, bench.Settings{Options: solve.Options{Seed: 1, MaxEvals: 5000}})
		if row.Fault != "" || row.Solution == nil || row.Objective == nil {
			t.Errorf("%s: fault %q, solution %v", name, row.Fault, row.Solution != nil)
			continue
		}
		if want, _ := row.Metrics.Get("mcp"); *row.Objective != want {
			t.Errorf("%s: objective %v, mcp %v", name, *row.Objective, want)
		}
	}
}

// muscleBatch is a batch of the muscle workload.
func muscleBatch(t testing.TB, jobs int) *model.Instance {
	t.Helper()
	in, err := with(workload.Default[workload.Muscle](), func(x *workload.Muscle) { x.Jobs = jobs }).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// with changes some fields of a struct that was just made.
func with[S any](s *S, set func(*S)) *S {
	set(s)
	return s
}
