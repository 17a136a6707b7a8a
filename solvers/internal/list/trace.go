package list

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Rule says how a solver picks slots. It is what the solver states of its steps, see [solve.Step].
type Rule struct {
	Name    string                   // of the rule, such as "earliest end"
	Text    string                   // why a job goes to its cluster: "it ends first there"
	Score   string                   // what the solver compares of the clusters
	Highest bool                     // the highest score is the best; the keys of [Least] are the scores with the other sign
	Terms   func(job int) []sim.Term // what decided the job's place in the order; nil: nothing but its arrival
	Machines
}

// By is the rule with another choice of machines and times.
func (r Rule) By(machines Machines) Rule {
	r.Machines = machines
	return r
}

// byEarliestEnd is the rule of [EarliestEnd].
var byEarliestEnd = Rule{Name: "earliest end", Text: "it ends first there", Score: "end"}

// ByLeastCost is the rule of [Best] where slots have a price.
var ByLeastCost = Rule{Name: "least cost", Text: "it costs least there, by its start", Score: "cost"}

// ByBest is the rule of [Best].
func ByBest(in *model.Instance) Rule {
	if plan.PricesStarts(in) {
		return ByLeastCost
	}
	return byEarliestEnd
}

// Schedule is a list schedule that notes what its solver compares where somebody listens.
type Schedule struct {
	*plan.Schedule
	*scribe // nil: nobody listens
}

// scribe tells of the steps of a list schedule.
type scribe struct {
	in     *model.Instance
	rule   Rule
	tell   func(solve.Step)
	scores []solve.Score // of the next job, in the order of the clusters
	terms  []sim.Term    // of the next score
	tied   bool          // several clusters have the least key
}

// Traced says whether somebody listens. Only then may the other methods be called.
func (s *scribe) Traced() bool { return s != nil }

// Terms notes what the next score of a cluster is made of.
func (s *scribe) Terms(terms ...sim.Term) { s.terms = terms }

// Score notes the score of a cluster for the next job, after those of the clusters before it.
func (s *scribe) Score(cluster int, value float64, terms ...sim.Term) {
	if s.rule.Highest {
		value = -value
	}
	s.scores = append(s.scores, solve.Score{Cluster: s.in.Clusters()[cluster].ID, Value: &value, Terms: append(s.terms, terms...)})
	s.terms = nil
}

// least notes the key by which [Least] picks.
func (s *scribe) least(key float64) {
	equal := 0
	for _, score := range s.scores {
		if score.Value != nil && math.Abs(*score.Value) == math.Abs(key) {
			equal++
		}
	}
	s.tied = equal > 1
}

// ends notes when the next job would end on each cluster, as the score.
func (s *Schedule) ends(job int) {
	j := &s.in.Jobs()[job]
	for c := range s.in.Clusters() {
		switch slot, ok := s.Earliest(job, c); {
		case !ok:
		case j.DeadlineHard && model.Late(slot.End, j.Deadline):
			s.late(c, slot)
		default:
			s.Score(c, slot.End)
		}
	}
}

// late notes that a cluster would end the next job after its hard deadline.
func (s *scribe) late(cluster int, slot plan.Slot) {
	s.scores = append(s.scores, solve.Score{Cluster: s.in.Clusters()[cluster].ID, Why: "after its hard deadline", Terms: []sim.Term{{Name: "end", Value: slot.End}}})
}

// step tells of a job that was placed or left out last.
func (s *scribe) step(last *model.Placement, job int, slot plan.Slot, found bool) {
	j := &s.in.Jobs()[job]
	step := solve.Step{At: j.Arrival, Reason: sim.Reason{Rule: s.rule.Name}, Jobs: []string{j.ID}, Score: s.rule.Score}
	if s.rule.Terms != nil {
		step.Terms = s.rule.Terms(job)
	}
	placed := last != nil && last.Job == j.ID
	switch {
	case placed:
		step.At, step.Jobs, step.Placed = last.Start, nil, []model.Placement{*last}
		step.Text = j.ID + " goes to " + s.in.Clusters()[slot.Cluster].ID + ": " + s.rule.Text
		if s.tied {
			step.Text += "; of equal clusters the first"
		}
	case found:
		step.Text = j.ID + " goes nowhere: no cluster ends it by its hard deadline"
	default:
		step.Text = j.ID + " goes nowhere: no cluster can run it"
	}
	step.Scores = s.ordered(slot.Cluster, placed)
	s.tell(step)
	s.scores, s.tied = s.scores[:0], false
}

// ordered lists the scores of all clusters. Those that were compared stand in the order of the clusters already.
func (s *scribe) ordered(chosen int, placed bool) []solve.Score {
	list := make([]solve.Score, len(s.in.Clusters()))
	for c := range list {
		id := s.in.Clusters()[c].ID
		if len(s.scores) > 0 && s.scores[0].Cluster == id {
			list[c], s.scores = s.scores[0], s.scores[1:]
		} else {
			list[c] = solve.Score{Cluster: id, Why: "cannot run it"}
		}
		list[c].Chosen = placed && c == chosen
	}
	return list
}

// Late keeps the steps of a schedule whose processors are named at its end, see [plan.Schedule.NamesLate]. tell takes steps, and end tells of them, with the
// placements as the solution has them. Where processors are named at once tell is the given function.
func Late(s *plan.Schedule, listener func(solve.Step)) (tell func(solve.Step), end func(*model.Solution)) {
	if listener == nil || !s.NamesLate() {
		return listener, func(*model.Solution) {}
	}
	var steps []solve.Step
	return func(step solve.Step) { steps = append(steps, step) }, func(sol *model.Solution) {
		named := make(map[string]model.Placement, len(sol.Jobs))
		for _, p := range sol.Jobs {
			named[p.Job] = p
		}
		for _, step := range steps {
			for k, p := range step.Placed {
				step.Placed[k] = named[p.Job]
			}
			listener(step)
		}
	}
}
