package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

func ganttCommand() *cli.Command {
	return &cli.Command{
		Name:      "gantt",
		Usage:     "draw a schedule, or the progress of runs",
		ArgsUsage: "SOLUTION, or --progress RUN",
		Description: `Draws to standard output or to -o FILE. With --instance the picture also shows idle processors, units and late jobs, and its colours
can show whose a job is or how long it waited. If there are too many jobs to see each of them, the picture shows over time how many processors
they hold and how many jobs wait. If FILE ends in .html, it is a page in which you can zoom and move; for each job it also says how long the job
waited and what for. The page needs no network.

If the solution states devices, such as GPUs, the rows are the machines with their devices; --rows chooses. A share of a device is a part of its row.
With --instance the picture also shows the times in which machines are closed, and the machines that a job has to itself.

With --progress it draws how the objective and the bound of a run changed over time. FILE is what allot solve --trace has written. Several runs
share one picture.

Examples:
  allot solve examples/table1.json | allot gantt -
  allot gantt -o plan.svg --instance examples/table1.json plan.json
  allot gantt -o plan.pdf --instance examples/table1.json plan.json
  allot gantt -o load.png --instance trace.json easy.json
  allot gantt -o week.svg --colour wait --from 7d --to 14d --instance trace.json easy.json
  allot gantt -o plan.html --instance trace.json easy.json
  allot gantt -o nodes.svg --rows machines --instance examples/gpu.json plan.json
  allot solve --solver muscle+titan --trace run.jsonl -o plan.json examples/multicluster.json
  allot gantt --progress run.jsonl -o progress.svg
  allot gantt --progress titan.jsonl --progress search.jsonl --log-time`,
		Flags: append(flagsOf(new(question.Draw)),
			newChoice("format", "", "`FORMAT` of the picture (if absent: by the name of the output, else text)", formatNames(draw.Formats())...),
			&cli.StringFlag{Name: "instance", Usage: "read the instance of the solution from `FILE`"},
			newChoice("colour", "", "`WHAT` the colours of the jobs show (if absent, they only tell neighbours apart; user, wait and late need --instance)", choicesOf(draw.Colours())...),
			newChoice("view", string(draw.ShowAuto), "`VIEW`, each job or the load over time (auto: the load if the jobs would be too small to see)", choicesOf(draw.GanttViews())...),
			newChoice("rows", string(draw.RowsAuto), "`ROWS` of the chart: processors, machines with their processors, or machines with their devices (auto: devices if the solution states some; machines need --instance)", choicesOf(draw.GanttRows())...),
			fromFlag(), toFlag(),
			&cli.GenericFlag{Name: "progress", Value: new(pathList), Usage: "draw the progress of the run in `FILE` instead of a schedule; may be given several times"},
			&cli.BoolFlag{Name: "log-time", Usage: "with --progress: use a logarithmic axis of time, which shows the first moments of a search"},
			outputFlag,
		),
		Action: runGantt,
	}
}

// runGantt draws one solution.
func runGantt(c *cli.Context) error {
	if c.IsSet("progress") {
		return runProgress(c)
	}
	if c.IsSet("log-time") {
		return usageErrorf("--log-time: expected it only with --progress; see %s --help", c.Command.HelpName)
	}
	args, err := arguments(c, "SOLUTION")
	if err != nil {
		return err
	}
	if err := oneFromStdin("SOLUTION and --instance", args[0], c.String("instance")); err != nil {
		return err
	}
	opt := draw.GanttOptions{Height: c.Int("height"), Title: c.String("title"), Colour: draw.Colour(c.String("colour")), View: draw.GanttView(c.String("view")), Rows: draw.Rows(c.String("rows"))}
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
		if opt.Reasons, err = answers.RulesOf(ctx, opt.Instance, sol); err != nil {
			return stoppedOr(ctx, err)
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
		return usageErrorf("--instance: expected it only with SOLUTION, found --progress")
	}
	for _, name := range []string{"colour", "view", "rows", "from", "to"} {
		if c.IsSet(name) {
			return usageErrorf("--%s: expected it only with SOLUTION, found --progress", name)
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
	named, found := map[string]int{}, false
	for k, path := range paths {
		if runs[k], err = draw.ReadRunFile(path); err != nil {
			return err
		}
		named[runs[k].Name]++
		found = found || len(runs[k].Points) > 0
	}
	if !found {
		return usageErrorf("%s: expected a run that found a schedule, found none: there is nothing to draw", strings.Join(paths, ", "))
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
	return kit.Each(formats, func(format draw.Format) string { return string(format) })
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
	if terminal := terminalOf(c.App.Writer); terminal != nil && path == "-" {
		switch {
		case format == draw.PNG || format == draw.PDF:
			return "", 0, usageErrorf("--format %s: expected -o FILE or a pipe, found a terminal", format)
		case format == draw.Text && !c.IsSet("width"):
			width = chartColumns(terminal)
		}
	}
	return format, width, nil
}

// writePicture writes a picture to the output that the flags name. If the picture itself fails, the user asked for an unsuitable size or format.
func writePicture(c *cli.Context, picture *draw.Picture, format draw.Format) error {
	var drawn bytes.Buffer
	if err := picture.Write(&drawn, format); err != nil {
		return usageErrorf("%w", err)
	}
	return write(c, c.String("output"), func(w io.Writer) error {
		_, err := drawn.WriteTo(w)
		return err
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
