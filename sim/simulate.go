package sim

import (
	"context"
	"errors"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/place"
)

// Discipline is a queueing discipline: it makes one and the same policy for either world. Each policy serves one run.
type Discipline struct {
	// Plain makes the policy for a trace on the given number of processors. On a plain instance it decides as the policy of General
	// does. Nil: every instance runs in the general world.
	Plain func(processors int) Policy
	// Late is Plain where jobs may join the queue in another order than that of their arrival, see Defer; the queue is in the order of arrival still. Nil: such
	// a run needs the general world.
	Late func(processors int) Policy
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
	// Stated says that decisions depend on data that limit no schedule, such as licences of which there are enough. Such a policy gets instances as they are stated,
	// others without what cannot bind, see [model.Reduce].
	Stated bool
	// Remembers states that decisions depend on jobs that have left, such as the past usage of users. Then a run that begins in the middle,
	// when nothing waits, can differ from the whole run.
	Remembers bool
	// Afresh says that each decision depends on nothing but the time and the jobs in the system, so that a run may begin at any time with the
	// jobs that run and wait then.
	Afresh bool
	// Defer makes the rule that keeps jobs of an instance out of the queue for a time, see [Options].Defer; nil: there is none. A stream,
	// of which no whole instance is known, refuses such a discipline.
	Defer func(in *model.Instance) func(Deferrable) float64
}

// InTrace makes the policy for a plain instance: Plain, or Late where jobs may join late; nil: it needs the general world.
func (d *Discipline) InTrace() func(processors int) Policy {
	if d.Defer != nil {
		return d.Late
	}
	return d.Plain
}

// IsPlain reports whether an instance runs in the plain world: it has only what a trace has, and the policy looks only at what a trace shows.
func (d *Discipline) IsPlain(in *model.Instance) bool {
	if in.Features()&model.PowerLimits != 0 {
		return false
	}
	if d.ByQueue && len(in.Partitions()) > 1 {
		return false
	}
	return d.InTrace() != nil && IsTrace(in) && d.Place.OrFirst() == place.First && !d.Requests && !(d.Deadlines && anyDeadline(in)) && !(d.Classes && anyClass(in))
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

// ErrPower is the error of a run of an instance in which power limits schedules in a way that the run cannot keep to: a horizon; and power caps and machines that sleep by a rule in a stream, a forecast or a run
// that begins in the middle.
var ErrPower = errors.New("sim: expected an instance without a horizon, and without power caps and machines that sleep by a rule in a stream or a forecast")

// Simulate runs an instance under a discipline and picks the world itself. An instance that is no more than a trace (rigid jobs on one
// cluster of equal processors) runs in the plain world, unless the observer is a [Watcher], which looks at the platform, or the
// discipline looks at requests, or at deadlines or classes of users and some job has one. Every other instance runs in the general
// world. The schedule is the same in both.
//
// The solution states no figures. A job that did not run to its end is unscheduled, with the reason, although it held processors
// while it ran. The run ends when all jobs have left, or when ctx ends, with the error of ctx.
//
// Complexity beside that of the policy, for n jobs: O(log n + m/64) a job on m processors in the plain world, O(log n + machines) a
// job in the general one. Memory: O(n).
func Simulate(ctx context.Context, in *model.Instance, policies Discipline, opt Options) (*model.Solution, Totals, error) {
	if policies.General == nil {
		return nil, Totals{}, errNoGeneral
	}
	opt = policies.Deferring(in, opt)
	_, watches := opt.Observer.(Watcher)
	plain := policies.IsPlain(in) && !watches
	if in.Features().Has(model.HorizonLimits) {
		return nil, Totals{}, ErrPower
	}
	if plain {
		return replay(ctx, in, policies.InTrace()(in.Processors()), opt)
	}
	return simulateGeneral(ctx, in, policies, opt)
}
