package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// warning returns a function that shows a warning.
func warning(c *cli.Context) func(string) {
	return func(text string) { fmt.Fprintf(c.App.ErrWriter, "allot: %s\n", printable(text)) }
}

// reportPart says how far the run is when this program has done its part, and lists the faults of that.
func reportPart(c *cli.Context, plan *bench.Plan, share []int, opt bench.RunOptions) error {
	rows, err := bench.ReadRows(opt.Dir)
	if err != nil {
		return err
	}
	part := bench.Plan{Cells: kit.Each(share, func(place int) bench.Cell { return plan.Cells[place] })}
	fmt.Fprintf(c.App.ErrWriter, "%s\n", printable(fmt.Sprintf("this part is done; %d of %s in %s have a row", len(plan.Own(rows)), numtext.Counted(len(plan.Cells), "run"), opt.Dir)))
	return benchFaults(c.App.ErrWriter, part.Own(rows))
}

// reportRun writes the tables of a finished run.
func reportRun(c *cli.Context, plan *bench.Plan, dir string) error {
	rows, err := bench.ReadRows(dir)
	if err != nil {
		return err
	}
	own := plan.Own(rows)
	if len(own) == 0 {
		return usageErrorf("%s: no solver of the suite supports an instance", dir)
	}
	if n := len(rows) - len(own); n > 0 {
		fmt.Fprintf(c.App.ErrWriter, "the tables leave out %s of other runs in the folder; allot bench report shows all\n", numtext.Counted(n, "row"))
	}
	rows = own
	run, err := bench.ReadRun(dir)
	if err != nil {
		return err
	}
	known, err := run.Known(warning(c))
	if err != nil {
		return err
	}
	for _, text := range tables.Contradictions(rows, run.Stated()) {
		warning(c)(text)
	}
	if err := writePlain(c, "-", tables.Rankings(tables.Rank(rows, known))); err != nil {
		return err
	}
	return benchFaults(c.App.ErrWriter, rows)
}

// benchFaults lists the first faults, and returns an error if there are any.
func benchFaults(w io.Writer, rows []bench.Row) error {
	const listed = 10
	count, status := 0, exitFailure
	for _, row := range rows {
		if row.Fault == "" {
			continue
		}
		if row.Kind == bench.WrongSchedule {
			status = exitViolations
		}
		if count++; count <= listed {
			fmt.Fprintf(w, "  %s\n", printable(fmt.Sprintf("%s on %s, seed %d: %s", row.Solver, row.Instance, row.Seed, row.Fault)))
		}
	}
	if count == 0 {
		return nil
	}
	return &statusError{status, fmt.Errorf("%s of %d failed", numtext.Counted(count, "run"), len(rows))}
}
