package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	align "github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
)

// mostListed is how many cells of a kind the text of a comparison names.
const mostListed = 10

// WriteDiff writes a comparison for people: tables with a line a solver, over all groups and in each, then what changed by itself.
func WriteDiff(w io.Writer, d *Diff) error {
	b := new(strings.Builder)
	if len(d.Overall) > 0 {
		b.WriteString("all groups\n" + diffTable(d.Overall) + "\n\n")
		told := slices.DeleteFunc(slices.Clone(d.Lines), func(l DiffLine) bool {
			return l.Objective.Better+l.Objective.Worse == 0 && l.Time.Verdict == Open
		})
		if len(told) > 0 {
			b.WriteString("by group\n" + diffTable(told) + "\n")
		}
		if n := len(d.Lines) - len(told); n > 0 {
			fmt.Fprintf(b, "%s by group where no objective changed and no difference of time is shown: --json has them\n", numtext.CountedGrouped(n, "line"))
		}
	} else {
		b.WriteString(diffTable(d.Lines) + "\n")
	}
	b.WriteString("\nB/A: geometric mean of the ratios with its 95 % interval; below 1 B is lower, which is better. p: Wilcoxon's signed ranks, two-sided,\n" +
		"after Holm's correction over the lines of the table that could be significant: that takes six pairs that differ. Runs that are alike\n" +
		"with every seed count once. Machines are noisy: times differ only where the interval lies beyond 5 %, and only runs on one idle machine say much.\n")
	for _, what := range changes() {
		var cells []string
		for _, c := range d.Changes {
			if c.What == what {
				line := c.DiffCell.String()
				if c.Why != "" {
					line += ": " + clip(c.Why, mostFaultLetters)
				}
				cells = append(cells, line)
			}
		}
		writeCells(b, what, cells)
	}
	writeCells(b, "only in A", cellNames(d.OnlyA))
	writeCells(b, "only in B", cellNames(d.OnlyB))
	b.WriteString("\n" + d.Summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCells writes the first cells of a kind, or nothing if there are none.
func writeCells(b *strings.Builder, what string, cells []string) {
	if len(cells) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: %s\n", what, numtext.CountedGrouped(len(cells), "run"))
	for _, line := range cells[:min(len(cells), mostListed)] {
		fmt.Fprintf(b, "  %s\n", line)
	}
	if n := len(cells) - mostListed; n > 0 {
		fmt.Fprintf(b, "  and %d more\n", n)
	}
}

// cellNames are the names of cells.
func cellNames(cells []DiffCell) []string {
	return kit.Each(cells, func(c DiffCell) string { return c.String() })
}

// String names the cell for people.
func (c DiffCell) String() string {
	name := fmt.Sprintf("%s on %s, seed %d", c.Solver, c.Instance, c.Seed)
	if c.Group != "" && c.Group != c.Instance {
		name += ", in " + c.Group
	}
	return name
}

// Summary is the comparison in a sentence.
func (d *Diff) Summary() string {
	counts := map[Verdict]int{}
	times := map[Verdict]int{}
	lines := d.Overall
	if len(lines) == 0 {
		lines = d.Lines
	}
	for _, l := range lines {
		counts[l.Objective.Verdict]++
		times[l.Time.Verdict]++
	}
	say := func(counts map[Verdict]int) string {
		if counts[Better]+counts[Worse] == 0 {
			return string(Open)
		}
		return fmt.Sprintf("%d better, %d worse, %d without a difference shown", counts[Better], counts[Worse], counts[Open])
	}
	return fmt.Sprintf("B beside A, %s: objective %s; time %s.", numtext.CountedGrouped(len(lines), "solver"), say(counts), say(times))
}

// diffTable is a line a group and solver.
func diffTable(lines []DiffLine) string {
	grouped := slices.ContainsFunc(lines, func(l DiffLine) bool { return l.Group != lines[0].Group })
	leaving := slices.ContainsFunc(lines, func(l DiffLine) bool { return l.Left != [2]int{} })
	header := pretty.Row{"solver", "runs", "objective B/A", "better", "equal", "worse", "p", "effect", "verdict", "time B/A", "p", "verdict"}
	left := map[int]bool{1: true, 9: true, 12: true}
	if leaving {
		header = append(header, "left out A → B")
	}
	if grouped {
		header = append(pretty.Row{"group"}, header...)
		left = map[int]bool{1: true, 2: true, 10: true, 13: true}
	}
	t := texttable.New(len(header), header...)
	for _, l := range lines {
		o := &l.Objective
		row := pretty.Row{l.Solver, l.Pairs, o.ratioText(), o.Better, o.Equal, o.Worse, probability(o.Adjusted), sizeOf(o.Effect), o.Verdict,
			l.Time.ratioText(), probability(l.Time.Adjusted), l.Time.Verdict}
		if leaving {
			row = append(row, fmt.Sprintf("%d → %d", l.Left[0], l.Left[1]))
		}
		if grouped {
			row = append(pretty.Row{l.Group}, row...)
		}
		t.AppendRow(row)
	}
	var configs []pretty.ColumnConfig
	for k := range header {
		if !left[k+1] {
			configs = append(configs, pretty.ColumnConfig{Number: k + 1, Align: align.AlignRight, AlignHeader: align.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	return t.Render()
}

// ratioText writes the ratio with its interval.
func (c *Comparison) ratioText() string {
	if c.Ratio == nil {
		return document.Missing
	}
	if c.Low == nil || c.High == nil {
		return fmt.Sprintf("%.4g", *c.Ratio)
	}
	return fmt.Sprintf("%.4g [%.4g, %.4g]", *c.Ratio, *c.Low, *c.High)
}
