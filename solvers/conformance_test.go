package solvers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// TestConformance holds every registered solver, and compositions, to the contract on every case.
func TestConformance(t *testing.T) {
	cases := conformanceCases(t)
	best := make([]float64, len(cases))
	for k, c := range cases {
		best[k] = math.NaN()
		if c.bruteForce && !race.Enabled {
			best[k] = bruteForce(t, c.in)
		}
	}
	names := []string{"dll+titan", "muscle+titan"}
	for _, info := range solve.Solvers() {
		if info.Absent == "" { // what is not in this build refuses everything
			names = append(names, info.Name)
		}
	}
	for _, name := range names {
		info, err := solve.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			supported := 0
			for k, c := range cases {
				if race.Enabled && (k+len(name))%8 != 0 { // races hang on the solver more than on the instance
					continue
				}
				if conforms(t, info, c, best[k]) {
					supported++
				}
			}
			if supported < 10 && !race.Enabled {
				t.Errorf("supports %d cases only: the test proves nothing of it", supported)
			}
		})
	}
}

// conforms checks one solver on one case and says whether it supports the instance.
func conforms(t *testing.T, info solve.Info, c conformanceCase, best float64) bool {
	t.Helper()
	opt := solve.Options{Seed: 7, MaxEvals: 2000, Workers: 1, Strict: true}
	if race.Enabled {
		opt.MaxEvals = 300
	}
	run := func(ctx context.Context, opt solve.Options) solve.Result {
		result, err := solve.Run(ctx, info, info.New(), c.in, opt)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		return result
	}
	if err := info.New().Supports(c.in); err != nil {
		if !errors.Is(err, solve.ErrUnsupported) {
			t.Errorf("%s: refused with an error that does not wrap ErrUnsupported: %v", c.name, err)
		}
		if _, err := solve.Run(context.Background(), info, info.New(), c.in, opt); !errors.Is(err, solve.ErrUnsupported) {
			t.Errorf("%s: unsupported, and Run gives %v", c.name, err)
		}
		return false
	}
	result := run(context.Background(), opt)
	if result.Solution == nil {
		t.Errorf("%s: no solution without a limit of time", c.name)
		return true
	}
	if report := model.Check(c.in, result.Solution); !report.OK() {
		t.Errorf("%s: %v", c.name, report.Violations[0])
	}
	objective, bound := result.Solution.Objective, result.Solution.Bound
	if !math.IsNaN(best) && objective != nil {
		if slack := 1e-9 * math.Abs(best); *objective < best-slack {
			t.Errorf("%s: objective %v below the best of all list schedules, %v", c.name, *objective, best)
		} else if result.Status == model.Optimal && *objective > best+slack {
			t.Errorf("%s: claims %v to be optimal; the best is %v", c.name, *objective, best)
		}
		if bound.Or(math.Inf(-1)) > best*(1+1e-9) {
			t.Errorf("%s: bound %v above the optimum %v", c.name, bound, best)
		}
	}
	if info.Name == "exact" && !math.IsNaN(best) && len(result.Solution.Unscheduled) == 0 {
		if proved := run(context.Background(), solve.Options{Seed: 7}); proved.Status != model.Optimal || math.Abs(*proved.Solution.Objective-best) > 1e-9*math.Abs(best) {
			t.Errorf("%s: exact has %v (%s), the optimum is %v", c.name, *proved.Solution.Objective, proved.Status, best)
		}
	}
	if result.Evaluations > opt.MaxEvals {
		t.Errorf("%s: %d evaluations of %d", c.name, result.Evaluations, opt.MaxEvals)
	}
	// With slack ggone takes a few evaluations for its start, whatever the limit.
	if one := run(context.Background(), solve.Options{Seed: 7, MaxEvals: 1}); one.Evaluations > 1 && info.Name != "ggone" {
		t.Errorf("%s: %d evaluations of 1", c.name, one.Evaluations)
	}
	opt.Workers = 4
	if !bytes.Equal(encoded(t, result), encoded(t, run(context.Background(), opt))) {
		t.Errorf("%s: 1 and 4 workers give two solutions", c.name)
	}
	stopsInTime(t, c, run)
	return true
}

// encoded is a solution as bytes.
func encoded(t *testing.T, result solve.Result) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteSolution(&text, result.Solution); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// stopsInTime cancels a run before it begins and while it runs. The contract's 50 ms is measured in a benchmark; here only
// a run that does not stop at all fails.
func stopsInTime(t *testing.T, c conformanceCase, run func(context.Context, solve.Options) solve.Result) {
	t.Helper()
	for _, after := range []time.Duration{0, 100 * time.Microsecond} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(after, cancel)
		if after == 0 {
			cancel()
		}
		began := time.Now()
		result := run(ctx, solve.Options{Seed: 7})
		cancel()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: returned %s after being cancelled", c.name, took)
		}
		if result.Solution == nil {
			continue
		}
		if report := model.Check(c.in, result.Solution); !report.OK() {
			t.Errorf("%s: cancelled, and its solution is wrong: %v", c.name, report.Violations[0])
		}
	}
}

// bruteForce is the least objective of all list schedules: every order of the jobs that precedence allows, every choice of
// clusters.
func bruteForce(t testing.TB, in *model.Instance) float64 {
	t.Helper()
	n := len(in.Jobs())
	best := math.Inf(1)
	order := make([]int, 0, n)
	clusters := make([]int, n)
	used := make([]bool, n)
	var extend func()
	extend = func() {
		if len(order) == n {
			best = min(best, listed(t, in, order, clusters))
			return
		}
		for j := range n {
			if used[j] || waitsFor(in, j, used) {
				continue
			}
			used[j] = true
			order = append(order, j)
			for c := range in.Clusters() {
				if in.CannotRun(j, c) == "" {
					clusters[j] = c
					extend()
				}
			}
			order = order[:len(order)-1]
			used[j] = false
		}
	}
	extend()
	return best
}

// waitsFor says that a predecessor of the job is not in the order yet.
func waitsFor(in *model.Instance, job int, used []bool) bool {
	for _, before := range in.Jobs()[job].After {
		if !used[before] {
			return true
		}
	}
	return false
}

// listed is the objective of the list schedule.
func listed(t testing.TB, in *model.Instance, order, clusters []int) float64 {
	s, err := plan.NewSchedule(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range order {
		slot, ok := s.Earliest(j, clusters[j])
		if !ok {
			return math.Inf(1)
		}
		s.Place(j, slot)
	}
	evaluation, err := model.Evaluate(in, s.Solution())
	if err != nil {
		t.Fatal(err)
	}
	return evaluation.Objective
}

// BenchmarkCancellation measures how long a solver takes to return after its context is cancelled, on 20,000 jobs, early,
// while it still prepares, and later: latency in ms, the worst of the runs. That of Solve is the contract's; Run evaluates the schedule
// besides, and must not set out to prove a bound. No figure: the solver was done before.
func BenchmarkCancellation(b *testing.B) {
	builder := model.NewBuilder("large")
	for c := range 8 {
		builder.Cluster(machines(string(rune('a'+c)), 64, 1+float64(c)/8))
	}
	for j := range 20000 {
		builder.Job(model.JobSpec{ID: "j" + string(rune('0'+j%10)) + time.Duration(j).String(), Processors: model.Rigid(1 + j%48), Work: new(float64(1 + j*j%997))})
	}
	in := built(b, builder)
	for _, info := range solve.Solvers() {
		if info.New().Supports(in) != nil {
			continue
		}
		for _, after := range []time.Duration{20 * time.Millisecond, 300 * time.Millisecond} {
			b.Run(fmt.Sprintf("solver=%s/after=%s", info.Name, after), func(b *testing.B) {
				alone, whole := math.Inf(-1), math.Inf(-1)
				for b.Loop() {
					alone = max(alone, cancelled(b, after, func(ctx context.Context) error {
						_, err := info.New().Solve(ctx, in, solve.Options{Seed: 1})
						return err
					}))
					whole = max(whole, cancelled(b, after, func(ctx context.Context) error {
						_, err := solve.Run(ctx, info, info.New(), in, solve.Options{Seed: 1})
						return err
					}))
				}
				if !math.IsInf(alone, -1) {
					b.ReportMetric(alone, "ms-latency")
				}
				if !math.IsInf(whole, -1) {
					b.ReportMetric(whole, "ms-run-latency")
				}
			})
		}
	}
}

// cancelled is how many ms a run goes on after it is cancelled; −Inf: it was done before.
func cancelled(b *testing.B, after time.Duration, run func(context.Context) error) float64 {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	timer := time.AfterFunc(after, func() { at = time.Now(); cancel() })
	if err := run(ctx); err != nil {
		b.Fatal(err)
	}
	if timer.Stop() {
		return math.Inf(-1)
	}
	<-ctx.Done()
	return float64(time.Since(at)) / 1e6
}
