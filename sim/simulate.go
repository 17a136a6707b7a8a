package sim

import (
	"context"
	"errors"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Policies make one and the same policy for either world, each time for one run.
type Discipline struct {
	// Trace makes the policy for a trace on so many processors, which decides as that of Grid does on a plain instance. Nil: every
	// instance runs in the general world.
	Plain func(processors int) Policy
	// Grid makes the policy for the system of an instance.
	General func(*Platform) Policy
	// Deadlines says that the policy looks at deadlines, soft ones too, which the jobs of a trace do not show.
	Deadlines bool
}

// anyDeadline says that a job has a deadline.
func anyDeadline(in *model.Instance) bool {
	return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.HasDeadline() })
}

// Simulate runs an instance under a policy. It picks the world itself: an instance that is no more than a trace (rigid jobs on one
// cluster of equal processors) runs as one, unless the observer is a [Watcher], which looks at the grid, or the policy looks at
// deadlines and there are some; every other runs in the general world. The schedule is the same.
//
// Its schedule is a solution whose figures are not stated; a job that did not run to its end is unscheduled with the reason, though
// it held processors while it ran. It ends when all jobs have left or when ctx ends, with its error.
//
// Complexity beside that of the policy: O(log n + m/64) a job for m processors as a trace, else O(log n + machines) a job. Memory:
// O(n).
func Simulate(ctx context.Context, in *model.Instance, policies Discipline, opt Options) (*model.Solution, Totals, error) {
	if policies.General == nil {
		return nil, Totals{}, errors.New("sim: expected a policy for the system of an instance, found none")
	}
	_, watches := opt.Observer.(Watcher)
	if policies.Plain != nil && plain(in) && !watches && !(policies.Deadlines && anyDeadline(in)) {
		return replay(ctx, in, policies.Plain(in.Processors()), opt)
	}
	return simulateGeneral(ctx, in, policies.General, opt)
}
