// Package tables writes rows of runs for people: tables of one instance, rankings of solvers, and CSV.
package tables

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

// Write writes the rows of one instance as a table for people, with one column per metric, each of which has one value a row, the best objective first and equal ones
// in the given order. A star marks the
// best value of each column, separately among on-line policies and among solvers that know the future; the kind of the first row stands first. If the
// table would be wider than width, it leaves out its last metrics and names them below, then breaks long names; width 0: no limit.
func Write(w io.Writer, rows []bench.Row, metrics []model.Metric, width int) error {
	rendered, shown := narrowed(width, len(metrics), func(shown int) string { return render(rows, metrics[:shown], 0) })
	if over := text.LongestLineLen(rendered) - width; width > 0 && over > 0 {
		rendered = render(rows, nil, max(leastName, longestName(rows)-over)) + "\n"
	}
	if shown < len(metrics) {
		names := kit.Each(metrics[shown:], func(m model.Metric) string { return m.Name })
		rendered += Wrapped(fmt.Sprintf("left out for the width of %d columns: ", width)+strings.Join(names, ", ")+"; --metrics names those to show, -o FILE writes all", width)
	}
	if note := onlineNote(rows); note != "" {
		rendered += Wrapped(note, width)
	}
	if note := owedNote(rows); note != "" {
		rendered += Wrapped(note, width)
	}
	for _, note := range AllocationNotes(rows) {
		rendered += Wrapped(note, width)
	}
	for _, row := range rows {
		if row.Fault != "" {
			rendered += Wrapped(row.Solver+": "+row.Fault, width)
		}
		if row.Warning != "" {
			rendered += Wrapped(row.Solver+": warning: "+row.Warning, width)
		}
	}
	_, err := io.WriteString(w, rendered)
	return err
}

// owedNote names the solvers whose schedules leave out jobs that they owe, with how many: such schedules rank below those that owe fewer, whatever their figures. It is empty where none does.
func owedNote(rows []bench.Row) string {
	var owing []string
	for k := range rows {
		if owed := rows[k].Owed(); owed > 0 && rows[k].Objective != nil {
			owing = append(owing, fmt.Sprintf("%s %d", rows[k].Solver, owed))
		}
	}
	if len(owing) == 0 {
		return ""
	}
	return "jobs left out though owed; who leaves out fewer ranks higher: " + strings.Join(owing, ", ")
}

// WriteClusters writes metrics with a value for each cluster as a table for people: a row for each metric and solver, a column for each
// cluster. A star marks the best value of each metric on each cluster, among on-line policies and among the others. A table wider than width
// breaks long names, then leaves out its last clusters and says so; width 0: no limit.
func WriteClusters(w io.Writer, rows []bench.Row, metrics []model.Metric, clusters []string, width int) error {
	name := 0
	if over := text.LongestLineLen(renderClusters(rows, metrics, clusters, 0)) - width; width > 0 && over > 0 {
		name = max(leastName, longestName(rows)-over)
	}
	rendered, shown := narrowed(width, len(clusters), func(shown int) string { return renderClusters(rows, metrics, clusters[:shown], name) })
	if left := len(clusters) - shown; left > 0 {
		rendered += fmt.Sprintf("clusters left out for the width: %d; -o FILE writes all\n", left)
	}
	_, err := io.WriteString(w, rendered)
	return err
}

// leastName is how many letters of a solver's name stand on a line at least, where a table would be too wide.
const leastName = 12

// longestName is the width of the widest solver cell.
func longestName(rows []bench.Row) int {
	longest := 0
	for k := range rows {
		longest = max(longest, text.StringWidthWithoutEscSequences(solverCell(&rows[k])))
	}
	return longest
}

// Wrapped breaks a text between words into lines that fit the width, and ends the last one; width 0: the lines stay as they are.
func Wrapped(words string, width int) string {
	if width > 0 {
		words = text.WrapSoft(words, width)
	}
	lines := ""
	for line := range strings.Lines(words) {
		lines += strings.TrimRight(line, " \n") + "\n"
	}
	return lines
}

// sorted orders rows by what the schedules are worth: fewer jobs owed, then a lower objective, and no schedule last; equal ones stay in the given order.
func sorted(rows []bench.Row) []bench.Row {
	worth := func(row *bench.Row) (failed, owed int, objective float64) {
		if row.Objective == nil || row.Fault != "" {
			return 1, 0, 0
		}
		return 0, row.Owed(), *row.Objective
	}
	return slices.SortedStableFunc(slices.Values(rows), func(a, b bench.Row) int {
		failedA, owedA, objectiveA := worth(&a)
		failedB, owedB, objectiveB := worth(&b)
		return cmp.Or(cmp.Compare(failedA, failedB), cmp.Compare(owedA, owedB), cmp.Compare(objectiveA, objectiveB))
	})
}

// narrowed renders a table with fewer and fewer of its columns until it fits the width, and returns how many it shows.
func narrowed(width, columns int, render func(shown int) string) (rendered string, shown int) {
	shown, rendered = columns, render(columns)
	for width > 0 && shown > 0 && text.LongestLineLen(rendered) > width {
		shown--
		rendered = render(shown)
	}
	return rendered + "\n", shown
}

// render makes the table of one instance, with at most the given number of letters of a solver's name on a line; 0: no limit. The deviation stands in it where there are solvers to compare.
func render(rows []bench.Row, metrics []model.Metric, name int) string {
	header := table.Row{"solver", "objective", "bound", "gap %"}
	compared := len(rows) > 1
	if compared {
		header = append(header, "RPD %")
	}
	for _, m := range metrics {
		header = append(header, m.Name)
	}
	t := texttable.NewBroken(name, 1, append(header, "time s")...)
	best := BestRows(rows)
	for k, kind := range byKind(rows) {
		kind = sorted(kind)
		if k > 0 {
			t.AppendSeparator()
		}
		objective := starsOf(kind, model.Metric{}, objectiveOf)
		stars := make([]stars, len(metrics))
		for k, m := range metrics {
			stars[k] = starsOf(kind, m, func(row *bench.Row) (float64, bool) { return row.Metrics.Get(m.Name) })
		}
		for k := range kind {
			row := &kind[k]
			value, known := objectiveOf(row)
			cells := table.Row{solverCell(row), objective.cell(row, value, known), optionalFigure(numtext.Finite(row.Bound.Or(math.NaN()))), optionalFigure(row.Gap)}
			if compared {
				cells = append(cells, percent(RPD(row, best[[2]string{row.InstanceSHA256, row.Minimised}])))
			}
			for k, m := range metrics {
				value, known := row.Metrics.Get(m.Name)
				cells = append(cells, stars[k].cell(row, value, known))
			}
			t.AppendRow(append(cells, strconv.FormatFloat(row.Elapsed, 'f', 3, 64)))
		}
	}
	return t.Render()
}

// renderClusters makes the table of metrics by cluster, with names as [render] has them. The value of a solver that left a cluster unused has no star.
func renderClusters(rows []bench.Row, metrics []model.Metric, clusters []string, name int) string {
	header := table.Row{"by cluster", "solver"}
	for _, id := range clusters {
		header = append(header, id)
	}
	t := texttable.NewBroken(name, 2, header...)
	for k, m := range metrics {
		if k > 0 {
			t.AppendSeparator()
		}
		best := map[bool][]stars{} // by kind of solver, then by cluster
		for _, kind := range byKind(rows) {
			for _, id := range clusters {
				best[kind[0].IsOnline()] = append(best[kind[0].IsOnline()], starsOf(kind, m, func(row *bench.Row) (float64, bool) {
					value, ok := row.Metrics[m.Name].ByCluster[id]
					return value, ok && counts(row, m, id)
				}))
			}
		}
		name := m.Name
		for k := range rows {
			row := &rows[k]
			if row.Metrics == nil {
				continue
			}
			cells := table.Row{name, solverCell(row)}
			for c, id := range clusters {
				value, ok := row.Metrics[m.Name].ByCluster[id]
				star := best[row.IsOnline()][c]
				if !counts(row, m, id) {
					star = stars{}
				}
				cells = append(cells, star.cell(row, value, ok))
			}
			t.AppendRow(cells)
			name = ""
		}
	}
	return t.Render()
}

// stars marks the best value of a column.
type stars struct {
	best  float64
	known bool // some value of the column is better than another
	owed  int  // by the schedules that the best is among
}

// starsOf finds the best value of a metric among the rows that owe the fewest jobs: a schedule that leaves out more is worse, whatever its figures. There is none where all agree, or
// where neither high nor low values are better.
func starsOf(rows []bench.Row, m model.Metric, of func(*bench.Row) (float64, bool)) stars {
	var values []float64
	s := stars{owed: math.MaxInt}
	for k := range rows {
		value, ok := of(&rows[k])
		if owed := rows[k].Owed(); ok && owed < s.owed {
			s.owed, values = owed, nil
		}
		if ok && rows[k].Owed() == s.owed {
			values = append(values, value)
		}
	}
	switch {
	case m.Neutral || len(values) < 2 || slices.Min(values) == slices.Max(values):
		return s
	case m.HighBetter:
		s.best, s.known = slices.Max(values), true
	default:
		s.best, s.known = slices.Min(values), true
	}
	return s
}

// cell formats the value of a row, with its star; a dash: there is none.
func (s stars) cell(row *bench.Row, value float64, ok bool) string {
	switch {
	case !ok:
		return "–"
	case s.known && s.best == value && s.owed == row.Owed():
		return numtext.Figure(value) + "*"
	}
	return numtext.Figure(value) + " "
}

// counts says whether the value of a row on a cluster is of some job. Of no job it is 0, which is not the best of all.
func counts(row *bench.Row, m model.Metric, cluster string) bool {
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

// byKind divides rows into those of on-line policies and those of other solvers, which know more. The kind of the first
// row comes first.
func byKind(rows []bench.Row) [][]bench.Row {
	var kinds [][]bench.Row
	for _, row := range rows {
		k := slices.IndexFunc(kinds, func(kind []bench.Row) bool { return kind[0].IsOnline() == row.IsOnline() })
		if k < 0 {
			k, kinds = len(kinds), append(kinds, nil)
		}
		kinds[k] = append(kinds[k], row)
	}
	return kinds
}

// objectiveOf returns the row's objective, or false if it has none.
func objectiveOf(row *bench.Row) (float64, bool) {
	if row.Objective == nil {
		return 0, false
	}
	return *row.Objective, true
}

// solverCell returns the solver's name, with a mark for a run that had to decide on line.
func solverCell(row *bench.Row) string {
	if row.IsOnline() {
		return row.Solver + " (on line)"
	}
	return row.Solver
}

// onlineNote explains what on line means, below a table in which such runs stand beside others.
func onlineNote(rows []bench.Row) string {
	beside := map[bool]bool{}
	for _, row := range rows {
		if row.Solution != nil {
			beside[row.IsOnline()] = true
		}
	}
	if len(beside) < 2 {
		return ""
	}
	return "on line: learns of a job at its arrival, and of its time only the estimate; the other solvers know more, so the two are not in one ranking"
}

// AllocationNotes names the solvers that allocate by another metric than the instance minimises: a line for each metric.
func AllocationNotes(rows []bench.Row) []string {
	solvers := map[string][]string{} // by metric
	for k := range rows {
		row := &rows[k]
		if (row.Solution != nil || row.Objective != nil) && row.AllocatesBy != "" && !slices.Contains(solvers[row.AllocatesBy], row.Solver) {
			solvers[row.AllocatesBy] = append(solvers[row.AllocatesBy], row.Solver)
		}
	}
	var notes []string
	for _, metric := range slices.Sorted(maps.Keys(solvers)) {
		notes = append(notes, strings.Join(solvers[metric], ", ")+": "+numtext.Word(len(solvers[metric]), "allocates", "allocate")+" by "+metric+", whatever the instance minimises")
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
