package solve

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// ruleStart is the rule of the steps that say that a job starts.
const ruleStart = "starts"

// tellOnline simulates a policy once more and reports its steps: the start of each job, and the rules that the policy states of the job
// ([sim.Explainer]) when it arrives, starts or is dropped. sol is the schedule that the policy makes.
func tellOnline(ctx context.Context, in *model.Instance, policy Policy, opt Options, sol *model.Solution) error {
	t := &onlineTeller{tell: opt.Trace, placed: make(map[string]model.Placement, len(sol.Jobs)), said: map[*sim.Job][]sim.Reason{}}
	for _, p := range sol.Jobs {
		t.placed[p.Job] = p
	}
	_, _, err := sim.Simulate(ctx, in, policy.Discipline(), sim.Options{Seed: opt.Seed, Kill: policy.Kills(), Observer: t})
	return err
}

// onlineTeller follows a simulation.
type onlineTeller struct {
	tell    func(Step)
	placed  map[string]model.Placement // the schedule
	policy  sim.Policy
	arrived []*sim.Job                // since the last decision, and still waiting
	said    map[*sim.Job][]sim.Reason // of the jobs in the system
}

// Watch implements [sim.Watcher].
func (t *onlineTeller) Watch(_ *sim.Platform, policy sim.Policy) { t.policy = policy }

// Arrived implements [sim.Observer].
func (t *onlineTeller) Arrived(_ float64, j *sim.Job) { t.arrived = append(t.arrived, j) }

// Decided implements [sim.Observer].
func (t *onlineTeller) Decided(now float64) {
	for _, j := range t.arrived {
		t.ask(now, j)
	}
	t.arrived = t.arrived[:0]
}

// Started implements [sim.Observer].
func (t *onlineTeller) Started(now float64, j *sim.Job, _ []sim.Part) {
	t.ask(now, j)
	t.settle(j)
	id := j.Request.ID
	step := Step{At: now, Reason: sim.Reason{Rule: ruleStart, Text: fmt.Sprintf("%s starts after waiting %.6g", id, j.Start-j.Arrival)}}
	if p, ok := t.placed[id]; ok {
		step.Placed = []model.Placement{p}
	} else {
		step.Jobs = []string{id} // it will not run to its end
	}
	t.tell(step)
}

// Left implements [sim.Observer].
func (t *onlineTeller) Left(now float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome == sim.Dropped {
		t.ask(now, j)
	}
	t.settle(j)
	delete(t.said, j)
}

// settle forgets that the job has just arrived.
func (t *onlineTeller) settle(j *sim.Job) {
	t.arrived = slices.DeleteFunc(t.arrived, func(other *sim.Job) bool { return other == j })
}

// ask tells of the rules that the policy states of the job now and has not stated before.
func (t *onlineTeller) ask(now float64, j *sim.Job) {
	explainer, ok := t.policy.(sim.Explainer)
	if !ok {
		return
	}
	for _, reason := range explainer.Explain(j) {
		if slices.ContainsFunc(t.said[j], func(said sim.Reason) bool { return reflect.DeepEqual(said, reason) }) {
			continue
		}
		t.said[j] = append(t.said[j], reason)
		reason.Text = j.Request.ID + ": " + reason.Text
		t.tell(Step{At: now, Reason: reason, Jobs: []string{j.Request.ID}})
	}
}
