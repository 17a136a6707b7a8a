package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/model"
)

func ganttCommand() *cli.Command {
	return &cli.Command{
		Name:      "gantt",
		Usage:     "draw a schedule, or how searches progressed",
		ArgsUsage: "SOLUTION, or --progress RUN",
		Description: `Draws to standard output or -o FILE. With the instance the picture shows every processor, the units, which jobs are late
and, by colour, whose jobs they are or how long they waited. Where there are too many jobs to be seen one by one, it shows how many
processors they hold and how many jobs wait over time. A name that ends in .html makes a page to zoom and move in, which also says of each job
how long it waited and what for; it needs no network. With --progress the picture shows instead how the objective and the bound went over time,
from what allot solve --trace writes; several runs come into one picture.

Examples:
  allot solve examples/table1.json | allot gantt -
  allot gantt -o plan.svg --instance examples/table1.json plan.json
  allot gantt -o load.png --instance trace.json easy.json
  allot gantt -o week.svg --colour wait --from 7d --to 14d --instance trace.json easy.json
  allot gantt -o plan.html --instance trace.json easy.json
  allot solve --solver muscle+titan --trace run.jsonl -o plan.json examples/multicluster.json
  allot gantt --progress run.jsonl -o progress.svg
  allot gantt --progress titan.jsonl --progress search.jsonl --log-time`,
		Flags: []cli.Flag{
			newChoice("format", "", "`FORMAT`, by the name of the output if absent, else text", formatNames(draw.Formats())...),
			&cli.StringFlag{Name: "instance", Usage: "instance in `FILE` that the solution solves"},
			&cli.IntFlag{Name: "width", Usage: "width in `N` pixels, or columns of text", DefaultText: "1200 pixels; the terminal's or 100 columns"},
			&cli.IntFlag{Name: "height", Usage: "height in `N` pixels, or lines of text", DefaultText: "what the processors need"},
			newChoice("colour", "", "what the colours of jobs mean, `WHAT`; jobs side by side have unlike ones if absent; user, wait and late need --instance", choicesOf(draw.Colours())...),
			newChoice("view", string(draw.ShowAuto), "`VIEW`, each job or the load over time; auto: the load where jobs would be too small to be seen", choicesOf(draw.GanttViews())...),
			fromFlag(), toFlag(),
			&cli.StringFlag{Name: "title", Usage: "`TEXT` above the picture"},
			&cli.GenericFlag{Name: "progress", Value: new(pathList), Usage: "draw the run in `FILE` over time; may be given several times"},
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
	opt := draw.GanttOptions{Height: c.Int("height"), Title: c.String("title"), Colour: draw.Colour(c.String("colour")), View: draw.GanttView(c.String("view"))}
	format, width, err := pictureFormat(c, draw.Text)
	if err != nil {
		return err
	}
	opt.Width = width
	if path := c.String("instance"); path != "" {
		if opt.Instance, err = readInstance(path); err != nil {
			return err
		}
	}
	if opt.Window, err = windowOf(c, opt.Instance); err != nil {
		return err
	}
	sol, err := model.ReadSolutionFile(args[0])
	if err != nil {
		return err
	}
	if in := opt.Instance; in != nil && sol.InstanceSHA256 != "" && sol.InstanceSHA256 != in.SHA256() {
		return usageErrorf("--instance: %s: expected the instance that %s was made for, found another one", c.String("instance"), args[0])
	}
	if len(sol.Jobs) == 0 {
		return usageErrorf("%s: expected a schedule that places a job, found none: there is nothing to draw", args[0])
	}
	if format == draw.HTML && opt.Instance != nil {
		ctx, stop := interruptible(c.Context)
		defer stop()
		if opt.Reasons, err = rulesOf(ctx, opt.Instance, sol); err != nil {
			return err
		}
	}
	picture, err := draw.Gantt(sol, opt)
	if err != nil {
		return usageErrorf("%s: %w", args[0], err)
	}
	return writePicture(c, picture, format)
}

// pathList holds the files of a flag that may be given several times. The flag adds one file each time, so names may hold commas.
type pathList []string

// Set implements flag.Value.
func (l *pathList) Set(path string) error {
	*l = append(*l, path)
	return nil
}

// String implements flag.Value.
func (l *pathList) String() string { return strings.Join(*l, " ") }

// runProgress draws the progress of runs.
func runProgress(c *cli.Context) error {
	if _, err := arguments(c); err != nil {
		return err
	}
	if c.IsSet("instance") {
		return usageErrorf("--instance: expected it with SOLUTION, not with --progress")
	}
	for _, name := range []string{"colour", "view", "from", "to"} {
		if c.IsSet(name) {
			return usageErrorf("--%s: expected it with SOLUTION, not with --progress", name)
		}
	}
	paths := *c.Generic("progress").(*pathList)
	if len(paths) > draw.MostRuns {
		return usageErrorf("--progress: expected at most %d runs, found %d", draw.MostRuns, len(paths))
	}
	if err := oneFromStdin("the runs", paths...); err != nil {
		return err
	}
	opt := draw.ProgressOptions{Height: c.Int("height"), Title: c.String("title"), LogTime: c.Bool("log-time")}
	format, width, err := pictureFormat(c, draw.Text)
	if err != nil {
		return err
	}
	opt.Width = width
	runs := make([]*draw.Run, len(paths))
	named := map[string]int{}
	for k, path := range paths {
		if runs[k], err = draw.ReadRunFile(path); err != nil {
			return err
		}
		named[runs[k].Name]++
	}
	for k, path := range paths {
		if named[runs[k].Name] > 1 { // files in different folders have the same name
			runs[k].Name = path
		}
	}
	picture, err := draw.Progress(runs, opt)
	if err != nil {
		return usageErrorf("%w", err)
	}
	return writePicture(c, picture, format)
}

// formatNames lists the names of formats.
func formatNames(formats []draw.Format) []string {
	var names []string
	for _, format := range formats {
		names = append(names, string(format))
	}
	return names
}

// pictureFormat returns the format and the width of a picture. The format comes from the flag, else from the name of the output, else it is the
// usual one. The width comes from the flag; for a text on a terminal without that flag, it is the width of the terminal.
func pictureFormat(c *cli.Context, usual draw.Format) (draw.Format, int, error) {
	if err := checkChoices(c); err != nil {
		return "", 0, err
	}
	width, path := c.Int("width"), c.String("output")
	format := draw.Format(c.String("format"))
	if format == "" && path != "-" {
		var err error
		if format, err = draw.FormatOf(path); err != nil {
			return "", 0, usageErrorf("%w", err)
		}
	}
	if format == "" {
		format = usual
	}
	if terminal, ok := terminalOf(c.App.Writer); ok && path == "-" {
		switch {
		case format == draw.PNG:
			return "", 0, usageErrorf("--format png: expected -o FILE or a pipe, found a terminal")
		case format == draw.Text && !c.IsSet("width"):
			width = chartColumns(terminal)
		}
	}
	return format, width, nil
}

// writePicture writes a picture to the output that the flags name. If the picture itself fails, the user asked for an unsuitable size or format.
func writePicture(c *cli.Context, picture *draw.Picture, format draw.Format) error {
	return write(c, c.String("output"), func(w io.Writer) error {
		if err := picture.Write(w, format); err != nil {
			return usageErrorf("%w", err)
		}
		return nil
	})
}

// drawTo draws a solution to a file.
func drawTo(path string, sol *model.Solution, in *model.Instance) error {
	picture, err := draw.Gantt(sol, draw.GanttOptions{Instance: in})
	if err != nil {
		return cannotWrite(path, err)
	}
	return cannotWrite(path, picture.WriteFile(path))
}
