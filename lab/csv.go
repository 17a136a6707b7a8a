package lab

import (
	"io"
	"strconv"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
)

// WriteCSV writes a row for each class of each policy. Where the report has bills, the row of all jobs has the policy's.
func (r *Report) WriteCSV(w io.Writer) error {
	t := document.NewTable("", 0, "group", "policy", "kind", "class", "jobs", "wait_mean", "wait_median", "wait_p95", "wait_max", "bounded_slowdown", "stretch",
		"wait_difference", "wait_difference_low", "wait_difference_high", "wait_p", "wait_p_holm", "wait_longer", "wait_shorter",
		"slowdown_difference", "slowdown_difference_low", "slowdown_difference_high", "slowdown_p", "slowdown_p_holm", "slowdown_greater", "slowdown_less",
		"utilisation", "left_out", "jain", "entitled", "received",
		"wait_ratio", "wait_ratio_low", "wait_ratio_high", "slowdown_ratio", "slowdown_ratio_low", "slowdown_ratio_high")
	if r.Power != nil {
		t.Columns = append(t.Columns, document.NewTable("", 0, "energy", "cost", "carbon", "peak_power", "cost_share", "carbon_share",
			"cost_ratio", "cost_ratio_low", "cost_ratio_high", "carbon_ratio", "carbon_ratio_low", "carbon_ratio_high").Columns...)
	}
	add := func(group string, p *Policy) {
		for c := range p.Classes {
			t.Add(r.cells(group, p, &p.Classes[c])...)
		}
	}
	if r.Record != nil {
		add("record", &r.Record.Policy)
	}
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			add(r.Groups[g].Name(), &r.Groups[g].Policies[k])
		}
	}
	return t.CSV(w)
}

// WriteShares writes, as CSV, a row for each user who had jobs in the system on a day, under each policy. The shares must have been asked for.
func (r *Report) WriteShares(w io.Writer) error {
	t := document.NewTable("", 0, "group", "policy", "day", "user", "entitled", "received")
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			p := &r.Groups[g].Policies[k]
			for i := range p.Shares {
				share := &p.Shares[i]
				t.Add(document.Plain(r.Groups[g].Name()), document.Plain(p.Name), whole(share.Day), document.Plain(share.User), document.Exact(&share.Entitled), document.Exact(&share.Received))
			}
		}
	}
	return t.CSV(w)
}

// whole is a cell of a whole number for programs.
func whole(n int) document.Cell { return document.Plain(strconv.Itoa(n)) }

// cells are the cells of a class; utilisation, jobs left out, Jain's index and the bill are of all jobs.
func (r *Report) cells(group string, p *Policy, c *Class) []document.Cell {
	row := append(kit.Each([]string{group, p.Name, c.Kind, c.Name}, document.Plain), whole(c.Jobs))
	exact := func(list ...*float64) { row = append(row, kit.Each(list, document.Exact)...) }
	ratios := func(list ...*Difference) {
		for _, d := range list {
			if d == nil {
				d = &Difference{}
			}
			exact(d.Ratio, d.RatioLow, d.RatioHigh)
		}
	}
	if c.Wait == nil {
		exact(make([]*float64, 5)...)
	} else {
		exact(&c.Wait.Mean, &c.Wait.Median, &c.Wait.P95, &c.Wait.Max, &c.Slowdown)
	}
	if c.Stretch > 0 {
		exact(&c.Stretch)
	} else {
		exact(nil)
	}
	for _, d := range []*Difference{c.WaitDifference, c.SlowdownDifference} {
		if d == nil {
			exact(make([]*float64, 7)...)
			continue
		}
		exact(&d.Mean, d.Low, d.High, d.P, d.Holm)
		row = append(row, whole(d.Greater), whole(d.Less))
	}
	if c.Kind == kindAll {
		row = append(row, document.Exact(p.Utilisation), whole(p.LeftOut), document.Exact(p.Jain))
	} else {
		exact(nil, nil, nil)
	}
	exact(c.Entitled, c.Received)
	ratios(c.WaitDifference, c.SlowdownDifference)
	switch b := p.Power; {
	case r.Power == nil:
	case b == nil || c.Kind != kindAll:
		exact(make([]*float64, 12)...)
	default:
		exact(&b.Energy, b.Cost, b.Carbon, &b.Peak, b.CostShare, b.CarbonShare)
		ratios(b.CostDifference, b.CarbonDifference)
	}
	return row
}
