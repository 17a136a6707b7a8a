package rcpsp

import (
	"math"
	"strconv"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// readPatterson reads the layout of Patterson.
func (p *project) readPatterson(w *words) {
	if w.ended {
		p.empty()
		return
	}
	n, ok := w.whole(1, math.MaxInt32, "number of activities")
	if !ok {
		return
	}
	resources, ok := w.whole(0, math.MaxInt32, "number of resources")
	if !ok {
		return
	}
	if p.capacity, ok = w.units(resources, "capacity of"); !ok {
		return
	}
	for k := range n {
		a := activity{}
		if a.duration, ok = w.duration(k + 1); !ok {
			return
		}
		a.line = w.line()
		if a.demand, ok = w.demand(k, resources); !ok {
			return
		}
		count, ok := w.whole(0, math.MaxInt32, "number of successors of activity %d", k+1)
		if !ok || !p.readSuccessors(w, k, n, count, &a) {
			return
		}
		if !p.made(a.line, resources) {
			return
		}
		p.activities = append(p.activities, a)
	}
	if len(w.rest) > 0 || w.next() {
		p.faults.Line(w.line(), "expected the end of the file after %d activities, found %s", n, lines.Quote(w.rest[0]))
	}
}

// made draws an activity with its demands.
func (p *project) made(line, resources int) bool {
	return p.faults.Names("line "+strconv.Itoa(line), budget.NamesOf[activity]()+budget.NamesOf[model.JobSpec]()+resources)
}

// empty is the fault of a file without words.
func (p *project) empty() {
	if p.faults.None() { // else the file could not be read
		p.faults.At("", "expected a project in the layout of PSPLIB (.sm) or of Patterson (.rcp), found an empty file")
	}
}

// readSuccessors reads as many successors of activity k as count says, of a project of n activities.
func (p *project) readSuccessors(w *words, k, n, count int, a *activity) bool {
	seen := map[int]bool{}
	for range count {
		next, ok := w.whole(1, n, "successor of activity %d", k+1)
		if !ok {
			return false
		}
		if seen[next] {
			p.report.NoteLine(model.ImportRepaired, "a successor that is listed twice counts once", w.line())
			continue
		}
		if !p.faults.Names("line "+strconv.Itoa(w.line()), 1) {
			return false
		}
		seen[next] = true
		a.successors = append(a.successors, next-1)
	}
	return true
}
