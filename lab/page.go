package lab

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
)

// Origin is where the figures of a page come from.
type Origin struct {
	Command string   // the command line
	Data    []string // what reading the trace dropped and repaired, a line each
	Version string   // of the program
}

// WritePage writes the report as a page that needs no other files. It begins with the answer. The same report and origin give the same bytes.
func (r *Report) WritePage(w io.Writer, from Origin) error {
	return from.Write(w, &document.Document{
		Kicker: "Scheduling policies", Title: r.name(), Doc: r.headline() + r.when(), By: "allot policies", Last: " " + from.Version + " from schedules that were checked; the same trace and options give the same page.",
		Method: r.pageMethod(), Parts: r.Parts(),
	}, r.Answer(), r.Caveats)
}

// Write writes a page, to which it adds the answer in sentences, what the instance leaves out, and where the figures come from.
func (from Origin) Write(w io.Writer, d *document.Document, answer, caveats []string) error {
	if len(answer) > 0 {
		d.Short, d.Details = answer[0], answer[1:]
	}
	d.Notes = append(kit.Each(caveats, func(caveat string) string { return "Warning: " + caveat }), d.Notes...)
	data := document.Part{Name: "The command and the data", Command: from.Command, Lines: slices.Concat(from.Data, caveats)}
	if len(data.Lines) == 0 {
		data.Text = "Nothing was dropped or repaired, and the instance says that it leaves nothing out."
	}
	d.Parts = append(d.Parts, data)
	return d.HTML(w)
}

// Parts are the tables and pictures of the report, group by group, for a page.
func (r *Report) Parts() []document.Part {
	var parts []document.Part
	for k := range r.Groups {
		g := &r.Groups[k]
		parts = append(parts, g.policiesPart(r, k))
		if len(r.quantities()) > 0 {
			parts = append(parts, g.billsPart(r))
		}
		if len(g.Policies) > 1 {
			parts = append(parts, g.forestPart(r), g.payPart(r))
		}
		parts = append(append(parts, g.periodsPart(r)), g.classesParts(r)...)
	}
	if r.Record != nil && len(r.Record.Fits) > 0 {
		parts = append(parts, r.fitPart())
	}
	return parts
}

// Effect are the parts of a page that show who waits longer and who less than under the first policy of the first group.
func (r *Report) Effect() []document.Part {
	if len(r.Groups) > 0 && len(r.Groups[0].Policies) > 1 {
		g := &r.Groups[0]
		return []document.Part{g.forestPart(r), g.payPart(r)}
	}
	return nil
}

// when says from when to when jobs of the window arrive.
func (r *Report) when() string {
	if r.Dates == nil {
		return ". No dates are known: day 1 begins with the window."
	}
	day := func(date string) string { return strings.Split(date, "T")[0] }
	return fmt.Sprintf(". They arrive from %s to %s (%s).", day(r.Dates.From), day(r.Dates.To), r.Dates.Zone)
}

// part names a part of a group, and says which where there are two.
func (g *Group) part(r *Report, name string) document.Part {
	if len(r.Groups) > 1 {
		name += " (" + g.Name() + ")"
	}
	return document.Part{Name: name}
}

// difference is a cell of how a mean wait differs from that under the first policy; nil: there is nothing to compare.
func (r *Report) difference(d *Difference) document.Cell {
	if d == nil {
		return document.Cell{Text: document.Missing}
	}
	c := document.Cell{Text: r.share(d), Value: d.Ratio}
	if d.Shown(r.Confidence) {
		c.IsGood, c.IsBad = d.Mean < 0, d.Mean > 0
		c.Text += "*"
	}
	return c
}

// policiesPart is the tables of the policies.
func (g *Group) policiesPart(r *Report, place int) document.Part {
	part := g.part(r, "The policies")
	if place > 0 {
		part.Text = "For reference: not in one ranking with the above."
	}
	if len(g.Policies) > 1 {
		part.Text = strings.TrimSpace(part.Text + " Differences are from " + r.short(g.Policies[0].Name) + "; a * marks one that is shown, also among all comparisons made here.")
	}
	part.Tables = g.overview(r)
	return part
}

// mostRows is how many classes of a kind a page lists: those of most jobs, and those of which a difference is shown.
const mostRows = 5

// selected are the places of the classes of a kind that a page lists, and how many it does not.
func (g *Group) selected(r *Report, kind string) (places []int, more int) {
	listed, extra := 0, 0
	for c := range g.Policies[0].Classes {
		if g.Policies[0].Classes[c].Kind != kind {
			continue
		}
		isShown := slices.ContainsFunc(g.Policies, func(p Policy) bool { return p.Classes[c].WaitDifference.Shown(r.Confidence) })
		switch {
		case kind == kindShape || listed < mostRows:
			listed++
		case isShown && extra < mostRows:
			extra++
		default:
			more++
			continue
		}
		places = append(places, c)
	}
	return places, more
}

// forestPart draws for each policy the ratios of the mean waits.
func (g *Group) forestPart(r *Report) document.Part {
	part := g.part(r, "Who waits longer, and who less")
	first := r.short(g.Policies[0].Name)
	part.Text = fmt.Sprintf("Each line is the mean wait of some jobs as a multiple of that of the same jobs under %s, with its %s interval. Left of 1 they wait less, right of 1 longer.", first, percent(r.Confidence))
	left := 0
	for k := 1; k < len(g.Policies); k++ {
		p := &g.Policies[k]
		f := document.Forest{Title: r.short(p.Name) + " against " + first, Axis: "mean wait ÷ that under " + first, Less: "shown to wait less", More: "shown to wait longer",
			Blocks: []document.ForestBlock{{Rows: []document.ForestRow{r.forestRow(&p.Classes[0])}}}}
		left = 0
		for _, kind := range compared {
			places, more := g.selected(r, kind)
			if left += more; len(places) > 0 {
				f.Blocks = append(f.Blocks, document.ForestBlock{Name: "by " + kind, Rows: kit.Each(places, func(c int) document.ForestRow { return r.forestRow(&p.Classes[c]) })})
			}
		}
		part.Forests = append(part.Forests, f)
	}
	if left > 0 {
		part.Text += fmt.Sprintf(" Of queues, accounts and users these are the %d with most jobs, and those of which a difference is shown; --json lists %d more.", mostRows, left)
	}
	return part
}

// forestRow is a class in a forest plot.
func (r *Report) forestRow(c *Class) document.ForestRow {
	row := document.ForestRow{Name: legible(c.Name), Ratio: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if d := c.WaitDifference; d != nil && d.Ratio != nil {
		row.Ratio, row.Shown = *d.Ratio, d.Shown(r.Confidence)
		if d.RatioLow != nil {
			row.Low, row.High = *d.RatioLow, *d.RatioHigh
		}
	}
	return row
}

// payPart is the table of the classes of which a difference is shown.
func (g *Group) payPart(r *Report) document.Part {
	part := g.part(r, "Who pays, and who gains")
	first := r.short(g.Policies[0].Name)
	table := &document.Table{Caption: "Jobs that are shown to wait longer or less than under " + first, Columns: []document.Column{
		{Name: "policy", IsText: true}, {Name: "who", IsText: true}, {Name: "pays or gains", IsText: true}, {Name: "jobs", First: "descending"}, {Name: "mean wait under " + first}, {Name: "mean wait"},
		{Name: "difference"}, {Name: "ratio − 1"}, {Name: "p (Holm)", Help: "adjusted for all tests of the same kind"},
	}}
	for k := 1; k < len(g.Policies); k++ {
		p := &g.Policies[k]
		s := r.split(p)
		for _, list := range []struct {
			word    string
			classes []*Class
		}{{"pays", s.hurt}, {"gains", s.helped}} {
			for _, c := range list.classes {
				d := c.WaitDifference
				table.Rows = append(table.Rows, []document.Cell{{Text: r.short(p.Name)}, {Text: c.title()}, {Text: list.word, IsBad: d.Mean > 0, IsGood: d.Mean < 0}, document.Count(d.Jobs), document.Maybe(&d.First, r.time),
					document.Maybe(new(d.First+d.Mean), r.time), document.Maybe(&d.Mean, r.signed), r.difference(d), document.Maybe(d.Holm, func(p float64) string {
						if p < 0.001 {
							return "<0.001"
						}
						return fmt.Sprintf("%.3f", p)
					})})
			}
		}
		title, lines, _ := g.words(r, p)
		part.Lines = append(part.Lines, strings.TrimSpace(title+" "+strings.Join(lines, " · ")))
	}
	if len(table.Rows) > 0 {
		part.Tables = []*document.Table{table}
	} else {
		part.Text = "Of nobody it is shown."
	}
	return part
}

// periodsPart draws the waits by month of arrival.
func (g *Group) periodsPart(r *Report) document.Part {
	part := g.part(r, "The waits over time")
	places, most := g.of(kindPeriod), 0.0
	names := kit.Each(places, func(c int) string { return g.Policies[0].Classes[c].Name })
	for _, p := range g.shown(r) {
		for _, c := range places {
			if wait := p.Classes[c].Wait; wait != nil {
				most = max(most, wait.P95)
			}
		}
	}
	unit, scale := r.axisUnit(most)
	for _, quantity := range []struct {
		title, note string
		of          func(*Spread) float64
	}{
		{"Mean wait", "The mean wait of the jobs that arrive in each period.", func(s *Spread) float64 { return s.Mean }},
		{"Long waits", "95 % of the jobs that arrive in each period wait at most so long.", func(s *Spread) float64 { return s.P95 }},
	} {
		f := document.Figure{Title: quantity.title, Note: quantity.note, X: "arrival", Y: strings.TrimSpace("wait " + unit), Linear: true, Places: names}
		for _, p := range g.shown(r) {
			line := document.Line{Name: r.short(p.Name)}
			for k, c := range places {
				if wait := p.Classes[c].Wait; wait != nil {
					line.Points = append(line.Points, document.At(float64(k), quantity.of(wait)/scale))
				}
			}
			f.Lines = append(f.Lines, line)
		}
		if more := len(f.Lines) - picture.Styles; more > 0 {
			f.Note += fmt.Sprintf(" Faint, and named where the pointer rests: %d more.", more)
		}
		part.Figures = append(part.Figures, f)
	}
	return part
}

// axisUnit is the unit of an axis that goes up to a wait, and how long it is.
func (r *Report) axisUnit(most float64) (string, float64) {
	seconds, known := secondsIn(r.Time)
	if !known {
		return "(" + r.Time + ")", 1
	}
	for _, u := range []struct {
		name   string
		length float64
	}{{"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		const least = 2 // of the unit
		if most*seconds >= least*u.length {
			return "(" + u.name + ")", u.length / seconds
		}
	}
	return "(seconds)", 1 / seconds
}

// of are the places of the classes of a kind.
func (g *Group) of(kind string) (places []int) {
	for c := range g.Policies[0].Classes {
		if g.Policies[0].Classes[c].Kind == kind {
			places = append(places, c)
		}
	}
	return places
}

// classesParts are the tables of the mean waits by class, queue, account and user, with what the users received, and over time.
func (g *Group) classesParts(r *Report) []document.Part {
	waits, times := g.part(r, "The waits by class, queue, account and user"), g.part(r, "The waits over time in figures")
	waits.Tables = append(kit.Each(compared, func(kind string) *document.Table { return g.byClass(r, kind) }), g.fairness(r))
	times.Tables = []*document.Table{g.table(r, "Mean wait by time of arrival", kindPeriod, false, r.meanWait)}
	return []document.Part{waits, times}
}

// fitPart is the table of how near the policies come to the record.
func (r *Report) fitPart() document.Part {
	part := document.Part{Name: "Is the simulation right?", Text: r.Record.line(r) + "."}
	table := &document.Table{Caption: "How near each policy comes to what was recorded", Columns: []document.Column{{Name: "policy", IsText: true}, {Name: "jobs"}, {Name: "mean wait"}, {Name: "recorded"},
		{Name: "starts are off by", Help: "mean of |start under the policy − recorded start|"}, {Name: "explains the record", IsText: true}}}
	for k := range r.Record.Fits {
		f := &r.Record.Fits[k]
		explains := document.Cell{Text: "no", IsBad: true}
		if f.Explains {
			explains = document.Cell{Text: "yes", IsGood: true}
		}
		table.Rows = append(table.Rows, []document.Cell{{Text: r.short(f.Policy)}, document.Count(f.Jobs), document.Maybe(&f.MeanWait, r.time), document.Maybe(&f.Recorded, r.time), document.Maybe(&f.Off, r.time), explains})
	}
	part.Tables = []*document.Table{table}
	return part
}

// pageMethod says how the figures came to be.
func (r *Report) pageMethod() []string {
	list := []string{
		"Each policy was simulated on the same jobs. A wait is start − arrival. Only jobs that arrive in the window count; the others are simulated too.",
		"A trace cannot tell whether users would have submitted other jobs under another policy.",
	}
	for k := range r.Groups {
		if len(r.Groups[k].Policies) > 1 {
			list = append(list, r.Groups[k].method(r, true)...)
		}
	}
	return list
}
