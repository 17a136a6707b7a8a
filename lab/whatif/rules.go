package whatif

import (
	"context"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// StartRules is what a policy says of a job at the moment of its start.
type StartRules struct {
	Start float64
	Rules []sim.Reason
}

// Text is the rules in one line, for people.
func (r *StartRules) Text() string {
	var parts []string
	for _, reason := range r.Rules {
		parts = append(parts, reason.Rule+": "+reason.Text)
	}
	return strings.Join(parts, "; ")
}

// Rules runs a policy on an instance and returns, by job, which of its rules decided as the job started. It returns nothing of a policy that gives no reasons.
func Rules(ctx context.Context, name string, policy solve.Policy, in *model.Instance, seed uint64) (map[string]StartRules, error) {
	if err := solve.Supports(solve.OnLine(policy), in, false); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	r := &ruleReader{by: map[string]StartRules{}}
	if _, _, err := solve.Simulate(ctx, policy, in, sim.Options{Seed: seed, Observer: r}); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	return r.by, nil
}

// ruleReader asks a policy about each job that starts.
type ruleReader struct {
	explainer sim.Explainer // nil: the policy gives no reasons
	by        map[string]StartRules
}

// Watch implements sim.Watcher.
func (r *ruleReader) Watch(_ *sim.Platform, policy sim.Policy) {
	r.explainer, _ = policy.(sim.Explainer)
}

// Arrived implements sim.Observer.
func (r *ruleReader) Arrived(float64, *sim.Job) {}

// Started implements sim.Observer.
func (r *ruleReader) Started(now float64, j *sim.Job, _ []sim.Part) {
	if r.explainer == nil {
		return
	}
	if reasons := r.explainer.Explain(j); len(reasons) > 0 {
		r.by[j.Request.ID] = StartRules{now, reasons}
	}
}

// Left implements sim.Observer.
func (r *ruleReader) Left(float64, *sim.Job, sim.Outcome, string) {}

// Decided implements sim.Observer.
func (r *ruleReader) Decided(float64) {}
