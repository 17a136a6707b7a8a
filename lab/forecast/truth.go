package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// truth is the replay of an instance with the real run times.
type truth struct {
	in, known  *model.Instance // known: by the estimates
	policy     solve.Policy
	discipline sim.Discipline
	seed       uint64
	inTime     bool       // in futures too jobs end by their estimates: a power cap falls
	whole      bool       // futures run all of the past, from the arrival of the first job, see canBegin
	specs      []sim.Spec // in queue order, without what a job asks for besides processors and time
	order      []int      // in queue order: indices of the jobs
	numbers    []int32    // by index: place in the order of arrival, so that jobs that arrive later change nothing
	users      []int32    // by index: numbers of the users in that order, from 1; 0: not stated

	start, end []float64  // by index; NaN: not started
	left       []float64  // by index: when it left without a start; NaN: it did not
	expected   []float64  // by index: run time that the policy expected at the start
	cut        []bool     // by index: a hard deadline ended it, so its ratio says nothing of other jobs
	idle       []float64  // instants at which no job waited after the decision, ascending
	held       []sim.Part // by index: what a job holds, if that is one part
	apart      float64    // the first start of a job in several parts; +Inf: none
}

// replay runs the instance, with the estimates that users gave: none that was raised to a run time tells that time.
func replay(ctx context.Context, in *model.Instance, policy solve.Policy, seed uint64) (*truth, error) {
	if err := policy.Supports(in); err != nil {
		return nil, err
	}
	in = in.AsRequested()
	n := len(in.Jobs())
	t := &truth{in: in, known: in.Known(), policy: policy, discipline: policy.Discipline(), seed: seed, numbers: make([]int32, n), users: make([]int32, n), cut: make([]bool, n)}
	for _, list := range []*[]float64{&t.start, &t.end, &t.expected, &t.left} {
		*list = slices.Repeat([]float64{math.NaN()}, n)
	}
	t.number()
	opt := sim.Options{Seed: seed, Kill: policy.Kills(), Observer: &watch{truth: t}}
	t.inTime = sim.CapsFall(in)
	t.whole, t.held, t.apart = !t.canBegin(), make([]sim.Part, n), math.Inf(1)
	t.describe()
	_, _, err := sim.Simulate(ctx, in, t.discipline, opt)
	return t, err
}

// canBegin says whether a run may begin in the middle and with arrivals of other days: nothing that the jobs ask for depends on jobs that have left, on
// the time, or on which of several equal things a job was given.
func (t *truth) canBegin() bool {
	const other = model.Precedence | model.BackgroundLoad | model.Commitments | model.RunningJobs | model.HardDeadlines | model.GridSpan | model.SleepingMachines
	if t.in.Features()&other != 0 || t.discipline.Place.OrFirst() != place.First || !t.discipline.Midway {
		return false
	}
	apart := t.discipline.ByQueue && len(t.in.Partitions()) > 1
	for k := range t.in.Jobs() {
		j := &t.in.Jobs()[k]
		if apart && (len(j.Licences) > 0 || !t.within(k)) {
			return false // what queues share shows as jobs arrive
		}
		if j.Span == model.SpanGrid && min(j.Max, j.Tasks) > 1 && len(t.in.Clusters()) > 1 {
			return false
		}
		for _, need := range j.Node().Resources {
			if t.in.Resources()[need.Resource].Devices && need.Amount%model.WholeAmount != 0 {
				return false // a share of a device: which device that is matters
			}
		}
	}
	return true
}

// within says whether a job can run only on the clusters of the one partition that it names, and asks for the feature of its machines.
func (t *truth) within(job int) bool {
	j := &t.in.Jobs()[job]
	p, known := t.in.Partition(j.Queue())
	if !known {
		return false
	}
	for c := range t.in.Clusters() {
		if len(p.Clusters) > 0 && !slices.Contains(p.Clusters, t.in.Clusters()[c].ID) && t.in.CanRun(job, c) {
			return false
		}
	}
	return p.Feature == "" || slices.ContainsFunc(j.Node().Features, func(list []string) bool { return len(list) == 1 && list[0] == p.Feature })
}

// describe lists the jobs in queue order.
func (t *truth) describe() {
	t.order = make([]int, len(t.numbers))
	for k, number := range t.numbers {
		t.order[number] = k
	}
	for _, k := range t.order {
		j := &t.in.Jobs()[k]
		t.specs = append(t.specs, sim.Spec{Arrival: j.Arrival, Estimate: t.shortest(k), Processors: int32(j.Min), User: t.users[k]})
	}
}

// number numbers the jobs and the users.
func (t *truth) number() {
	jobs := t.in.Jobs()
	order := make([]int, len(jobs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[a].Arrival, jobs[b].Arrival) })
	users := map[string]int32{"": 0}
	for place, k := range order {
		user := jobs[k].User()
		if _, met := users[user]; !met {
			users[user] = int32(len(users))
		}
		t.numbers[k], t.users[k] = int32(place), users[user]
	}
}

// shortest is the least time that a job takes by its estimate, over the clusters and machines; +Inf: it can run nowhere.
func (t *truth) shortest(k int) float64 {
	known, least := t.known, math.Inf(1)
	for c := range known.Clusters() {
		if !known.CanRun(k, c) {
			continue
		}
		_, width := known.Width(k, c)
		for g := range known.Clusters()[c].Machines {
			m := &known.Clusters()[c].Machines[g]
			least = min(least, known.Busy(k, c, m.Speed, (known.Jobs()[k].Tasks+width-1)/width)+known.Transfer(k, m.Bandwidth))
		}
	}
	return least
}

// records are the jobs that ended and state an estimate.
func (t *truth) records() []record {
	var list []record
	for k := range t.in.Jobs() {
		if j := &t.in.Jobs()[k]; !math.IsNaN(t.end[k]) && !t.cut[k] && !math.IsNaN(j.Estimate) {
			list = append(list, record{
				End: t.end[k], Ratio: (t.end[k] - t.start[k]) / t.expected[k], Estimate: t.expected[k], Processors: j.Min, User: j.User(),
			})
		}
	}
	return list
}

// watch observes the replay.
type watch struct {
	truth  *truth
	queued int
}

// index is the index of a job in the instance.
func (t *truth) index(j *sim.Job) int {
	at, _ := t.in.JobIndex(j.Request.ID)
	return at
}

// Arrived implements sim.Observer.
func (w *watch) Arrived(float64, *sim.Job) { w.queued++ }

// Started implements sim.Observer.
func (w *watch) Started(now float64, j *sim.Job, parts []sim.Part) {
	w.queued--
	at := w.truth.index(j)
	if len(parts) == 1 {
		w.truth.held[at] = parts[0]
	} else if len(parts) > 1 {
		w.truth.apart = min(w.truth.apart, now)
	}
	w.truth.start[at], w.truth.expected[at] = j.Start, j.EstimatedEnd-j.Start
}

// Left implements sim.Observer.
func (w *watch) Left(now float64, j *sim.Job, outcome sim.Outcome, _ string) {
	at := w.truth.index(j)
	if outcome == sim.Dropped {
		w.queued--
		w.truth.left[at] = now
		return
	}
	w.truth.start[at] = j.Start // one that waits for machines to wake may have to wait longer than it seemed
	w.truth.end[at], w.truth.cut[at] = now, outcome == sim.MissedHard
}

// Decided implements sim.Observer.
func (w *watch) Decided(now float64) {
	if w.queued == 0 {
		w.truth.idle = append(w.truth.idle, now)
	}
}
