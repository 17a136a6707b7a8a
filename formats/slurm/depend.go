package slurm

import (
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// target is what a dependency may name: a job, a task of an array, or an array with all its tasks.
type target struct{ outcomes []*outcome }

// outcome is what became of a job in reading.
type outcome struct {
	entry *entry
	never bool    // it is left out and will not end
	end   float64 // of a job that runs but is left out
}

// addTarget enters a job, or tasks of one array with the same outcome, under the names by which others may wait for them.
func (q *queue) addTarget(ids []string, o *outcome) {
	add := func(name string) {
		t := q.targets[name]
		if t == nil {
			t = &target{}
			q.targets[name] = t
		}
		t.outcomes = append(t.outcomes, o)
	}
	for _, id := range ids {
		add(id)
	}
	if len(ids) > 0 {
		if array, _, found := strings.Cut(ids[0], "_"); found {
			add(array)
		}
	}
}

// dependencies links the jobs that wait for others. A job that waits for one that will not end is left out, and so are those that wait for it.
func (q *queue) dependencies() {
	for _, e := range q.list {
		j := &q.doc.jobs[e.job]
		q.odd = q.odd[:0]
		if j.dependency == "" || e.running {
			continue
		}
		path := at("jobs", e.job) + ".dependency"
		if strings.Contains(j.dependency, "?") {
			q.outside("the job waits for one of several others: an instance cannot express this")
			e.odd = slices.Concat(e.odd, q.odd)
			continue
		}
		for clause := range strings.SplitSeq(j.dependency, ",") {
			if !q.doc.faults.None() {
				return
			}
			q.clause(e, strings.TrimSpace(clause), path)
		}
		e.odd = slices.Concat(e.odd, q.odd)
	}
	q.leaveOut()
}

// clause takes one clause of a dependency, such as afterok:5:6_3(unfulfilled).
func (q *queue) clause(e *entry, clause, path string) {
	clause, state, _ := strings.Cut(clause, "(")
	if strings.HasPrefix(state, "fulfilled") || clause == "" {
		return
	}
	kind, list, found := strings.Cut(clause, ":")
	switch {
	case kind == "singleton":
		q.outside("the job waits for the jobs of the same name and user: an instance cannot express this")
		return
	case !found || !strings.HasPrefix(kind, "after"):
		q.outside("a dependency of an unknown kind: an instance cannot express this")
		return
	case kind == "after":
		q.outside("the job waits for the start of another: an instance cannot express this")
		return
	case kind == "afternotok":
		q.outside("the job waits for the failure of another: its end is taken")
	}
	for name := range strings.SplitSeq(list, ":") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), "+")
		name = strings.TrimSuffix(name, "_*")
		if kind == "aftercorr" && e.task >= 0 {
			name += "_" + e.id[strings.IndexByte(e.id, '_')+1:]
		}
		if name == "" || strings.Trim(name, "0123456789_") != "" {
			q.doc.faults.At(path, "expected dependencies such as afterok:5(unfulfilled), found %s", lines.Quote(clause))
			return
		}
		q.follow(e, name, path)
	}
}

// follow makes a job wait for what a name stands for.
func (q *queue) follow(e *entry, name, path string) {
	t := q.targets[name]
	if t == nil {
		q.kept("the job waits for one that the file does not have: that counts as ended")
		return
	}
	if !q.doc.faults.Names(path, len(t.outcomes)) {
		return
	}
	for _, o := range t.outcomes {
		switch {
		case o.entry != nil:
			e.after = append(e.after, o.entry)
		case o.never:
			e.never = true
		default:
			e.arrival = max(e.arrival, o.end)
		}
	}
}

// leaveOut drops the jobs that wait for one that will not start.
func (q *queue) leaveOut() {
	followers := map[*entry][]*entry{}
	var stack []*entry
	for _, e := range q.list {
		for _, before := range e.after {
			followers[before] = append(followers[before], e)
		}
		if e.never {
			stack = append(stack, e)
		}
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, f := range followers[e] {
			if !f.never {
				f.never = true
				stack = append(stack, f)
			}
		}
	}
	kept := q.list[:0]
	for _, e := range q.list {
		if e.never {
			q.dropped("the job waits for one that will not start", e.job, 1)
		} else {
			kept = append(kept, e)
			q.count(e, e.odd)
			e.odd = nil
		}
	}
	q.list = kept
}
