package solvetest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// ConformPolicy tests an on-line policy (see [solve.RegisterPolicy]): that its solver keeps to what [Conform] checks (short
// tests take a quarter of the instances), and on small systems in which jobs arrive over
// time, with estimates that are too long, too short or right, that
//
//   - it does not know the future: what starts before an instant stays the same if other jobs arrive later, or none, and if jobs that have not ended by then run for
//     another time;
//   - it decides for a stream of jobs, see [sim.Run], as it does for an instance;
//   - an observer changes nothing, and neither does a run of the same value before;
//   - every job leaves: it ends, is ended at its estimate where the policy says so, or is dropped with a reason.
//
// The choice is the policy with its parameters, as from [solve.Choose]. A policy that ends tasks by other rules than estimates has to be set so that it does not,
// since a job that is ended has no start in the schedule.
func ConformPolicy(t *testing.T, choice solve.Choice) {
	t.Helper()
	ConformSample(t, choice.Info, race.Fewer(1, 4))
	conformPolicy(t, choice)
}

// conformPolicy is ConformPolicy without [Conform].
func conformPolicy(to reporter, choice solve.Choice) {
	to.Helper()
	p := &policyConformer{to: to, name: choice.Info.Name}
	policy, ok := solve.PolicyOf(choice.Solver)
	if !ok || !choice.Info.Online {
		p.failf("is no on-line policy: register it with solve.RegisterPolicy")
		return
	}
	p.policy = policy
	taken := 0
	for seed := range race.Fewer(uint64(40), 4) {
		if p.failed {
			return
		}
		if p.tries(seed) {
			taken++
		}
	}
	if taken == 0 {
		p.failf("supports none of the systems, not even those of jobs of one processor: that is too few to learn anything")
	}
}

// policyConformer tests one policy.
type policyConformer struct {
	to     reporter
	name   string
	policy solve.Policy
	failed bool
}

// failf reports a failure.
func (p *policyConformer) failf(format string, args ...any) {
	p.to.Helper()
	p.failed = true
	p.to.Errorf("%s %s", p.name, fmt.Sprintf(format, args...))
}

// tries tests the policy on the system of a seed. It returns false if the policy supports neither it nor the same with jobs of one processor.
func (p *policyConformer) tries(seed uint64) bool {
	p.to.Helper()
	rng := rand.New(rand.NewPCG(seed, 17))
	jobs, clusters, instant := solvecases.OnlineJobs(rng), 1+int(seed%2), float64(5+rng.IntN(30))
	in := onlineSystem(jobs, clusters)
	if p.policy.Supports(in) != nil {
		for k := range jobs {
			jobs[k].Processors = model.Rigid(1)
		}
		if in = onlineSystem(jobs, clusters); p.policy.Supports(in) != nil {
			return false
		}
	}
	before, ok := p.starts(in, sim.Options{Seed: seed})
	if !ok {
		return true
	}
	for _, again := range []struct {
		what     string
		observer sim.Observer
	}{{"a run before", nil}, {"an observer", &bystander{}}, {"an observer of the platform", &onlooker{}}} {
		if starts, ok := p.starts(in, sim.Options{Seed: seed, Observer: again.observer}); ok && !maps.Equal(before, starts) {
			p.failf("seed %d: %s changes the starts: %v, %v", seed, again.what, before, starts)
		}
	}
	if streamed, ok := p.streamed(in, seed); ok && !maps.Equal(before, streamed) {
		p.failf("seed %d: the starts are %v, of the same jobs in a stream %v", seed, before, streamed)
	}
	other, ok := p.starts(onlineSystem(otherFuture(rng, jobs, before, instant), clusters), sim.Options{Seed: seed})
	later := func(_ string, start float64) bool { return start >= instant }
	known := maps.Clone(before)
	maps.DeleteFunc(known, later)
	maps.DeleteFunc(other, later)
	if ok && !maps.Equal(known, other) {
		p.failf("seed %d: until %v the starts are %v, with another future %v: it knows the future", seed, instant, known, other)
	}
	return true
}

// streamed are the starts of the jobs in a stream, by job; false: the policy looks at more than a stream shows, or the run fails.
func (p *policyConformer) streamed(in *model.Instance, seed uint64) (map[string]float64, bool) {
	p.to.Helper()
	rules := p.policy.Discipline()
	if !rules.ReadsTraces(in) || rules.Defer != nil {
		return nil, false
	}
	trace, order, err := sim.TraceOf(in)
	if err != nil {
		p.failf("seed %d: %v", seed, err)
		return nil, false
	}
	starts := map[string]float64{}
	watch := &ended{func(j *sim.Job) { starts[in.Jobs()[order[j.Number]].ID] = j.Start }}
	if _, err := sim.Run(context.Background(), trace, in.Processors(), rules, sim.Options{Seed: seed, Kill: p.policy.Kills(), Observer: watch}); err != nil {
		p.failf("seed %d: %v", seed, err)
		return nil, false
	}
	return starts, true
}

// ended is told of the jobs that run to their end.
type ended struct{ tell func(*sim.Job) }

func (*ended) Arrived(float64, *sim.Job)             {}
func (*ended) Started(float64, *sim.Job, []sim.Part) {}
func (*ended) Decided(float64)                       {}

func (o *ended) Left(_ float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome == sim.Finished {
		o.tell(j)
	}
}

// starts are the starts of the jobs under the policy, by job. It returns false if the run fails.
func (p *policyConformer) starts(in *model.Instance, opt sim.Options) (map[string]float64, bool) {
	p.to.Helper()
	if err := p.policy.Supports(in); err != nil {
		p.failf("seed %d: supports a system, but not with other times: %v", opt.Seed, err)
		return nil, false
	}
	opt.Kill = p.policy.Kills()
	sol, totals, err := sim.Simulate(context.Background(), in, p.policy.Discipline(), opt) // with all that is stated
	if err != nil {
		p.failf("seed %d: %v", opt.Seed, err)
		return nil, false
	}
	if report := model.Check(in, sol); !report.OK() {
		p.failf("seed %d: the schedule is wrong: %v", opt.Seed, report.Violations)
		return nil, false
	}
	if left := totals.Finished + totals.Killed + totals.Dropped; left != totals.Arrived {
		p.failf("seed %d: %d jobs arrive and %d leave", opt.Seed, totals.Arrived, left)
	}
	return startsOf(sol), true
}

// startsOf are the starts of a schedule, by job.
func startsOf(sol *model.Solution) map[string]float64 {
	starts := map[string]float64{}
	for _, p := range sol.Jobs {
		starts[p.Job] = p.Start
	}
	return starts
}

// onlineSystem is a system of clusters of four processors.
func onlineSystem(jobs []model.JobSpec, clusters int) *model.Instance {
	b := model.NewBuilder("online")
	for c := range clusters {
		b.Cluster(solvecases.Machines(fmt.Sprint("c", c), 4, 1))
	}
	in, err := b.Job(jobs...).Build()
	if err != nil {
		panic(err) // a bug of this package
	}
	return in
}

// otherFuture are the jobs that arrive before the instant. Those that run then, or wait, run for longer: jobs that have ended have ended.
func otherFuture(rng *rand.Rand, jobs []model.JobSpec, starts map[string]float64, instant float64) []model.JobSpec {
	var other []model.JobSpec
	for _, job := range jobs {
		if job.Arrival >= instant {
			continue
		}
		start, started := starts[job.ID]
		if !started {
			start = math.Inf(1)
		}
		if start+*job.Work > instant {
			job.Work = new(*job.Work + float64(rng.IntN(20)))
		}
		other = append(other, job)
	}
	return other
}

// bystander observes a simulation and does nothing.
type bystander struct{}

func (bystander) Arrived(float64, *sim.Job)                   {}
func (bystander) Decided(float64)                             {}
func (bystander) Started(float64, *sim.Job, []sim.Part)       {}
func (bystander) Left(float64, *sim.Job, sim.Outcome, string) {}

// onlooker looks at the platform too, and asks the policy for its reasons.
type onlooker struct {
	bystander
	policy sim.Policy
}

// Watch implements [sim.Watcher].
func (o *onlooker) Watch(_ *sim.Platform, policy sim.Policy) { o.policy = policy }

// Started implements [sim.Observer].
func (o *onlooker) Started(_ float64, j *sim.Job, _ []sim.Part) {
	if explainer, ok := o.policy.(sim.Explainer); ok {
		explainer.Explain(j)
	}
}
