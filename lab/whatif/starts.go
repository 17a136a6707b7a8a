package whatif

import (
	"context"
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// JobStart is when a job starts under a policy.
type JobStart struct {
	Start  *float64 `json:"start"`            // nil: never
	Reason string   `json:"reason,omitempty"` // why it does not start, or does not run to its end
}

// Starts returns when each job of the instance starts under the policy, in the order of the instance's jobs. Jobs run as long as the instance states;
// in an imported queue that is their time limit. The seed is for the policy's random draws and for local jobs.
//
// It returns an error if the policy cannot honour the instance, or if ctx ends.
//
// Complexity: one simulation, see [sim.Simulate].
func Starts(ctx context.Context, name string, policy solve.Policy, in *model.Instance, seed uint64) ([]JobStart, error) {
	if err := solve.Supports(solve.OnLine(policy), in, false); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	cut := cutShort{}
	sol, _, err := solve.Simulate(ctx, policy, in, sim.Options{Seed: seed, Observer: cut})
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	list := make([]JobStart, len(in.Jobs()))
	at := func(id string) *JobStart {
		k, _ := in.JobIndex(id)
		return &list[k]
	}
	for k := range sol.Jobs {
		at(sol.Jobs[k].Job).Start = new(sol.Jobs[k].Start)
	}
	for _, u := range sol.Unscheduled {
		*at(u.Job) = JobStart{Start: cut[u.Job], Reason: u.Reason}
	}
	return list, nil
}

// cutShort is when the jobs started, by their names, that left before they had run to their end. It observes a simulation.
type cutShort map[string]*float64

func (cutShort) Arrived(float64, *sim.Job)             {}
func (cutShort) Started(float64, *sim.Job, []sim.Part) {}
func (cutShort) Decided(float64)                       {}

// Left implements [sim.Observer].
func (c cutShort) Left(_ float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome != sim.Finished && outcome != sim.Dropped {
		c[j.Request.ID] = new(j.Start)
	}
}
