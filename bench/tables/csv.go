package tables

import (
	"encoding/csv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/model"
)

// WriteCSV writes the rows as CSV with one column per metric, or one per cluster of a metric with a value for each; nil: all metrics that
// consist of a single value.
func WriteCSV(w io.Writer, rows []bench.Row, metrics []model.Metric) error {
	if metrics == nil {
		metrics = slices.DeleteFunc(slices.Clone(model.MetricTable()), func(m model.Metric) bool { return m.PerCluster })
	}
	out := csv.NewWriter(w)
	header := []string{"instance", "solver", "seed", "status", "stop", "objective", "bound", "gap_percent", "elapsed_s", "evaluations", "fault"}
	columns := csvColumns(rows, metrics)
	for _, column := range columns {
		header = append(header, column.name())
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		record := []string{plaintext.Cell(row.Instance), plaintext.Cell(row.Solver), strconv.FormatUint(row.Seed, 10), string(row.Status), string(row.Stop),
			numtext.Exact(row.Objective), numtext.Exact(numtext.Finite(row.Bound.Or(math.NaN()))), numtext.Exact(row.Gap), numtext.Exact(&row.Elapsed), strconv.FormatInt(row.Evaluations, 10), plaintext.Cell(row.Fault)}
		for _, column := range columns {
			record = append(record, column.cell(row.Metrics))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
func (c csvColumn) cell(metrics model.Metrics) string {
	value, ok := metrics.Get(c.metric)
	if c.cluster != "" {
		value, ok = metrics[c.metric].ByCluster[c.cluster]
	}
	if !ok {
		return ""
	}
	return numtext.Exact(&value)
}
