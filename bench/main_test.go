package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The variables of the environment that make the test binary run a suite, for tests that kill it.
const (
	runSuite = "ALLOT_TEST_SUITE"
	runInto  = "ALLOT_TEST_INTO"

	runStealing = "ALLOT_TEST_STEALING"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(runSuite); path != "" {
		if err := runOf(context.Background(), path, RunOptions{Dir: os.Getenv(runInto), Jobs: 2, Steal: os.Getenv(runStealing) != ""}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if err := benchmarkAlone(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// benchmarkAlone leaves the other benchmarks of the package out where -instances or -solvers is given, as they are on instances of their own: go test -bench .
// would run them for an hour.
func benchmarkAlone() error {
	pattern := flag.Lookup("test.bench").Value
	if pattern.String() == "" || flag.Lookup("instances").Value.String()+flag.Lookup("solvers").Value.String() == "" {
		return nil
	}
	first, rest, _ := strings.Cut(pattern.String(), "/")
	if match, err := regexp.MatchString(first, "Benchmark"); err != nil || !match {
		return fmt.Errorf("-instances and -solvers are for -bench '^Benchmark$', found %q", pattern)
	}
	return pattern.Set(strings.TrimSuffix("^Benchmark$/"+rest, "/"))
}

// runOf runs the suite of a file.
func runOf(ctx context.Context, path string, opt RunOptions) error {
	suite, err := ReadSuite(path)
	if err != nil {
		return err
	}
	plan, err := suite.Plan(ctx)
	if err != nil {
		return err
	}
	return Run(ctx, plan, opt)
}

var _ = solve.Register(solve.Info{
	Name:   "broken",
	Doc:    "Fails in every way there is, on instances of three jobs that muscle generates.",
	Source: "the tests",
	New:    func() solve.Solver { return new(broken) },
})

// broken is a solver that fails.
type broken struct {
	Way string `enum:"panic,error,wrong,nothing,refuse" doc:"how"`
}

// Supports refuses the instances on which other tests run all solvers.
func (*broken) Supports(in *model.Instance) error {
	if in.Name() != "muscle-n3-s1" {
		return fmt.Errorf("%w: not of three jobs", solve.ErrUnsupported)
	}
	return nil
}

func (b *broken) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	switch b.Way {
	case "error":
		return solve.Result{}, fmt.Errorf("no luck")
	case "wrong": // the schedule states a wrong end for every job
		info, err := solve.Lookup("met")
		if err != nil {
			return solve.Result{}, err
		}
		result, err := info.New().Solve(ctx, in, opt)
		for k := range result.Solution.Jobs {
			result.Solution.Jobs[k].End++
		}
		return result, err
	case "refuse":
		return solve.Result{}, fmt.Errorf("%w: not today", solve.ErrUnsupported)
	case "nothing":
		return solve.Result{Status: model.Unknown, Stop: model.StopEvaluations}, nil
	}
	var none []int
	return solve.Result{Evaluations: int64(none[len(in.Jobs())])}, nil
}
