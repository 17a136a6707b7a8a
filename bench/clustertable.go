package bench

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

// WriteClusterTable writes metrics with a value for each cluster as a table for people: a row for each metric and solver, a column for each
// cluster. A star marks the best value of each metric on each cluster, among on-line policies and among the others. A table wider than width leaves out its last clusters and says so; width 0: no limit.
func WriteClusterTable(w io.Writer, rows []Row, metrics []model.Metric, clusters []string, width int) error {
	shown := len(clusters)
	rendered := renderClusterTable(rows, metrics, clusters)
	for width > 0 && shown > 0 && text.LongestLineLen(rendered) > width {
		shown--
		rendered = renderClusterTable(rows, metrics, clusters[:shown])
	}
	rendered += "\n"
	if left := len(clusters) - shown; left > 0 {
		rendered += fmt.Sprintf("clusters left out for the width: %d; -o FILE writes all\n", left)
	}
	_, err := io.WriteString(w, rendered)
	return err
}

// renderClusterTable makes the table itself.
func renderClusterTable(rows []Row, metrics []model.Metric, clusters []string) string {
	header := table.Row{"by cluster", "solver"}
	for _, id := range clusters {
		header = append(header, id)
	}
	t := texttable.New(2, header...)
	for k, m := range metrics {
		if k > 0 {
			t.AppendSeparator()
		}
		name, best := m.Name, map[bool]map[string]float64{}
		for _, kind := range byKind(rows) {
			best[kind[0].IsOnline()] = bestOnClusters(kind, m, clusters)
		}
		for _, row := range rows {
			if row.Metrics == nil {
				continue
			}
			cells := table.Row{name, solverCell(row)}
			for _, id := range clusters {
				value, ok := row.Metrics[m.Name].ByCluster[id]
				if !ok {
					cells = append(cells, "–")
					continue
				}
				star := " "
				if b, marked := best[row.IsOnline()][id]; marked && b == value && counts(row, m, id) {
					star = "*"
				}
				cells = append(cells, numtext.Figure(value)+star)
			}
			t.AppendRow(cells)
			name = ""
		}
	}
	return t.Render()
}

// bestOnClusters returns the best value of the metric on each cluster. It leaves out clusters on which all solvers agree; of a metric of which neither
// high nor low values are better it leaves out all. The values of a solver that left a cluster unused do not count.
func bestOnClusters(rows []Row, m model.Metric, clusters []string) map[string]float64 {
	best := map[string]float64{}
	for _, id := range clusters {
		var values []float64
		for _, row := range rows {
			if value, ok := row.Metrics[m.Name].ByCluster[id]; ok && counts(row, m, id) {
				values = append(values, value)
			}
		}
		if m.Neutral || len(values) < 2 || slices.Min(values) == slices.Max(values) {
			continue
		}
		best[id] = slices.Min(values)
		if m.HighBetter {
			best[id] = slices.Max(values)
		}
	}
	return best
}

// counts says whether the value of a row on a cluster is of some job. Of no job it is 0, which is not the best of all.
func counts(row Row, m model.Metric, cluster string) bool {
	if m.Name == "cluster_slowdown_without_deadline" { // at least 1 of any job
		return row.Metrics[m.Name].ByCluster[cluster] > 0
	}
	for _, share := range [...]string{"job_share", "workload_share"} {
		if value, ok := row.Metrics[share].ByCluster[cluster]; !ok || value > 0 {
			return true
		}
	}
	return false
}
