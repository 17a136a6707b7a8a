package sim

import (
	"context"
	"errors"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/place"
)

// Discipline is a queueing discipline: what makes a policy, and what a run must know of it. Each policy serves one run.
type Discipline struct {
	// General makes the policy for the platform of an instance; what the policy draws at random it draws from the seed. Required by
	// [Simulate].
	General func(platform *Platform, seed uint64) Policy
	// Place is the rule that chooses the machines of a job, see package place; empty: the first. Under another rule, and where jobs ask something of
	// single machines, [Platform.Machines] lists every machine.
	Place place.Name
	// ByNode says that the policy looks at machines one by one, so that [Platform.Machines] always lists every machine.
	ByNode bool
	// Deadlines says that the policy looks at deadlines, soft ones too. The jobs of a trace do not show them.
	Deadlines bool
	// ByQueue says that the policy serves a queue for each partition that the instance states, see [Platform.Queues]. Without it all jobs wait in one queue.
	ByQueue bool
	// Costs says that the policy looks at costs, so that [Platform.Machines] lists machines of different cost apart.
	Costs bool
	// Classes says that the policy looks at the classes of users. The jobs of a trace do not show them.
	Classes bool
	// Requests says that the policy looks at the requests of all jobs. The jobs of a trace have none.
	Requests bool
	// Licences says that the policy weighs jobs by the licences that they ask for, also where there are enough copies for all.
	Licences bool
	// Stated says that decisions depend on other data that limit no schedule, such as names. Such a policy gets instances as they are stated, others without what cannot bind, see [model.Reduce].
	Stated bool
	// Remembers states that decisions depend on jobs that have left, such as the past usage of users. Then a run that begins in the middle,
	// when nothing waits, can differ from the whole run.
	Remembers bool
	// Midway says that a run may begin in the middle of another, with what runs and waits then: the policy is a [Resumer], and looks at nothing else of the jobs.
	Midway bool
	// Afresh says that each decision depends on nothing but the time and the jobs in the system, so that a run may begin at any time with the
	// jobs that run and wait then.
	Afresh bool
	// Defer makes the rule that keeps jobs of an instance out of the queue for a time, see [Options].Defer; nil: there is none. A stream,
	// of which no whole instance is known, refuses such a discipline.
	Defer func(in *model.Instance) func(Deferrable) float64
}

// ReadsTraces reports whether the discipline decides as it does for the instance where it sees the jobs as a trace, see [TraceOf]: the instance is no more than a trace, and
// the policy looks only at what a trace shows.
func (d *Discipline) ReadsTraces(in *model.Instance) bool {
	return IsTrace(in) && d.InTraces() == nil && !(d.ByQueue && len(in.Partitions()) > 1) && !d.Requests && !(d.Deadlines && anyDeadline(in)) && !(d.Classes && anyClass(in))
}

// InTraces says why no trace can be run under the discipline; nil: it can.
func (d *Discipline) InTraces() error {
	if d.ByNode || d.Place.OrFirst() != place.First {
		return ErrNodes
	}
	return nil
}

// byNode says whether the platform of an instance lists every machine.
func (d *Discipline) byNode(in *model.Instance) bool {
	return d.ByNode || in.Features()&plan.NodeFeatures != 0 || d.Place.OrFirst() != place.First
}

// anyClass says whether some job's user has a class.
func anyClass(in *model.Instance) bool {
	return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.UserClass >= 0 })
}

// anyDeadline says whether some job has a deadline.
func anyDeadline(in *model.Instance) bool {
	return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.HasDeadline() })
}

// ErrHorizon is the error of a run of an instance with a horizon: no policy knows which jobs are to be left out for the sake of the others.
var ErrHorizon = errors.New("sim: expected an instance without a horizon: a policy starts every job that it can")

// Simulate runs an instance under a discipline.
//
// The solution states no figures. A job that did not run to its end is unscheduled, with the reason, although it held processors
// while it ran. The run ends when all jobs have left, or when ctx ends, with the error of ctx.
//
// Complexity beside that of the policy, for n jobs: O(log n + m/64) a job on m processors that are all alike, else O(log n + machines) a job. Memory: O(n).
func Simulate(ctx context.Context, in *model.Instance, policies Discipline, opt Options) (*model.Solution, Totals, error) {
	if policies.General == nil {
		return nil, Totals{}, errNoGeneral
	}
	opt = policies.Deferring(in, opt)
	if in.Features().Has(model.HorizonLimits) {
		return nil, Totals{}, ErrHorizon
	}
	return simulate(ctx, in, policies, opt)
}
