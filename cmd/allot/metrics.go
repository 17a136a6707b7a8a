package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/model"
)

func metricsCommand() *cli.Command {
	return &cli.Command{
		Name:        "metrics",
		Usage:       "list the metrics with their units and definitions",
		Description: "Example:\n  allot metrics",
		Flags:       []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c, metricList())
			}
			return write(c, "-", func(w io.Writer) error {
				for _, m := range metricList() {
					fmt.Fprintf(w, "%s (%s, better when %s)\n  %s\n", m.Name, m.Unit, m.Better, m.Doc)
				}
				return nil
			})
		},
	}
}

// metricRow is a metric in a list.
type metricRow struct {
	Name       string `json:"name"`
	Unit       string `json:"unit"`
	Better     string `json:"better"`
	PerCluster bool   `json:"per_cluster,omitempty"`
	Doc        string `json:"doc"`
}

// metricList lists the metrics.
func metricList() []metricRow {
	var rows []metricRow
	for _, m := range model.MetricTable() {
		better := "low"
		if m.HighBetter {
			better = "high"
		}
		rows = append(rows, metricRow{m.Name, m.Unit, better, m.PerCluster, m.Doc})
	}
	return rows
}
