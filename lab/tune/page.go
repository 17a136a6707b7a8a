package tune

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// WritePage writes the answer as a page that needs no other files: the verdict, the gain, which parameters matter, the races; of a trace also who waits longer. command is the
// command line that made the answer.
func (a *Answer) WritePage(w io.Writer, command string) error {
	sentences := a.sentences()
	page := &document.Document{
		Kicker: "Tuning", Title: a.headline(), Doc: fmt.Sprintf("%s, tuned for %s%s.", a.base(), a.Question.Metric, a.on()), By: "allot tune", Last: " " + a.Version + ".",
		Short: sentences[0], Details: slices.Concat(a.About, sentences[1:]), Method: a.method(),
		Notes: kit.Each(a.Caveats, func(caveat string) string { return "Warning: " + caveat }),
	}
	page.Parts = append(page.Parts, a.SlurmConf.parts()...)
	if a.HeldOut != nil {
		page.Parts = append(page.Parts, a.gainPart())
	}
	if len(a.Races) > 0 {
		page.Parts = append(page.Parts, a.spacePart(), a.racesPart())
	}
	if a.Policies != nil {
		page.Parts = append(page.Parts, a.Policies.Parts()...)
	}
	page.Parts = append(page.Parts, document.Part{Name: "The command", Command: command})
	return page.HTML(w)
}

// on names the trace.
func (a *Answer) on() string {
	if a.Question.Trace == "" {
		return ""
	}
	return " on " + a.Question.Trace
}

// gainPart draws the gain in the races and on what was set aside, and the steps to it.
func (a *Answer) gainPart() document.Part {
	axis := fmt.Sprintf("%s ÷ that of %s", a.Question.Metric, a.base())
	part := document.Part{Name: "The gain", Text: fmt.Sprintf("Each line is %s under other parameters as a multiple of that of %s. Left of 1 is better.", a.Question.Metric, a.base())}
	rows := []document.ForestRow{forestRow("set aside", a.HeldOut)}
	if a.Training != nil {
		part.Text += " Only the first line had no part in the choice."
		rows = append(rows, forestRow("in the races", a.Training))
	}
	part.Forests = []document.Forest{{Title: a.found(), Axis: axis, Less: "shown to be better", More: "shown to be worse", Blocks: []document.ForestBlock{{Rows: rows}}}}
	if len(a.Steps) > 1 {
		rows := kit.Each(a.Steps, func(s Step) document.ForestRow { return forestRow(a.stepTitle(&s), s.Training) })
		part.Forests = append(part.Forests, document.Forest{Title: "Step by step, in the races", Axis: axis, Less: "shown to be better", More: "shown to be worse", Blocks: []document.ForestBlock{{Rows: rows}},
			Note: "Each line has the changes of the lines above it too. Each step is the one that helps most at that point."})
	}
	return part
}

// forestRow is a gain in a forest plot.
func forestRow(name string, g *Gain) document.ForestRow {
	row := document.ForestRow{Name: name, Ratio: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if g != nil && g.Ratio != nil {
		row.Ratio = *g.Ratio
	}
	if g != nil && g.Low != nil {
		row.Low, row.High = *g.Low, *g.High
		row.Shown = row.High < 1 || row.Low > 1
	}
	return row
}

// spacePart is the table of what was varied.
func (a *Answer) spacePart() document.Part {
	table := document.NewTable("What was varied", 5, "parameter", "values", "as it stands", "found", "only where")
	found := a.values()
	for _, d := range a.Question.Space {
		ends := d.Values
		if d.Kind != categorical {
			ends = []string{d.number(d.Low), d.number(d.High)}
		}
		name, terms := a.terms(d.Name, append(slices.Clone(ends), d.Default, found[d.Name])...)
		values := strings.Join(terms[:len(ends)], ", ")
		if d.Kind != categorical {
			values = strings.Join(terms[:2], " to ")
			if d.Log {
				values += ", logarithmic"
			}
		}
		when := ""
		if d.When != nil {
			when = d.When.Name + " is " + strings.Join(d.When.Values, " or ")
		}
		table.Add(document.Texts(name, values, terms[len(ends)], terms[len(ends)+1], when)...)
	}
	return document.Part{Name: "The space", Tables: []*document.Table{table}}
}

// values are the values of what was found, by parameter; empty where a parameter does not matter beside the others.
func (a *Answer) values() map[string]string {
	values := map[string]string{}
	for k, d := range a.Question.Space {
		if k < len(a.FoundValues) {
			values[d.Name] = a.FoundValues[k]
		}
	}
	return values
}

// racesPart is the table of the races.
func (a *Answer) racesPart() document.Part {
	table := &document.Table{Caption: "The races, one after another", Columns: []document.Column{{Name: "race"}, {Name: "candidates", Help: "at the start, the best of the races before included"},
		{Name: "heats", Help: "instances, or windows of the trace, each with a seed, on which the candidates ran"}, {Name: "dropped", Help: "shown to be worse than the best"}, {Name: "runs so far"}, {Name: "best at the end", IsText: true}}}
	for k, r := range a.Races {
		best := ""
		if len(r.Best) > 0 {
			best = r.Best[0]
		}
		table.Add(document.Count(k+1), document.Count(r.Candidates), document.Count(r.Heats), document.Count(r.Dropped), document.Count(r.Runs), document.Text(best))
	}
	return document.Part{Name: "The races", Tables: []*document.Table{table}}
}

// method says how the answer came to be.
func (a *Answer) method() []string {
	if len(a.Races) == 0 {
		return []string{"No settings were looked for: those that were judged were given. The judgement is a paired bootstrap over the days of the last part of the trace; there each job is compared with itself."}
	}
	test := "ranks on each instance (Friedman, Conover)"
	if a.Question.Test == ByMean {
		test = "means over pairs (Student)"
	}
	list := []string{
		"Iterated racing after López-Ibáñez et al. (2016), doi:10.1016/j.orp.2016.09.002: candidates are drawn around the best so far and run heat by heat; those go that a test of " + test + " shows to be worse.",
		"What was set aside is used once, at the end, for the best candidate and for the choice as it stands. What is recommended has an interval there that lies below 1; so at most " +
			numtext.Significant(50*(1-a.Question.Confidence), 3) + " in 100 recommendations would be wrong if all candidates were alike.",
		"The steps are an ablation after Fawcett and Hoos (2016), doi:10.1007/s10732-014-9275-9.",
	}
	if a.Question.Trace != "" {
		list = append(list, fmt.Sprintf("The races ran on %s before a gap, each after jobs that fill the system. The judgement is a paired bootstrap over the days of the last part; there each job is compared with itself.", numtext.Counted(len(a.Question.Training), "window")))
	}
	return list
}
