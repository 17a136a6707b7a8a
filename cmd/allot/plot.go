package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/question"
)

func plotCommand() *cli.Command {
	var subcommands []*cli.Command
	for _, quantity := range draw.Quantities() {
		usage := map[draw.Quantity]string{
			draw.Queue: "jobs that have arrived but not started", draw.Utilisation: "processors that jobs hold, in % of all", draw.Wait: "how long jobs wait",
			draw.Power: "power that the machines take, with the power cap, the horizon and the tariff",
		}[quantity]
		if m, ok := model.MetricNamed(string(quantity)); usage == "" && ok {
			usage = m.Doc
		}
		subcommands = append(subcommands, plotQuantity(quantity, usage))
	}
	return &cli.Command{
		Name:      "plot",
		Usage:     "draw the queue, the utilisation, the waits, the power or a metric of schedules over time",
		ArgsUsage: "QUANTITY INSTANCE SOLUTION…",
		Description: `Draws a curve for each schedule, as SVG, PDF or PNG to standard output or -o FILE:

  --view time        the quantity over time; if it is a quantity of jobs, the mean over the jobs that arrive at that time
  --view cdf         the cumulative distribution
  --view quantiles   for a quantity of jobs: the median, the mean and the middle 50 and 80 % of the jobs, by week of arrival
  --view difference  for a quantity of jobs: each job's value minus its value in the first schedule, as in quantiles

The schedules must pass the checker. The legend shows the names of their solvers, or their files where
solvers have the same name. In the list of quantities, F is the set of jobs that are placed
and meet their deadline if it is hard.

Examples:
  allot plot queue -o queue.png trace.json easy.json conservative.json
  allot plot wait --view quantiles -o waits.pdf trace.json easy.json
  allot plot wait --view difference --from 30d --to 90d -o more.svg trace.json easy.json conservative.json
  allot plot bounded_slowdown --view cdf trace.json easy.json >slowdown.svg
  allot plot power -o power.svg examples/tariff.json plan.json
  allot plot power --tariff prices.csv --watts idle=90,busy=5 --to 7d -o week.svg trace.json easy.json`,
		Subcommands: subcommands,
		// Plot itself accepts the flags of the quantities, so that a wrong quantity is reported, and not the flags behind it.
		Flags: hiddenFlags(),
		Before: func(c *cli.Context) error {
			if named := c.LocalFlagNames(); len(named) > 0 && slices.Contains(commandNames(subcommands), c.Args().First()) {
				return usageErrorf("expected the flags after the quantity: allot plot %s INSTANCE SOLUTION… --%s", c.Args().First(), named[0])
			}
			return nil
		},
		Action: func(c *cli.Context) error {
			found := c.Args().First()
			names := commandNames(subcommands)
			if _, ok := model.MetricNamed(found); ok {
				return usageErrorf("expected a quantity over time, one of %s; found %s, which is one figure for a whole schedule: allot compare --metrics %s shows it", strings.Join(names, ", "), found, found)
			}
			return noSuch("a quantity", found, names)
		},
	}
}

// hiddenFlags are flags of the quantities that the help of plot itself does not list.
func hiddenFlags() []cli.Flag {
	var flags []cli.Flag
	for _, name := range []string{"view", "from", "to", "period", "format", "width", "height", "title", "tariff", "carbon", "tariff-at", "watts"} {
		flags = append(flags, &cli.StringFlag{Name: name, Hidden: true})
	}
	return append(flags, &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Hidden: true})
}

// plotQuantity makes the subcommand of one quantity.
func plotQuantity(quantity draw.Quantity, usage string) *cli.Command {
	views := choicesOf(draw.Views())
	if quantity == draw.Queue || quantity == draw.Utilisation || quantity == draw.Power {
		views = []string{string(draw.OverTime), string(draw.Cumulative)}
	}
	flags := []cli.Flag{newChoice("view", "time", "`VIEW`", views...), fromFlag(), toFlag()}
	if len(views) > 2 {
		flags = append(flags, &cli.StringFlag{Name: "period", Usage: "with --view quantiles or difference: length `TIME` of a period, such as 12h", DefaultText: "a week, or less for short schedules"})
	}
	description := "Example:\n  allot plot " + string(quantity) + " --view cdf -o picture.png instance.json plan.json"
	if quantity == draw.Power {
		flags = append(flags, tariffFlags("add prices", "add carbon")...)
		description = powerDescription
	}
	return &cli.Command{
		Name:        string(quantity),
		Usage:       usage,
		ArgsUsage:   "INSTANCE SOLUTION…",
		Description: description,
		Flags: append(slices.Concat(flags, flagsOf(new(question.Draw))),
			newChoice("format", "", "`FORMAT` of the picture (if absent: by the name of the output, else svg)", formatNames([]draw.Format{draw.SVG, draw.PDF, draw.PNG})...),
			outputFlag,
		),
		Action: func(c *cli.Context) error { return runPlot(c, quantity) },
	}
}

// powerDescription is the help of the power.
const powerDescription = `Draws what the machines take over time, as the metrics energy and peak_power count it: the idle power of machines that are on, machines that are off or on
their way, and what running processors take more. Above it stand the price and the carbon, if the instance states them. Where clusters have power caps or
tariffs of their own, each cluster has a panel. --view cdf shows for how much of the time the machines take at most each power.

A trace states neither power nor prices: --watts and --tariff add them, after the schedules have been checked.

Examples:
  allot plot power -o power.svg examples/tariff.json plan.json
  allot plot power --tariff prices.csv --watts idle=90,busy=5 --to 7d -o week.svg trace.json easy.json
  allot plot power --view cdf examples/tariff.json plan.json >load.svg`

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
	var refused *checkError
	var violation model.Violation
	if errors.As(err, &refused) && errors.As(refused.err, &violation) && violation.Code == model.CodeWrongInstance {
		return usageErrorf("%s: expected a solution of %s, found that of another instance: %w", refused.path, c.Args().First(), violation)
	}
	if err != nil {
		return err
	}
	opt := draw.CurveOptions{Quantity: quantity, View: draw.View(c.String("view")), Width: width, Height: c.Int("height"), Title: c.String("title")}
	if opt.Window, err = windowOf(c, in); err != nil {
		return err
	}
	if quantity == draw.Power {
		if in, err = withPower(c, in, schedules); err != nil {
			return err
		}
		opt.Watts = c.IsSet("tariff") || c.IsSet("carbon") || c.IsSet("watts")
	}
	if c.IsSet("period") {
		if opt.Period, err = timetext.Parse(c.String("period"), unitOf(in)); err != nil {
			return usageErrorf("--period: %w", err)
		}
		if opt.Period <= 0 {
			return usageErrorf("--period: expected a time above 0, found %s", c.String("period"))
		}
	}
	opt.Names = namesOf(schedules, c.Args().Slice()[1:])
	for k, sol := range schedules {
		if len(sol.Jobs) == 0 {
			return usageErrorf("%s: expected a schedule that places a job, found none: there is nothing to draw", c.Args().Get(1+k))
		}
	}
	picture, err := draw.Curves(in, schedules, opt)
	if err != nil {
		return usageErrorf("%w", err)
	}
	return writePicture(c, picture, format)
}

// namesOf are the names of the schedules in a picture: those of their solvers, or the files where several have one solver.
func namesOf(schedules []*model.Solution, paths []string) []string {
	times := map[string]int{}
	for _, sol := range schedules {
		times[sol.Solver]++
	}
	names := make([]string, len(schedules))
	for k, sol := range schedules {
		if names[k] = sol.Solver; times[sol.Solver] > 1 {
			names[k] = model.InputName(paths[k])
		}
	}
	return names
}
