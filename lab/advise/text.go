package advise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/lab"
)

// Rows of the tables of the text; the page and JSON have more.
const textRows = 8

// section is a part for people: both the text and the page show it.
type section struct {
	document.Part
	of []*Comparison // whose effect the page draws
}

// sections are the parts of the report, with at most the given number of rows in a table.
func (r *Report) sections(rows int) (list []section) {
	add := func(part string, s *section) {
		s.Command = r.Commands[part]
		list = append(list, *s)
	}
	if r.Limits != nil {
		add(partLimits, r.Limits.section(rows))
	}
	if r.Needs != nil {
		add(partNeeds, r.Needs.section(rows))
	}
	if r.Waits != nil {
		add(partWaits, r.Waits.section(rows))
	}
	if r.Load != nil {
		add(partLoad, r.Load.section(rows))
	}
	if r.Policies != nil {
		add(partPolicies, &section{document.Part{Name: "Would another policy serve better?", Lines: slices.Clone(r.Policies.Answer)}, []*Comparison{r.Policies}})
	}
	return list
}

// more says how many rows a table leaves out; empty: none.
func more(all, rows int, what string) []string {
	if all <= rows {
		return nil
	}
	return []string{fmt.Sprintf("The table has %d of %s; --json has all.", rows, counted(all, what))}
}

// section is the part about time limits for people.
func (p *LimitsPart) section(rows int) *section {
	s := &section{Part: document.Part{Name: "Time limits"}}
	say := func(format string, parts ...any) { s.Lines = append(s.Lines, fmt.Sprintf(format, parts...)) }
	if p.Asked > 0 {
		say("%s asked for a limit; they used %s of the processor time that they asked for. %s", counted(p.Asked, "job"), percent(p.Used), p.summary())
	} else {
		say("The trace states no time limits. %s", p.summary())
	}
	by := "queue"
	if p.Named {
		by = "name"
	}
	say("Jobs are alike by user, %s and requested limit. A limit needs %s of the last 180 days: with %s confidence at most %s of jobs like these exceed a quantile of their run times. It is multiplied by a factor, because "+
		"jobs change: the least of %s with which such limits, tried month by month, would have killed at most half of the risk in every earlier month.", by, counted(p.Needed, "job"), percent(p.Confidence), percent(p.Risk), factorList())
	say("%s", p.Walk.sentence())
	advised, killed := p.judged()
	switch {
	case len(p.Months) == 0:
		say("The trace is shorter than two months of 30 days, so no advice could be judged on a later month.")
	case advised == 0:
		say("In %s no job got advice that could be judged.", counted(len(p.Months), "later month"))
	default:
		over := 0
		for _, m := range p.Months {
			if float64(m.Killed) > p.Risk*float64(m.Advised) {
				over++
			}
		}
		say("Judged on the following month, in %s: %d of %s with advice would have been killed (%s); the risk was exceeded in %s.", counted(len(p.Months), "month"), killed, counted(advised, "job"),
			percent(float64(killed)/float64(advised)), counted(over, "month"))
	}
	if p.Gain != nil {
		say("If users had followed it, a killed job running again with its old limit (%s lost):", processorHours(p.Lost))
		s.Lines = append(s.Lines, p.Gain.Answer...)
		s.of = append(s.of, p.Gain)
		if !p.Settled {
			say("The times at which jobs would have been killed did not settle in the replays, so the waits of killed jobs are near ones.")
		}
	} else if p.Why != "" {
		say("%s", p.Why)
	}
	t := document.NewTable("Time limits requested and used, the most unused processor time first", 2, "who", "advice", "requested", "longest", "used")
	var kinds []*Limit
	for k := range p.Limits { // advice first
		if p.Limits[k].State == Advised {
			kinds = append(kinds, &p.Limits[k])
		}
	}
	for k := range p.Limits {
		if p.Limits[k].State != Advised {
			kinds = append(kinds, &p.Limits[k])
		}
	}
	for _, l := range kinds[:min(rows, len(kinds))] {
		requested, used := "none", "?"
		if l.Requested > 0 {
			requested, used = seconds(l.Requested), percent(l.Share)
		}
		t.Add(document.Texts(l.who(), l.what(p.Needed), requested, seconds(l.Most), used)...)
	}
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	s.Lines = append(s.Lines, more(len(kinds), rows, "kind")...)
	return s
}

// factorList lists the factors.
func factorList() string {
	list := kit.Each(factors[:], factorText)
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// factorText is a factor for people.
func factorText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// sentence says which factor holds, or why none is taken.
func (w *Walk) sentence() string {
	tried := fmt.Sprintf("%d of %s in %s", w.Killed, counted(w.Jobs, "tried job"), counted(w.Months, "earlier month"))
	switch {
	case w.Holds():
		return fmt.Sprintf("The factor is %s: with it %s would have been killed.", factorText(w.Factor), tried)
	case w.Over > 0:
		return fmt.Sprintf("Even with the factor %s the past months exceeded half of the risk in %d of %s: no advice is given.", factorText(w.Factor), w.Over, counted(w.Months, "month"))
	}
	return fmt.Sprintf("Such limits could be tried in %s, and %d are needed: no advice is given.", counted(w.Months, "earlier month"), walked)
}

// section is the part about memory and devices for people; nil: nothing is known of them.
func (p *NeedsPart) section(rows int) *section {
	s := &section{Part: document.Part{Name: "Memory and devices"}}
	if p.MemoryJobs == 0 && p.DevicesJobs == 0 {
		s.Lines = []string{"The trace does not say what memory or devices jobs used. Of Slurm, sacct without -X prints it, with the columns JobName, ReqMem, MaxRSS, NTasks, TRESUsageInTot and TRESUsageInAve."}
		return s
	}
	if p.MemoryJobs > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%s: they used at their highest %s of the memory that they asked for, weighted by run time.", counted(p.MemoryJobs, "job"), percent(p.MemoryUsed)))
		t := document.NewTable("Memory asked for and used, the most unused first", 1, "who", "jobs", "asked", "used", "most")
		for _, u := range p.Memory[:min(rows, len(p.Memory))] {
			t.Add(document.Texts(u.who(), fmt.Sprint(u.Jobs), megabytes(u.Asked), megabytes(u.Used), megabytes(u.Most))...)
		}
		s.Tables = append(s.Tables, t)
		s.Lines = append(s.Lines, more(len(p.Memory), rows, "row")...)
	}
	if p.DevicesJobs > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%s with GPUs: the GPUs were busy %s of the time that jobs held them.", counted(p.DevicesJobs, "job"), percent(p.DevicesUsed)))
		t := document.NewTable("GPUs held and busy, the most idle first", 1, "who", "jobs", "GPU hours", "busy")
		for _, u := range p.Devices[:min(rows, len(p.Devices))] {
			t.Add(document.Texts(u.who(), fmt.Sprint(u.Jobs), fmt.Sprintf("%.0f", u.Asked/3600), percent(u.Used/max(u.Asked, 1e-300)))...)
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// who names the jobs.
func (u *Unused) who() string { return (&Kind{User: u.User, Name: u.Name}).who() }

// section is the part about waits for people.
func (p *WaitsPart) section(rows int) *section {
	s := &section{Part: document.Part{Name: "Waits and fairness"}}
	s.Lines = append(s.Lines, fmt.Sprintf("Replayed under the site's policy, jobs wait %s on average, and 95 %% of them at most %s.%s", seconds(p.Mean), seconds(p.P95), p.starvation()))
	for k := range p.Longest {
		w := &p.Longest[k]
		text := fmt.Sprintf("Job %s", legible(w.Job))
		if w.User != "" {
			text += " of user " + legible(w.User)
		}
		text += fmt.Sprintf(" (%s) waits %s: %s.", counted(w.Processors, "processor"), seconds(w.Wait), w.Why)
		if w.Rule != "" {
			text += " The rule that decided: " + w.Rule + "."
		}
		if w.Recorded != nil {
			text += fmt.Sprintf(" Its recorded wait is %s.", seconds(*w.Recorded))
		}
		var front []string
		for _, f := range w.Front {
			part := "job " + legible(f.Job)
			if f.User != "" {
				part += " of " + legible(f.User)
			}
			front = append(front, fmt.Sprintf("%s (%s, %s)", part, f.Role, counted(f.Processors, "processor")))
		}
		if len(front) > 0 {
			text += " While it waits, these hold most of what it could use: " + strings.Join(front, ", ") + "."
		}
		s.Lines = append(s.Lines, text)
	}
	users := document.NewTable("The users with most jobs", 1, "user", "jobs", "mean wait", "95 % wait", "received")
	accounts := document.NewTable("The accounts with most jobs", 1, "account", "jobs", "mean wait", "95 % wait")
	second := p.second()
	for _, c := range p.Classes.Groups[0].Policies[0].Classes {
		if c.Wait == nil {
			continue
		}
		row := document.Texts(legible(c.Name), fmt.Sprint(c.Jobs), seconds(c.Wait.Mean*second), seconds(c.Wait.P95*second))
		switch {
		case c.Kind == "user" && len(users.Rows) < rows && c.Entitled != nil && *c.Entitled > 0:
			users.Rows = append(users.Rows, append(row, document.Text(percent(*c.Received / *c.Entitled))))
		case c.Kind == "account" && len(accounts.Rows) < rows:
			accounts.Rows = append(accounts.Rows, row)
		}
	}
	fair := document.NewTable("Fairness by 30 days", 0, "from day", "users", "Jain", "least", "received")
	for _, f := range p.Fairness[max(0, len(p.Fairness)-rows):] {
		fair.Add(document.Texts(fmt.Sprint(f.Day), fmt.Sprint(f.Users), fmt.Sprintf("%.2f", f.Jain), legible(f.Least), percent(f.Part))...)
	}
	for _, t := range []*document.Table{users, accounts, fair} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	if len(users.Rows) > 0 || len(fair.Rows) > 0 {
		s.Lines = append(s.Lines, "Received is the part of the processor time that a user was entitled to: an equal share among those who have jobs in the system, at most what they ask for. Jain's index is 1 where all receive the same part.")
	}
	return s
}

// second is how long the unit of the waits is in seconds.
func (p *WaitsPart) second() float64 {
	all := p.Classes.Groups[0].Policies[0].Classes[0]
	if all.Wait == nil || all.Wait.Mean == 0 {
		return 1
	}
	return p.Mean / all.Wait.Mean
}

// section is the part about load for people.
func (p *LoadPart) section(rows int) *section {
	s := &section{Part: document.Part{Name: "Load"}}
	t := document.NewTable("Load by cluster and partition", 1, "what", "jobs", "processor hours", "of all", "in use")
	for _, c := range p.Clusters[:min(rows, len(p.Clusters))] {
		t.Add(document.Texts("cluster "+legible(c.Name), fmt.Sprint(c.Jobs), fmt.Sprintf("%.0f", c.Time/3600), percent(c.Part), c.use())...)
	}
	for _, q := range p.Queues[:min(rows, len(p.Queues))] {
		t.Add(document.Texts("queue "+legible(q.Name), fmt.Sprint(q.Jobs), fmt.Sprintf("%.0f", q.Time/3600), percent(q.Part), "")...)
	}
	s.Tables = append(s.Tables, t)
	if len(p.Hours) == 0 {
		s.Lines = append(s.Lines, "Which hours are full is not known: the trace has no dates, or its jobs arrive at one time.")
	} else {
		s.Lines, s.Figures = append(s.Lines, strings.TrimSpace(p.fullest())), p.figures()
		h := document.NewTable("Processors in use by weekday and time of day ("+p.Zone+")", 1, "", "0–3 h", "4–7 h", "8–11 h", "12–15 h", "16–19 h", "20–23 h")
		for d, row := range p.Hours {
			cells := document.Texts(days[d])
			for from := 0; from < 24; from += 4 {
				sum, n := 0.0, 0
				for _, x := range row[from : from+4] {
					if x >= 0 {
						sum, n = sum+x, n+1
					}
				}
				if n == 0 {
					cells = append(cells, document.Text("?"))
					continue
				}
				cells = append(cells, document.Text(percent(sum/float64(n))))
			}
			h.Add(cells...)
		}
		s.Tables = append(s.Tables, h)
	}
	if p.More != nil {
		s.Lines = append(s.Lines, fmt.Sprintf("With %s more nodes (%s more), and the same jobs:", percent(p.Part), counted(p.Added, "processor")))
		s.Lines = append(s.Lines, p.More.Answer...)
		s.of = append(s.of, p.More)
	}
	return s
}

// use is the part of a cluster that is in use; ?: not known.
func (s *Share) use() string {
	if s.Use == 0 {
		return "?"
	}
	return percent(s.Use)
}

// headline says what the report is about.
func (r *Report) headline() string {
	text := fmt.Sprintf("%s: %s on %s, replayed under %s", plaintext.Printable(r.Trace), counted(r.Jobs, "job"), counted(r.Processors, "processor"), r.Policy)
	if r.Dates != nil {
		text += fmt.Sprintf(", %s to %s (%s)", r.Dates.From[:10], r.Dates.To[:10], r.Dates.Zone)
	}
	return text + lab.QueuesText(r.Queues) + "."
}

// paragraph is a text in lines that fit.
func paragraph(text string) string {
	return texttable.Wrap(plaintext.Printable(text), texttable.Columns, "  ")
}

// FirstLines is what matters most, for people, after what the instance leaves out.
func (r *Report) FirstLines() string {
	b := new(strings.Builder)
	for _, caveat := range r.Caveats {
		b.WriteString(paragraph("warning: " + caveat))
	}
	for _, sentence := range r.About {
		b.WriteString(paragraph(sentence))
	}
	for k, text := range r.First {
		b.WriteString(paragraph(fmt.Sprintf("%d. %s", k+1, text)))
	}
	return b.String()
}

// Text is the report for people, in 80 columns.
func (r *Report) Text() string {
	b := new(strings.Builder)
	paragraph := func(text string) { b.WriteString(paragraph(text)) }
	b.WriteString(r.FirstLines() + "\n")
	paragraph(r.headline())
	for _, s := range r.sections(textRows) {
		fmt.Fprintf(b, "\n%s\n", strings.ToUpper(s.Name))
		for _, line := range s.Lines {
			paragraph(line)
		}
		for _, t := range s.Tables {
			b.WriteByte('\n')
			paragraph(t.Caption + ":")
			b.WriteString(t.Text())
		}
		if s.Command != "" {
			paragraph("Alone: " + s.Command)
		}
	}
	return b.String()
}
