package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	rowtables "github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
)

// TableFormat is a format of the table of solvers.
type TableFormat string

// The formats: LaTeX for package booktabs, CSV with all digits, Markdown; the gaps by group in Markdown, see [WriteSummary].
const (
	LaTeX    TableFormat = "latex"
	CSV      TableFormat = "csv"
	Markdown TableFormat = "md"
	Summary  TableFormat = "summary"
)

// TableFormats lists all formats.
func TableFormats() []TableFormat { return []TableFormat{LaTeX, CSV, Markdown, Summary} }

// WriteTable writes the main table of the report of runs: what each solver of each group did, the best mean rank first. Solvers that stand apart
// have, as on the page, the best of the other kind below them for reference. Whatever names hold is text in the table.
func WriteTable(w io.Writer, runs []Run, format TableFormat) error {
	if format == Summary {
		return WriteSummary(w, runs, SummaryOptions{})
	}
	s, _, err := newStudyOf(runs)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	text := ""
	switch format {
	case LaTeX:
		text = s.latexTable()
	case Markdown:
		text = s.markdownTable()
	case CSV:
		return s.csvTable(w)
	default:
		return fmt.Errorf("report: table: expected latex, csv, md or summary, found %q", format)
	}
	_, err = io.WriteString(w, text)
	return err
}

// mainTables are the tables of the groups with the columns that say something in one of them at least, whose places are told.
func (s *study) mainTables() (tables []*document.Table, columns []int) {
	for _, g := range s.groups {
		tables = append(tables, g.solversTable(""))
	}
	const speed = 9 // is for a page
	for k := range tables[0].Columns {
		says := slices.ContainsFunc(tables, func(t *document.Table) bool {
			return slices.ContainsFunc(t.Rows, func(row []document.Cell) bool { return row[k].Text != document.Missing && row[k].Text != "0" })
		})
		if k != speed && (says || k < 6) { // those of ranks, objectives, gaps to the best known and deviations are always there
			columns = append(columns, k)
		}
	}
	return tables, columns
}

// latexTable is the table for LaTeX.
func (s *study) latexTable() string {
	tables, columns := s.mainTables()
	var b strings.Builder
	b.WriteString("% Made by allot bench report --table latex; needs \\usepackage{booktabs}. Objective: mean and half the width of its interval (Student's t, confidence 0.95); bold: the best.\n\\begin{tabular}{l" + strings.Repeat("r", len(columns)-1) + "}\n\\toprule\n")
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	head := kit.Each(columns, func(k int) string { return latexText(tables[0].Columns[k].Name) })
	line(head)
	row := func(cells []document.Cell) {
		var list []string
		for _, k := range columns {
			text := latexText(cells[k].Text)
			if cells[k].IsGood {
				text = `\textbf{` + text + `}`
			}
			list = append(list, text)
		}
		line(list)
	}
	for k, g := range s.groups {
		b.WriteString("\\midrule\n")
		if len(s.groups) > 1 {
			fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", len(columns), latexText(document.Printable(g.titled())))
		}
		for _, cells := range tables[k].Rows {
			row(cells)
		}
		for _, cells := range tables[k].Foot {
			cells[0].Text = "for reference: " + cells[0].Text
			row(cells)
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

// titled is the group's title, or a word where it has no name.
func (g *group) titled() string {
	if title := g.title(); title != "" {
		return title
	}
	return "Other instances"
}

// latexEscapes are what letters that mean something in LaTeX, and signs that its fonts lack, are written as.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`, `^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `"`, `\char34{}`, "`", `\char96{}`, `±`, `$\pm$`, `−`, `$-$`, `–`, `\textendash{}`, `∞`, `$\infty$`,
	`…`, `\ldots{}`, "\uFFFD", `?`,
	`[`, `{[}`, `*`, `{*}`, // which at the begin of a line would belong to the command that ends the line before
)

// latexText is a text as it stands in LaTeX. Hyphens that follow each other stay hyphens.
func latexText(text string) string {
	text = latexEscapes.Replace(text)
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "-{}-")
	}
	return text
}

// markdownTable is the table for Markdown, the group in the first column where there are several.
func (s *study) markdownTable() string {
	tables, columns := s.mainTables()
	several := len(s.groups) > 1
	names := kit.Each(columns, func(k int) string { return tables[0].Columns[k].Name })
	if several {
		names = append([]string{"group"}, names...)
	}
	var b strings.Builder
	b.WriteString(markdownHead(names, len(names)-len(columns)+1))
	for n, g := range s.groups {
		for k, cells := range slices.Concat(tables[n].Rows, tables[n].Foot) {
			var list []document.Cell
			if several {
				list = append(list, document.Text(g.titled()))
			}
			for _, column := range columns {
				list = append(list, cells[column])
			}
			if k >= len(tables[n].Rows) {
				list[len(list)-len(columns)].Text = "for reference: " + cells[0].Text
			}
			b.WriteString(markdownRow(list))
		}
	}
	b.WriteString(markdownNotes(rowtables.AllocationNotes(s.rows)))
	return b.String()
}

// markdownNotes are lines below a table.
func markdownNotes(notes []string) string {
	text := ""
	for _, note := range notes {
		text += "\n" + markdownText(document.Printable(note)) + ".\n"
	}
	return text
}

// markdownHead is the head of a table whose first columns are texts and the others numbers.
func markdownHead(names []string, texts int) string {
	head, rule := "|", "|"
	for k, name := range names {
		head += " " + markdownText(name) + " |"
		if k < texts {
			rule += " --- |"
		} else {
			rule += " ---: |"
		}
	}
	return head + "\n" + rule + "\n"
}

// markdownRow is a line of a table, the best in bold.
func markdownRow(cells []document.Cell) string {
	line := "|"
	for _, c := range cells {
		text := markdownText(c.Text)
		if c.IsGood {
			text = "**" + text + "**"
		}
		line += " " + text + " |"
	}
	return line + "\n"
}

// markdownText is a text as it stands in a cell of Markdown.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|~$", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// csvTable writes the table as CSV, numbers with all digits, empty where there is none.
func (s *study) csvTable(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"group", "kind", "solver", "reference", "mean_rank", "best_on", "instances", "objective_mean", "objective_low", "objective_high",
		"gap_best_known_percent", "rpd_percent", "gap_bound_percent", "proved", "time_s", "evaluations_per_s", "left_out", "failed", "runs_with_schedule", "runs"}) // Flush tells
	exact := func(x float64) string { return numtext.Exact(numtext.Finite(x)) }
	for _, g := range s.groups {
		list := slices.Clone(g.solvers)
		if c := g.reference(); c != nil {
			list = append(list, c)
		}
		for k, c := range list {
			f := g.figuresOf(c)
			reference, kind, rank, wins := "no", "", exact(f.rank), strconv.Itoa(f.wins)
			if g.kind != anyone {
				kind = g.kind.single()
			}
			if k == len(g.solvers) {
				reference, kind, rank, wins = "yes", g.other.kind.single(), "", ""
			}
			_ = out.Write([]string{plaintext.Cell(document.Printable(g.name)), kind, plaintext.Cell(document.Printable(c.name)), reference, rank, wins, strconv.Itoa(f.problems),
				exact(f.mean.Estimate), exact(f.mean.Low), exact(f.mean.High), exact(f.gap), exact(f.rpd), exact(f.bound), strconv.Itoa(f.proved), exact(f.time), exact(f.speed),
				strconv.Itoa(f.left), strconv.Itoa(f.faults), strconv.Itoa(f.results), strconv.Itoa(f.runs)})
		}
	}
	out.Flush()
	return out.Error()
}
