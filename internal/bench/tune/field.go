package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/bench/tables"
)

// field is where candidates run: instances in a random order, again and again with other seeds. A heat is one instance with one seed; all candidates of a heat have the same.
type field struct {
	session *bench.Session
	order   []int // of the instances
	seed    uint64
	passes  int // how often each instance is used at most
	jobs    int // runs at the same time

	results map[int]map[*candidate]tables.Result // by heat
	runs    int                                  // that were needed, whether in this session or an earlier one
	seconds float64                              // of the processors that run them
}

// newField puts the instances into a random order.
func newField(session *bench.Session, instances []int, seed uint64, passes, jobs int, rng *rand.Rand) *field {
	f := &field{session: session, seed: seed, passes: passes, jobs: max(1, jobs), results: map[int]map[*candidate]tables.Result{}}
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
	instance, seed := f.order[heat%len(f.order)], f.seed+uint64(heat/len(f.order))
	var cells []bench.Cell
	var of []*candidate
	for _, c := range candidates {
		if _, done := f.results[heat][c]; !done {
			cells, of = append(cells, f.session.Cell(instance, c.choice, seed)), append(of, c)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	began, elapsed := time.Now(), 0.0
	rows, err := f.session.Run(ctx, cells)
	if err != nil {
		return err
	}
	for k := range rows {
		if rows[k].Kind == bench.WrongSchedule {
			return fmt.Errorf("%s on %s: %s", rows[k].Solver, rows[k].Instance, rows[k].Fault)
		}
		f.results[heat][of[k]] = tables.ResultOf([]*bench.Row{&rows[k]})
		f.runs++
		elapsed += rows[k].Elapsed
	}
	f.seconds += max(elapsed, time.Since(began).Seconds()*float64(f.jobs)) // rows of an earlier session take no time now
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
