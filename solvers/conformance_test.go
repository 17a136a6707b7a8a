package solvers_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

// TestConformance holds every registered solver to the contract, and compositions on some of the instances: their parts are tried on all.
func TestConformance(t *testing.T) {
	compositions := []string{"dll+titan", "muscle+titan"}
	names := slices.Clone(compositions)
	for _, info := range solve.Solvers() {
		names = append(names, info.Name)
	}
	for _, name := range names {
		info, err := solve.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if info.Absent != "" { // it refuses everything
				t.Skip(info.Absent)
			}
			if slices.Contains(compositions, name) {
				solvetest.ConformSample(t, info, 3)
				return
			}
			if !info.Online {
				solvetest.ConformSample(t, info, race.Fewer(1, 4))
				return
			}
			choice := info.Choice()
			if name == "sr" || name == "dr" { // they kill tasks at the ends of their slots
				if err := choice.Set("overrun", "extend"); err != nil {
					t.Fatal(err)
				}
			}
			solvetest.ConformPolicy(t, choice)
		})
	}
}

// One evaluation is one, but for ggone, which takes a few for its start with slack.
func TestOneEvaluation(t *testing.T) {
	instances := []*model.Instance{solvecases.Built(t, solvecases.Medium(1, false)), solvecases.Built(t, solvecases.Medium(1, true)), solvecases.Built(t, solvecases.MediumQueues())}
	for seed := range race.Fewer(uint64(6), 1) {
		instances = append(instances, solvecases.Built(t, solvecases.Tiny(seed, "makespan")), solvecases.Built(t, solvecases.Tiny(seed, "mcp")), solvecases.Built(t, solvecases.Grid(seed, 100)))
	}
	for _, info := range solve.Solvers() {
		for _, in := range instances {
			if info.Name == "ggone" || info.New().Supports(in) != nil {
				continue
			}
			result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Seed: 7, MaxEvals: 1})
			if err != nil || result.Evaluations > 1 {
				t.Errorf("%s on %s: %d evaluations, %v", info.Name, in.Name(), result.Evaluations, err)
			}
		}
	}
}

// BenchmarkCancellation measures how long a solver takes to return after its context is cancelled, on 20,000 jobs, early,
// while it still prepares, and later: latency in ms, the worst of the runs. That of Solve is the contract's; Run evaluates the schedule
// besides, and must not set out to prove a bound. No figure: the solver was done before.
func BenchmarkCancellation(b *testing.B) {
	builder := model.NewBuilder("large")
	for c := range 8 {
		builder.Cluster(solvecases.Machines(string(rune('a'+c)), 64, 1+float64(c)/8))
	}
	for j := range 20000 {
		builder.Job(model.JobSpec{ID: "j" + string(rune('0'+j%10)) + time.Duration(j).String(), Processors: model.Rigid(1 + j%48), Work: new(float64(1 + j*j%997))})
	}
	in := solvecases.Built(b, builder)
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
						_, err := solve.Run(ctx, info.Choice(), in, solve.Options{Seed: 1})
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
