package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
		b.WriteString("all groups\n" + diffTable(d.Overall) + "\n")
		told := slices.DeleteFunc(slices.Clone(d.Lines), func(l DiffLine) bool {
			return l.Objective.Better+l.Objective.Worse == 0 && l.Time.Verdict == Open
		})
		if len(told) > 0 {
			b.WriteString("by group\n" + diffTable(told))
		}
		if n := len(d.Lines) - len(told); n > 0 {
			fmt.Fprintf(b, "%s by group where no objective changed and no difference of time is shown: --json has them\n", numtext.CountedGrouped(n, "line"))
		}
	} else {
		b.WriteString(diffTable(d.Lines))
	}
	b.WriteString("\n" + texttable.Wrap("B/A: geometric mean of the ratios with its 95 % interval; below 1 B is lower, which is better. p: Wilcoxon's signed ranks, two-sided, "+
		"after Holm's correction over the lines of the table that could be significant: that takes six pairs that differ. Runs that are alike "+
		"with every seed count once. Machines are noisy: times differ only where the interval lies beyond 5 %, and only runs on one idle machine say much.", texttable.Columns, ""))
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
	t := document.NewTable("", 0, "group", "solver", "runs", "objective B/A", "better", "equal", "worse", "p", "effect", "objective is", "time B/A", "p of time", "time is", "left out A → B")
	for _, texts := range []int{0, 1, 9, 12} {
		t.Columns[texts].IsText = true
	}
	grouped, leaving := false, false
	for _, l := range lines {
		grouped, leaving = grouped || l.Group != lines[0].Group, leaving || l.Left != [2]int{}
		o := &l.Objective
		t.Add(document.Texts(l.Group, l.Solver, strconv.Itoa(l.Pairs), o.ratioText(), strconv.Itoa(o.Better), strconv.Itoa(o.Equal), strconv.Itoa(o.Worse), probability(o.Adjusted), sizeOf(o.Effect), string(o.Verdict),
			l.Time.ratioText(), probability(l.Time.Adjusted), string(l.Time.Verdict), fmt.Sprintf("%d → %d", l.Left[0], l.Left[1]))...)
	}
	columns := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	if leaving {
		columns = append(columns, 13)
	}
	if grouped {
		columns, t.Common = append([]int{0}, columns...), 2
	}
	return t.Only(columns).Text()
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
