package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
)

func benchReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "draw a report of runs: one HTML file with tables, tests, pictures and charts",
		ArgsUsage: "RUN…",
		Description: `Writes a page that needs nothing beside it, neither a network nor another file: who wins where and whether that is significant,
a table a group that sorts, profiles, gaps over time, charts of best-known schedules, every run, and how it was all computed.
RUN is a run folder, or a file of rows such as allot compare --json writes. Rows of the same cell in several runs are compared.

Examples:
  allot bench report run-mcp
  allot bench report before after -o both.html`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "report.html", Usage: "write to `FILE`; - is standard output"},
			&cli.StringFlag{Name: "title", DefaultText: "by the suites", Usage: "`TEXT` above the page"},
			&cli.IntFlag{Name: "charts", Value: 4, Usage: "at most `N` Gantt charts of best-known schedules"},
		},
		Action: runBenchReport,
	}
}

// runBenchReport writes a report.
func runBenchReport(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageErrorf("expected RUN…, found none; see allot bench report --help")
	}
	if n := c.Int("charts"); n < 0 || n > report.MostCharts {
		return usageErrorf("--charts: expected a number from 0 to %d, found %d", report.MostCharts, n)
	}
	path := c.String("output")
	if err := checkWritable(path); err != nil {
		return err
	}
	var runs []report.Run
	for _, name := range c.Args().Slice() {
		run, err := readRun(name)
		if err != nil {
			return err
		}
		if run.File != nil {
			run.Best = knownSolutions(c, run.File)
		}
		runs = append(runs, run)
	}
	opt := report.Options{Title: c.String("title"), Charts: c.Int("charts")}
	if opt.Charts == 0 {
		opt.Charts = -1
	}
	if err := write(c, path, func(w io.Writer) error { return report.Write(w, runs, opt) }); err != nil {
		return err
	}
	if path != "-" {
		fmt.Fprintf(c.App.ErrWriter, "%s: open it in a browser\n", printable(path))
	}
	return nil
}

// readRun reads a run folder or a file of rows. There must be at least one row.
func readRun(path string) (report.Run, error) {
	run := report.Run{Name: filepath.Base(filepath.Clean(path))}
	info, err := os.Stat(path)
	if err != nil {
		return run, usageErrorf("%s: expected a run folder or a file of rows: %w", path, errors.Unwrap(err))
	}
	if run.Rows, err = bench.ReadRows(path); err != nil {
		return run, err
	}
	if len(run.Rows) == 0 {
		return run, usageErrorf("%s: expected at least one row, found none", path)
	}
	if info.IsDir() {
		run.File, err = bench.ReadRun(path)
	}
	return run, err
}

// knownSolutions reads the best-known solutions of a run's instances. It warns of those that it cannot read, such as one whose instance file is
// gone, and leaves them out: the report can be made without them.
func knownSolutions(c *cli.Context, run *bench.RunFile) []report.Known {
	store := bench.OpenBest(run.Best)
	var list []report.Known
	for k := range run.Instances {
		planned := &run.Instances[k]
		in, err := planned.Load(run.Suite.Objective)
		if err == nil {
			known := report.Known{Instance: in}
			if known.Solution, err = store.Best(in); known.Solution != nil {
				list = append(list, known)
			}
		}
		if err != nil {
			fmt.Fprintf(c.App.ErrWriter, "allot: no best-known solution of %s: %s\n", printable(planned.Name), printable(err.Error()))
		}
	}
	return list
}
