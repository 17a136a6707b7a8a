package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// importTariff is the subcommand that joins a table of prices, or of carbon, to an instance.
func importTariff() *cli.Command {
	return &cli.Command{
		Name:      "tariff",
		Usage:     "a CSV table of prices or carbon by time, joined to an instance",
		ArgsUsage: "FILE INSTANCE",
		Description: `FILE has the columns time and value: dates in ISO 8601, in UTC where they state no offset, or seconds, the same step apart; or it is the hourly export of Electricity
Maps. It becomes the tariff of the instance. Power is in the instance: see docs/power.md.

Example:
  allot import tariff --of price prices.csv batch.json -o priced.json`,
		Flags: []cli.Flag{
			newChoice("of", "", "what the `VALUES` are; without it carbon for an export of Electricity Maps, otherwise price", "price", "carbon"),
			&cli.StringFlag{Name: "at", Usage: "time of the table at time 0 of the instance, a `DATE` or seconds", DefaultText: "the date that the instance states, or 0 s"},
			&cli.Float64Flag{Name: "per", Usage: "power × time of one priced unit, `U`", DefaultText: "a kWh, where power is in W"},
			&cli.BoolFlag{Name: "direct", Usage: "of an export of Electricity Maps, take direct emissions in place of those of the life cycle"},
			outputFlag,
		},
		Action: taking(joinTariff, "FILE", "INSTANCE"),
	}
}

// joinTariff joins a table to an instance and writes it.
func joinTariff(c *cli.Context, args []string) error {
	if err := checkChoices(c); err != nil {
		return err
	}
	if err := oneFromStdin("the files", args...); err != nil {
		return err
	}
	if per := c.Float64("per"); c.IsSet("per") && !(per > 0 && per <= model.Largest) {
		return usageErrorf("--per: expected a number above 0, found %v", per)
	}
	series, err := readTariff(args[0], tariff.Options{Direct: c.Bool("direct")})
	if err != nil {
		return &statusError{exitInput, err}
	}
	in, err := readInstance(args[1])
	if err != nil {
		return err
	}
	carbon := c.String("of") == "carbon" || c.String("of") == "" && series.Kind == tariff.Carbon
	if c.String("of") == "price" && series.Kind == tariff.Carbon {
		return usageErrorf("--of: expected carbon, because %s is an export of carbon; found price", model.InputName(args[0]))
	}
	joined, err := series.Join(in, carbon, tariff.Joined{At: c.String("at"), Per: c.Float64("per")})
	if wrong := (*params.Error)(nil); errors.As(err, &wrong) {
		return flagError(wrong.Name, err)
	}
	if found := (*model.InputError)(nil); errors.As(err, &found) {
		found.File = model.InputName(args[1])
	}
	if err != nil {
		return &statusError{exitInput, err}
	}
	what := "prices"
	if carbon {
		what = "values of carbon"
	}
	fmt.Fprintf(c.App.ErrWriter, "tariff: %d %s, each for %v s\n", len(series.Values), what, series.Every)
	return write(c, c.String("output"), func(w io.Writer) error { return model.WriteInstance(w, joined) })
}

// readTariff reads a table of prices or carbon.
func readTariff(path string, opt tariff.Options) (*tariff.Series, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return tariff.Read(file, model.InputName(path), opt)
}
