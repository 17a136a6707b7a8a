package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers/verdict"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/muscle"
)

// work runs the solver of each reading on the worked instance and compares the result with the claims. It returns a row for each reading that has a
// solver.
func (e *Experiment) work(ctx context.Context) ([]bench.Row, []Finding, error) {
	in, err := model.New(e.Worked.Instance)
	if err != nil {
		return nil, nil, err
	}
	var rows []bench.Row
	byReading := map[*Reading]*bench.Row{}
	for k := range e.Readings {
		r := &e.Readings[k]
		if r.Solver == "" {
			continue
		}
		choice, err := solve.Choose(r.Solver)
		if err == nil {
			err = choice.SetAll(r.Parameters)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", r.ID, err)
		}
		row := bench.Measure(ctx, choice, in, bench.Settings{Options: solve.Options{Seed: 1}})
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if row.Solution == nil {
			return nil, nil, fmt.Errorf("reading %s: %s", r.ID, row.Fault)
		}
		row.Group, row.Algorithm, row.Solver = e.ID, cmp.Or(row.Algorithm, row.Solver), row.Solver+" "+r.ID
		rows = append(rows, row)
		byReading[r] = &row
	}
	var findings []Finding
	for k := range e.Claims {
		for r := range e.Readings {
			f := Finding{Claim: &e.Claims[k], Reading: &e.Readings[r]}
			f.judgeWorked(in, byReading[f.Reading])
			findings = append(findings, f)
		}
	}
	return rows, findings, nil
}

// judgeWorked compares worked values. All of them must equal the paper's.
func (f *Finding) judgeWorked(in *model.Instance, row *bench.Row) {
	var err error
	switch {
	case f.Claim.Form == Statement:
		f.Verdict = verdict.NotTestable
		return
	case f.Claim.Form == Table:
		err = compareTables(in, f.Claim.Table)
	case row == nil:
		f.Verdict, f.Reason = verdict.NotYet, "the reading names no solver"
		return
	case f.Claim.Form == Schedule:
		err = compareSchedules(f.Claim.Schedule, row.Solution.Jobs)
	default:
		err = compareMetrics(f.Claim.Metrics, row.Metrics)
	}
	f.Verdict, f.Reason = verdict.Replicates, "exactly"
	if err != nil {
		f.Verdict, f.Reason = verdict.Fails, err.Error()
	}
}

// compareTables builds the composition table of the instance, with as many rows as the expected table, and names the first row that differs.
func compareTables(in *model.Instance, expected [][][]string) error {
	sizes := make([]int, len(in.Jobs()))
	for j := range sizes {
		sizes[j] = in.Jobs()[j].Min
	}
	table, err := muscle.CompositionTable(sizes, len(expected))
	if err != nil {
		return err
	}
	for r, row := range expected {
		var named [][]string
		for _, composition := range table[r+1] {
			jobs := kit.Each(composition, func(j int) string { return in.Jobs()[j].ID })
			named = append(named, jobs)
		}
		if !slices.EqualFunc(named, row, slices.Equal) {
			return fmt.Errorf("row %d: expected %v, found %v", r+1, row, named)
		}
	}
	return nil
}

// compareSchedules names the first placement that differs.
func compareSchedules(expected, found []model.Placement) error {
	if len(expected) != len(found) {
		return fmt.Errorf("expected %d placements, found %d", len(expected), len(found))
	}
	for _, p := range expected {
		k := slices.IndexFunc(found, func(q model.Placement) bool { return q.Job == p.Job })
		if k < 0 {
			return fmt.Errorf("expected %s, found nothing of the job", placementText(p))
		}
		if q := found[k]; placementText(p) != placementText(q) {
			return fmt.Errorf("expected %s, found %s", placementText(p), placementText(q))
		}
	}
	return nil
}

// placementText is a placement in words.
func placementText(p model.Placement) string {
	return fmt.Sprintf("%s on %s, processors %s, from %g to %g", p.Job, p.Cluster, p.Processors, p.Start, p.End)
}

// compareMetrics names the metrics that differ by more than rounding.
func compareMetrics(expected Terms, found model.Metrics) error {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		value, ok := found.Get(name)
		if want := expected[name]; !ok || math.Abs(value-want) > model.Tolerance*max(1, math.Abs(want)) {
			wrong = append(wrong, fmt.Sprintf("%s: expected %s, found %s", name, numtext.Figure(want), numtext.Figure(value)))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
