package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "run several solvers on the same instances",
		ArgsUsage: "INSTANCE…",
		Description: `Writes one table an instance: solver × objective, bound, gap, metrics and time; a star marks the best. Every
schedule is checked first.

Examples:
  allot compare examples/multicluster.json
  allot import swf --jobs 2000 --batch TRACE.swf.gz | allot compare --solvers fcfs-list,dll,muscle -`,
		Flags: append(limitFlags(),
			&cli.StringFlag{Name: "solvers", Usage: "`NAMES` of the solvers, separated by commas; absent: all that support the instance"},
			jsonFlag,
			&cli.BoolFlag{Name: "csv", Usage: "write CSV"},
			&cli.StringFlag{Name: "save", Usage: "write every solution to `DIR`, as INSTANCE.SOLVER.json"},
		),
		Action:       runCompare,
		BashComplete: completeSolvers,
	}
}

// runCompare runs the solvers on each instance.
func runCompare(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageErrorf("expected INSTANCE…, found none; see allot compare --help")
	}
	if c.Bool("json") && c.Bool("csv") {
		return usageErrorf("expected one of --json and --csv")
	}
	opt, err := options(c)
	if err != nil {
		return err
	}
	var names []string
	if list := c.String("solvers"); list != "" {
		names = strings.Split(list, ",")
	}
	for _, name := range names {
		if _, err := solve.Lookup(name); err != nil {
			return usageErrorf("--solvers: %w", err)
		}
	}
	var all []bench.Row
	for _, path := range c.Args().Slice() {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			return err
		}
		rows, err := compareOn(c, in, names, bench.Settings{Time: c.Duration("time"), Options: opt})
		if err != nil {
			return err
		}
		for k := range rows {
			if rows[k].Instance == "" {
				rows[k].Instance = filepath.Base(path)
			}
		}
		all = append(all, rows...)
		if !c.Bool("json") && !c.Bool("csv") {
			if err := write(c, "-", func(w io.Writer) error { return writeComparison(w, in, rows) }); err != nil {
				return err
			}
		}
		if c.Context.Err() != nil {
			break
		}
	}
	switch {
	case c.Bool("json"):
		err = write(c, "-", func(w io.Writer) error { return bench.WriteJSON(w, all) })
	case c.Bool("csv"):
		err = write(c, "-", func(w io.Writer) error { return bench.WriteCSV(w, all) })
	}
	if err != nil {
		return err
	}
	return faults(all)
}

// compareOn runs the solvers on one instance.
func compareOn(c *cli.Context, in *model.Instance, names []string, settings bench.Settings) ([]bench.Row, error) {
	if names == nil {
		names = bench.SupportingSolvers(in)
		if len(names) == 0 {
			return nil, usageErrorf("no solver supports the instance, which asks for %s", in.Features())
		}
	}
	bar := newProgress(c.App.ErrWriter, instanceName(in), len(names))
	defer bar.finish()
	var rows []bench.Row
	for _, name := range names {
		if c.Context.Err() != nil {
			break
		}
		bar.describe(name)
		row := bench.Measure(c.Context, name, in, settings)
		bar.step()
		rows = append(rows, row)
		if dir := c.String("save"); dir != "" && row.Solution != nil {
			path := filepath.Join(dir, safeName(instanceName(in))+"."+safeName(name)+".json")
			if err := writeFile(path, func(w io.Writer) error { return model.WriteSolution(w, row.Solution) }); err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// safeName is a name as part of a file's name.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// writeComparison writes the table of one instance.
func writeComparison(w io.Writer, in *model.Instance, rows []bench.Row) error {
	fmt.Fprintf(w, "%s: %d jobs, %d clusters, %d processors; minimise %s\n", instanceName(in), len(in.Jobs()), len(in.Clusters()), in.Processors(), objectiveName(in))
	return bench.WriteTable(w, in, rows)
}

// faults is an error where a solver failed; an instance that a solver does not support is no failure unless none does.
func faults(rows []bench.Row) error {
	solved := 0
	for _, row := range rows {
		if row.Fault == "" {
			solved++
		} else if strings.HasPrefix(row.Fault, "refused by the checker") {
			return &statusError{exitViolations, fmt.Errorf("solver %s: %s", row.Solver, row.Fault)}
		}
	}
	if solved == 0 && len(rows) > 0 {
		return usageErrorf("no solver could run: %s: %s", rows[0].Solver, rows[0].Fault)
	}
	return nil
}
