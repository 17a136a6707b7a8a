package advise

import (
	"fmt"
	"io"
	"slices"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab"
)

// pageRows are the rows of the tables of a page; JSON has all.
const pageRows = 25

// WritePage writes the report as a page that needs no other files. The same report and origin give the same bytes.
func (r *Report) WritePage(w io.Writer, from lab.Origin) error {
	a := &document.Document{Kicker: "Advice for a site", Title: r.Trace, Doc: r.headline(), By: "allot advise", Last: " " + from.Version + "; the same trace and options give the same page.", Method: r.method()}
	if r.Anonymous {
		a.Notes = append(a.Notes, "The names of users, accounts, jobs, queues, clusters and machines are replaced: the same name always has the same label on this page.")
	}
	for _, s := range r.sections(pageRows) {
		a.Parts = append(a.Parts, s.Part)
		for _, c := range s.of {
			for _, part := range c.Report.Effect() {
				part.Name = s.Name + ": " + part.Name
				a.Parts = append(a.Parts, part)
			}
		}
	}
	return from.Write(w, a, slices.Concat(r.About, r.First), r.Caveats)
}

// figures draws the load by hour of the day.
func (p *LoadPart) figures() []document.Figure {
	f := document.Figure{Title: "Which hours are full", Note: "Share of all processors that jobs hold, by weekday. " + p.Zone + ".", X: "hour of the day", Y: "processors in use (%)", Linear: true}
	for d, row := range p.Hours {
		line := document.Line{Name: days[d]}
		for h, x := range row {
			if x < 0 {
				continue
			}
			line.Points = append(line.Points, document.At(float64(h), 100*x))
		}
		if len(line.Points) > 0 {
			f.Lines = append(f.Lines, line)
		}
	}
	for h := range 24 {
		f.Places = append(f.Places, numtext.Figure(float64(h)))
	}
	return []document.Figure{f}
}

// method says how the figures came to be.
func (r *Report) method() []string {
	list := []string{fmt.Sprintf("All waits are of replays: the jobs of the trace arrive when they did, and %s decides when they start. Differences compare each job with itself; their intervals are of a paired bootstrap "+
		"over days, with Holm's correction for the tests of one question.", r.Policy)}
	if r.Limits != nil {
		list = append(list, "A time limit is an order statistic of earlier run times, a distribution-free tolerance limit (Wilks 1941, doi:10.1214/aoms/1177731788), times a factor. The order statistic holds if later jobs are "+
			"like earlier ones, which nobody can promise. So each month's limits come only from jobs that had started so long before that all had ended, and are judged on the following 30 days. The factor is "+
			"the least that held in every earlier month; where none did, no limit is given. "+
			"A job that runs longer than the limit loses its run and runs again with its old limit.")
	}
	if r.Load != nil {
		list = append(list, "More nodes are more machines of each kind that there is, with the same jobs. Users of a larger system may submit more.")
	}
	return list
}
