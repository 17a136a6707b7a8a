package main

import (
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/suggest"
)

func plotCommand() *cli.Command {
	var subcommands []*cli.Command
	for _, q := range []struct {
		quantity draw.Quantity
		usage    string
	}{
		{draw.Queue, "jobs that have arrived and not started"},
		{draw.Utilisation, "processors that jobs hold, in % of all"},
		{draw.Wait, "how long jobs wait"},
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
			return usageErrorf("expected a quantity, one of queue, utilisation, wait; found %q%s", c.Args().First(), suggest.Words(c.Args().First(), commandNames(subcommands)))
		},
	}
}

// plotQuantity makes the subcommand of one quantity.
func plotQuantity(quantity draw.Quantity, usage string) *cli.Command {
	return &cli.Command{
		Name:        string(quantity),
		Usage:       usage,
		ArgsUsage:   "INSTANCE SOLUTION…",
		Description: "Example:\n  allot plot " + string(quantity) + " --view cdf -o picture.png instance.json plan.json",
		Flags: []cli.Flag{
			newChoice("view", "time", "`VIEW`", string(draw.OverTime), string(draw.Cumulative)),
			newChoice("format", "", "`FORMAT`, by the name of the output if absent, else svg", formatNames([]draw.Format{draw.SVG, draw.PNG})...),
			&cli.IntFlag{Name: "width", Usage: "width in `N` pixels", DefaultText: "1000"},
			&cli.IntFlag{Name: "height", Usage: "height in `N` pixels", DefaultText: "500"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` above the picture"},
			outputFlag,
		},
		Action: func(c *cli.Context) error { return runPlot(c, quantity) },
	}
}

// mostCurves is the largest number of schedules in one picture. More could not be told apart.
const mostCurves = 24

// runPlot draws one picture.
func runPlot(c *cli.Context, quantity draw.Quantity) error {
	format, width, err := pictureFormat(c, draw.SVG)
	if err != nil {
		return err
	}
	if err := checkWritable(c.String("output")); err != nil {
		return err
	}
	in, schedules, err := schedulesOf(c, mostCurves)
	if err != nil {
		return err
	}
	picture, err := draw.Curves(in, schedules, draw.CurveOptions{
		Quantity: quantity, View: draw.View(c.String("view")), Width: width, Height: c.Int("height"), Title: c.String("title"),
	})
	if err != nil {
		return usageErrorf("%w", err)
	}
	return writePicture(c, picture, format)
}
