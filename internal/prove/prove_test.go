package prove

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

var update = flag.Bool("update", false, "record the strength of the bounds anew")

// TestNothingIsFalse is a short part of `make prove`, with a fixed seed.
func TestNothingIsFalse(t *testing.T) {
	r := Run{Seed: 1, Instances: race.Fewer(uint64(75), 12), Workers: 2, Effort: Quick}
	if dir := os.Getenv("ALLOT_PROVE_KEEP"); dir != "" {
		r.Keep = dir
	}
	var log strings.Builder
	r.Log = &log
	tally := r.Do(context.Background())
	t.Log(tally.Summary())
	if tally.False > 0 || len(tally.Errors) > 0 {
		t.Errorf("%d false claims, %d errors:\n%s", tally.False, len(tally.Errors), log.String())
	}
	if tally.Bounds < 5*tally.Instances || tally.Optimal < tally.Instances/2 {
		t.Errorf("%d bounds and %d optima of %d instances: the test proves little", tally.Bounds, tally.Optimal, tally.Instances)
	}
}

// TestStrength checks that the bounds reach at least what they reached when the table was recorded. To record it again:
// go test ./internal/prove -run Strength -update, and again with -short
func TestStrength(t *testing.T) {
	if race.Enabled {
		t.Skip("counts only; the race detector has the other tests")
	}
	instances := race.Fewer(24, 6) // of each kind
	table := fmt.Sprintf("testdata/strength-%d.txt", instances)
	counts, err := Strength(context.Background(), instances)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := files.Write(table, func(w io.Writer) error { return WriteStrength(w, counts) }); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := ReadStrength(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for key, least := range recorded {
		if counts[key] < least {
			t.Errorf("%s: %d are tight, there were %d", key, counts[key], least)
		}
	}
	for key := range counts {
		if _, known := recorded[key]; !known {
			t.Errorf("%s is not in the table: record it with -update", key)
		}
	}
}

// liar is a solver that returns a given, possibly false, result.
type liar struct {
	result solve.Result
	err    error
}

func (*liar) Supports(*model.Instance) error { return nil }

func (l *liar) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	return l.result, l.err
}

// said returns the falsehoods found in a solver's result on an instance whose planted schedule packs two processors perfectly, with a makespan of 6.
func said(t *testing.T, result func(best, worse *model.Solution) solve.Result, err error) []Falsehood {
	t.Helper()
	d := newDraft("test", rand.New(rand.NewPCG(1, 1)))
	d.unit, d.mass, d.origin = 1, 1, 0
	d.cluster(2, 1)
	d.place([]piece{{0, 0, 1, 0, 4}, {0, 1, 1, 0, 3}, {0, 1, 1, 3, 3}, {0, 0, 1, 4, 2}})
	d.optimum("makespan", 6)
	p, drawn := d.finish()
	if drawn != nil {
		t.Fatal(drawn)
	}
	worse := layOut(p.Instance, []slot{{job: 0, n: 1}, {job: 1, n: 1}, {job: 2, n: 1}, {job: 3, n: 1}})
	trial := p.trial(map[string]float64{"makespan": 1})
	if len(trial.found) > 0 {
		t.Fatal(trial.found)
	}
	best := *p.Schedules[0]
	l := &liar{result: result(&best, worse), err: err}
	trial.run(context.Background(), solve.Info{Name: "liar", New: func() solve.Solver { return l }}, solve.Options{}, true)
	trial.compare()
	return trial.found
}

func TestEveryKindOfFalseClaimIsFound(t *testing.T) {
	for _, c := range []struct {
		name, what string
		result     func(best, worse *model.Solution) solve.Result
		err        error
	}{
		{"an error", "error", func(_, _ *model.Solution) solve.Result { return solve.Result{} }, errors.New("no path")},
		{"no solution", "error", func(_, _ *model.Solution) solve.Result { return solve.Result{} }, nil},
		{"infeasible", "infeasible", func(_, _ *model.Solution) solve.Result { return solve.Result{Status: model.Infeasible} }, nil},
		{"a poor optimum", "optimal", func(_, worse *model.Solution) solve.Result {
			return solve.Result{Solution: worse, Status: model.Optimal}
		}, nil},
		{"a bound too high", "bound", func(best, _ *model.Solution) solve.Result {
			return solve.Result{Solution: best, Bound: model.ProvedBound(6 * (1 + 1e-8))}
		}, nil},
		{"an overlap", "schedule", func(best, _ *model.Solution) solve.Result {
			best.Jobs = append([]model.Placement(nil), best.Jobs...)
			best.Jobs[0].Processors = model.Processors(1)
			return solve.Result{Solution: best}
		}, nil},
		{"a job left out", "schedule", func(best, _ *model.Solution) solve.Result {
			left := *best
			left.Jobs, left.Unscheduled = best.Jobs[1:], []model.Unscheduled{{Job: best.Jobs[0].Job, Reason: "no room"}}
			return solve.Result{Solution: &left}
		}, nil},
	} {
		found := said(t, c.result, c.err)
		if len(found) != 1 || found[0].What != c.what {
			t.Errorf("%s: found %v, expected one falsehood: %s", c.name, found, c.what)
		}
	}
	honest := func(best, _ *model.Solution) solve.Result {
		return solve.Result{Solution: best, Status: model.Optimal, Bound: model.ProvedBound(6)}
	}
	if found := said(t, honest, nil); len(found) > 0 {
		t.Errorf("the truth counts as false: %v", found)
	}
}

// A generator with a wrong optimum would accuse correct solvers. So a schedule below the stated optimum, and an optimum that no plan reaches, are
// reported.
func TestAWrongGeneratorIsFound(t *testing.T) {
	for _, claimed := range []float64{5, 7} {
		d := newDraft("test", rand.New(rand.NewPCG(1, 1)))
		d.cluster(1, 1)
		d.place([]piece{{0, 0, 1, 0, 6}})
		d.optimum("makespan", claimed*d.unit)
		p, err := d.finish()
		if err != nil {
			t.Fatal(err)
		}
		if out := p.Try(context.Background(), d.Rand, Quick); len(out.Falsehoods) == 0 || out.Falsehoods[0].What != "planted" {
			t.Errorf("a makespan of 6 planted as %v passes: %v", claimed, out.Falsehoods)
		}
	}
}

func TestTheSameSeedDrawsTheSameInstances(t *testing.T) {
	r := Run{Seed: 9, Effort: Quick}
	pool := r.pool(&Tally{})
	for index := range uint64(20) {
		first, _, err := r.draw(pool, index)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := r.draw(pool, index)
		if err != nil {
			t.Fatal(err)
		}
		if first.Instance.SHA256() != second.Instance.SHA256() {
			t.Errorf("instance %d differs from itself", index)
		}
	}
}
