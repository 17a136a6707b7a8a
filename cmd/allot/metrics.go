package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

func metricsCommand() *cli.Command {
	return &cli.Command{
		Name:        "metrics",
		Usage:       "list the metrics with their units and definitions",
		ArgsUsage:   "[NAME]",
		Description: "With NAME it describes only that metric. In the definitions, F is the set of jobs that are placed and meet their deadline if it is hard.\n\nExamples:\n  allot metrics\n  allot metrics mcp",
		Flags:       []cli.Flag{jsonFlag},
		Action:      runMetrics,
	}
}

// runMetrics lists the metrics, or describes one.
func runMetrics(c *cli.Context) error {
	list := metricList()
	if c.NArg() > 0 {
		args, err := arguments(c, "NAME")
		if err != nil {
			return err
		}
		if list, err = metricOf(list, args[0]); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json") && c.NArg() > 0:
		return writeJSON(c, list[0])
	case c.Bool("json"):
		return writeJSON(c, list)
	}
	return write(c, "-", func(w io.Writer) error {
		for _, m := range list {
			better := "better when " + m.Better
			if m.Better == "neither" {
				better = "neither high nor low is better"
			}
			fmt.Fprintf(w, "%s (%s, %s)\n  %s\n", m.Name, m.Unit, better, m.Doc)
			if c.NArg() > 0 && m.PerCluster {
				fmt.Fprintln(w, "  one number per cluster, so it cannot be an objective")
			} else if c.NArg() > 0 && m.Better == "neither" {
				fmt.Fprintln(w, "  in an objective, a weight above 0 asks for low values and a weight below 0 for high values")
			}
		}
		return nil
	})
}

// metricOf returns a list with only the named metric.
func metricOf(list []metricRow, name string) ([]metricRow, error) {
	if found := kit.That(list, func(m metricRow) bool { return m.Name == name }); found != nil {
		return found, nil
	}
	return nil, noSuch("a metric", name, metricNames())
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
	return kit.Each(model.MetricTable(), func(m model.Metric) metricRow { return metricRow{m.Name, m.Unit, m.Better(), m.PerCluster, m.Doc} })
}
