package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/serve/answers"
)

// whatIfText formats an answer for people.
func whatIfText(a *answers.JobAnswer, dates dates) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "job %s (%s) submitted at %s under %s\n", a.Job, numtext.Counted(a.Processors, "processor"), dates.at(a.Submitted), a.Solver)
	switch {
	case a.Start == nil:
		fmt.Fprintf(b, "  never starts: %s\n", a.Reason)
	case *a.Wait == 0:
		fmt.Fprintf(b, "  starts at once on %s%s\n", a.Cluster, answers.OnMachines(a.Machines))
	default:
		fmt.Fprintf(b, "  starts at %s on %s%s, after waiting %s\n", dates.at(*a.Start), a.Cluster, answers.OnMachines(a.Machines), timetext.Of(*a.Wait, a.TimeUnit, numtext.Figure))
	}
	if a.ExpectedStart != nil {
		fmt.Fprintf(b, "  expected at its submission, by the estimates: %s, after %s\n", dates.at(*a.ExpectedStart), timetext.Of(*a.ExpectedStart-a.Submitted, a.TimeUnit, numtext.Figure))
	}
	if a.Start != nil && a.Reason != "" {
		fmt.Fprintf(b, "  does not run to its end: %s\n", a.Reason)
	}
	writeCertainty(a.Certainty, b, a.TimeUnit, dates)
	b.WriteString(a.Assumed.Line())
	dates.write(b, a.Submitted)
	writeReasons(b, a.Solver, a.Reasons, dates)
	writeCauses(b, a.Causes, dates)
	writeBlockers(b, &a.Answer, dates)
	writeChanges(b, &a.Answer, dates)
	return b.String()
}

// writeChanges writes when the job would start with other requests.
func writeChanges(b *strings.Builder, a *whatif.Answer, dates dates) {
	if len(a.Changes) > 0 {
		b.WriteString("if it asked for (all else as it is):\n")
	}
	for _, c := range a.Changes {
		what, then := "cluster "+c.Cluster, "never starts: "+c.Reason
		switch {
		case c.Limit != nil:
			what = "a limit of " + timetext.Of(*c.Limit, a.TimeUnit, numtext.Figure)
		case c.Processors != nil:
			what = numtext.Counted(*c.Processors, "processor")
		case c.Partition != "":
			what = "partition " + c.Partition
		}
		if c.Start != nil {
			then = "starts at " + dates.at(*c.Start)
			if a.Start != nil {
				switch sooner := *a.Start - *c.Start; {
				case sooner > 0:
					then += ", " + timetext.Of(sooner, a.TimeUnit, numtext.Figure) + " earlier"
				case sooner < 0:
					then += ", " + timetext.Of(-sooner, a.TimeUnit, numtext.Figure) + " later"
				default:
					then += ", as now"
				}
			}
			if c.Reason != "" {
				then += "; does not run to its end: " + c.Reason
			}
		}
		fmt.Fprintf(b, "  %s: %s\n", what, then)
	}
}

const mostListed = 12

// writeCauses writes why a job waits.
func writeCauses(b *strings.Builder, causes []whatif.Cause, dates dates) {
	if len(causes) > 0 {
		b.WriteString("why it waits:\n")
	}
	shown := limited{w: b, what: "cause", most: mostListed}
	for _, c := range causes {
		to := "…"
		if !math.IsNaN(c.To) {
			to = dates.at(c.To)
		}
		shown.line("  %s – %s: %s\n", dates.at(c.From), to, c.Says(dates.at))
	}
	shown.end()
}

// writeBlockers writes which jobs delay the job.
func writeBlockers(b *strings.Builder, a *whatif.Answer, dates dates) {
	if a.Tried == 0 {
		return
	}
	sooner := func(without *float64) string {
		switch {
		case without == nil: // never
			return ""
		case a.Start == nil:
			return "starts at " + dates.at(*without)
		}
		return timetext.Of(*a.Start-*without, a.TimeUnit, numtext.Figure) + " earlier"
	}
	tried := numtext.Counted(a.Tried, "job")
	switch {
	case len(a.Blocked) == 0:
		fmt.Fprintf(b, "delayed by no single job: without any one of %s tried it starts no earlier\n", tried)
		return
	case a.Blocked[0].Pair != "":
		fmt.Fprintf(b, "delayed by no single job (%s tried), but by two together: %s without both\n", tried, sooner(a.Blocked[0].StartWithout))
	default:
		fmt.Fprintf(b, "delayed by %s, all else as it is (%s tried):\n", numtext.Counted(len(a.Blocked), "job"), tried)
	}
	shown := limited{w: b, what: "job", most: mostListed}
	for _, j := range a.Blocked {
		var parts []string
		if j.Pair == "" {
			parts = append(parts, sooner(j.StartWithout)+" without it")
		}
		parts = append(parts, j.Role+" with "+holds(j.Holds))
		if j.Start != nil {
			text := "started at " + dates.at(*j.Start)
			if j.EstimatedEnd != nil {
				text += ", to end at " + dates.at(*j.EstimatedEnd) + " by its estimate"
			}
			if j.End != nil {
				text += ", ended at " + dates.at(*j.End)
			}
			parts = append(parts, text)
		}
		shown.line("  %s: %s\n", j.Job, strings.Join(parts, "; "))
	}
	shown.end()
}

// holds lists what a job holds.
func holds(of []whatif.Holding) string {
	var parts []string
	for _, h := range of {
		if h.What == "processors" {
			parts = append(parts, numtext.Counted(int(h.Amount), "processor"))
		} else {
			parts = append(parts, numtext.Figure(h.Amount)+" of "+h.What)
		}
	}
	return strings.Join(parts, ", ")
}
