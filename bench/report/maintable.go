package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	rowtables "github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
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

// mainTables are the tables of the groups with the columns that say something in one of them at least.
func (s *study) mainTables() []*document.Table {
	tables := kit.Each(s.groups, func(g *group) *document.Table { return g.solversTable("") })
	var columns []int
	const speed = 9 // is for a page
	for k := range tables[0].Columns {
		says := slices.ContainsFunc(tables, func(t *document.Table) bool {
			return slices.ContainsFunc(t.Rows, func(row []document.Cell) bool { return row[k].Text != document.Missing && row[k].Text != "0" })
		})
		if k != speed && (says || k < 6) { // those of ranks, objectives, gaps to the best known and deviations are always there
			columns = append(columns, k)
		}
	}
	return kit.Each(tables, func(t *document.Table) *document.Table {
		for _, row := range t.Foot {
			row[0].Text = "for reference: " + row[0].Text
		}
		return t.Only(columns)
	})
}

// latexTable is the table for LaTeX.
func (s *study) latexTable() string {
	tables := s.mainTables()
	columns := tables[0].Columns
	var b strings.Builder
	b.WriteString("% Made by allot bench report --table latex; needs \\usepackage{booktabs}. Objective: mean and half the width of its interval (Student's t, confidence 0.95); bold: the best.\n\\begin{tabular}{l" + strings.Repeat("r", len(columns)-1) + "}\n\\toprule\n")
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	line(kit.Each(columns, func(c document.Column) string { return latexText(c.Name) }))
	for k, g := range s.groups {
		b.WriteString("\\midrule\n")
		if len(s.groups) > 1 {
			fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", len(columns), latexText(document.Printable(g.titled())))
		}
		for _, row := range slices.Concat(tables[k].Rows, tables[k].Foot) {
			line(kit.Each(row, func(c document.Cell) string {
				if c.IsGood {
					return `\textbf{` + latexText(c.Text) + `}`
				}
				return latexText(c.Text)
			}))
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
	tables := s.mainTables()
	all := &document.Table{Columns: tables[0].Columns}
	if len(s.groups) > 1 {
		all.Columns = append([]document.Column{{Name: "group", IsText: true}}, all.Columns...)
	}
	for n, g := range s.groups {
		for _, row := range slices.Concat(tables[n].Rows, tables[n].Foot) {
			if len(s.groups) > 1 {
				row = append([]document.Cell{document.Text(g.titled())}, row...)
			}
			all.Add(row...)
		}
	}
	return all.Markdown() + markdownNotes(rowtables.AllocationNotes(s.rows))
}

// markdownNotes are lines below a table.
func markdownNotes(notes []string) string {
	text := ""
	for _, note := range notes {
		text += "\n" + document.MarkdownText(document.Printable(note)) + ".\n"
	}
	return text
}

// csvTable writes the table as CSV, numbers with all digits, empty where there is none.
func (s *study) csvTable(w io.Writer) error {
	t := document.NewTable("", 0, "group", "kind", "solver", "reference", "mean_rank", "best_on", "instances", "objective_mean", "objective_low", "objective_high",
		"gap_best_known_percent", "rpd_percent", "gap_bound_percent", "proved", "time_s", "evaluations_per_s", "left_out", "failed", "runs_with_schedule", "runs")
	exact := func(x float64) document.Cell { return document.Exact(numtext.Finite(x)) }
	count := func(n int) document.Cell { return document.Text(strconv.Itoa(n)) }
	for _, g := range s.groups {
		list := slices.Clone(g.solvers)
		if c := g.reference(); c != nil {
			list = append(list, c)
		}
		for k, c := range list {
			f := g.figuresOf(c)
			reference, kind, rank, wins := "no", "", exact(f.rank), count(f.wins)
			if g.kind != anyone {
				kind = g.kind.single()
			}
			if k == len(g.solvers) {
				reference, kind, rank, wins = "yes", g.other.kind.single(), document.Cell{}, document.Cell{}
			}
			t.Add(append(document.Texts(g.name, kind, c.name, reference), rank, wins, count(f.problems),
				exact(f.mean.Estimate), exact(f.mean.Low), exact(f.mean.High), exact(f.gap), exact(f.rpd), exact(f.bound), count(f.proved), exact(f.time), exact(f.speed),
				count(f.left), count(f.faults), count(f.results), count(f.runs))...)
		}
	}
	return t.CSV(w)
}
