package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/papers"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "run a published experiment and judge for each claim whether it replicates",
		ArgsUsage: "[PAPER[/FIGURE]|all]",
		Description: `Runs the experiment from seeds and prints a table. It writes these files to the folder:
  rows.jsonl      one row per run
  claims.json     one row for each claim under each reading: quotation, our number, tolerance, verdict, command and commit
  report.html     the report, and its figures as SVG, PNG and PDF
The verdicts are: replicates, direction only, does not replicate, undecided, and not testable here, where our numbers are no evidence for or against
the claim. What was not run is "not yet". A reading is an assumption where the paper is silent.
The headline is the verdict under the first reading, the nearest to the paper's words; readings that were added later are marked post hoc. To continue
after an interruption, give the same command again.

Without an argument, or with --list, it lists the experiments with their recorded verdicts. --check runs quick mode and compares the verdicts with
the recorded ones; if one no longer holds, the exit status is 3. Without -o, --check keeps no files. --page writes the page of all recorded claims, as
Markdown (.md) or HTML.

Examples:
  allot reproduce --list
  allot reproduce muscle/fig4 --quick
  allot reproduce muscle -o runs/muscle
  allot reproduce --check muscle/case
  allot reproduce --page replication.html`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "use fewer repetitions and points"},
			&cli.BoolFlag{Name: "list", Usage: "list the experiments: claims, time and recorded verdicts"},
			&cli.BoolFlag{Name: "check", Usage: "run quick mode and compare the verdicts with the recorded ones"},
			&cli.Uint64Flag{Name: "shift-seeds", Usage: "add `N` to all seeds, for another sample; with --check, undecided claims may change, and the check runs full mode unless --quick is given"},
			&cli.StringFlag{Name: "reading", Usage: "run reading `ID` alone; with --record, its results join those of the others"},
			&cli.StringFlag{Name: "page", Usage: "write the page of all recorded claims to `FILE`, .md or .html; a .md page gets a folder of its name beside it, with a page of details for each paper and the pictures"},
			&cli.StringFlag{Name: "record", Usage: "also write the results to `FOLDER`, one file for each experiment and mode"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "reproduce-PAPER-FIGURE[-quick]", Usage: "write the rows and the report to `FOLDER`; several experiments get one folder each in it"},
			&cli.BoolFlag{Name: "mixed", Usage: "continue in a folder with rows of another version of allot, and count them"},
			&cli.IntFlag{Name: "jobs", DefaultText: "as many as processors", Usage: "run `P` runs at a time; the result does not depend on P"},
		},
		Action: runReproduce,
	}
}

// runReproduce runs experiments, or lists them.
func runReproduce(c *cli.Context) error {
	switch {
	case c.IsSet("page"):
		return writeRecordedPage(c)
	case c.Bool("list") && c.Bool("check"):
		return usageErrorf("expected only one of --list and --check, found both")
	case c.NArg() == 0 && !c.Bool("check"):
		return write(c, "-", func(w io.Writer) error { return papers.WriteList(w, papers.Known()) })
	}
	list := papers.Known()
	if c.NArg() > 0 {
		args, err := arguments(c, "PAPER[/FIGURE]")
		if err != nil {
			return err
		}
		if list, err = papers.Lookup(args[0]); err != nil {
			return usageErrorf("%w", err)
		}
	}
	if c.Bool("list") {
		return write(c, "-", func(w io.Writer) error { return papers.WriteList(w, list) })
	}
	opt := papers.Options{Quick: c.Bool("quick") || c.Bool("check") && !c.IsSet("shift-seeds") && !c.IsSet("reading"), Shift: c.Uint64("shift-seeds"), Reading: c.String("reading"), Jobs: c.Int("jobs"), Mixed: c.Bool("mixed")}
	switch {
	case opt.Shift > 0 && c.IsSet("record"):
		return usageErrorf("--record: expected the experiment's own seeds, found --shift-seeds %d", opt.Shift)
	case opt.Reading != "":
		for _, e := range list {
			if err := e.CheckReading(opt.Reading); err != nil {
				return usageErrorf("--reading: %w", err)
			}
		}
	}
	switch {
	case c.IsSet("jobs") && opt.Jobs < 1:
		return usageErrorf("--jobs: expected a number ≥ 1, found %d", opt.Jobs)
	case opt.Jobs == 0:
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	return reproduceAll(c, list, opt)
}

// reproduceAll runs the experiments, and compares the verdicts with the recorded ones if asked to.
func reproduceAll(c *cli.Context, list []*papers.Experiment, opt papers.Options) error {
	folder := c.String("output")
	if folder == "" && c.Bool("check") { // rows of an earlier run must not be taken for new ones
		temporary, err := files.Folder()
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		folder = filepath.Join(temporary, "check")
	}
	var changes []papers.Change
	compared := 0
	for k, e := range list {
		opt.Dir = experimentFolder(e, opt, folder, len(list) > 1)
		if k > 0 {
			if err := writePlain(c, "-", "\n"); err != nil {
				return err
			}
		}
		outcome, err := reproduce(c, e, opt)
		if err != nil {
			return err
		}
		if list, recorded := outcome.Changes(); recorded {
			changes = append(changes, list...)
			compared++
		}
	}
	if !c.Bool("check") {
		return nil
	}
	return tellChanges(c, changes, compared, len(list))
}

// tellChanges tells which recorded verdicts no longer hold.
func tellChanges(c *cli.Context, changes []papers.Change, compared, total int) error {
	text := new(strings.Builder)
	for _, change := range changes {
		reason := ""
		if change.Reason != "" {
			reason = ": " + change.Reason
		}
		fmt.Fprintf(text, "%s, reading %q: recorded %q, now %q%s\n", change.ID, change.Reading, change.Recorded, change.Now, reason)
	}
	fmt.Fprintf(text, "%s compared with their records, %d without one; %s changed\n", numtext.Counted(compared, "experiment"), total-compared, numtext.Counted(len(changes), "verdict"))
	err := writePlain(c, "-", text.String())
	if err == nil && len(changes) > 0 {
		err = &statusError{exitViolations, fmt.Errorf("%s changed", numtext.Counted(len(changes), "recorded verdict"))}
	}
	return err
}

// writeRecordedPage writes the page of all recorded claims.
func writeRecordedPage(c *cli.Context) error {
	if c.NArg() > 0 {
		return usageErrorf("--page: expected no experiment, because the page shows all; found %q", c.Args().First())
	}
	name := c.String("page")
	outcomes := kit.Each(papers.Known(), func(e *papers.Experiment) *papers.Outcome { return e.Recorded() })
	switch filepath.Ext(name) {
	case ".html":
		return writeFile(name, func(w io.Writer) error { return papers.WriteReplicationPage(w, outcomes) })
	case ".md":
	default:
		return usageErrorf("--page: expected a name that ends in .md or .html, found %q", name)
	}
	details := strings.TrimSuffix(filepath.Base(name), ".md")
	folder := filepath.Join(filepath.Dir(name), details)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return cannotWrite(folder, err)
	}
	for _, outcome := range outcomes {
		if err := writeFigures(outcome, folder, picture.SVG); err != nil {
			return err
		}
	}
	for _, paper := range papers.PaperNames(outcomes) {
		if err := writeFile(filepath.Join(folder, paper+".md"), func(w io.Writer) error { return papers.WriteDetails(w, outcomes, paper, ".") }); err != nil {
			return err
		}
	}
	return writeFile(name, func(w io.Writer) error { return papers.WriteReplication(w, outcomes, details) })
}

// experimentFolder returns the folder for an experiment's files: the given one, or one in it if there are several experiments.
func experimentFolder(e *papers.Experiment, opt papers.Options, given string, several bool) string {
	name := strings.ReplaceAll(e.ID, "/", "-")
	switch {
	case given != "" && several:
		return filepath.Join(given, name)
	case given != "":
		return given
	}
	name = "reproduce-" + name
	if opt.Shift > 0 {
		name += fmt.Sprintf("-seeds-%d", opt.Shift)
	}
	if opt.Quick {
		name += "-quick"
	}
	return name
}

// reproduce runs one experiment and writes its table, report and figures.
func reproduce(c *cli.Context, e *papers.Experiment, opt papers.Options) (*papers.Outcome, error) {
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return nil, cannotWrite(opt.Dir, err)
	}
	page := filepath.Join(opt.Dir, "report.html")
	if err := checkWritable(page); err != nil {
		return nil, err
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
	opt.Warn = warning(c)
	outcome, err := e.Run(ctx, opt)
	if bar != nil {
		bar.finish()
	}
	if err != nil {
		return nil, interrupted(ctx, runError(err), "the runs cut short have no row; the same command continues")
	}
	if err := write(c, "-", outcome.WriteTable); err != nil {
		return nil, err
	}
	if err := writeFile(page, outcome.WriteReport); err != nil {
		return nil, err
	}
	if err := writeRecord(outcome, filepath.Join(opt.Dir, "claims.json")); err != nil {
		return nil, err
	}
	if folder := c.String("record"); folder != "" && e.NotYet == "" {
		if err := addRecord(outcome, folder); err != nil {
			return nil, err
		}
	}
	if c.String("output") != "" || !c.Bool("check") { // a check without a folder keeps no files
		fmt.Fprintf(c.App.ErrWriter, "rows and report in %s\n", printable(opt.Dir))
	}
	return outcome, writeFigures(outcome, opt.Dir, picture.SVG, picture.PNG, picture.PDF)
}

// addRecord writes what was found to the folder of the records. What a run of one reading found joins the record of the others.
func addRecord(outcome *papers.Outcome, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return cannotWrite(folder, err)
	}
	record := outcome.Record()
	name := filepath.Join(folder, record.FileName())
	if outcome.Reading != "" {
		before, err := readRecord(name)
		if err != nil {
			return err
		}
		before.Merge(outcome.Experiment, outcome.Reading, record)
		record = before
	}
	return writeFile(name, func(w io.Writer) error { return papers.WriteRecord(w, record) })
}

// readRecord reads a record, which must be there.
func readRecord(name string) (*papers.Record, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usageErrorf("--reading and --record: expected the record of the other readings: %w", err)
	}
	defer func() { _ = file.Close() }()
	return papers.ReadRecord(file, name)
}

// writeRecord writes what was found.
func writeRecord(outcome *papers.Outcome, name string) error {
	return writeFile(name, func(w io.Writer) error { return papers.WriteRecord(w, outcome.Record()) })
}

// writeFigures writes the figures under the first reading, each to a file of its own for each format.
func writeFigures(outcome *papers.Outcome, dir string, formats ...picture.Format) error {
	for _, p := range outcome.Pictures() {
		for _, format := range formats {
			name := filepath.Join(dir, p.Name+"."+string(format))
			if err := writeFile(name, func(w io.Writer) error { return p.Figure.Write(w, format) }); err != nil {
				return err
			}
		}
	}
	return nil
}
