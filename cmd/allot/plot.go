package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/curves"
)

func plotCommand() *cli.Command {
	var subcommands []*cli.Command
	for _, q := range []struct {
		quantity curves.Quantity
		usage    string
	}{
		{curves.Queue, "jobs that have arrived and not started"},
		{curves.Utilisation, "processors that jobs hold, in % of all"},
		{curves.Wait, "how long jobs wait"},
	} {
		subcommands = append(subcommands, plotQuantity(q.quantity, q.usage))
	}
	return &cli.Command{
		Name:      "plot",
		Usage:     "draw the queue, the utilisation or the waits of schedules",
		ArgsUsage: "QUANTITY INSTANCE SOLUTION…",
		Description: `Draws a curve for each schedule over time, or with --view cdf as a cumulative distribution, as SVG or PNG to standard
output or -o FILE. The schedules must pass the checker; the legend has the names of their solvers.

Examples:
  allot plot queue -o queue.png trace.json easy.json conservative.json
  allot plot wait --view cdf trace.json easy.json >wait.svg`,
		Subcommands: subcommands,
		Action: func(c *cli.Context) error {
			return usageErrorf("expected a quantity, one of queue, utilisation, wait; found %q", c.Args().First())
		},
	}
}

// plotQuantity is the subcommand of one quantity.
func plotQuantity(quantity curves.Quantity, usage string) *cli.Command {
	return &cli.Command{
		Name:        string(quantity),
		Usage:       usage,
		ArgsUsage:   "INSTANCE SOLUTION…",
		Description: "Example:\n  allot plot " + string(quantity) + " --view cdf -o picture.png instance.json plan.json",
		Flags: []cli.Flag{
			newChoice("view", "time", "`VIEW`", string(curves.OverTime), string(curves.Cumulative)),
			newChoice("format", "", "`FORMAT`, by the name of the output if absent, else svg", string(curves.SVG), string(curves.PNG)),
			&cli.IntFlag{Name: "width", Usage: "width in `N` pixels", DefaultText: "1000"},
			&cli.IntFlag{Name: "height", Usage: "height in `N` pixels", DefaultText: "500"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` above the picture"},
			outputFlag,
		},
		Action: func(c *cli.Context) error { return runPlot(c, quantity) },
	}
}

// mostCurves is the number of schedules in one picture that can be told apart.
const mostCurves = 24

// runPlot draws one picture.
func runPlot(c *cli.Context, quantity curves.Quantity) error {
	if err := checkChoices(c); err != nil {
		return err
	}
	path := c.String("output")
	opt := curves.Options{
		Quantity: quantity, View: curves.View(c.String("view")), Format: curves.Format(c.String("format")),
		Width: c.Int("width"), Height: c.Int("height"), Title: c.String("title"),
	}
	if opt.Format == "" && path != "-" {
		var err error
		if opt.Format, err = curves.FormatOf(path); err != nil {
			return usageErrorf("%w", err)
		}
	}
	if _, terminal := terminalOf(c.App.Writer); terminal && path == "-" && opt.Format == curves.PNG {
		return usageErrorf("--format png: expected -o FILE or a pipe, found a terminal")
	}
	if err := checkWritable(path); err != nil {
		return err
	}
	in, schedules, err := schedulesOf(c, mostCurves)
	if err != nil {
		return err
	}
	return write(c, path, func(w io.Writer) error {
		if err := curves.Draw(w, in, schedules, opt); err != nil {
			return usageErrorf("%w", err)
		}
		return nil
	})
}
