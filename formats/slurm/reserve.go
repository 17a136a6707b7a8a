package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// addReservations keeps the reservations until it is known which jobs name them.
func (s *system) addReservations(doc *document) {
	doc.needs("reservations", reserveCommand, doc.reservations != nil)
	s.planned = true
	for k := range doc.reservations {
		if doc.reservations[k].name == "" {
			doc.missing(at("reservations", k), "name")
		}
	}
	s.reserved = doc.reservations
}

// reserve closes the nodes of the reservations, for the times from now on: during maintenance for all jobs, but for those that name it, else for all but the jobs of the
// reservation. It notes what a reservation states that closed times cannot say, and returns the names of those that are not over.
func (s *system) reserve(now float64, named map[string]bool, src Source, report *model.ImportReport) (names map[string]bool, err error) {
	faults := lines.NewFaultsWithin(src.Name, s.budget)
	names = map[string]bool{}
	for k := range s.reserved {
		r, place := &s.reserved[k], at("reservations", k)
		if r.end.known && r.end.value <= now {
			continue
		}
		where := fmt.Sprintf("%s %s", place, lines.Quote(r.name))
		hosts, err := expandHosts(strings.Trim(r.nodes, " "), s.budget)
		if err != nil {
			faults.At(place+".node_list", "%s", err)
			continue
		}
		names[r.name] = true
		closed := model.ClosedSpec{From: max(0, r.start.or(0)-now)}
		if r.end.known {
			closed.To = new(r.end.value - now)
		}
		if closed.To != nil && *closed.To <= closed.From {
			continue
		}
		if !hasWord(r.flags, "MAINT") || named[r.name] {
			closed.For = lines.Name(r.name)
		}
		cores := 0
		for _, name := range hosts {
			if h, known := s.index[name]; known && h >= 0 {
				cores += s.hosts[h].cores
			}
		}
		switch {
		case len(hosts) == 0:
			report.Note(model.ImportKept, "reservation of no nodes, such as of licences: an instance cannot express this", where)
			continue
		case r.cores.known && int(r.cores.value) < cores && len(hosts) > 0 && r.cores.value > 0:
			report.Note(model.ImportKept, "reservation of some of the cores of its nodes: its nodes count as free for all jobs", where)
			delete(names, r.name)
			continue
		}
		for _, odd := range oddReservations {
			if slices.ContainsFunc(r.flags, func(flag string) bool { return hasWord(odd.flags, flag) }) {
				report.Note(model.ImportKept, odd.what, where)
			}
		}
		if r.licences != "" && r.licences != "(null)" {
			report.Note(model.ImportKept, "reservation of licences beside its nodes: all copies count as free for all jobs", where)
		}
		for _, name := range hosts {
			if h, known := s.index[name]; known && h >= 0 && !s.hosts[h].shut {
				s.hosts[h].closed = append(s.hosts[h].closed, closed)
			}
		}
	}
	return names, faults.Err()
}

// oddReservations are flags of reservations that closed times cannot say.
var oddReservations = []struct {
	flags []string
	what  string
}{
	{[]string{"DAILY", "HOURLY", "WEEKDAY", "WEEKEND", "WEEKLY"}, "reservation that comes again: only its next time is in the instance"},
	{[]string{"FLEX"}, "reservation whose jobs may run before it, after it and on other nodes too: they run in it only"},
	{[]string{"MAGNETIC"}, "reservation that draws jobs that do not name it: only jobs that name it run there"},
	{[]string{"TIME_FLOAT"}, "reservation whose times move on with the clock: they stay as they are now"},
	{[]string{"REPLACE", "REPLACE_DOWN"}, "reservation whose nodes are replaced by others: it keeps those that it has now"},
	{[]string{"PURGE_COMP"}, "reservation that ends when it has no jobs: it ends at its end"},
}

// namedReservations are the reservations that waiting jobs name.
func (q *queue) namedReservations() map[string]bool {
	named := map[string]bool{}
	for k := range q.doc.jobs {
		if j := &q.doc.jobs[k]; stateOf(j.states) == pending && j.reservation != "" {
			named[j.reservation] = true
		}
	}
	return named
}
