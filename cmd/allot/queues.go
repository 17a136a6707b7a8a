package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// queuesShown is the largest number of machines, and of jobs, that a summary lists.
const queuesShown = 24

// queueSummary describes, for an instance that minimises the penalty of queues, the load of each machine and the expected response of each job. It is
// empty for other instances.
func queueSummary(in *model.Instance, sol *model.Solution) string {
	if !slices.ContainsFunc(in.ObjectiveTerms(), func(t model.ObjectiveTerm) bool { return t.Metric == "qos_penalty" && t.Weight != 0 }) {
		return ""
	}
	view, err := model.Queues(in, sol)
	if err != nil {
		return ""
	}
	w := new(strings.Builder)
	idle := 0
	shown := limited{w: w, what: "machine", most: queuesShown}
	for k := range view.Machines {
		m := &view.Machines[k]
		if m.Jobs == 0 && m.Rate == 0 {
			idle++
			continue
		}
		wait := "wait without bound: not stable"
		if !math.IsInf(m.Wait, 1) {
			wait = "mean wait at most " + numtext.Figure(m.Wait)
		}
		shown.line("  %s/%s: %s, rate %s of %s (%.0f %%), %s\n", m.Cluster, m.Machine, numtext.Counted(m.Jobs, "job"),
			numtext.Figure(m.Rate), numtext.Figure(m.ServiceRate), 100*m.Rate/m.ServiceRate, wait)
	}
	shown.end()
	if idle > 0 {
		fmt.Fprintf(w, "  %s idle\n", numtext.Counted(idle, "machine"))
	}
	shown = limited{w: w, what: "job", most: queuesShown}
	for k := range view.Jobs {
		r := &view.Jobs[k]
		j, m := &in.Jobs()[r.Job], &view.Machines[r.Machine]
		text := "expected response " + expected(r.Response)
		if j.HasDeadline() {
			text += fmt.Sprintf(" (deadline %s)", numtext.Figure(j.Deadline-j.Arrival))
		}
		if r.Cost > 0 || j.HasBudget() {
			text += ", cost " + expected(r.Cost)
		}
		if j.HasBudget() {
			text += fmt.Sprintf(" (budget %s)", numtext.Figure(j.Budget))
		}
		if r.Penalty > 0 {
			text += ", penalty " + expected(r.Penalty)
		}
		shown.line("  %s on %s/%s: %s\n", j.ID, m.Cluster, m.Machine, text)
	}
	shown.end()
	return w.String()
}

// limited writes the first lines of a list and counts the rest.
type limited struct {
	w     *strings.Builder
	what  string // one of the things that are listed
	most  int
	lines int
}

func (l *limited) line(format string, args ...any) {
	if l.lines++; l.lines <= l.most {
		fmt.Fprintf(l.w, format, args...)
	}
}

func (l *limited) end() {
	if more := l.lines - l.most; more > 0 {
		fmt.Fprintf(l.w, "  and %s\n", numtext.Counted(more, "more "+l.what))
	}
}

// expected formats a figure that may be infinite.
func expected(x float64) string {
	if math.IsInf(x, 1) {
		return "without bound"
	}
	return numtext.Figure(x)
}
