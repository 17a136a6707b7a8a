package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/gantt"
	"github.com/allot-opt/allot/model"
)

func ganttCommand() *cli.Command {
	return &cli.Command{
		Name:      "gantt",
		Usage:     "draw a schedule",
		ArgsUsage: "SOLUTION",
		Description: `Draws to standard output or -o FILE. With the instance the picture shows every processor, the units and which
jobs are late.

Examples:
  allot solve examples/table1.json | allot gantt -
  allot gantt -o plan.svg --instance examples/table1.json plan.json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "`FORMAT`: svg, png or text; absent: by the name of the output, else text"},
			&cli.StringFlag{Name: "instance", Usage: "instance in `FILE` that the solution solves"},
			&cli.IntFlag{Name: "width", Usage: "width in `N` pixels, or columns of text"},
			&cli.IntFlag{Name: "height", Usage: "height in `N` pixels, or lines of text"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` above the picture"},
			outputFlag,
		},
		Action: runGantt,
	}
}

// runGantt draws one solution.
func runGantt(c *cli.Context) error {
	args, err := arguments(c, "SOLUTION")
	if err != nil {
		return err
	}
	opt := gantt.Options{Width: c.Int("width"), Height: c.Int("height"), Title: c.String("title")}
	if opt.Format, err = pictureFormat(c); err != nil {
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
	return write(c, c.String("output"), func(w io.Writer) error {
		if err := gantt.Draw(w, sol, opt); err != nil {
			return usageErrorf("%s: %w", args[0], err)
		}
		return nil
	})
}

// pictureFormat is the format by the flags.
func pictureFormat(c *cli.Context) (gantt.Format, error) {
	if name := c.String("format"); name != "" {
		for _, format := range gantt.Formats() {
			if name == string(format) {
				return format, nil
			}
		}
		return "", usageErrorf("--format: expected svg, png or text, found %q", name)
	}
	if path := c.String("output"); path != "-" {
		format, err := gantt.FormatOf(path)
		if err != nil {
			return "", usageErrorf("%w", err)
		}
		return format, nil
	}
	return gantt.Text, nil
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
