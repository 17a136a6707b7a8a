package windows

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// kind says from what a step follows.
type kind uint8

// The kinds of steps. In the comments jobs, resources and times are the numbers A, B and C of a step.
const (
	Precedence kind = iota // job B waits for job A
	Pair                   // jobs A and B cannot overlap
	Time                   // what resource A has at time B
	Interval               // what resource A has from B to C
)

// Step is a look at some windows, from which others follow.
type Step struct {
	Kind    kind
	A, B, C int32
}

// move is a limit of a window that a step moves. Limit 2·j is the earliest start of job j, limit 2·j+1 its latest end.
type move struct {
	limit, before, now int32
	step               int32 // position in the record
}

// record is what refuted a makespan: all steps that moved something, and what they moved.
type record struct {
	steps []Step
	moves []move
}

// because begins a step: what moves from now on follows from it.
func (r *Refuter) because(why Step) { r.why, r.fresh = why, true }

// moved notes that the present step moves a limit.
func (r *Refuter) moved(limit int, before, now int32) {
	if r.record == nil {
		return
	}
	if r.fresh {
		r.record.steps, r.fresh = append(r.record.steps, r.why), false
	}
	r.record.moves = append(r.record.moves, move{int32(limit), before, now, int32(len(r.record.steps) - 1)})
}

// Steps refutes the makespan, which was refuted before, once more, and returns the steps that are needed, in their order. After the last of them some job has
// no start left, or a resource is held beyond its capacity. It returns false if the makespan is not refuted, or if stop returns true before.
func (r *Refuter) Steps(makespan int32, stop func() bool) (steps []Step, ok bool) {
	r.record, r.why, r.empty = &record{}, Step{}, -1
	defer func() { r.record = nil }()
	if !r.Refutes(makespan, stop) {
		return nil, false
	}
	return r.trimmed(), true
}

// wanted is the value of a limit that later steps need; some: there is one.
type wanted struct {
	value int32
	some  bool
}

// trimmed drops the steps that the last one does not need. It goes back from the end of the record and takes the moves back.
func (r *Refuter) trimmed() (steps []Step) {
	t := trimmer{Refuter: r, want: make([]wanted, 2*len(r.start))}
	if r.empty >= 0 {
		t.need(2*r.empty, r.start[r.empty])
		t.need(2*r.empty+1, r.end[r.empty])
	} else {
		t.last()
		steps = append(steps, r.why)
	}
	moves := r.record.moves
	for k := len(r.record.steps) - 1; k >= 0; k-- {
		from := len(moves)
		for from > 0 && moves[from-1].step == int32(k) {
			from--
			t.set(moves[from].limit, moves[from].before)
		}
		if t.takes(r.record.steps[k], moves[from:]) {
			steps = append(steps, r.record.steps[k])
		}
		moves = moves[:from]
	}
	slices.Reverse(steps)
	return steps
}

// trimmer has the windows at some place of the record, and what later steps need of them.
type trimmer struct {
	*Refuter
	want []wanted
}

func (t *trimmer) set(limit, value int32) {
	if limit%2 == 0 {
		t.start[limit/2] = value
	} else {
		t.end[limit/2] = value
	}
}

// has says whether the limit has the value, or a narrower one.
func (t *trimmer) has(limit int32, value int32) bool {
	if limit%2 == 0 {
		return t.start[limit/2] >= value
	}
	return t.end[limit/2] <= value
}

// need notes that the limit has to have the value at this place.
func (t *trimmer) need(limit int, value int32) {
	w := &t.want[limit]
	switch {
	case !w.some:
		*w = wanted{value, true}
	case limit%2 == 0:
		w.value = max(w.value, value)
	default:
		w.value = min(w.value, value)
	}
}

// takes says whether a later step needs one of the moves, which are taken back. If so, it notes what the step needs itself.
func (t *trimmer) takes(step Step, moves []move) bool {
	var taken []move
	for _, m := range moves {
		if w := t.want[m.limit]; w.some && !t.has(m.limit, w.value) {
			taken = append(taken, move{limit: m.limit, now: w.value})
			t.want[m.limit] = wanted{}
		}
	}
	for _, m := range taken {
		t.explain(step, m.limit, m.now)
	}
	return len(taken) > 0
}

// explain notes what the step needs to move the limit to the value.
func (t *trimmer) explain(step Step, limit, value int32) {
	switch step.Kind {
	case Precedence:
		if limit%2 == 0 {
			t.need(2*int(step.A), value-t.p.Length[step.A])
		} else {
			t.need(2*int(step.B)+1, value+t.p.Length[step.B])
		}
	case Pair: // job A cannot come first
		a, b := int(step.A), int(step.B)
		t.need(2*a, t.start[a])
		t.need(2*b+1, t.end[b])
		if limit%2 == 0 {
			t.need(2*b, value-t.p.Length[b])
		} else {
			t.need(2*a+1, value+t.p.Length[a])
		}
	case Time:
		j := int(limit / 2)
		if limit%2 == 0 {
			t.need(2*j, step.B+1-t.p.Length[j])
		} else {
			t.need(2*j+1, step.B+t.p.Length[j])
		}
		t.holders(&t.resources[step.A], step.B, j)
	case Interval:
		j := limit / 2
		if limit%2 == 0 {
			t.need(int(limit), t.start[j])
		} else {
			t.need(int(limit), t.end[j])
		}
		t.energies(&t.resources[step.A], step.B, step.C)
	}
}

// last notes what the last step needs, at which a resource is held beyond its capacity.
func (t *trimmer) last() {
	if t.why.Kind == Time {
		t.holders(&t.resources[t.why.A], t.why.B, -1)
	} else {
		t.energies(&t.resources[t.why.A], t.why.B, t.why.C)
	}
}

// holders notes that enough jobs hold the resource at the time so that the given one does not fit; −1: so that it is held beyond its capacity. It takes the jobs first that hold it from the
// beginning, and then those that hold most.
func (t *trimmer) holders(resource *tasks.Resource, at int32, without int) {
	enough := resource.Capacity + 1
	var list []tasks.Use
	for _, u := range resource.Uses {
		switch length := t.p.Length[u.Job]; {
		case u.Job == without:
			enough -= u.Need
		case t.end[u.Job]-length <= at && at < t.start[u.Job]+length:
			list = append(list, u)
		}
	}
	late := func(u tasks.Use) int { // whether a step is needed for it
		length := t.p.Length[u.Job]
		if t.latest(u.Job)-length <= at && at < t.heads[u.Job]+length {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b tasks.Use) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), cmp.Compare(b.Need, a.Need))
	})
	for _, u := range list {
		if enough <= 0 {
			return
		}
		enough -= u.Need
		t.need(2*u.Job, at+1-t.p.Length[u.Job])
		t.need(2*u.Job+1, at+t.p.Length[u.Job])
	}
}

// energies notes what the jobs hold at least of the resource in the interval.
func (t *trimmer) energies(resource *tasks.Resource, a, b int32) {
	for _, u := range resource.Uses {
		j, length := u.Job, t.p.Length[u.Job]
		if least := min(length, b-a, t.start[j]+length-a, b-(t.end[j]-length)); least > 0 {
			t.need(2*j, least+a-length)
			t.need(2*j+1, b+length-least)
		}
	}
}

// Derived says how resource k, which steps name, follows from the problem: it is a resource of the problem itself, one whose needs are changed, or a set of jobs of which no
// two overlap.
func (r *Refuter) Derived(k int) (resource *tasks.Resource, from int, changed bool) {
	return &r.resources[k], r.from[k], k >= r.real
}
