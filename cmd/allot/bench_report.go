package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

func benchReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write a report of runs: one HTML file with tables, tests, pictures and charts",
		ArgsUsage: "RUN…",
		Description: `Writes one self-contained page that needs no network: who wins where and whether that is significant, a sortable table per
group, profiles, gaps over time, charts of the best known schedules, every run, and how all figures were computed.
RUN is a run folder, or a file of rows as allot compare --json writes it. If several runs have the same solver on the same instance, they are
compared. On-line policies, such as easy, are compared apart from the solvers that know which jobs will arrive and how long they run.

Examples:
  allot bench report run-mcp
  allot bench report before after -o both.html
  allot bench report run-mcp --figures figures
  allot bench report run-mcp --table latex >table.tex`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "report.html", Usage: "write to `FILE`; - is standard output"},
			&cli.StringFlag{Name: "title", DefaultText: "names of the suites", Usage: "`TEXT` at the top of the page"},
			&cli.IntFlag{Name: "charts", Value: 4, Usage: "draw at most `N` Gantt charts of the best known schedules"},
			&cli.StringFlag{Name: "figures", Usage: "write each figure to `FOLDER` as SVG, PDF and PNG instead of a page"},
			&cli.StringFlag{Name: "against", DefaultText: "the first of the suite, or by name", Usage: "compare the other solvers with solver `NAME`: ratios on the page; with --table summary the groups in which each is better or worse"},
			&cli.StringFlag{Name: "table", Usage: "write the table of solvers as `FORMAT` instead of a page: latex (with booktabs), csv, md, or summary (Markdown: the gaps of each solver by group, with intervals); to standard output unless -o is given"},
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
	path, table := c.String("output"), report.TableFormat(c.String("table"))
	if table != "" && !c.IsSet("output") {
		path = "-"
	}
	switch {
	case table != "" && !slices.Contains(report.TableFormats(), table):
		return usageErrorf("--table: expected latex, csv, md or summary, found %q", table)
	case c.IsSet("against") && table != "" && table != report.Summary:
		return usageErrorf("--against: expected --table summary or no --table beside it")
	case table != "" && c.IsSet("figures"), c.IsSet("figures") && c.IsSet("output"):
		return usageErrorf("expected only one of --figures, --table and a page (-o), found two")
	}
	if !c.IsSet("figures") {
		if err := checkWritable(path); err != nil {
			return err
		}
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
	opt := report.Options{Title: c.String("title"), Charts: c.Int("charts"), Against: c.String("against")}
	if opt.Charts == 0 {
		opt.Charts = -1
	}
	if table != "" || c.IsSet("figures") { // which have no first lines of their own
		remarks, err := report.Remarks(runs)
		if err != nil {
			return err
		}
		for _, remark := range remarks {
			fmt.Fprintln(c.App.ErrWriter, "allot: "+printable(remark))
		}
	}
	if c.IsSet("figures") {
		return noSolver(writePictures(c, c.String("figures"), runs, opt))
	}
	if err := write(c, path, func(w io.Writer) error {
		if table == report.Summary {
			return noSolver(report.WriteSummary(w, runs, report.SummaryOptions{Against: c.String("against")}))
		}
		if table != "" {
			return report.WriteTable(w, runs, table)
		}
		return noSolver(report.Write(w, runs, opt))
	}); err != nil || table != "" {
		return err
	}
	if path != "-" {
		fmt.Fprintf(c.App.ErrWriter, "%s: open it in a browser\n", printable(path))
	}
	return nil
}

// noSolver gives the error of a solver that the runs do not have its flag and its exit status. It returns any other error unchanged.
func noSolver(err error) error {
	if errors.Is(err, report.ErrNoSolver) {
		return usageErrorf("--against: %w", err)
	}
	return err
}

// writePictures writes the figures of the report into a folder, each in all formats.
func writePictures(c *cli.Context, dir string, runs []report.Run, opt report.Options) error {
	pictures, err := report.Pictures(runs, opt)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cannotWrite(dir, err)
	}
	for _, p := range pictures {
		for _, format := range []picture.Format{picture.SVG, picture.PDF, picture.PNG} {
			if err := writeFile(filepath.Join(dir, p.Name+"."+string(format)), func(w io.Writer) error { return p.Write(w, format) }); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "%s: %s, each as SVG, PDF and PNG\n", printable(dir), numtext.Counted(len(pictures), "figure"))
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
		if info.IsDir() {
			path = filepath.Join(path, "rows*.jsonl")
		}
		return run, usageErrorf("%s: expected at least one whole row, found none", path)
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
			fmt.Fprintf(c.App.ErrWriter, "allot: no best known solution of %s: %s\n", printable(planned.Name), printable(err.Error()))
		}
	}
	return list
}
