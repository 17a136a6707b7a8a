package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/papers"
	"github.com/allot-opt/allot/bench/report"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "run a published experiment and say of each claim whether it reproduces",
		ArgsUsage: "[PAPER[/FIGURE]]",
		Description: `Runs the experiment from seeds and appends a row for each run to rows.jsonl in the folder. Writes a table to standard output and, to the
folder, report.html and the figures as SVG: each claim of the paper beside our number with its 95 % interval, under every reading of
what the paper leaves open, and a verdict: reproduces, direction only, does not reproduce. Interrupted, or killed, the same command
goes on where it was. Without an argument it lists the experiments.

Examples:
  allot reproduce
  allot reproduce muscle/fig4 --quick
  allot reproduce muscle -o runs/muscle`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "fewer repetitions and points"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "reproduce-PAPER-FIGURE[-quick]", Usage: "`FOLDER` of the rows and the report; of several experiments the folder of their folders"},
			&cli.BoolFlag{Name: "mixed", Usage: "go on in a folder with rows of another version of allot, which then count"},
			&cli.IntFlag{Name: "jobs", DefaultText: "as many as processors", Usage: "`P` runs at a time; the result does not depend on it"},
		},
		Action: runReproduce,
	}
}

// runReproduce runs experiments, or lists them.
func runReproduce(c *cli.Context) error {
	if c.NArg() == 0 {
		return write(c, "-", listExperiments)
	}
	args, err := arguments(c, "PAPER[/FIGURE]")
	if err != nil {
		return err
	}
	list, err := papers.Lookup(args[0])
	if err != nil {
		return usageErrorf("%w", err)
	}
	opt := papers.Options{Quick: c.Bool("quick"), Jobs: c.Int("jobs"), Mixed: c.Bool("mixed")}
	switch {
	case c.IsSet("jobs") && opt.Jobs < 1:
		return usageErrorf("--jobs: expected a number ≥ 1, found %d", opt.Jobs)
	case opt.Jobs == 0:
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	for k, e := range list {
		opt.Dir = experimentFolder(c, e, len(list) > 1)
		if k > 0 {
			if err := write(c, "-", func(w io.Writer) error { _, err := io.WriteString(w, "\n"); return err }); err != nil {
				return err
			}
		}
		if err := reproduce(c, e, opt); err != nil {
			return err
		}
	}
	return nil
}

// listExperiments lists the experiments.
func listExperiments(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"experiment", "what", "claims", "quick", "full"})
	for _, e := range papers.Known() {
		t.AppendRow(table.Row{e.ID, e.Title, len(e.Claims), e.Takes.Quick, e.Takes.Full})
	}
	_, err := io.WriteString(w, t.Render()+"\n")
	return err
}

// experimentFolder returns the folder for an experiment's files.
func experimentFolder(c *cli.Context, e *papers.Experiment, several bool) string {
	_, figure, _ := strings.Cut(e.ID, "/")
	switch dir := c.String("output"); {
	case dir != "" && several:
		return filepath.Join(dir, figure)
	case dir != "":
		return dir
	case c.Bool("quick"):
		return "reproduce-" + e.Paper() + "-" + figure + "-quick"
	default:
		return "reproduce-" + e.Paper() + "-" + figure
	}
}

// reproduce runs one experiment and writes its table and report.
func reproduce(c *cli.Context, e *papers.Experiment, opt papers.Options) error {
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return cannotWrite(opt.Dir, err)
	}
	page := filepath.Join(opt.Dir, "report.html")
	if err := checkWritable(page); err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	var bar *progress
	opt.Progress = func(p bench.Progress) {
		if bar == nil {
			bar = newProgress(c.App.ErrWriter, e.ID, p.Total)
		}
		bar.describe(printable(progressLine(p)))
		bar.at(p.Done)
	}
	opt.Warn = func(text string) { fmt.Fprintf(c.App.ErrWriter, "allot: %s\n", printable(text)) }
	outcome, err := e.Run(ctx, opt)
	if bar != nil {
		bar.finish()
	}
	if err != nil {
		return interrupted(ctx, runError(err), "what was cut short has no row; the same command goes on with it")
	}
	if err := write(c, "-", outcome.WriteTable); err != nil {
		return err
	}
	if err := writeFile(page, outcome.WriteReport); err != nil {
		return err
	}
	if err := writeFigures(outcome, opt.Dir); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "rows and report in %s\n", printable(opt.Dir))
	return nil
}

// writeFigures writes the figures under the first reading, each to a file of its own, such as mcp.svg.
func writeFigures(outcome *papers.Outcome, dir string) error {
	for _, f := range outcome.Figures(&outcome.Experiment.Readings[0]) {
		name := strings.Join(strings.FieldsFunc(strings.ToLower(f.Title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }), "-")
		if err := writeFile(filepath.Join(dir, name+".svg"), func(w io.Writer) error { return report.WriteFigure(w, &f) }); err != nil {
			return err
		}
	}
	return nil
}
