package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/workload"
)

// asTable lets the command of the workload tariff write its prices, or its carbon, as a table.
func asTable(command *cli.Command) {
	instance := command.Action
	command.Flags = append(command.Flags, newChoice("csv", "", "write the `VALUES` as a table of time and value in place of an instance", "price", "carbon"))
	command.Description += `

With --csv the prices, or the carbon, are written as CSV with the columns time, in seconds, and value, one hour a row:
  allot generate tariff --days 366 --csv price -o tariff.csv`
	command.Action = func(c *cli.Context) error {
		if !c.IsSet("csv") {
			return instance(c)
		}
		return taking(writeTable)(c)
	}
}

// writeTable writes prices or carbon.
func writeTable(c *cli.Context, _ []string) error {
	info, _ := workload.Named("tariff")
	made := info.New()
	if err := setParameters(c, made); err != nil {
		return err
	}
	price, carbon, err := made.(*workload.Tariff).Hours(c.Uint64("seed"))
	if err != nil {
		return usageErrorf("generate tariff: %w", err)
	}
	series := &tariff.Series{Every: 3600, Values: price}
	if c.String("csv") == "carbon" {
		series.Values = carbon
	}
	return write(c, c.String("output"), func(w io.Writer) error { return tariff.Write(w, series) })
}
