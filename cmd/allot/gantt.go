package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/allot-opt/allot/gantt"
	"github.com/allot-opt/allot/model"
)

func ganttCommand() *cli.Command {
	return &cli.Command{
		Name:      "gantt",
		Usage:     "draw a schedule, or how searches progressed",
		ArgsUsage: "SOLUTION, or --progress TRACE",
		Description: `Draws to standard output or -o FILE. With the instance the picture shows every processor, the units and which
jobs are late. With --progress it shows instead how the objective and the bound went over time, from what
allot solve --trace writes; several traces come into one picture.

Examples:
  allot solve examples/table1.json | allot gantt -
  allot gantt -o plan.svg --instance examples/table1.json plan.json
  allot solve --solver muscle+titan --trace trace.jsonl -o plan.json examples/multicluster.json
  allot gantt --progress trace.jsonl -o progress.svg
  allot gantt --progress titan.jsonl --progress search.jsonl --log-time`,
		Flags: []cli.Flag{
			newChoice("format", "", "`FORMAT`, by the name of the output if absent, else text", formatNames()...),
			&cli.StringFlag{Name: "instance", Usage: "instance in `FILE` that the solution solves"},
			&cli.IntFlag{Name: "width", Usage: "width in `N` pixels, or columns of text", DefaultText: "1200 pixels; the terminal's or 100 columns"},
			&cli.IntFlag{Name: "height", Usage: "height in `N` pixels, or lines of text", DefaultText: "what the processors need"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` above the picture"},
			&cli.GenericFlag{Name: "progress", Value: new(pathList), Usage: "draw the trace in `FILE` over time; may be given several times"},
			&cli.BoolFlag{Name: "log-time", Usage: "with --progress: time by its logarithm, which shows the first moments of a search"},
			outputFlag,
		},
		Action: runGantt,
	}
}

// runGantt draws one solution.
func runGantt(c *cli.Context) error {
	if c.IsSet("progress") {
		return runProgress(c)
	}
	if c.IsSet("log-time") {
		return usageErrorf("--log-time: expected --progress with it; see %s --help", c.Command.HelpName)
	}
	args, err := arguments(c, "SOLUTION")
	if err != nil {
		return err
	}
	if err := oneFromStdin("SOLUTION and --instance", args[0], c.String("instance")); err != nil {
		return err
	}
	opt := gantt.Options{Height: c.Int("height"), Title: c.String("title")}
	if opt.Format, opt.Width, err = pictureFormat(c); err != nil {
		return err
	}
	if path := c.String("instance"); path != "" {
		if opt.Instance, err = model.ReadInstanceFile(path); err != nil {
			return err
		}
	}
	sol, err := model.ReadSolutionFile(args[0])
	if err != nil {
		return err
	}
	if in := opt.Instance; in != nil && sol.InstanceSHA256 != "" && sol.InstanceSHA256 != in.SHA256() {
		return usageErrorf("--instance: %s: expected the instance that %s was made for, found another one", c.String("instance"), args[0])
	}
	return write(c, c.String("output"), func(w io.Writer) error {
		if err := gantt.Draw(w, sol, opt); err != nil {
			return usageErrorf("%s: %w", args[0], err)
		}
		return nil
	})
}

// pathList are files, one each time that a flag is given; a name may hold commas.
type pathList []string

// Set implements flag.Value.
func (l *pathList) Set(path string) error {
	*l = append(*l, path)
	return nil
}

// String implements flag.Value.
func (l *pathList) String() string { return strings.Join(*l, " ") }

// runProgress draws traces.
func runProgress(c *cli.Context) error {
	if _, err := arguments(c); err != nil {
		return err
	}
	if c.IsSet("instance") {
		return usageErrorf("--instance: expected it with SOLUTION, not with --progress")
	}
	paths := *c.Generic("progress").(*pathList)
	if len(paths) > gantt.MostTraces {
		return usageErrorf("--progress: expected at most %d traces, found %d", gantt.MostTraces, len(paths))
	}
	if err := oneFromStdin("the traces", paths...); err != nil {
		return err
	}
	opt := gantt.ProgressOptions{Height: c.Int("height"), Title: c.String("title"), LogTime: c.Bool("log-time")}
	var err error
	if opt.Format, opt.Width, err = pictureFormat(c); err != nil {
		return err
	}
	traces := make([]*gantt.Trace, len(paths))
	named := map[string]int{}
	for k, path := range paths {
		if traces[k], err = gantt.ReadTraceFile(path); err != nil {
			return err
		}
		named[traces[k].Name]++
	}
	for k, path := range paths {
		if named[traces[k].Name] > 1 { // in several folders
			traces[k].Name = path
		}
	}
	return write(c, c.String("output"), func(w io.Writer) error {
		if err := gantt.DrawProgress(w, traces, opt); err != nil {
			return usageErrorf("%w", err)
		}
		return nil
	})
}

// formatNames are the names of the formats.
func formatNames() []string {
	var names []string
	for _, format := range gantt.Formats() {
		names = append(names, string(format))
	}
	return names
}

// pictureFormat is the format by the flags, and the width of the terminal where a text goes there.
func pictureFormat(c *cli.Context) (gantt.Format, int, error) {
	if err := checkChoices(c); err != nil {
		return "", 0, err
	}
	width, path := c.Int("width"), c.String("output")
	format := gantt.Format(c.String("format"))
	if format == "" && path != "-" {
		var err error
		if format, err = gantt.FormatOf(path); err != nil {
			return "", 0, usageErrorf("%w", err)
		}
	}
	if format == "" {
		format = gantt.Text
	}
	if terminal, ok := terminalOf(c.App.Writer); ok && path == "-" {
		switch {
		case format == gantt.PNG:
			return "", 0, usageErrorf("--format png: expected -o FILE or a pipe, found a terminal")
		case format == gantt.Text && !c.IsSet("width"):
			if columns, _, err := term.GetSize(terminal); err == nil && columns > 0 {
				width = min(max(columns, 40), 200) // wider is hard to read
			}
		}
	}
	return format, width, nil
}

// drawTo draws a solution to a file.
func drawTo(c *cli.Context, path string, sol *model.Solution, in *model.Instance) error {
	format, err := gantt.FormatOf(path)
	if err != nil {
		return usageErrorf("%w", err)
	}
	return write(c, path, func(w io.Writer) error {
		return gantt.Draw(w, sol, gantt.Options{Instance: in, Format: format})
	})
}
