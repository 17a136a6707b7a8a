package bench

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Trace follows a run: its best so far and every improvement. It is of schedules that leave out as many jobs as the last: the objectives of
// those before, which left out more, say nothing beside theirs.
type Trace struct {
	Bound      model.Bound // the best proved so far
	Best       float64     // objective of the best schedule so far; +Inf: none
	Left       int         // jobs that it leaves out
	Incumbents []model.Incumbent

	began time.Time
}

// NewTrace starts to follow a run; the bound is what is proved already.
func NewTrace(bound model.Bound) *Trace {
	return &Trace{Bound: bound, Best: math.Inf(1), Left: math.MaxInt, began: time.Now()}
}

// Elapsed is the seconds since the start.
func (t *Trace) Elapsed() float64 { return time.Since(t.began).Seconds() }

// Note takes what a solver reports, keeps an improvement and says whether it is one.
func (t *Trace) Note(p solve.Progress) bool { return t.noteAt(p, t.Elapsed()) }

// noteAt is Note at a time.
func (t *Trace) noteAt(p solve.Progress, at float64) bool {
	t.Bound = t.Bound.Max(p.Bound)
	if math.IsInf(p.Objective, 1) || !model.NewRank(p.Left, p.Objective).Better(model.NewRank(t.Left, t.Best)) {
		return false
	}
	if p.Left < t.Left {
		t.Incumbents = t.Incumbents[:0]
	}
	t.Best, t.Left = p.Objective, p.Left
	t.Incumbents = append(t.Incumbents, model.Incumbent{Elapsed: at, Evaluations: p.Evaluations, Objective: p.Objective, Bound: t.Bound})
	return true
}

// End takes the result of the run. The last line of a trace has the objective of the solution, even where that improves nothing, and no
// line before says anything better.
func (t *Trace) End(result solve.Result) {
	if result.Solution == nil || result.Solution.Objective == nil {
		return
	}
	last := solve.Progress{Evaluations: result.Evaluations, Objective: *result.Solution.Objective, Bound: result.Bound, Left: len(result.Solution.Unscheduled)}
	at := t.Elapsed()
	if result.Elapsed > 0 { // without the evaluation and bound that come after the solver
		at = result.Elapsed.Seconds()
	}
	if n := len(t.Incumbents); n > 0 {
		at = max(at, t.Incumbents[n-1].Elapsed)
	}
	improved := t.noteAt(last, at)
	t.Best = last.Objective
	if t.Left != last.Left { // more is left out than was reported
		t.Left, t.Incumbents = last.Left, nil
	}
	slack := model.Tolerance * math.Abs(t.Best)
	t.Incumbents = slices.DeleteFunc(t.Incumbents, func(i model.Incumbent) bool { return i.Objective < t.Best-slack })
	for k := range t.Incumbents {
		i := &t.Incumbents[k]
		if i.Objective = max(i.Objective, t.Best); !result.Bound.Known() { // those proved hold for schedules that leave out less
			i.Bound = model.Bound{}
		}
	}
	if !improved {
		t.Incumbents = append(t.Incumbents, model.Incumbent{Elapsed: at, Evaluations: last.Evaluations, Objective: t.Best})
	}
	if result.Bound.Known() {
		t.Incumbents[len(t.Incumbents)-1].Bound = t.Bound
	}
}

// Write writes the improvements as JSON lines.
func (t *Trace) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, i := range t.Incumbents {
		if err := encoder.Encode(i); err != nil {
			return err
		}
	}
	return nil
}

// maxIncumbents is the most improvements that a row keeps.
const maxIncumbents = 200

// thinned are at most maxIncumbents of the improvements, evenly chosen, the first and the last among them.
func thinned(list []model.Incumbent) []model.Incumbent {
	if len(list) <= maxIncumbents {
		return list
	}
	kept := make([]model.Incumbent, maxIncumbents)
	for k := range kept {
		kept[k] = list[k*(len(list)-1)/(maxIncumbents-1)]
	}
	return kept
}
