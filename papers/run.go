package papers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
)

// Options say how to run an experiment.
type Options struct {
	Dir      string // folder of the rows; a run that was interrupted goes on there, see [bench.Run]
	Quick    bool
	Shift    uint64               // added to all seeds: another sample
	Reading  string               // run this one alone; empty: all
	Jobs     int                  // runs at the same time; 0: 1
	Mixed    bool                 // go on in a folder with rows of another version of allot, and count them
	Progress func(bench.Progress) // nil: silent
	Warn     func(string)         // nil: silent
}

// Run runs the experiment and judges its claims. [bench.Run] writes the rows to the folder; after an interruption the same call continues there.
// The outcome depends neither on the number of jobs nor on interruptions, because no run has a time limit.
func (e *Experiment) Run(ctx context.Context, opt Options) (*Outcome, error) {
	outcome := &Outcome{Experiment: e, Quick: opt.Quick, Shift: opt.Shift, Reading: opt.Reading}
	if e.NotYet != "" {
		outcome.Findings = e.notYet(e.NotYet)
		return outcome, nil
	}
	if e.Worked != nil {
		rows, findings, err := e.work(ctx)
		if err != nil {
			return nil, err
		}
		outcome.Findings = findings
		outcome.judgeTestable()
		if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
			return nil, err
		}
		return outcome, files.Write(filepath.Join(opt.Dir, "rows.jsonl"), func(w io.Writer) error { return bench.WriteJSON(w, rows) })
	}
	plan, err := e.suite(opt.Quick, opt.Shift).Plan(ctx)
	if err != nil {
		return nil, err
	}
	if opt.Reading != "" {
		if err := e.restrict(plan, opt.Reading); err != nil {
			return nil, err
		}
	}
	if err := bench.Run(ctx, plan, bench.RunOptions{Dir: opt.Dir, Jobs: opt.Jobs, Bare: true, Mixed: opt.Mixed, Progress: opt.Progress, Warn: opt.Warn}); err != nil {
		return nil, err
	}
	rows, err := bench.ReadRows(opt.Dir)
	if err != nil {
		return nil, err
	}
	planned := map[string]bool{}
	for _, cell := range plan.Cells {
		planned[cell.Key] = true
	}
	rows = slices.DeleteFunc(rows, func(row bench.Row) bool { return !planned[row.Key] }) // the folder may hold rows of other runs
	return outcome, outcome.judge(rows)
}

// restrict leaves only the cells of one reading in the plan.
func (e *Experiment) restrict(plan *bench.Plan, reading string) error {
	if err := e.CheckReading(reading); err != nil {
		return err
	}
	r := e.reading(reading)
	cells := map[[2]string]bool{}
	for _, p := range e.Points {
		for _, policy := range e.Policies {
			if r.has(p) {
				cells[r.cell(p, policy)] = true
			}
		}
	}
	plan.Cells = slices.DeleteFunc(plan.Cells, func(c bench.Cell) bool { return !cells[[2]string{plan.Instances[c.Instance].Group, c.Label}] })
	return nil
}

// CheckReading returns an error that lists the readings if the experiment does not have the one with the given ID.
func (e *Experiment) CheckReading(id string) error {
	if e.reading(id) != nil {
		return nil
	}
	ids := kit.Each(e.Readings, func(r Reading) string { return strconv.Quote(r.ID) })
	return fmt.Errorf("expected a reading of %s, one of %s; found %q", e.ID, strings.Join(ids, ", "), id)
}

// reading finds a reading by its ID; nil: there is none.
func (e *Experiment) reading(id string) *Reading {
	for k := range e.Readings {
		if e.Readings[k].ID == id {
			return &e.Readings[k]
		}
	}
	return nil
}

// judge fills in the findings and the series from the rows.
func (o *Outcome) judge(rows []bench.Row) error {
	table, err := tableOf(rows)
	if err != nil {
		return err
	}
	if o.Findings, err = o.Experiment.findings(table, o.Reading); err != nil {
		return fmt.Errorf("%s: %w", o.Experiment.ID, err)
	}
	o.Series, err = o.Experiment.series(table)
	o.judgeTestable()
	return err
}

// notYet makes the findings of an experiment that is not run yet, for the given reason.
func (e *Experiment) notYet(why string) []Finding {
	var list []Finding
	for k := range e.Claims {
		for r := range e.Readings {
			f := Finding{Claim: &e.Claims[k], Reading: &e.Readings[r], Verdict: verdict.NotYet, Reason: why}
			if f.Claim.Form == Statement {
				f.Verdict, f.Reason = verdict.NotTestable, ""
			}
			list = append(list, f)
		}
	}
	return list
}
