package lab

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes a row for each class of each policy.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"group", "policy", "kind", "class", "jobs", "wait_mean", "wait_median", "wait_p95", "wait_max", "bounded_slowdown",
		"wait_difference", "wait_difference_low", "wait_difference_high", "slowdown_difference", "slowdown_difference_low", "slowdown_difference_high",
		"utilisation", "left_out", "jain", "entitled", "received"}
	if err := out.Write(header); err != nil {
		return err
	}
	for g := range r.Groups {
		for k := range r.Groups[g].Policies {
			p := &r.Groups[g].Policies[k]
			for c := range p.Classes {
				if err := out.Write(cells(r.Groups[g].Name(), p, &p.Classes[c])); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// cells are the cells of a class; utilisation, jobs left out and Jain's index are of all jobs.
func cells(group string, p *Policy, c *Class) []string {
	row := []string{group, p.Name, c.Kind, c.Name, strconv.Itoa(c.Jobs)}
	for _, x := range []float64{c.Wait.Mean, c.Wait.Median, c.Wait.P95, c.Wait.Max, c.Slowdown} {
		row = append(row, number(&x))
	}
	for _, d := range []*Difference{c.WaitDifference, c.SlowdownDifference} {
		if d == nil {
			row = append(row, "", "", "")
			continue
		}
		row = append(row, number(&d.Mean), number(d.Low), number(d.High))
	}
	if c.Kind == KindAll {
		row = append(row, number(&p.Utilisation), strconv.Itoa(p.LeftOut), number(p.Jain))
	} else {
		row = append(row, "", "", "")
	}
	return append(row, number(c.Entitled), number(c.Received))
}

// number is a number with all its digits; empty where there is none.
func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
