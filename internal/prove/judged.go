package prove

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
)

// judged holds the right schedules of a batch of which nothing is known by construction. The evaluator says which is better, and which bound is false.
type judged struct {
	in      *model.Instance
	nowhere []bool // by job: nothing can run it, or a job that it waits for
	fewest  int    // jobs owed by the schedule that owes the fewest; MaxInt: there is none
	levels  map[int]*level
}

// level holds the right schedules that owe a number of jobs.
type level struct {
	best  *model.Solution
	cost  model.Evaluation
	least map[string]*model.Solution // by metric of the objective: the schedule that has least of it
}

func newJudged(in *model.Instance) *judged {
	b := &judged{in: in, nowhere: make([]bool, len(in.Jobs())), fewest: math.MaxInt, levels: map[int]*level{}}
	for range in.Jobs() { // as many rounds as a chain can have jobs
		for j := range in.Jobs() {
			b.nowhere[j] = b.nowhere[j] || !in.Runs(j)
			for _, before := range in.Jobs()[j].After {
				b.nowhere[j] = b.nowhere[j] || b.nowhere[before]
			}
		}
	}
	return b
}

// add takes a right schedule. It says whether bounds speak of it: whether it owes no job that anything can run.
func (b *judged) add(sol *model.Solution, cost model.Evaluation) bool {
	owed := b.in.Owed(sol)
	b.fewest = min(b.fewest, owed)
	l := b.levels[owed]
	if l == nil {
		l = &level{least: map[string]*model.Solution{}}
		b.levels[owed] = l
	}
	if l.best == nil || cost.Objective < l.cost.Objective {
		l.best, l.cost = sol, cost
	}
	for _, term := range b.in.ObjectiveTerms() {
		if value, ok := cost.Metrics.Get(term.Metric); ok && value < b.valueOf(l.least[term.Metric], term.Metric) {
			l.least[term.Metric] = sol
		}
	}
	for _, left := range sol.Unscheduled {
		if j, _ := b.in.JobIndex(left.Job); b.in.Owes(j) && !b.nowhere[j] {
			return false
		}
	}
	return true
}

// valueOf is a metric of a schedule; +Inf: there is none, or it is not known.
func (b *judged) valueOf(sol *model.Solution, metric string) float64 {
	if sol == nil {
		return math.Inf(1)
	}
	cost, err := model.Evaluate(b.in, sol)
	if value, ok := cost.Metrics.Get(metric); ok && err == nil {
		return value
	}
	return math.Inf(1)
}

// upTo is the best of the schedules that owe no more jobs; its best is nil where there is none.
func (b *judged) upTo(owed int) *level {
	best := &level{least: map[string]*model.Solution{}}
	for _, n := range slices.Sorted(maps.Keys(b.levels)) {
		l := b.levels[n]
		if n > owed {
			break
		}
		if best.best == nil || l.cost.Objective < best.cost.Objective {
			best.best, best.cost = l.best, l.cost
		}
		for metric, sol := range l.least {
			if b.valueOf(sol, metric) < b.valueOf(best.least[metric], metric) {
				best.least[metric] = sol
			}
		}
	}
	return best
}

// compareJudged compares the claims with the right schedules.
func (t *trial) compareJudged() {
	for k := range t.claims {
		c := &t.claims[k]
		truth, false, text := t.judgedFalse(c)
		if !false {
			continue
		}
		t.report(c.by, c.what, c.value, truth, text)
		last := &t.found[len(t.found)-1]
		last.Seed, last.MaxEvals, last.refutes = c.seed, c.evals, t.judged.upTo(max(c.owed, t.judged.fewest)).best
	}
}

// judgedFalse says whether a right schedule shows the claim to be false, with what that schedule has.
func (t *trial) judgedFalse(c *claim) (truth float64, refuted bool, text string) {
	b := t.judged
	if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
		return 0, true, fmt.Sprintf("states %v", c.value)
	}
	if c.sol != nil && b.in.Owed(c.sol) > b.fewest {
		return float64(b.fewest), true, fmt.Sprintf("says optimal and owes %d jobs; a right schedule owes %d", b.in.Owed(c.sol), b.fewest)
	}
	if c.owed > b.fewest {
		return float64(b.fewest), true, fmt.Sprintf("says that %d jobs are owed; a right schedule owes %d", c.owed, b.fewest)
	}
	known := b.upTo(c.owed)
	if known.best == nil || c.what == "owed" {
		return 0, false, ""
	}
	if c.metric == "" {
		truth = known.cost.Objective
		refuted = known.cost.Refutes(model.ProvedBound(c.value - c.tolerated))
		refuted = refuted && !c.roundsTo(b.in, truth)
		return truth, refuted, fmt.Sprintf("says %s %v; a right schedule has %v", c.what, c.value, truth)
	}
	sol := known.least[c.metric]
	if m, _ := model.MetricNamed(c.metric); sol == nil || m.HighBetter {
		return 0, false, "" // the part of a metric that is high where it is good says how high it can be
	}
	alone, err := b.in.WithObjective(map[string]float64{c.metric: 1})
	if err != nil {
		return 0, false, "" // a metric that is high where it is good
	}
	cost, err := model.Evaluate(alone, sol)
	return cost.Objective, err == nil && cost.Refutes(model.ProvedBound(c.value)), fmt.Sprintf("says %s of %s %v; a right schedule has %v", c.what, c.metric, c.value, cost.Objective)
}

// roundsTo says whether the claim is that a schedule is optimal, and nothing but the rounding of its times, such as those since 1970, keeps its objective from the true
// value, as docs/rules.md has it.
func (c *claim) roundsTo(in *model.Instance, truth float64) bool {
	if c.sol == nil {
		return false
	}
	cost, err := model.Evaluate(in, c.sol)
	return err == nil && cost.Proves(model.ProvedBound(truth))
}

// falseReason says why the reason of a job that a schedule leaves out cannot be true; empty: it may be. A job that waits for another waits for one that is left out, and what no
// cluster can run is in no right schedule.
func (t *trial) falseReason(sol *model.Solution, left *model.Unscheduled) string {
	j, _ := t.in.JobIndex(left.Job)
	if rest, waits := strings.CutPrefix(left.Reason, "waits for job "); waits {
		if id, _, ok := strings.Cut(rest, ", which is not placed"); ok {
			before, known := t.in.JobIndex(id)
			out := slices.ContainsFunc(sol.Unscheduled, func(u model.Unscheduled) bool { return u.Job == id })
			if !known || !out || !slices.Contains(t.in.Jobs()[j].After, before) {
				return fmt.Sprintf("job %s: %q, which is placed, or for which it does not wait", left.Job, left.Reason)
			}
		}
	}
	if left.Reason != t.in.WhyNowhere(j) {
		return ""
	}
	for _, right := range t.Schedules {
		if slices.ContainsFunc(right.Jobs, func(p model.Placement) bool { return p.Job == left.Job }) {
			return fmt.Sprintf("job %s: %q, but a right schedule places it", left.Job, left.Reason)
		}
	}
	return ""
}
