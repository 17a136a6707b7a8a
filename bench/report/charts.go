package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/png"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
)

// Limits of the charts of one page, so that a browser can show it.
const (
	mostChartSize = 400_000 // bytes
	defaultCharts = 4
)

// MostCharts is how many Gantt charts one page holds.
const MostCharts = 24

// chart is the Gantt chart of a best-known solution.
type chart struct {
	Title string
	Note  string
	SVG   template.HTML
}

// identity is an instance, by its SHA-256, with an objective: instances that differ in the objective share it.
type identity [2]string

// bestOf are the best of the known solutions, by instance and objective, and as rows.
func bestOf(runs []Run) (map[identity]*Known, []bench.Row) {
	known := map[identity]*Known{}
	var rows []bench.Row
	for k := range runs {
		for i := range runs[k].Best {
			b := &runs[k].Best[i]
			if b.Solution == nil || b.Instance == nil || b.Solution.Objective == nil {
				continue
			}
			at := identity{b.Instance.SHA256(), shown.Objective(b.Instance)}
			if before := known[at]; before == nil || b.rank().Better(before.rank()) {
				known[at] = b
			}
			left := len(b.Solution.Unscheduled)
			rows = append(rows, bench.Row{
				InstanceSHA256: at[0], Minimised: at[1], Objective: b.Solution.Objective, Left: left, MayLeave: left - b.Instance.Owed(b.Solution),
			})
		}
	}
	return known, rows
}

// rank is what the solution is judged by.
func (b *Known) rank() model.Rank {
	return b.Instance.RankOf(b.Solution, *b.Solution.Objective)
}

// charted is a best-known solution that is drawn.
type charted struct {
	name  string
	known *Known
}

// charted are the best-known solutions to draw: of the first instance of each group, then of the second, up to most.
func (s *study) charted(known map[identity]*Known, most int) []charted {
	if most == 0 {
		most = defaultCharts
	}
	most = min(most, MostCharts)
	type place struct{ round, group int }
	var places []place
	seen := map[*problem]bool{} // both kinds of solvers share them
	for k, g := range s.groups {
		for round, c := range g.cases {
			if !seen[c] {
				seen[c] = true
				places = append(places, place{round, k})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.group, b.group)) })
	var list []charted
	for _, at := range places {
		if len(list) >= most {
			break
		}
		c := s.groups[at.group].cases[at.round]
		if k := known[identity{c.sha, c.metric}]; k != nil {
			list = append(list, charted{document.Printable(c.instance), k})
		}
	}
	return list
}

// newChart draws a solution for the page, as an image if it is too large to draw line by line. It returns false if the solution
// cannot be drawn.
func newChart(name string, k *Known) (chart, bool) {
	var b bytes.Buffer
	if err := writeChart(&b, picture.SVG, name, k); err != nil {
		return chart{}, false
	}
	c := chart{Title: name, Note: numtext.CountedGrouped(len(k.Instance.Jobs()), "job")}
	if k.Solution.Objective != nil {
		c.Note += ", objective " + document.Rounded(*k.Solution.Objective, 6)
	}
	if k.Solution.Solver != "" {
		c.Note += ", found by " + document.Printable(k.Solution.Solver)
	}
	text := b.String()
	if b.Len() > mostChartSize {
		var err error
		if text, err = imaged(name, k); err != nil || len(text) > mostChartSize {
			c.Note += ": too large a picture for this page; draw it with allot gantt"
			return c, true
		}
		c.Note += "; as an image, which does not say which block is which job"
	}
	c.SVG = template.HTML(strings.Replace(text[max(strings.Index(text, "<svg"), 0):], picture.Dark, "", 1))
	return c, true
}

// imaged is the chart as an SVG that holds an image.
func imaged(name string, k *Known) (string, error) {
	var b bytes.Buffer
	if err := writeChart(&b, picture.PNG, name, k); err != nil {
		return "", err
	}
	size, err := png.DecodeConfig(bytes.NewReader(b.Bytes()))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`<svg viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d"><title>%[3]s</title><image width="%[1]d" height="%[2]d" href="data:image/png;base64,%[4]s"/></svg>`,
		size.Width, size.Height, template.HTMLEscapeString(name), base64.StdEncoding.EncodeToString(b.Bytes())), nil
}
