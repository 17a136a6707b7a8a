package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

// WriteTable writes the rows of one instance as a table for people, with one column per metric, each of which has one value a row. A star marks the
// best value of each column, separately among on-line policies and among solvers that know the future; the kind of the first row stands first. If the
// table would be wider than width, it leaves out its last metrics and names them below; width 0: no limit.
func WriteTable(w io.Writer, rows []Row, metrics []model.Metric, width int) error {
	shown := len(metrics)
	rendered := renderTable(rows, metrics)
	for width > 0 && shown > 0 && text.LongestLineLen(rendered) > width {
		shown--
		rendered = renderTable(rows, metrics[:shown])
	}
	rendered += "\n"
	if shown < len(metrics) {
		var names []string
		for _, m := range metrics[shown:] {
			names = append(names, m.Name)
		}
		note := text.WrapSoft("left out for the width of the terminal: "+strings.Join(names, ", ")+"; --metrics names those to show, -o FILE writes all", width)
		for line := range strings.Lines(note) {
			rendered += strings.TrimRight(line, " \n") + "\n"
		}
	}
	rendered += onlineNote(rows)
	for _, note := range AllocationNotes(rows) {
		rendered += note + "\n"
	}
	for _, row := range rows {
		if row.Fault != "" {
			rendered += row.Solver + ": " + row.Fault + "\n"
		}
		if row.Warning != "" {
			rendered += row.Solver + ": warning: " + row.Warning + "\n"
		}
	}
	_, err := io.WriteString(w, rendered)
	return err
}

// renderTable makes the table itself.
func renderTable(rows []Row, metrics []model.Metric) string {
	header := table.Row{"solver", "objective", "bound", "gap %"}
	for _, m := range metrics {
		header = append(header, m.Name)
	}
	header = append(header, "time s")
	t := texttable.New(1, header...)
	for k, kind := range byKind(rows) {
		if k > 0 {
			t.AppendSeparator()
		}
		best := bestValues(kind, metrics)
		for _, row := range kind {
			t.AppendRow(tableRow(row, metrics, best))
		}
	}
	return t.Render()
}

// byKind divides rows into those of on-line policies and those of other solvers, which know more. The kind of the first
// row comes first.
func byKind(rows []Row) [][]Row {
	var kinds [][]Row
	for _, row := range rows {
		k := slices.IndexFunc(kinds, func(kind []Row) bool { return kind[0].IsOnline() == row.IsOnline() })
		if k < 0 {
			k, kinds = len(kinds), append(kinds, nil)
		}
		kinds[k] = append(kinds[k], row)
	}
	return kinds
}

// bestValues returns the best objective, under the key "", and the best value of each metric. It leaves out columns in which all solvers agree,
// and those in which neither high nor low values are better.
func bestValues(rows []Row, metrics []model.Metric) map[string]float64 {
	best := map[string]float64{}
	consider := func(name string, higher bool, value func(Row) (float64, bool)) {
		var values []float64
		for _, row := range rows {
			if v, ok := value(row); ok {
				values = append(values, v)
			}
		}
		if len(values) < 2 || slices.Min(values) == slices.Max(values) {
			return
		}
		best[name] = slices.Min(values)
		if higher {
			best[name] = slices.Max(values)
		}
	}
	consider("", false, objectiveOf)
	for _, m := range metrics {
		if !m.Neutral {
			consider(m.Name, m.HighBetter, func(row Row) (float64, bool) { return row.Metrics.Get(m.Name) })
		}
	}
	return best
}

// objectiveOf returns the row's objective, or false if it has none.
func objectiveOf(row Row) (float64, bool) {
	if row.Objective == nil {
		return 0, false
	}
	return *row.Objective, true
}

// tableRow formats one row.
func tableRow(row Row, metrics []model.Metric, best map[string]float64) table.Row {
	cell := func(name string, value float64, ok bool) string {
		if !ok {
			return "–"
		}
		star := " "
		if b, marked := best[name]; marked && b == value {
			star = "*"
		}
		return numtext.Figure(value) + star
	}
	objective, ok := objectiveOf(row)
	cells := table.Row{solverCell(row), cell("", objective, ok), optionalFigure(Finite(row.Bound.Or(math.NaN()))), optionalFigure(row.Gap)}
	for _, m := range metrics {
		value, ok := row.Metrics.Get(m.Name)
		cells = append(cells, cell(m.Name, value, ok))
	}
	return append(cells, strconv.FormatFloat(row.Elapsed, 'f', 3, 64))
}

// solverCell returns the solver's name, with a mark for a run that had to decide on line.
func solverCell(row Row) string {
	if row.IsOnline() {
		return row.Solver + " (on line)"
	}
	return row.Solver
}

// onlineNote explains what on line means, below a table in which such runs stand beside others.
func onlineNote(rows []Row) string {
	beside := map[bool]bool{}
	for _, row := range rows {
		if row.Solution != nil {
			beside[row.IsOnline()] = true
		}
	}
	if len(beside) < 2 {
		return ""
	}
	return "on line: learns of a job at its arrival, and of its time only the estimate; the other solvers know more, so the two are not in one ranking\n"
}

// AllocationNotes names the solvers that allocate by another metric than the instance minimises: a line for each metric.
func AllocationNotes(rows []Row) []string {
	solvers := map[string][]string{} // by metric
	for k := range rows {
		row := &rows[k]
		if (row.Solution != nil || row.Objective != nil) && row.AllocatesBy != "" && !slices.Contains(solvers[row.AllocatesBy], row.Solver) {
			solvers[row.AllocatesBy] = append(solvers[row.AllocatesBy], row.Solver)
		}
	}
	var notes []string
	for _, metric := range slices.Sorted(maps.Keys(solvers)) {
		verb := "allocates"
		if len(solvers[metric]) > 1 {
			verb = "allocate"
		}
		notes = append(notes, strings.Join(solvers[metric], ", ")+": "+verb+" by "+metric+", whatever the instance minimises")
	}
	return notes
}

// optionalFigure formats a number, or writes a dash for nil.
func optionalFigure(x *float64) string {
	if x == nil {
		return "–"
	}
	return numtext.Figure(*x)
}

// WriteJSON writes the rows as JSON lines.
func WriteJSON(w io.Writer, rows []Row) error {
	encoder := json.NewEncoder(w)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes the rows as CSV with one column per metric, or one per cluster of a metric with a value for each; nil: all metrics that
// consist of a single value.
func WriteCSV(w io.Writer, rows []Row, metrics []model.Metric) error {
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
			exact(row.Objective), exact(Finite(row.Bound.Or(math.NaN()))), exact(row.Gap), exact(&row.Elapsed), strconv.FormatInt(row.Evaluations, 10), plaintext.Cell(row.Fault)}
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
func csvColumns(rows []Row, metrics []model.Metric) []csvColumn {
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
	return exact(&value)
}

// exact formats a number without loss, or returns an empty text for nil.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
