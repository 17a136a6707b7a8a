package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/solve"
)

// field is where candidates run: instances in a random order, again and again with other seeds. A heat is one instance with one seed; all candidates of a heat have the same.
type field struct {
	runner
	order  []int // of the instances
	seed   uint64
	passes int // how often each instance is used at most
	jobs   int // runs at the same time

	results map[int]map[*candidate]tables.Result // by heat
	runs    int                                  // that were needed, whether in this session or an earlier one
	seconds float64                              // of the processors that run them
}

// runner runs choices on an instance and returns their results, in order, and the seconds that the runs took together.
type runner func(ctx context.Context, instance int, seed uint64, choices []*solve.Choice) ([]tables.Result, float64, error)

// inSession runs choices in a session.
func inSession(s *bench.Session) runner {
	return func(ctx context.Context, instance int, seed uint64, choices []*solve.Choice) ([]tables.Result, float64, error) {
		cells := make([]bench.Cell, len(choices))
		for k, c := range choices {
			cells[k] = s.Cell(instance, c, seed)
		}
		rows, err := s.Run(ctx, cells)
		if err != nil {
			return nil, 0, err
		}
		results, seconds := make([]tables.Result, len(rows)), 0.0
		for k := range rows {
			if rows[k].Kind == bench.WrongSchedule {
				return nil, 0, fmt.Errorf("%s on %s: %s", rows[k].Solver, rows[k].Instance, rows[k].Fault)
			}
			results[k] = tables.ResultOf([]*bench.Row{&rows[k]})
			seconds += rows[k].Elapsed
		}
		return results, seconds, nil
	}
}

// newField puts the instances into a random order.
func newField(run runner, instances []int, seed uint64, passes, jobs int, rng *rand.Rand) *field {
	f := &field{runner: run, seed: seed, passes: passes, jobs: max(1, jobs), results: map[int]map[*candidate]tables.Result{}}
	for _, k := range rng.Perm(len(instances)) {
		f.order = append(f.order, instances[k])
	}
	return f
}

// heats is the number of heats there are.
func (f *field) heats() int { return len(f.order) * f.passes }

// run runs the candidates that have no result of the heat yet.
func (f *field) run(ctx context.Context, heat int, candidates []*candidate) error {
	if f.results[heat] == nil {
		f.results[heat] = map[*candidate]tables.Result{}
	}
	var fresh []*candidate
	var choices []*solve.Choice
	for _, c := range candidates {
		if _, done := f.results[heat][c]; !done {
			fresh, choices = append(fresh, c), append(choices, c.choice)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	began := time.Now()
	results, seconds, err := f.runner(ctx, f.order[heat%len(f.order)], f.seed+uint64(heat/len(f.order)), choices)
	if err != nil {
		return err
	}
	for k, c := range fresh {
		f.results[heat][c] = results[k]
	}
	f.runs += len(fresh)
	f.seconds += max(seconds, time.Since(began).Seconds()*float64(f.jobs)) // rows of an earlier session take no time now
	return nil
}

// missing is the number of candidates without a result of the heat.
func (f *field) missing(heat int, candidates []*candidate) int {
	n := 0
	for _, c := range candidates {
		if _, done := f.results[heat][c]; !done {
			n++
		}
	}
	return n
}

// table has the results of the candidates on the heats, which all have run.
func (f *field) table(heats []int, candidates []*candidate) [][]tables.Result {
	rows := make([][]tables.Result, len(heats))
	for k, heat := range heats {
		for _, c := range candidates {
			rows[k] = append(rows[k], f.results[heat][c])
		}
	}
	return rows
}

// common lists the heats of which all candidates have a result.
func (f *field) common(candidates ...*candidate) []int {
	var heats []int
	for heat := range f.heats() {
		if f.results[heat] == nil && heat >= len(f.order) {
			break
		}
		if f.results[heat] != nil && f.missing(heat, candidates) == 0 {
			heats = append(heats, heat)
		}
	}
	return heats
}
