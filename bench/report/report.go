// Package report writes the results of suites: one HTML file with sortable tables, tests, pictures and charts, and a comparison of two
// runs. The file is self-contained and needs no network. The same rows give the same bytes.
//
// Everything is a function of rows ([bench.Row]), the suite and the best known solutions. Names in them are not trusted: the page escapes
// them.
package report

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/model"
)

// Run is a run as it was read from its folder or file.
type Run struct {
	Name string         // what to call it
	File *bench.RunFile // nil: there are rows only
	Rows []bench.Row
	Best []Known // the best-known solutions of its instances, as many as are at hand
}

// Known is the best-known solution of an instance, checked.
type Known struct {
	Instance *model.Instance
	Solution *model.Solution
}

// Options say what the report holds. The zero value is the default.
type Options struct {
	Title   string // empty: by the suites
	Charts  int    // Gantt charts of best-known solutions at most; 0: 4, below 0: none
	Against string // the solver that the others are compared with; empty: the first of the suites, or else the first by name
}

//go:embed page.tmpl
var pageTemplate string

// Write writes the report of runs, which must have a row. Rows of the same cell in several runs are compared: solvers are then named
// with their runs.
//
// Complexity: O(n log n + g·s²·c) for n rows in g groups of c instances with s solvers each. The size of the file is bounded: it
// lists the first 10,000 rows and 500 pairs a group, and has up to [MostCharts] charts of 400 kB.
func Write(w io.Writer, runs []Run, opt Options) error {
	p, err := newPage(runs, opt)
	if errors.Is(err, ErrNoSolver) {
		return err
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return document.Execute(w, p, pageTemplate)
}

// gather joins the rows of runs. Where two runs have rows of the same cell, solvers are named with their runs.
func gather(runs []Run) ([]bench.Row, error) {
	var rows []bench.Row
	from := map[string]int{}
	clash := false
	for k := range runs {
		for i := range runs[k].Rows {
			row := &runs[k].Rows[i]
			cell := runKey(row)
			if before, ok := from[cell]; ok && before != k {
				clash = true
			}
			from[cell] = k
		}
	}
	names := map[string]int{}
	for k := range runs {
		name := runs[k].Name
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, names[name])
		}
		for _, row := range runs[k].Rows {
			row.Online = new(row.IsOnline()) // while the solver's name still is its own
			if clash {
				row.Solver += " @ " + name
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("expected at least one row, found none")
	}
	return rows, nil
}

// runKey identifies the run that a row records: its key, or, in rows without one, what the key would be made of.
func runKey(row *bench.Row) string {
	if row.Key != "" {
		return row.Key
	}
	return strings.Join([]string{
		row.Group, row.Instance, row.InstanceSHA256, row.Minimised, row.Solver, parameters(row.Parameters),
		fmt.Sprint(row.Seed, " ", row.TimeLimit, " ", row.MaxEvals, " ", row.Workers),
	}, "\x00")
}
