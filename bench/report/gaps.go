package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/document"
)

// gapsTable is the mean gaps to the best known with their intervals, solver × group, of the solvers and groups that the overall group has. Below
// stand the gaps of the best known to the bound. Where another solver is named, marks say who is better and who is worse than it in the group, by the test
// that decides there.
func (s *study) gapsTable(id string, overall *group, against string) *document.Table {
	t := &document.Table{ID: id, Caption: "Mean gap to the best known, %", Columns: []document.Column{
		{Name: "solver", IsText: true}, {Name: "mean rank", Help: "over the instances of all groups"},
	}}
	if overall.kind != anyone {
		t.Caption += ", of the " + overall.kind.String()
	}
	t.Caption += ", ± half the width of its 95 % interval (Student's t)"
	groups := s.groupsOf(overall)
	for _, g := range groups {
		name := g.title()
		if overall.kind != anyone { // the caption says of which solvers
			name = g.name
		}
		t.Columns = append(t.Columns, document.Column{Name: document.Printable(cmp.Or(name, "other instances"))})
	}
	t.Columns = append(t.Columns, document.Column{Name: "time, s", Help: "mean wall clock of a run"})
	for _, c := range overall.solvers {
		row := []document.Cell{document.Text(c.name), document.Number(c.rank, strconv.FormatFloat(c.rank, 'f', 2, 64))}
		for _, g := range groups {
			row = append(row, g.gapCell(c.name, against))
		}
		t.Rows = append(t.Rows, append(row, clock(overall.figuresOf(c).time)))
	}
	markBest(t, 1, false, nil)
	for k, g := range groups {
		complete := g.complete()
		markBest(t, k+2, false, func(row int) bool { return complete[overall.solvers[row].name] })
	}
	foot := []document.Cell{{Text: "best known: gap to the bound"}, {Text: document.Missing}}
	for _, g := range groups {
		foot = append(foot, intervalCell(g.boundGaps(), len(g.cases)))
	}
	t.Foot = [][]document.Cell{append(foot, document.Cell{Text: document.Missing})}
	return t
}

// groupsOf are the groups with a solver of the overall group.
func (s *study) groupsOf(overall *group) []*group {
	return slices.DeleteFunc(slices.Clone(s.groups), func(g *group) bool {
		return !slices.ContainsFunc(g.solvers, func(c *contender) bool { return overall.has(c.name) })
	})
}

// boundGaps are the gaps of the best known objectives to the bounds, in per cent, of the problems that have both.
func (g *group) boundGaps() []float64 {
	var gaps []float64
	for _, p := range g.cases {
		if bound, ok := p.bound.Value(); ok {
			if gap := gapTo(p.known, bound); !math.IsNaN(gap) && !math.IsInf(gap, 0) {
				gaps = append(gaps, gap)
			}
		}
	}
	return gaps
}

// gapCell is the mean gap of a solver to the best known, with the mark of its comparison with another.
func (g *group) gapCell(name, against string) document.Cell {
	at := slices.IndexFunc(g.solvers, func(c *contender) bool { return c.name == name })
	if at < 0 {
		return document.Cell{Text: document.Missing}
	}
	c := intervalCell(g.gaps(g.solvers[at]), len(g.cases))
	if better, worse := g.beats(name, against), g.beats(against, name); better {
		c.Text += " ▲"
	} else if worse {
		c.Text += " ▼"
	}
	return c
}

// beats says whether a solver is shown to be better than another by the test that decides.
func (g *group) beats(name, other string) bool {
	if g.test == nil {
		return false
	}
	a, b := slices.Index(g.test.solvers, name), slices.Index(g.test.solvers, other)
	if a < 0 || b < 0 || a == b || !g.test.differ(a, b) {
		return false
	}
	q := g.test.between(a, b)
	return (g.test.verdict(q) == "better") == (q.a == a)
}

// intervalCell is the mean of percentages with half the width of its interval, and how many there are if it is fewer than expected.
func intervalCell(values []float64, expected int) document.Cell {
	mean, err := statistics.Mean(values, confidence)
	if err != nil {
		return document.Cell{Text: document.Missing}
	}
	text := percent(mean.Estimate)
	if half := (mean.High - mean.Low) / 2; half > 0 && !math.IsInf(half, 0) {
		text += " ± " + document.Rounded(half, 2)
	}
	if len(values) < expected {
		text += fmt.Sprintf(" (%d of %d)", len(values), expected)
	}
	return document.Number(mean.Estimate, text)
}

// SummaryOptions say what a summary shows. The zero value is the default.
type SummaryOptions struct {
	Against string   // the solver that all others are compared with; empty: none
	Solvers []string // those that the table lists, as far as there are such; nil: all
}

// ErrNoSolver is the error of a summary against a solver that the runs do not have.
var ErrNoSolver = errors.New("expected a solver of the runs")

// noSolver is the error of a comparison with a solver that there is not.
func (s *study) noSolver(name string) error {
	return fmt.Errorf("%w, one of %s; found %q", ErrNoSolver, strings.Join(s.solvers, ", "), name)
}

// checkAgainst refuses a solver to compare with that there is not; empty: any is right.
func (s *study) checkAgainst(name string) error {
	if name != "" && !s.hasSolver(name) {
		return s.noSolver(name)
	}
	return nil
}

// WriteSummary writes a table in Markdown: the mean gap of each solver to the best known in each group with its interval, the solvers with the best mean rank over
// all groups first; below it, a line for each solver that differs from the one of the options. All solvers count in the tests and when the best known is looked for,
// also those that the table does not list.
func WriteSummary(w io.Writer, runs []Run, opt SummaryOptions) error {
	s, _, err := newStudyOf(runs)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if opt.Against != "" && !slices.Contains(s.solvers, opt.Against) {
		return s.noSolver(opt.Against)
	}
	var b strings.Builder
	for k, overall := range s.overalls() {
		if k > 0 {
			b.WriteByte('\n')
		}
		t := s.gapsTable("", overall, opt.Against)
		rows := t.Rows
		var listed []string
		t.Rows = nil
		for n, c := range overall.solvers {
			if opt.Solvers == nil || slices.Contains(opt.Solvers, c.name) {
				listed = append(listed, c.name)
				t.Add(rows[n]...)
			}
		}
		b.WriteString(t.Markdown() + markdownNotes(overall.allocationNotes()))
		b.WriteString(s.duels(overall, opt.Against, listed))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// duels are the lines that say in which groups solvers are better and worse than one of them.
func (s *study) duels(overall *group, against string, solvers []string) string {
	var b strings.Builder
	for _, name := range solvers {
		var better, worse, open []string
		for _, g := range s.groupsOf(overall) {
			switch title := document.MarkdownText(document.Printable(g.titled())); {
			case !g.has(name) || !g.has(against) || name == against:
			case g.beats(name, against):
				better = append(better, title)
			case g.beats(against, name):
				worse = append(worse, title)
			default:
				open = append(open, title)
			}
		}
		var says []string
		for _, part := range []struct {
			word   string
			groups []string
		}{{"worse", worse}, {"better", better}, {"no difference shown", open}} {
			if part.groups != nil {
				says = append(says, part.word+": "+document.Listed(part.groups))
			}
		}
		if says != nil {
			if b.Len() == 0 {
				fmt.Fprintf(&b, "\nAgainst %s:\n\n", document.MarkdownText(document.Printable(against)))
			}
			fmt.Fprintf(&b, "- %s – %s\n", document.MarkdownText(document.Printable(name)), strings.Join(says, "; "))
		}
	}
	return b.String()
}
