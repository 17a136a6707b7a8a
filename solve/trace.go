package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Step is one decision of a solver that states its steps, see [Info.Traces]. The rule is in the same form in which on-line policies state theirs, see
// [sim.Explainer].
type Step struct {
	Number     int               `json:"step"` // from 1 on; set by [Run]
	At         float64           `json:"at"`   // time in the schedule that the decision is about
	sim.Reason                   // the rule that decided; the values of its terms are finite
	Jobs       []string          `json:"jobs,omitempty"`   // the jobs that the decision is about, without those in Placed
	Score      string            `json:"score,omitempty"`  // what the scores are
	Scores     []Score           `json:"scores,omitempty"` // of the clusters that were compared
	Placed     []model.Placement `json:"placed,omitempty"` // what the decision placed; the receiver does not change it
}

// Score is what a solver compared of one cluster, or of one group of machines in it.
type Score struct {
	Cluster string     `json:"cluster"`
	Value   *float64   `json:"value,omitempty"`  // finite; nil: it has none
	Why     string     `json:"why,omitempty"`    // why the cluster is out; empty: it took part
	Chosen  bool       `json:"chosen,omitempty"` // the decision took it
	Terms   []sim.Term `json:"terms,omitempty"`  // what the score is made of
}

// About says whether the decision is about the job.
func (s *Step) About(job string) bool {
	return slices.Contains(s.Jobs, job) || slices.ContainsFunc(s.Placed, func(p model.Placement) bool { return p.Job == job })
}

// ErrTrace says that a solver was asked for its steps that does not state them. The errors of [Run] wrap it.
var ErrTrace = errors.New("the solver does not state its steps")

// RuleLeftOut is the rule of the steps with which [Run] ends a transcript: one for each job that the schedule leaves out, with the reason.
const RuleLeftOut = "left out"

// transcript checks the steps of a run: each job is placed by one step, and the steps add up to the schedule.
type transcript struct {
	tell   func(Step)
	number int
	placed map[string]model.Placement
	fault  error // the first
}

// follow puts itself between the solver and Options.Trace; nil: the run is not traced.
func follow(info Info, opt *Options) (*transcript, error) {
	if opt.Trace == nil {
		return nil, nil
	}
	if !info.Traces {
		return nil, ErrTrace
	}
	t := &transcript{tell: opt.Trace, placed: map[string]model.Placement{}}
	opt.Trace = t.step
	return t, nil
}

// step takes note of a step, numbers it and passes it on.
func (t *transcript) step(s Step) {
	t.number++
	s.Number = t.number
	if t.fault == nil {
		t.fault = s.wrong()
	}
	for _, p := range s.Placed {
		if _, twice := t.placed[p.Job]; twice && t.fault == nil {
			t.fault = fmt.Errorf("step %d places job %s, which an earlier step has placed", s.Number, p.Job)
		}
		t.placed[p.Job] = p
	}
	t.tell(s)
}

// wrong returns an error for a step without a rule, or with a figure that JSON cannot hold.
func (s *Step) wrong() error {
	if s.Rule == "" || s.Text == "" {
		return fmt.Errorf("step %d: expected a rule and a text, found rule %q and text %q", s.Number, s.Rule, s.Text)
	}
	terms := []sim.Term{{Name: "at", Value: s.At}}
	terms = append(terms, s.Terms...)
	for _, score := range s.Scores {
		if score.Value != nil {
			terms = append(terms, sim.Term{Name: s.Score, Value: *score.Value})
		}
		terms = append(terms, score.Terms...)
	}
	for _, term := range terms {
		if math.IsNaN(term.Value) || math.IsInf(term.Value, 0) {
			return fmt.Errorf("step %d, %s: %s: expected a finite number, found %v", s.Number, s.Rule, term.Name, term.Value)
		}
	}
	return nil
}

// agree returns an error if the steps do not add up to the schedule, which is a bug of the solver.
func (t *transcript) agree(sol *model.Solution) error {
	if t == nil || sol == nil {
		return nil
	}
	err := t.fault
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		if told, ok := t.placed[p.Job]; err == nil && (!ok || !SamePlacement(&told, p)) {
			err = fmt.Errorf("the schedule has job %s where no step has placed it", p.Job)
		}
	}
	if err == nil && len(t.placed) > len(sol.Jobs) {
		err = fmt.Errorf("the steps place %d jobs, the schedule has %d", len(t.placed), len(sol.Jobs))
	}
	if err != nil {
		return fmt.Errorf("the steps of the run are wrong: %w: a bug of the solver", err)
	}
	return nil
}

// leave tells of the jobs that the schedule leaves out.
func (t *transcript) leave(in *model.Instance, sol *model.Solution) {
	if t == nil {
		return
	}
	for _, u := range sol.Unscheduled {
		step := Step{Reason: sim.Reason{Rule: RuleLeftOut, Text: u.Job + " is left out"}, Jobs: []string{u.Job}}
		if u.Reason != "" {
			step.Text += ": " + u.Reason
		}
		if j, ok := in.JobIndex(u.Job); ok {
			step.At = in.Jobs()[j].Arrival
		}
		t.step(step)
	}
}

// SamePlacement says whether two placements are of the same job on the same processors at the same times.
func SamePlacement(a, b *model.Placement) bool {
	return a.Job == b.Job && a.Cluster == b.Cluster && a.Start == b.Start && a.End == b.End && slices.Equal(a.Processors, b.Processors) &&
		slices.EqualFunc(a.Pieces, b.Pieces, func(a, b model.Piece) bool {
			return a.Cluster == b.Cluster && a.Tasks == b.Tasks && a.Start == b.Start && a.End == b.End && slices.Equal(a.Processors, b.Processors)
		})
}
