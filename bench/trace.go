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

// Trace follows a run and records its incumbents. It keeps only those that leave out as many jobs as the newest one: the objectives of schedules
// that leave out different numbers of jobs cannot be compared.
type Trace struct {
	Bound      model.Bound // the best bound proved so far
	Best       float64     // objective of the best schedule so far; +Inf: there is none
	Left       int         // number of jobs that the best schedule leaves out
	Incumbents []model.Incumbent

	began time.Time
}

// NewTrace starts to follow a run. The bound is the best one known before the run.
func NewTrace(bound model.Bound) *Trace {
	return &Trace{Bound: bound, Best: math.Inf(1), Left: math.MaxInt, began: time.Now()}
}

// Elapsed returns the seconds since the start.
func (t *Trace) Elapsed() float64 { return time.Since(t.began).Seconds() }

// Note takes a solver's progress report. If the schedule is an improvement, it records a new incumbent and returns true.
func (t *Trace) Note(p solve.Progress) bool { return t.noteAt(p, t.Elapsed()) }

// noteAt does what Note does, for a report at the given time in seconds.
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

// End takes the result of the run. Afterwards the last incumbent has the objective of the solution, even if it improves nothing, and no earlier
// incumbent has a better one.
func (t *Trace) End(result solve.Result) {
	if result.Solution == nil || result.Solution.Objective == nil {
		return
	}
	last := solve.Progress{Evaluations: result.Evaluations, Objective: *result.Solution.Objective, Bound: result.Bound, Left: len(result.Solution.Unscheduled)}
	at := t.Elapsed()
	if result.Elapsed > 0 { // the solver's own time, without the evaluation and the bound that solve.Run adds
		at = result.Elapsed.Seconds()
	}
	if n := len(t.Incumbents); n > 0 {
		at = max(at, t.Incumbents[n-1].Elapsed)
	}
	improved := t.noteAt(last, at)
	t.Best = last.Objective
	if t.Left != last.Left { // the solution leaves out more jobs than the solver had reported
		t.Left, t.Incumbents = last.Left, nil
	}
	slack := model.Tolerance * math.Abs(t.Best)
	t.Incumbents = slices.DeleteFunc(t.Incumbents, func(i model.Incumbent) bool { return i.Objective < t.Best-slack })
	for k := range t.Incumbents {
		i := &t.Incumbents[k]
		if i.Objective = max(i.Objective, t.Best); !result.Bound.Known() { // the bounds do not hold for a schedule that leaves out this many jobs
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

// Write writes the incumbents as JSON lines.
func (t *Trace) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, i := range t.Incumbents {
		if err := encoder.Encode(i); err != nil {
			return err
		}
	}
	return nil
}

// maxIncumbents is the largest number of incumbents that a row keeps.
const maxIncumbents = 200

// thinned returns at most maxIncumbents of the incumbents. They are evenly spaced in the list and include the first and the last.
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
