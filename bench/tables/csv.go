package tables

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// WriteCSV writes the rows as CSV with one column per metric, or one per cluster of a metric with a value for each; nil: all metrics that
// consist of a single value.
func WriteCSV(w io.Writer, rows []bench.Row, metrics []model.Metric) error {
	if metrics == nil {
		metrics = slices.DeleteFunc(slices.Clone(model.MetricTable()), func(m model.Metric) bool { return m.PerCluster })
	}
	columns := csvColumns(rows, metrics)
	t := document.NewTable("", 0, append([]string{"instance", "solver", "seed", "status", "stop", "objective", "bound", "gap_percent", "elapsed_s", "evaluations", "fault"}, kit.Each(columns, csvColumn.name)...)...)
	plain := document.Plain
	for _, row := range rows {
		t.Add(append([]document.Cell{plain(row.Instance), plain(row.Solver), plain(strconv.FormatUint(row.Seed, 10)), plain(string(row.Status)), plain(string(row.Stop)),
			document.Exact(row.Objective), document.Exact(numtext.Finite(row.Bound.Or(math.NaN()))), document.Exact(row.Gap), document.Exact(&row.Elapsed), plain(strconv.FormatInt(row.Evaluations, 10)), plain(row.Fault)},
			kit.Each(columns, func(c csvColumn) document.Cell { return c.cell(row.Metrics) })...)...)
	}
	return t.CSV(w)
}

// csvColumn is a metric, or what it is on a cluster.
type csvColumn struct{ metric, cluster string }

// csvColumns lists the columns of metrics: of those with a value for each cluster, all clusters that the rows know.
func csvColumns(rows []bench.Row, metrics []model.Metric) []csvColumn {
	var columns []csvColumn
	for _, m := range metrics {
		if !m.PerCluster {
			columns = append(columns, csvColumn{metric: m.Name})
			continue
		}
		clusters := map[string]bool{}
		for _, row := range rows {
			for id := range row.Metrics[m.Name].ByCluster {
				clusters[id] = true
			}
		}
		for _, id := range slices.Sorted(maps.Keys(clusters)) {
			columns = append(columns, csvColumn{m.Name, id})
		}
	}
	return columns
}

// name is the column's heading.
func (c csvColumn) name() string {
	if c.cluster == "" {
		return c.metric
	}
	return c.metric + "[" + c.cluster + "]"
}

// cell is the value in the column; empty: there is none.
func (c csvColumn) cell(metrics model.Metrics) document.Cell {
	value, ok := metrics.Get(c.metric)
	if c.cluster != "" {
		value, ok = metrics[c.metric].ByCluster[c.cluster]
	}
	if !ok {
		return document.Cell{}
	}
	return document.Exact(&value)
}
