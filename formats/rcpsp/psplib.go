package rcpsp

import (
	"bytes"
	"math"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// unset is a number of the head of a PSPLIB file that has not been met yet.
const unset = -1

// psplib is a file of PSPLIB being read: a head of lines "name : value", then sections under a title each.
type psplib struct {
	*project
	words                  *words
	n, resources           int  // from the head
	precedence, durations  bool // sections read so far
	availabilities, failed bool
}

// readPSPLIB reads the layout of PSPLIB.
func (p *project) readPSPLIB(w *words) {
	if w.ended {
		p.empty()
		return
	}
	x := &psplib{project: p, words: w, n: unset, resources: unset}
	for line := true; line && !x.failed; {
		switch x.line(); {
		case x.failed:
		case len(w.rest) > 0:
			p.faults.Line(w.line(), "expected the end of the line, found %s", lines.Quote(w.rest[0]))
			return
		default:
			line = w.next()
		}
	}
	if !p.faults.None() {
		return
	}
	for _, section := range []struct {
		read bool
		name string
	}{{x.precedence, "PRECEDENCE RELATIONS"}, {x.durations, "REQUESTS/DURATIONS"}, {x.availabilities, "RESOURCEAVAILABILITIES"}} {
		if !section.read {
			p.faults.Line(w.line(), "expected the section %s, found the end of the file", section.name)
			return
		}
	}
}

// line reads the current line and, if it is the title of a section, the whole section. Afterwards no word of
// what it has read is left.
func (x *psplib) line() {
	text := string(x.words.text)
	x.words.rest = nil
	key, value, isHead := strings.Cut(text, ":")
	title := strings.ToUpper(strings.Join(strings.Fields(strings.TrimRight(text, ": ")), ""))
	switch {
	case text[0] == '*':
	case title == "PRECEDENCERELATIONS":
		x.section(&x.precedence, x.readPrecedence)
	case title == "REQUESTS/DURATIONS":
		x.section(&x.durations, x.readDurations)
	case title == "RESOURCEAVAILABILITIES":
		x.section(&x.availabilities, x.readAvailabilities)
	case title == "PROJECTINFORMATION":
		x.readInformation()
	case title == "RESOURCES":
	case isHead:
		x.readHead(strings.ToLower(strings.Trim(key, " \t-")), value)
	default:
		x.fail("expected a line of a PSPLIB file (.sm): a title, or a name, a colon and a value; found %s", lines.Quote(text))
	}
}

// fail adds a fault at the current line, which ends reading.
func (x *psplib) fail(format string, args ...any) bool {
	x.faults.Line(x.words.line(), format, args...)
	x.failed = true
	return false
}

// readHead reads a line of the head.
func (x *psplib) readHead(key, value string) {
	var target *int
	least, most := 0, math.MaxInt32
	switch {
	case key == "projects":
		least, most = 1, math.MaxInt32
	case strings.HasPrefix(key, "jobs"):
		target, least, most = &x.n, 1, math.MaxInt32
	case key == "renewable":
		target, most = &x.resources, math.MaxInt32
	case key == "nonrenewable", key == "doubly constrained":
	default:
		return // a seed, the horizon, the file that the project was made from
	}
	fields := strings.Fields(value)
	if len(fields) == 0 {
		x.fail("%s: expected a number, found none", key)
		return
	}
	n, err := lines.Whole(fields[0], least)
	switch {
	case err != nil:
		x.fail("%s: %s", key, err)
	case n > most:
		x.fail("%s: expected at most %d, found %d", key, most, n)
	case key == "projects" && n > 1:
		x.fail("projects: expected 1, found %d: files of several projects are not read", n)
	case target == nil && key != "projects" && n > 0:
		x.fail("%s: expected no such resource, found %d: multi-mode projects are not read", key, n)
	case target != nil:
		*target = n
	}
}

// section reads the body of a section once, below its column heads.
func (x *psplib) section(done *bool, read func() bool) {
	switch {
	case *done:
		x.fail("expected each section once, found %s again", lines.Quote(x.words.text))
	case x.n == unset:
		x.fail("expected the number of jobs before the section, found none")
	case x.resources == unset:
		x.fail("expected the number of renewable resources before the section, found none")
	case done == &x.availabilities && x.resources == 0: // it has no numbers
		*done = true
	case x.skipHeads():
		if !read() {
			x.failed = true
		}
		*done = true
	}
}

// skipHeads goes to the first line that begins with a number, past the names of columns and rules of dashes.
func (x *psplib) skipHeads() bool {
	for x.words.next() {
		if x.words.atNumber() || x.words.text[0] == '*' {
			return true
		}
	}
	if x.faults.None() {
		x.fail("expected the numbers of a section, found the end of the file")
	}
	x.failed = true
	return false
}

// readInformation reads the section about the project, whose third number is its release date.
func (x *psplib) readInformation() {
	if !x.skipHeads() {
		return
	}
	const releaseDate = 2
	if fields := bytes.Fields(x.words.text); len(fields) > releaseDate {
		if release, err := lines.Whole(fields[releaseDate], 0); err != nil || release > 0 {
			x.fail("rel.date: expected 0, found %s: release dates are not read", lines.Quote(fields[releaseDate]))
		}
	}
	x.words.rest = nil
}

// activity returns the activity k, which the other section may have made.
func (x *psplib) activity(k int) *activity {
	if k == len(x.activities) {
		x.activities = append(x.activities, activity{})
	}
	return &x.activities[k]
}

// number reads the number of activity k, with which each of its lines begins.
func (x *psplib) number(k int) bool {
	found, ok := x.words.whole(1, math.MaxInt32, "number of activity %d", k+1)
	if ok && found != k+1 {
		return x.fail("expected activity %d, found %d", k+1, found)
	}
	return ok
}

// readPrecedence reads the successors of each activity.
func (x *psplib) readPrecedence() bool {
	for k := range x.n {
		if !x.number(k) {
			return false
		}
		modes, ok := x.words.whole(1, math.MaxInt32, "number of modes of activity %d", k+1)
		if !ok {
			return false
		}
		if modes > 1 {
			return x.fail("activity %d: expected one mode, found %d: multi-mode projects are not read", k+1, modes)
		}
		count, ok := x.words.whole(0, math.MaxInt32, "number of successors of activity %d", k+1)
		if !ok || !x.readSuccessors(x.words, k, x.n, count, x.activity(k)) {
			return false
		}
	}
	return true
}

// readDurations reads the duration and the demands of each activity.
func (x *psplib) readDurations() bool {
	for k := range x.n {
		if !x.number(k) {
			return false
		}
		a := x.activity(k)
		a.line = x.words.line()
		if _, ok := x.words.whole(1, 1, "mode of activity %d", k+1); !ok {
			return false
		}
		var ok bool
		if a.duration, ok = x.words.duration(k + 1); !ok {
			return false
		}
		if a.demand, ok = x.words.demand(k, x.resources); !ok {
			return false
		}
	}
	return true
}

// readAvailabilities reads the capacity of each resource.
func (x *psplib) readAvailabilities() (ok bool) {
	x.capacity, ok = x.words.units(x.resources, "capacity of")
	return ok
}
