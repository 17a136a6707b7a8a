package lab

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/bench"
)

// mostUsers is the largest number of users, and of queues, in a table for people.
const mostUsers = 10

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	b := new(strings.Builder)
	name := r.Trace
	if name == "" {
		name = "the trace"
	}
	fmt.Fprintf(b, "%s: %d jobs on %d processors, load %s; %d jobs count, which arrive from %s to %s (days: %d); times in %s\n", name, r.Jobs, r.Processors,
		bench.Figure(r.Load), r.Counted, bench.Figure(r.From), bench.Figure(r.To), r.Days, r.Time)
	for k := range r.Groups {
		g := &r.Groups[k]
		if len(r.Groups) > 1 {
			fmt.Fprintf(b, "\n%s%s\n", g.Name(), []string{"", " (for reference: not in one ranking with the above)"}[k])
		}
		g.overview(b)
		for _, kind := range []string{KindShape, KindQueue, KindUser} {
			g.byClass(b, kind)
		}
		g.verdicts(b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// newTable is a table whose columns after the first are numbers.
func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for k := 2; k <= len(header); k++ {
		columns = append(columns, table.ColumnConfig{Number: k, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

// overview writes the figures of all jobs.
func (g *Group) overview(b *strings.Builder) {
	t := newTable("policy", "mean wait", "median", "p95", "maximum", "bounded slowdown", "utilisation %", "left out", "Jain")
	for k := range g.Policies {
		p := &g.Policies[k]
		all := &p.Classes[0]
		jain := "–"
		if p.Jain != nil {
			jain = fmt.Sprintf("%.3f", *p.Jain)
		}
		t.AppendRow(table.Row{p.Name, figure(all.Wait.Mean) + star(all.WaitDifference), figure(all.Wait.Median), figure(all.Wait.P95), figure(all.Wait.Max),
			figure(all.Slowdown) + star(all.SlowdownDifference), fmt.Sprintf("%.2f", 100*p.Utilisation), p.LeftOut, jain})
	}
	b.WriteString(t.Render() + "\n")
}

// byClass writes the mean waits of the classes of a kind.
func (g *Group) byClass(b *strings.Builder, kind string) {
	header := []any{"mean wait by " + kind, "jobs"}
	for k := range g.Policies {
		header = append(header, g.Policies[k].Name)
	}
	t, rows, more := newTable(header...), 0, 0
	for c := range g.Policies[0].Classes {
		first := &g.Policies[0].Classes[c]
		if first.Kind != kind {
			continue
		}
		if kind != KindShape && rows == mostUsers {
			more++
			continue
		}
		rows++
		row := table.Row{first.Name, first.Jobs}
		for k := range g.Policies {
			class := &g.Policies[k].Classes[c]
			row = append(row, figure(class.Wait.Mean)+star(class.WaitDifference))
		}
		t.AppendRow(row)
	}
	if rows == 0 {
		return
	}
	b.WriteString(t.Render() + "\n")
	if more > 0 {
		fmt.Fprintf(b, "and %d more; --csv and --json list all\n", more)
	}
}

// verdicts says for each policy but the first what it changes, and for whom.
func (g *Group) verdicts(b *strings.Builder) {
	starred := false
	for k := 1; k < len(g.Policies); k++ {
		p := &g.Policies[k]
		all := &p.Classes[0]
		fmt.Fprintf(b, "%s against %s:\n  mean wait %s\n  mean bounded slowdown %s\n", p.Name, g.Policies[0].Name, all.WaitDifference.words(), all.SlowdownDifference.words())
		var shorter, longer []string
		for c := range p.Classes[1:] {
			class := &p.Classes[c+1]
			sign := class.WaitDifference.Sign()
			starred = starred || sign != 0
			text := class.Name
			if class.Kind != KindShape {
				text = class.Kind + " " + class.Name
			}
			switch text += " " + signed(meanOf(class.WaitDifference)); sign {
			case -1:
				shorter = append(shorter, text)
			case 1:
				longer = append(longer, text)
			}
		}
		list(b, "wait less", shorter)
		list(b, "wait longer", longer)
		starred = starred || all.WaitDifference.Sign() != 0 || all.SlowdownDifference.Sign() != 0
	}
	if starred {
		fmt.Fprintf(b, "*: the interval of the difference from %s does not hold 0. Each interval stands alone: of many some miss by chance.\n", g.Policies[0].Name)
	}
}

// list writes the first of some classes.
func list(b *strings.Builder, what string, classes []string) {
	const most = 8
	switch {
	case len(classes) == 0:
	case len(classes) > most:
		fmt.Fprintf(b, "  %s: %s, and %d more\n", what, strings.Join(classes[:most], "; "), len(classes)-most)
	default:
		fmt.Fprintf(b, "  %s: %s\n", what, strings.Join(classes, "; "))
	}
}

// meanOf is the mean of a difference; 0 where there is none.
func meanOf(d *Difference) float64 {
	if d == nil {
		return 0
	}
	return d.Mean
}

// words is a difference with its interval.
func (d *Difference) words() string {
	switch {
	case d == nil:
		return "not known: no job is placed by both"
	case d.Low == nil:
		return signed(d.Mean) + " (too few days for an interval)"
	}
	return fmt.Sprintf("%s (from %s to %s)", signed(d.Mean), signed(*d.Low), signed(*d.High))
}

// star marks a difference whose interval does not hold 0.
func star(d *Difference) string {
	if d.Sign() != 0 {
		return "*"
	}
	return ""
}

// figure is a figure for people with four significant digits.
func figure(x float64) string {
	switch {
	case x >= 1000 || x <= -1000:
		return fmt.Sprintf("%.0f", x)
	case x == 0:
		return "0"
	}
	return fmt.Sprintf("%.4g", x)
}

// signed is a figure with its sign.
func signed(x float64) string {
	if x < 0 {
		return "−" + figure(-x)
	}
	return "+" + figure(x)
}
