package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/model"
)

// WriteTable writes the rows of one instance as a table for people, with one column per metric. A star marks the best value of each column. A
// table wider than width leaves out its last metrics and names them below; width 0: no limit.
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
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"solver", "objective", "bound", "gap %"}
	configs := []table.ColumnConfig{}
	for _, m := range metrics {
		header = append(header, m.Name)
	}
	header = append(header, "time s")
	for k := 2; k <= len(header); k++ {
		configs = append(configs, table.ColumnConfig{Number: k, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	best := bestValues(rows, metrics)
	for _, row := range rows {
		t.AppendRow(tableRow(row, metrics, best))
	}
	return t.Render()
}

// ShownMetrics lists the metrics that are of interest for the instance.
func ShownMetrics(in *model.Instance) []model.Metric {
	names := []string{"makespan"}
	if len(in.Clusters()) > 1 {
		names = append(names, "mcp", "balance")
	}
	deadlines, hard, files, budgets, costs := false, false, false, false, false
	for k := range in.Jobs() {
		deadlines = deadlines || in.Jobs()[k].HasDeadline()
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

// bestValues returns the best objective, under the key "", and the best value of each metric. It leaves out columns in which all solvers agree.
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
		consider(m.Name, m.HighBetter, func(row Row) (float64, bool) { return row.Metrics.Get(m.Name) })
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
		return Figure(value) + star
	}
	objective, ok := objectiveOf(row)
	cells := table.Row{row.Solver, cell("", objective, ok), optionalFigure(Finite(row.Bound.Or(math.NaN()))), optionalFigure(row.Gap)}
	for _, m := range metrics {
		value, ok := row.Metrics.Get(m.Name)
		cells = append(cells, cell(m.Name, value, ok))
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

// WriteCSV writes the rows as CSV with one column per metric; nil: all metrics that consist of a single value.
func WriteCSV(w io.Writer, rows []Row, metrics []model.Metric) error {
	if metrics == nil {
		metrics = slices.DeleteFunc(slices.Clone(model.MetricTable()), func(m model.Metric) bool { return m.PerCluster })
	}
	out := csv.NewWriter(w)
	header := []string{"instance", "solver", "seed", "status", "stop", "objective", "bound", "gap_percent", "elapsed_s", "evaluations", "fault"}
	for _, m := range metrics {
		header = append(header, m.Name)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		record := []string{row.Instance, row.Solver, strconv.FormatUint(row.Seed, 10), string(row.Status), string(row.Stop),
			exact(row.Objective), exact(Finite(row.Bound.Or(math.NaN()))), exact(row.Gap), exact(&row.Elapsed), strconv.FormatInt(row.Evaluations, 10), row.Fault}
		for _, m := range metrics {
			cell := ""
			if value, ok := row.Metrics.Get(m.Name); ok {
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
