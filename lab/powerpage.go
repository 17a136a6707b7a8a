package lab

import (
	"math"
	"strings"

	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/bench/statistics"
)

// billsPart is the table of what the policies take of power, and the pictures of what is saved over the mean wait.
func (g *Group) billsPart(r *Report) report.Part {
	part := g.part(r, "What it costs")
	line := r.powerLine()
	part.Text = strings.ToUpper(line[:1]) + line[1:] + ". A policy is on the front if no other takes no more and has no longer mean wait."
	grid := &report.Grid{Caption: "What the policies take of power", Columns: []report.Column{{Name: "policy", IsText: true}, {Name: "mean wait"}}}
	quantities := r.quantities()
	for _, q := range quantities {
		grid.Columns = append(grid.Columns, report.Column{Name: strings.TrimSpace(q.name + " " + q.unit)},
			report.Column{Name: "of all", Help: "difference of the whole bill from that under the first policy, idle machines included"},
			report.Column{Name: "of the jobs'", Help: "difference of what the jobs take while they run, with its interval, paired by day"})
		if q.possible != nil {
			grid.Columns = append(grid.Columns, report.Column{Name: "of possible", Help: "what is saved as a share of what was possible at all, by a proved bound of schedules that know the future", First: "descending"})
		}
		grid.Columns = append(grid.Columns, report.Column{Name: "front", IsText: true})
	}
	grid.Columns = append(grid.Columns, report.Column{Name: "energy"}, report.Column{Name: "peak power"})
	first := g.Policies[0].Power
	unit, scale := r.axisUnit(g.longestMean())
	figures := make([]report.Figure, len(quantities))
	for k, q := range quantities {
		figures[k] = report.Figure{Title: "The " + q.name + " over the mean wait", Note: "Each point is a policy: the further down the " + q.saves + ", the further left the less its jobs wait.",
			X: strings.TrimSpace("mean wait " + unit), Y: q.name + " against the first (%)", Linear: true}
	}
	for k := range g.Policies {
		p := &g.Policies[k]
		row := []report.Cell{{Text: r.short(p.Name)}, {Text: missing}}
		if wait := p.Classes[0].Wait; wait != nil {
			row[1] = number(&wait.Mean, r.time)
		}
		for n, q := range quantities {
			all, own := report.Cell{Text: missing}, report.Cell{Text: missing}
			before, after := q.total(first), q.total(p.Power)
			if d := q.change(p.Power); d != nil {
				own = r.difference(d)
				own.Text = q.ofJobs(r, d) + r.star(d)
				if all = (report.Cell{Text: q.ofBill(first, p.Power)}); *before > 0 && !p.Power.OtherJobs {
					all.Value = new(*after / *before - 1)
				}
			}
			row = append(row, number(after, sum), all, own)
			if q.possible != nil {
				row = append(row, number(q.share(p.Power), percent))
			}
			front := report.Cell{}
			if wait := p.Classes[0].Wait; wait != nil && after != nil {
				if g.onFront(p, &q) {
					front = report.Cell{Text: "yes", IsGood: true}
				}
				if before != nil && *before > 0 && !p.Power.OtherJobs {
					figures[n].Lines = append(figures[n].Lines, report.Line{Name: r.short(p.Name), Points: []report.Estimate{{X: wait.Mean / scale,
						Value: statistics.Interval{Estimate: 100 * (*after / *before - 1), Low: math.Inf(-1), High: math.Inf(1)}}}})
				}
			}
			row = append(row, front)
		}
		grid.Rows = append(grid.Rows, append(row, number(&p.Power.Energy, figure), number(&p.Power.Peak, figure)))
	}
	part.Grid = grid
	if len(g.Policies) > 1 {
		part.Figures = figures
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
