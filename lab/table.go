package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

// mostUsers is the largest number of users, of accounts and of queues in a table for people.
const mostUsers = 10

// Text is the report for people, in lines of at most [texttable.Columns]. It begins with the answer. Times are in days, hours, minutes and seconds where the unit of the trace is
// known.
func (r *Report) Text() string {
	b := new(strings.Builder)
	for _, sentence := range r.Answer() {
		paragraph(b, "%s", sentence)
	}
	b.WriteByte('\n')
	paragraph(b, "%s", r.headline())
	if _, known := secondsIn(r.Time); !known {
		paragraph(b, "times in %s", r.Time)
	}
	if r.Record != nil {
		paragraph(b, "%s", r.Record.line(r))
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		b.WriteString("\n" + g.Name())
		if k > 0 {
			b.WriteString(" (for reference: not in one ranking with the above)")
		}
		b.WriteByte('\n')
		g.overview(b, r)
		g.bills(b, r)
		for _, kind := range compared {
			g.byClass(b, r, kind)
		}
		g.fairness(b, r)
	}
	for k := range r.Groups {
		r.Groups[k].verdicts(b, r)
	}
	return b.String()
}

// headline says what was compared.
func (r *Report) headline() string {
	load := "all released at once"
	if r.Load != nil {
		load = "load " + figure(*r.Load)
	}
	return fmt.Sprintf("%s: %s on %s, %s; %s within %s, in blocks of %d days%s", r.name(), numtext.Counted(r.Jobs, "job"), numtext.Counted(r.Processors, "processor"), load,
		numtext.Counted(r.Counted, "job counts", "jobs count"), numtext.Counted(r.Days, "day"), r.Block, QueuesText(r.Queues))
}

// QueuesOf are the partitions of an instance that policies keep apart.
func QueuesOf(in *model.Instance) []string {
	if len(in.Partitions()) < 2 {
		return nil
	}
	return kit.Each(in.Partitions(), func(p model.PartitionSpec) string { return p.ID })
}

// QueuesText says of queues, at the end of a sentence, that policies keep them apart; empty: of none.
func QueuesText(queues []string) string {
	const most = 6
	if len(queues) == 0 {
		return ""
	}
	names := kit.Each(queues[:min(most, len(queues))], legible)
	if len(queues) > most {
		names = append(names, fmt.Sprintf("%d more", len(queues)-most))
	}
	return fmt.Sprintf("; a queue for each of %d partitions (%s), or queues=one", len(queues), strings.Join(names, ", "))
}

// name is that of the trace.
func (r *Report) name() string {
	if r.Trace == "" {
		return "the trace"
	}
	return legible(r.Trace)
}

// mostCells is how many cells of a name people see. JSON and CSV have all of it.
const mostCells = 60

// legible is a name for people, in one line and with its middle cut where it is long.
func legible(name string) string {
	return texttable.Shorten(plaintext.Printable(strings.Join(strings.Fields(name), " ")), mostCells)
}

// short is the name of a policy for people, whole if that of another policy looks the same otherwise.
func (r *Report) short(policy string) string {
	cut := legible(policy)
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			if name := r.Groups[g].Policies[k].Name; name != policy && legible(name) == cut {
				return plaintext.Printable(strings.Join(strings.Fields(policy), " "))
			}
		}
	}
	return cut
}

// overview writes the figures of all jobs: a table of the waits, and one of what else is compared.
func (g *Group) overview(b *strings.Builder, r *Report) {
	waits := [][]string{{"policy", "mean wait", "median", "p95", "maximum"}}
	others := [][]string{{"policy", "bounded slowdown", "utilisation", "left out", "Jain"}}
	hasDevices := g.hasDevices()
	if hasDevices {
		others[0] = append(others[0], "devices held", "stranded")
	}
	for _, p := range g.shown(r) {
		all := &p.Classes[0]
		name, median, p95, maximum, slowdown := r.short(p.Name), missing, missing, missing, missing
		if all.Wait != nil {
			median, p95, maximum = r.time(all.Wait.Median), r.time(all.Wait.P95), r.time(all.Wait.Max)
			slowdown = figure(all.Slowdown) + r.star(all.SlowdownDifference)
		}
		waits = append(waits, []string{name, r.meanWait(all), median, p95, maximum})
		other := []string{name, slowdown, p.utilisation(), fmt.Sprint(p.LeftOut), p.jain()}
		if hasDevices {
			other = append(other, orMissing(p.Devices, inUse), orMissing(p.Stranded, figure))
		}
		others = append(others, other)
	}
	fitted(b, 1, waits)
	fitted(b, 1, others)
}

// hasDevices says whether the machines have devices, so that a policy of the group holds and strands some.
func (g *Group) hasDevices() bool {
	return slices.ContainsFunc(g.Policies, func(p Policy) bool { return p.Devices != nil })
}

// inUse is a share of processors or devices for people.
func inUse(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// orMissing is a figure for people; nil: it does not exist.
func orMissing(x *float64, write func(float64) string) string {
	if x == nil {
		return missing
	}
	return write(*x)
}

// utilisation is the utilisation under a policy.
func (p *Policy) utilisation() string { return orMissing(p.Utilisation, inUse) }

// jain is Jain's index under a policy.
func (p *Policy) jain() string {
	return orMissing(p.Jain, func(x float64) string { return fmt.Sprintf("%.3f", x) })
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
	title := "mean wait by " + kind
	if kind == KindShape {
		title += fmt.Sprintf(" (narrow: at most %s; short: at most %s)", numtext.Counted(r.Narrow, "processor"), r.time(r.Short))
	}
	g.table(b, r, title, kind, r.meanWait)
}

// Waits is the mean waits by class under the policies of the first group, for people: by size and length, by queue and by account, where there are several.
func (r *Report) Waits() string {
	b := new(strings.Builder)
	for _, kind := range []string{KindShape, KindQueue, KindAccount} {
		if several := func(c Class) bool { return c.Kind == kind }; len(kit.That(r.Groups[0].Policies[0].Classes, several)) > 1 {
			r.Groups[0].byClass(b, r, kind)
		}
	}
	return b.String()
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

// table writes a row for each class of a kind, with a cell for each policy; of users, accounts and queues those with most jobs.
func (g *Group) table(b *strings.Builder, r *Report, title, kind string, cell func(*Class) string) {
	what := kind
	if kind == KindShape {
		what = "jobs are" // "narrow, short"
	}
	policies := g.shown(r)
	rows := [][]string{append([]string{what, "jobs"}, kit.Each(policies, func(p *Policy) string { return r.short(p.Name) })...)}
	more := 0
	for c := range g.Policies[0].Classes {
		first := &g.Policies[0].Classes[c]
		if first.Kind != kind {
			continue
		}
		if kind != KindShape && len(rows) > mostUsers {
			more++
			continue
		}
		rows = append(rows, append([]string{legible(first.Name), fmt.Sprint(first.Jobs)}, kit.Each(policies, func(p *Policy) string { return cell(&p.Classes[c]) })...))
	}
	if len(rows) == 1 {
		return
	}
	paragraph(b, "%s", title)
	fitted(b, 2, rows)
	if more > 0 {
		paragraph(b, "and %d more; --json lists all", more)
	}
}

// Widths of columns in cells.
const (
	leastLabel = 12 // of the first column, whose names fold, where all others have room beside it then
	mostLabel  = 22 // of the first column where they have not
	mostHeader = 14 // of a header that is wider than what is below it
)

// fitted writes a table, whose first row is its header, no wider than the lines of the answer. The first columns are in every part; if the others have no room beside each
// other, the rest of them goes to further parts below.
func fitted(b *strings.Builder, common int, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for column := range widths {
		for k, row := range rows {
			size := texttable.Cells(row[column])
			if k == 0 && column > 0 {
				size = min(size, mostHeader)
			}
			widths[column] = max(widths[column], size)
		}
	}
	const border, apart = 1, 3
	label := texttable.Columns - border - apart
	for _, width := range widths[1:] {
		label -= width + apart
	}
	if label < leastLabel {
		label = mostLabel
	}
	widths[0] = min(widths[0], label)
	fixed := border
	for _, width := range widths[:common] {
		fixed += width + apart
	}
	for from := common; from < len(widths); {
		to, total := from, fixed
		for to < len(widths) && (to == from || total+widths[to]+apart <= texttable.Columns) {
			total += widths[to] + apart
			to++
		}
		part := func(row []string) []any {
			var cells []any
			for column, text := range row {
				if column < common || column >= from && column < to {
					cells = append(cells, texttable.Fold(text, widths[column]))
				}
			}
			return cells
		}
		t := texttable.New(1, part(rows[0])...)
		for _, row := range rows[1:] {
			t.AppendRow(table.Row(part(row)))
		}
		b.WriteString(t.Render() + "\n")
		from = to
	}
}
