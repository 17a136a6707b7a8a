package lab

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
)

// WriteCSV writes a row for each class of each policy. Where the report has bills, the row of all jobs has the policy's.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"group", "policy", "kind", "class", "jobs", "wait_mean", "wait_median", "wait_p95", "wait_max", "bounded_slowdown", "stretch",
		"wait_difference", "wait_difference_low", "wait_difference_high", "wait_p", "wait_p_holm", "wait_longer", "wait_shorter",
		"slowdown_difference", "slowdown_difference_low", "slowdown_difference_high", "slowdown_p", "slowdown_p_holm", "slowdown_greater", "slowdown_less",
		"utilisation", "left_out", "jain", "entitled", "received",
		"wait_ratio", "wait_ratio_low", "wait_ratio_high", "slowdown_ratio", "slowdown_ratio_low", "slowdown_ratio_high"}
	if r.Power != nil {
		header = append(header, "energy", "cost", "carbon", "peak_power", "cost_share", "carbon_share",
			"cost_ratio", "cost_ratio_low", "cost_ratio_high", "carbon_ratio", "carbon_ratio_low", "carbon_ratio_high")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	if r.Record != nil {
		for c := range r.Record.Classes {
			if err := out.Write(r.cells("record", &r.Record.Policy, &r.Record.Classes[c])); err != nil {
				return err
			}
		}
	}
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			p := &r.Groups[g].Policies[k]
			for c := range p.Classes {
				if err := out.Write(r.cells(r.Groups[g].Name(), p, &p.Classes[c])); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// WriteShares writes, as CSV, a row for each user who had jobs in the system on a day, under each policy. The shares must have been asked for.
func (r *Report) WriteShares(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"group", "policy", "day", "user", "entitled", "received"}); err != nil {
		return err
	}
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			p := &r.Groups[g].Policies[k]
			for i := range p.Shares {
				share := &p.Shares[i]
				row := []string{plaintext.Cell(r.Groups[g].Name()), plaintext.Cell(p.Name), strconv.Itoa(share.Day), plaintext.Cell(share.User), numtext.Exact(&share.Entitled), numtext.Exact(&share.Received)}
				if err := out.Write(row); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// cells are the cells of a class; utilisation, jobs left out, Jain's index and the bill are of all jobs.
func (r *Report) cells(group string, p *Policy, c *Class) []string {
	row := []string{plaintext.Cell(group), plaintext.Cell(p.Name), c.Kind, plaintext.Cell(c.Name), strconv.Itoa(c.Jobs)}
	if c.Wait == nil {
		row = append(row, make([]string, 5)...)
	} else {
		for _, x := range []float64{c.Wait.Mean, c.Wait.Median, c.Wait.P95, c.Wait.Max, c.Slowdown} {
			row = append(row, numtext.Exact(&x))
		}
	}
	stretch := ""
	if c.Stretch > 0 {
		stretch = numtext.Exact(&c.Stretch)
	}
	row = append(row, stretch)
	for _, d := range []*Difference{c.WaitDifference, c.SlowdownDifference} {
		if d == nil {
			row = append(row, make([]string, 7)...)
			continue
		}
		row = append(row, numtext.Exact(&d.Mean), numtext.Exact(d.Low), numtext.Exact(d.High), numtext.Exact(d.P), numtext.Exact(d.Holm), strconv.Itoa(d.Greater), strconv.Itoa(d.Less))
	}
	if c.Kind == kindAll {
		row = append(row, numtext.Exact(p.Utilisation), strconv.Itoa(p.LeftOut), numtext.Exact(p.Jain))
	} else {
		row = append(row, "", "", "")
	}
	row = append(row, numtext.Exact(c.Entitled), numtext.Exact(c.Received))
	for _, d := range []*Difference{c.WaitDifference, c.SlowdownDifference} {
		if d == nil {
			d = &Difference{}
		}
		row = append(row, numtext.Exact(d.Ratio), numtext.Exact(d.RatioLow), numtext.Exact(d.RatioHigh))
	}
	switch b := p.Power; {
	case r.Power == nil:
	case b == nil || c.Kind != kindAll:
		row = append(row, make([]string, 12)...)
	default:
		row = append(row, numtext.Exact(&b.Energy), numtext.Exact(b.Cost), numtext.Exact(b.Carbon), numtext.Exact(&b.Peak), numtext.Exact(b.CostShare), numtext.Exact(b.CarbonShare))
		for _, d := range []*Difference{b.CostDifference, b.CarbonDifference} {
			if d == nil {
				d = &Difference{}
			}
			row = append(row, numtext.Exact(d.Ratio), numtext.Exact(d.RatioLow), numtext.Exact(d.RatioHigh))
		}
	}
	return row
}
