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

	"github.com/allot-opt/allot/model"
)

// column is a metric in a table, or its values on one cluster.
type column struct {
	metric  model.Metric
	cluster string // "": a metric with one value
}

// columnsOf makes the columns of the metrics: one for a metric with one value, one a cluster of the rows for the others.
func columnsOf(rows []Row, metrics []model.Metric) []column {
	var columns []column
	for _, m := range metrics {
		if !m.PerCluster {
			columns = append(columns, column{metric: m})
			continue
		}
		clusters := map[string]bool{}
		for _, row := range rows {
			for id := range row.Metrics[m.Name].ByCluster {
				clusters[id] = true
			}
		}
		for _, id := range slices.Sorted(maps.Keys(clusters)) {
			columns = append(columns, column{m, id})
		}
	}
	return columns
}

// name is the heading of the column: the metric, or metric[cluster].
func (c column) name() string {
	if c.metric.PerCluster {
		return c.metric.Name + "[" + c.cluster + "]"
	}
	return c.metric.Name
}

// value is the row's value, and whether it has one.
func (c column) value(row Row) (float64, bool) {
	if c.metric.PerCluster {
		x, ok := row.Metrics[c.metric.Name].ByCluster[c.cluster]
		return x, ok
	}
	return row.Metrics.Get(c.metric.Name)
}

// WriteTable writes the rows of one instance as a table for people, with one column per metric, or per cluster for a metric of the clusters. A
// star marks the best value of each column. A table wider than width leaves out its last columns and names them below; width 0: no limit.
func WriteTable(w io.Writer, rows []Row, metrics []model.Metric, width int) error {
	columns := columnsOf(rows, metrics)
	shown := len(columns)
	rendered := renderTable(rows, columns)
	for width > 0 && shown > 0 && text.LongestLineLen(rendered) > width {
		shown--
		rendered = renderTable(rows, columns[:shown])
	}
	rendered += "\n"
	if shown < len(columns) {
		var names []string
		for _, c := range columns[shown:] {
			names = append(names, c.name())
		}
		note := text.WrapSoft("left out for the width of the terminal: "+strings.Join(names, ", ")+"; --metrics names those to show, -o FILE writes all", width)
		for line := range strings.Lines(note) {
			rendered += strings.TrimRight(line, " \n") + "\n"
		}
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
func renderTable(rows []Row, columns []column) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"solver", "objective", "bound", "gap %"}
	configs := []table.ColumnConfig{}
	for k, c := range columns {
		heading := c.name()
		if k > 0 && columns[k-1].metric.Name == c.metric.Name && c.metric.PerCluster {
			heading = "[" + c.cluster + "]" // of the metric named to the left
		}
		header = append(header, heading)
	}
	header = append(header, "time s")
	for k := 2; k <= len(header); k++ {
		configs = append(configs, table.ColumnConfig{Number: k, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	best := bestValues(rows, columns)
	for _, row := range rows {
		t.AppendRow(tableRow(row, columns, best))
	}
	return t.Render()
}

// ShownMetrics lists the metrics that are of interest for the instance.
func ShownMetrics(in *model.Instance) []model.Metric {
	names := []string{"makespan"}
	if len(in.Clusters()) > 1 {
		names = append(names, "mcp", "balance")
	}
	deadlines, free, hard, files, budgets, costs := false, false, false, false, false, false
	for k := range in.Jobs() {
		deadlines = deadlines || in.Jobs()[k].HasDeadline()
		free = free || !in.Jobs()[k].HasDeadline()
		hard = hard || in.Jobs()[k].HasDeadline() && in.Jobs()[k].DeadlineHard
		files = files || in.Jobs()[k].Input+in.Jobs()[k].Output > 0
		budgets = budgets || in.Jobs()[k].HasBudget()
	}
	for c := range in.Clusters() {
		costs = costs || slices.ContainsFunc(in.Clusters()[c].Machines, func(m model.Machine) bool { return m.Cost > 0 })
	}
	if deadlines {
		names = append(names, "over_deadline", "missed")
	}
	if deadlines && free {
		names = append(names, "slowdown_without_deadline")
	}
	if drawsCopies(in) {
		names = append(names, "licence_usage")
	}
	if in.Features()&model.MoldableJobs != 0 {
		names = append(names, "mean_partition")
	}
	names = append(names, "mean_response", "mean_wait", "bounded_slowdown", "utilisation", "unfinished")
	if hard { // schedules may differ in the jobs that they finish
		names = append(names, "work_done")
	}
	if hard && files {
		names = append(names, "data_moved")
	}
	if costs {
		names = append(names, "cost")
	}
	if budgets {
		names = append(names, "over_budget")
	}
	if len(in.Workflows()) > 0 {
		names = append(names, "workflow_failures")
	}
	if in.Queueing().Given {
		names = append(names, "qos_penalty")
	}
	objective := in.Objective()
	var shown []model.Metric
	for _, m := range model.MetricTable() {
		alone := len(objective) == 1 && objective[0].Metric == m.Name && objective[0].Weight == 1
		asked := slices.ContainsFunc(objective, func(t model.ObjectiveTerm) bool { return t.Metric == m.Name })
		if (slices.Contains(names, m.Name) || asked) && !alone {
			shown = append(shown, m)
		}
	}
	return shown
}

// drawsCopies says whether a job asks for a licence of which some pool is limited.
func drawsCopies(in *model.Instance) bool {
	limited := make([]bool, len(in.Licences()))
	for l := range limited {
		for c := range in.Clusters() {
			copies, _ := in.Pool(c, l)
			limited[l] = limited[l] || copies != model.Unlimited
		}
	}
	return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool {
		return slices.ContainsFunc(j.Licences, func(need model.Need) bool { return limited[need.Licence] })
	})
}

// bestValues returns the best objective, under the key "", and the best value of each column. It leaves out columns in which all solvers agree,
// and those in which neither high nor low values are better.
func bestValues(rows []Row, columns []column) map[string]float64 {
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
	for _, c := range columns {
		if !c.metric.Neutral {
			consider(c.name(), c.metric.HighBetter, c.value)
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
func tableRow(row Row, columns []column, best map[string]float64) table.Row {
	cell := func(name string, value float64, ok bool) string {
		if !ok {
			return "–"
		}
		star := " "
		if b, marked := best[name]; marked && b == value {
			star = "*"
		}
		return Figure(value) + star
	}
	objective, ok := objectiveOf(row)
	cells := table.Row{row.Solver, cell("", objective, ok), optionalFigure(Finite(row.Bound.Or(math.NaN()))), optionalFigure(row.Gap)}
	for _, c := range columns {
		value, ok := c.value(row)
		cells = append(cells, cell(c.name(), value, ok))
	}
	return append(cells, strconv.FormatFloat(row.Elapsed, 'f', 3, 64))
}

// optionalFigure formats a number, or writes a dash for nil.
func optionalFigure(x *float64) string {
	if x == nil {
		return "–"
	}
	return Figure(*x)
}

// Figure formats a number for people with six significant digits. A whole number has no decimals.
func Figure(x float64) string {
	switch a := math.Abs(x); {
	case x == math.Trunc(x) && a < 1e12:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case a >= 1e12 || a < 1e-4:
		return strconv.FormatFloat(x, 'e', 5, 64)
	default:
		digits := max(0, 5-int(math.Floor(math.Log10(a))))
		return strconv.FormatFloat(x, 'f', min(digits, 6), 64)
	}
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

// WriteCSV writes the rows as CSV with one column per metric, or per cluster for a metric of the clusters; nil: all metrics that consist of a
// single value.
func WriteCSV(w io.Writer, rows []Row, metrics []model.Metric) error {
	if metrics == nil {
		metrics = slices.DeleteFunc(slices.Clone(model.MetricTable()), func(m model.Metric) bool { return m.PerCluster })
	}
	out := csv.NewWriter(w)
	header := []string{"instance", "solver", "seed", "status", "stop", "objective", "bound", "gap_percent", "elapsed_s", "evaluations", "fault"}
	columns := columnsOf(rows, metrics)
	for _, c := range columns {
		header = append(header, c.name())
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		record := []string{row.Instance, row.Solver, strconv.FormatUint(row.Seed, 10), string(row.Status), string(row.Stop),
			exact(row.Objective), exact(Finite(row.Bound.Or(math.NaN()))), exact(row.Gap), exact(&row.Elapsed), strconv.FormatInt(row.Evaluations, 10), row.Fault}
		for _, c := range columns {
			cell := ""
			if value, ok := c.value(row); ok {
				cell = exact(&value)
			}
			record = append(record, cell)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// exact formats a number without loss, or returns an empty text for nil.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
