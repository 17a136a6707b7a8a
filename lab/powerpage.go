package lab

import (
	"strings"

	"github.com/allot-opt/allot/internal/document"
)

// bills is the table of what the policies take of power; nil: nothing is known of it.
func (g *Group) bills(r *Report) *document.Table {
	quantities := r.quantities()
	if len(quantities) == 0 {
		return nil
	}
	t := &document.Table{Caption: "What the policies take of power", Columns: []document.Column{{Name: "policy", IsText: true}, {Name: "mean wait", IsDetail: true}}}
	for _, q := range quantities {
		t.Columns = append(t.Columns, document.Column{Name: strings.TrimSpace(q.name + " " + q.unit)},
			document.Column{Name: "of all", Help: "difference of the whole bill from that under the first policy, idle machines included"},
			document.Column{Name: "of the jobs'", Help: "difference of what the jobs take while they run, with its interval, paired by day"})
		if q.possible != nil {
			t.Columns = append(t.Columns, document.Column{Name: "of possible", Help: "what is saved as a share of what was possible at all, by a proved bound of schedules that know the future", First: "descending"})
		}
		t.Columns = append(t.Columns, document.Column{Name: "front", IsText: true, IsDetail: true})
	}
	t.Columns = append(t.Columns, document.Column{Name: "energy", IsDetail: true}, document.Column{Name: "peak power"})
	first := g.Policies[0].Power
	for k := range g.Policies {
		p := &g.Policies[k]
		row := []document.Cell{document.Text(r.short(p.Name)), r.meanWait(&p.Classes[0])}
		for _, q := range quantities {
			all, own := document.Text(document.Missing), document.Text(document.Missing)
			before, after := q.total(first), q.total(p.Power)
			if d := q.change(p.Power); d != nil {
				own = r.difference(d)
				own.Text = q.ofJobs(r, d) + r.star(d)
				if all.Text = q.ofBill(first, p.Power); *before > 0 && !p.Power.OtherJobs {
					all.Value = new(*after / *before - 1)
				}
			}
			row = append(row, document.Maybe(after, sum), all, own)
			if q.possible != nil {
				row = append(row, document.Maybe(q.share(p.Power), percent))
			}
			front := document.Cell{}
			if p.Classes[0].Wait != nil && after != nil && g.onFront(p, &q) {
				front = document.Cell{Text: "yes", IsGood: true}
			}
			row = append(row, front)
		}
		t.Add(append(row, document.Maybe(&p.Power.Energy, figure), document.Maybe(&p.Power.Peak, figure))...)
	}
	return t
}

// billsPart is the table of what the policies take of power, and the pictures of what is saved over the mean wait.
func (g *Group) billsPart(r *Report) document.Part {
	part := g.part(r, "What it costs")
	line := r.powerLine()
	part.Text = strings.ToUpper(line[:1]) + line[1:] + ". A policy is on the front if no other takes no more and has no longer mean wait."
	part.Tables = []*document.Table{g.bills(r)}
	if len(g.Policies) < 2 {
		return part
	}
	unit, scale := r.axisUnit(g.longestMean())
	for _, q := range r.quantities() {
		f := document.Figure{Title: "The " + q.name + " over the mean wait", Note: "Each point is a policy: the further down the " + q.saves + ", the further left the less its jobs wait.",
			X: strings.TrimSpace("mean wait " + unit), Y: q.name + " against the first (%)", Linear: true}
		before := q.total(g.Policies[0].Power)
		for k := range g.Policies {
			p := &g.Policies[k]
			if wait, after := p.Classes[0].Wait, q.total(p.Power); wait != nil && after != nil && before != nil && *before > 0 && !p.Power.OtherJobs {
				f.Lines = append(f.Lines, document.Line{Name: r.short(p.Name), Points: []document.Estimate{document.At(wait.Mean/scale, 100*(*after / *before - 1))}})
			}
		}
		part.Figures = append(part.Figures, f)
	}
	return part
}

// longestMean is the longest mean wait under a policy of the group.
func (g *Group) longestMean() (most float64) {
	for k := range g.Policies {
		if wait := g.Policies[k].Classes[0].Wait; wait != nil {
			most = max(most, wait.Mean)
		}
	}
	return most
}
