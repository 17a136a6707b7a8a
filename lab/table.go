package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
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
		for _, t := range g.overview(r) {
			b.WriteString(t.Text())
		}
		if t := g.bills(r); t != nil {
			paragraph(b, "%s", r.powerLine())
			b.WriteString(t.Text())
		}
		for _, kind := range compared {
			write(b, g.byClass(r, kind))
		}
		write(b, g.fairness(r))
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

// QueuesOf are the partitions of an instance that policies keep apart. What an import states for jobs of several partitions, such as "a,b", is none.
func QueuesOf(in *model.Instance) (names []string) {
	partition := map[string]bool{}
	for _, p := range in.Partitions() {
		partition[p.ID] = true
	}
	for _, p := range in.Partitions() {
		if several := strings.Split(p.ID, ","); len(several) > 1 && !slices.ContainsFunc(several, func(name string) bool { return !partition[name] }) {
			continue
		}
		names = append(names, p.ID)
	}
	if len(names) < 2 {
		return nil
	}
	return names
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

// overview is the tables of all jobs: of the waits, and of what else is compared.
func (g *Group) overview(r *Report) []*document.Table {
	waits := &document.Table{Caption: "Waits of all jobs", Columns: []document.Column{{Name: "policy", IsText: true}, {Name: "mean wait"}, r.against(), {Name: "median"},
		{Name: "p95", Help: "95 % of the jobs wait at most as long"}, {Name: "maximum"}}}
	others := &document.Table{Caption: "What else is compared", Columns: []document.Column{{Name: "policy", IsText: true},
		{Name: "bounded slowdown", Help: "mean of the time from arrival to end over the run time, which counts as 10 s at least"}, {Name: "utilisation", First: "descending"}, {Name: "left out"},
		{Name: "Jain", Help: "Jain's index of received over entitled processor time of the users; 1: all receive the same part", First: "descending"}}}
	hasDevices := g.hasDevices()
	if hasDevices {
		others.Columns = append(others.Columns, document.Column{Name: "devices held", Help: "share of all devices, such as GPUs, from time 0 to the end of the last job", First: "descending"},
			document.Column{Name: "stranded", Help: "mean number of devices that are free where no job that needs devices has room"})
	}
	for _, p := range g.shown(r) {
		all := &p.Classes[0]
		wait, slowdown, name := &Spread{math.NaN(), math.NaN(), math.NaN(), math.NaN()}, document.Text(document.Missing), document.Text(r.short(p.Name))
		if all.Wait != nil {
			wait, slowdown = all.Wait, document.Number(all.Slowdown, figure(all.Slowdown)+r.star(all.SlowdownDifference))
		}
		waits.Add(name, r.meanWait(all), r.difference(all.WaitDifference), document.Maybe(&wait.Median, r.time), document.Maybe(&wait.P95, r.time), document.Maybe(&wait.Max, r.time))
		left := document.Count(p.LeftOut)
		left.IsBad = p.LeftOut > 0
		other := []document.Cell{name, slowdown, document.Maybe(p.Utilisation, inUse), left, document.Maybe(p.Jain, func(x float64) string { return fmt.Sprintf("%.3f", x) })}
		if hasDevices {
			other = append(other, document.Maybe(p.Devices, inUse), document.Maybe(p.Stranded, figure))
		}
		others.Add(other...)
	}
	return []*document.Table{waits, others}
}

// against is the column of the differences from the first policy.
func (r *Report) against() document.Column {
	return document.Column{Name: "against the first", IsDetail: true, Help: "difference of the mean wait, with its interval; over the jobs that both place"}
}

// hasDevices says whether the machines have devices, so that a policy of the group holds and strands some.
func (g *Group) hasDevices() bool {
	return slices.ContainsFunc(g.Policies, func(p Policy) bool { return p.Devices != nil })
}

// inUse is a share of processors or devices for people.
func inUse(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

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

// byClass is the table of the mean waits of the classes of a kind; nil: there are none.
func (g *Group) byClass(r *Report, kind string) *document.Table {
	title := "Mean wait by " + kind
	if kind == kindShape {
		title += fmt.Sprintf(" (narrow: at most %s; short: at most %s)", numtext.Counted(r.Narrow, "processor"), r.time(r.Short))
	}
	return g.table(r, title, kind, true, r.meanWait)
}

// Waits is the mean waits by class under the policies of the first group, for people: by size and length, by queue and by account, where there are several.
func (r *Report) Waits() string {
	b := new(strings.Builder)
	for _, kind := range []string{kindShape, kindQueue, kindAccount} {
		if t := r.Groups[0].byClass(r, kind); t != nil && len(t.Rows) > 1 {
			write(b, t)
		}
	}
	return b.String()
}

// meanWait is the mean wait of a class, with a star if it is shown to differ from the mean under the first
// policy.
func (r *Report) meanWait(c *Class) document.Cell {
	if c.Wait == nil {
		return document.Text(document.Missing)
	}
	return document.Number(c.Wait.Mean, r.time(c.Wait.Mean)+r.star(c.WaitDifference))
}

// fairness is the table of what the users received of what they were entitled to, and of their stretch; nil: there are no users.
func (g *Group) fairness(r *Report) *document.Table {
	return g.table(r, "Received/entitled, stretch", kindUser, false, func(c *Class) document.Cell {
		if c.Entitled == nil || *c.Entitled == 0 {
			return document.Text(document.Missing)
		}
		stretch := document.Missing
		if c.Stretch > 0 {
			stretch = figure(c.Stretch)
		}
		part := *c.Received / *c.Entitled
		return document.Number(part, fmt.Sprintf("%.0f %%, %s", 100*part, stretch))
	})
}

// table has a row for each class of a kind and a column for each policy, with differences one for those too; of users, accounts and queues it has those with most jobs. It is nil
// where there are none.
func (g *Group) table(r *Report, title, kind string, differences bool, cell func(*Class) document.Cell) *document.Table {
	what := kind
	if kind == kindShape {
		what = "jobs are" // "narrow, short"
	}
	policies := g.shown(r)
	t := &document.Table{Caption: title, Common: 2, Columns: []document.Column{{Name: what, IsText: true}, {Name: "jobs", First: "descending"}}}
	compared := func(p *Policy) bool { return differences && slices.Index(policies, p) > len(policies)-len(g.Policies) }
	for _, p := range policies {
		t.Columns = append(t.Columns, document.Column{Name: r.short(p.Name)})
		if compared(p) {
			t.Columns = append(t.Columns, r.against())
		}
	}
	more := 0
	for c := range g.Policies[0].Classes {
		first := &g.Policies[0].Classes[c]
		if first.Kind != kind {
			continue
		}
		if slices.Contains([]string{kindQueue, kindAccount, kindUser}, kind) && len(t.Rows) == mostUsers {
			more++
			continue
		}
		row := []document.Cell{document.Text(legible(first.Name)), document.Count(first.Jobs)}
		for _, p := range policies {
			row = append(row, cell(&p.Classes[c]))
			if compared(p) {
				row = append(row, r.difference(p.Classes[c].WaitDifference))
			}
		}
		t.Add(row...)
	}
	if more > 0 {
		t.Note = fmt.Sprintf("and %d more; --json lists all", more)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// write writes a table with its caption and its note; nil: nothing.
func write(b *strings.Builder, t *document.Table) {
	if t == nil {
		return
	}
	paragraph(b, "%s", strings.ToLower(t.Caption[:1])+t.Caption[1:])
	b.WriteString(t.Text())
	if t.Note != "" {
		paragraph(b, "%s", t.Note)
	}
}
