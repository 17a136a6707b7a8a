package lab

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
)

// mostUsers is the largest number of users, and of queues, in a table for people.
const mostUsers = 10

// Text is the report for people. Times are in days, hours, minutes and seconds where the unit of the trace is known.
func (r *Report) Text() string {
	b := new(strings.Builder)
	name := r.Trace
	if name == "" {
		name = "the trace"
	}
	load := "all released at once"
	if r.Load != nil {
		load = "load " + figure(*r.Load)
	}
	for _, caveat := range r.Caveats {
		fmt.Fprintf(b, "warning: %s\n", caveat)
	}
	fmt.Fprintf(b, "%s: %s on %s, %s; %s within %s, in blocks of %d days\n", name, numtext.Counted(r.Jobs, "job"), numtext.Counted(r.Processors, "processor"), load,
		numtext.Counted(r.Counted, "job counts", "jobs count"), numtext.Counted(r.Days, "day"), r.Block)
	if _, known := secondsIn(r.Time); !known {
		fmt.Fprintf(b, "times in %s\n", r.Time)
	}
	if r.Record != nil {
		r.Record.write(b, r)
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		b.WriteString("\n" + g.Name())
		if k > 0 {
			b.WriteString(" (for reference: not in one ranking with the above)")
		}
		b.WriteByte('\n')
		g.overview(b, r)
		for _, kind := range []string{KindShape, KindQueue, KindUser} {
			g.byClass(b, r, kind)
		}
		g.fairness(b, r)
	}
	for k := range r.Groups {
		r.Groups[k].verdicts(b, r)
	}
	return b.String()
}

// overview writes the figures of all jobs.
func (g *Group) overview(b *strings.Builder, r *Report) {
	t := texttable.New(1, "policy", "mean wait", "median", "p95", "maximum", "bounded slowdown", "utilisation", "left out", "Jain")
	for _, p := range g.shown(r) {
		all := &p.Classes[0]
		jain, utilisation := missing, missing
		median, p95, maximum, slowdown := missing, missing, missing, missing
		if all.Wait != nil {
			median, p95, maximum = r.time(all.Wait.Median), r.time(all.Wait.P95), r.time(all.Wait.Max)
			slowdown = figure(all.Slowdown) + r.star(all.SlowdownDifference)
		}
		if p.Utilisation != nil {
			utilisation = fmt.Sprintf("%.2f %%", 100**p.Utilisation)
		}
		if p.Jain != nil {
			jain = fmt.Sprintf("%.3f", *p.Jain)
		}
		t.AppendRow(table.Row{p.Name, r.meanWait(all), median, p95, maximum, slowdown, utilisation, p.LeftOut, jain})
	}
	b.WriteString(t.Render() + "\n")
}

// shown are the policies of a group, before them in the first group the record.
func (g *Group) shown(r *Report) []*Policy {
	var list []*Policy
	if r.Record != nil && g == &r.Groups[0] {
		list = append(list, &r.Record.Policy)
	}
	for k := range g.Policies {
		list = append(list, &g.Policies[k])
	}
	return list
}

// byClass writes the mean waits of the classes of a kind.
func (g *Group) byClass(b *strings.Builder, r *Report, kind string) {
	g.table(b, r, "mean wait by "+kind, kind, r.meanWait)
}

// missing is written in place of a figure that does not exist.
const missing = "–"

// meanWait is the mean wait of a class, with a star if it is shown to differ from the mean under the first
// policy.
func (r *Report) meanWait(c *Class) string {
	if c.Wait == nil {
		return missing
	}
	return r.time(c.Wait.Mean) + r.star(c.WaitDifference)
}

// fairness writes what the users received of what they were entitled to, and their stretch.
func (g *Group) fairness(b *strings.Builder, r *Report) {
	g.table(b, r, "received/entitled, stretch", KindUser, func(c *Class) string {
		if c.Entitled == nil || *c.Entitled == 0 {
			return missing
		}
		stretch := missing
		if c.Stretch > 0 {
			stretch = figure(c.Stretch)
		}
		return fmt.Sprintf("%.0f %%, %s", 100**c.Received / *c.Entitled, stretch)
	})
}

// table writes a row for each class of a kind, with a cell for each policy; of users and queues those with most jobs.
func (g *Group) table(b *strings.Builder, r *Report, title, kind string, cell func(*Class) string) {
	header := []any{title, "jobs"}
	for _, p := range g.shown(r) {
		header = append(header, p.Name)
	}
	t, rows, more := texttable.New(1, header...), 0, 0
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
		for _, p := range g.shown(r) {
			row = append(row, cell(&p.Classes[c]))
		}
		t.AppendRow(row)
	}
	if rows == 0 {
		return
	}
	b.WriteString(t.Render() + "\n")
	if kind == KindShape {
		fmt.Fprintf(b, "narrow: at most %s; short: at most %s\n", numtext.Counted(r.Narrow, "processor"), r.time(r.Short))
	}
	if more > 0 {
		fmt.Fprintf(b, "and %d more; --csv and --json list all\n", more)
	}
}
