package draw

import (
	"cmp"
	"fmt"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// summary is the text above a picture.
type summary struct {
	title string
	facts []string // short statements, in the order in which they are shown
}

// summarise describes the schedule in a few facts.
func summarise(sol *model.Solution, l *layout, opt GanttOptions) summary {
	name := sol.Instance
	if opt.Instance != nil {
		name = cmp.Or(opt.Instance.Name(), name)
	}
	s := summary{title: cmp.Or(opt.Title, name, "schedule")}
	if opt.Title != "" && name != "" && name != opt.Title {
		s.add("instance %s", name)
	}
	if len(l.jobs) > 0 {
		s.addMakespan(sol, l, opt.Instance != nil)
	}
	s.addObjective(sol, opt.Instance)
	if sol.Solver != "" {
		s.add("solver %s", sol.Solver)
	}
	s.add("%s placed", numtext.CountedGrouped(len(l.jobs), "job"))
	if n := len(sol.Unscheduled); n > 0 {
		s.add("%s unscheduled", numtext.Grouped(fmt.Sprint(n)))
	}
	if l.window.isSet() {
		s.add("shown: %s to %s, %s", l.length(l.start-l.zero()), l.length(l.end-l.zero()), numtext.CountedGrouped(l.shown(), "job"))
	}
	if l.late > 0 {
		s.add("%s late", numtext.Grouped(fmt.Sprint(l.late)))
	}
	return s
}

// add appends a fact.
func (s *summary) add(format string, values ...any) {
	s.facts = append(s.facts, fmt.Sprintf(format, values...))
}

// addMakespan states the makespan. Without an instance the first arrival is unknown; then it states the solution's own figure or, if there is
// none, the last end.
func (s *summary) addMakespan(sol *model.Solution, l *layout, arrivalsKnown bool) {
	name, value := "last end", l.last
	if stated, ok := sol.Metrics.Get("makespan"); ok {
		name, value = "makespan", stated
	}
	if arrivalsKnown {
		name, value = "makespan", l.last-l.origin
	}
	s.add("%s %s", name, l.length(value))
}

// addObjective states the objective, its bound and the status. The instance, which may be nil, says for what metric a schedule is optimal.
func (s *summary) addObjective(sol *model.Solution, in *model.Instance) {
	bound, bounded := sol.Bound.Value()
	switch {
	case sol.Objective == nil:
		if sol.Status == model.Infeasible {
			s.add("infeasible")
		}
	case sol.Status == model.Optimal:
		minimised := sol.Minimised
		if minimised == nil && in != nil {
			minimised = in.StatedObjective()
		}
		s.add("objective %s (%s)", picture.Number(*sol.Objective), model.OptimalFor(minimised))
	case bounded:
		s.add("objective %s (bound %s)", picture.Number(*sol.Objective), picture.Number(bound))
	default:
		s.add("objective %s", picture.Number(*sol.Objective))
	}
}

// lines joins the facts to lines; the function fits says whether a line fits. A fact that is too long for a line is cut.
func (s *summary) lines(fits func(string) bool) []string {
	return joined(kit.Each(s.facts, func(fact string) string { return picture.Shorten(fact, fits) }), " · ", fits)
}

// joined joins parts to lines, as many as fit.
func joined(parts []string, separator string, fits func(line string) bool) []string {
	var lines []string
	for _, part := range parts {
		last := len(lines) - 1
		if last >= 0 && fits(lines[last]+separator+part) {
			lines[last] += separator + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}
