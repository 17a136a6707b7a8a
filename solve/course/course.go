// Package course records how the schedule of a run came to be: its incumbents.
package course

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Course follows a run and records its incumbents. It keeps only those that owe as many jobs as the newest one, see [model.Instance.Owed]: the objectives of
// schedules that owe different numbers of jobs cannot be compared.
type Course struct {
	Bound      model.Bound // the best bound proved so far
	Owed       int         // the number of jobs that every schedule owes, as is proved; the bound is of those that owe no more
	Best       float64     // objective of the best schedule so far; +Inf: there is none
	Left       int         // number of jobs that the best schedule owes
	Incumbents []model.Incumbent

	began time.Time
}

// New starts to follow a run. The bound is the best one known before the run.
func New(bound model.Bound) *Course {
	return &Course{Bound: bound, Best: math.Inf(1), Left: math.MaxInt, began: time.Now()}
}

// Elapsed returns the seconds since the start.
func (c *Course) Elapsed() float64 { return time.Since(c.began).Seconds() }

// Gap is the gap of the best schedule to the bound; false: there is none, or the bound is not of such schedules.
func (c *Course) Gap() (percent float64, ok bool) {
	if c.Left > c.Owed {
		return 0, false
	}
	return model.Gap(c.Best, c.Bound)
}

// Note takes a solver's progress report. If the schedule is an improvement, it records a new incumbent and returns true.
func (c *Course) Note(p solve.Progress) bool { return c.noteAt(p, c.Elapsed()) }

// noteAt does what Note does, for a report at the given time in seconds.
func (c *Course) noteAt(p solve.Progress, at float64) bool {
	c.Bound, c.Owed = c.Bound.Max(p.Bound), max(c.Owed, p.Owed)
	if math.IsInf(p.Objective, 1) || !model.NewRank(p.Left, p.Objective).Better(model.NewRank(c.Left, c.Best)) {
		return false
	}
	if p.Left < c.Left {
		c.Incumbents = c.Incumbents[:0]
	}
	c.Best, c.Left = p.Objective, p.Left
	c.Incumbents = append(c.Incumbents, model.Incumbent{Elapsed: at, Evaluations: p.Evaluations, Objective: p.Objective, Bound: c.Bound})
	return true
}

// End takes the result of the run on the instance. Afterwards the last incumbent has the objective of the solution, even if it improves nothing, and no earlier
// incumbent has a better one.
func (c *Course) End(in *model.Instance, result solve.Result) {
	if result.Solution == nil || result.Solution.Objective == nil {
		return
	}
	last := solve.Progress{Evaluations: result.Evaluations, Objective: *result.Solution.Objective, Bound: result.Bound, Left: in.Owed(result.Solution)}
	at := c.Elapsed()
	if result.Elapsed > 0 { // the solver's own time, without the evaluation and the bound that solve.Run adds
		at = result.Elapsed.Seconds()
	}
	if n := len(c.Incumbents); n > 0 {
		at = max(at, c.Incumbents[n-1].Elapsed)
	}
	improved := c.noteAt(last, at)
	c.Best = last.Objective
	if c.Left != last.Left { // the solution owes more jobs than the solver had reported
		c.Left, c.Incumbents = last.Left, nil
	}
	tolerance := model.Tolerance * math.Abs(c.Best)
	c.Incumbents = slices.DeleteFunc(c.Incumbents, func(i model.Incumbent) bool { return i.Objective < c.Best-tolerance })
	for k := range c.Incumbents {
		i := &c.Incumbents[k]
		if i.Objective = max(i.Objective, c.Best); !result.Bound.Known() { // the bounds do not hold for a schedule that leaves out this many jobs
			i.Bound = model.Bound{}
		}
	}
	if !improved {
		c.Incumbents = append(c.Incumbents, model.Incumbent{Elapsed: at, Evaluations: last.Evaluations, Objective: c.Best})
	}
	if result.Bound.Known() {
		c.Incumbents[len(c.Incumbents)-1].Bound = c.Bound
	}
}

// Write writes the incumbents as JSON lines.
func (c *Course) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, i := range c.Incumbents {
		if err := encoder.Encode(i); err != nil {
			return err
		}
	}
	return nil
}

// most is the largest number of incumbents that are kept.
const most = 200

// Thinned returns at most 200 of the incumbents. They are evenly spaced in the list and include the first and the last.
func Thinned(list []model.Incumbent) []model.Incumbent {
	if len(list) <= most {
		return list
	}
	kept := make([]model.Incumbent, most)
	for k := range kept {
		kept[k] = list[k*(len(list)-1)/(most-1)]
	}
	return kept
}
