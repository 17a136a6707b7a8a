package solvers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
)

var _ = solve.Register(solve.Info{
	Name: "broker",
	Doc: "A grid broker that decides when jobs arrive, by Min-min, adaptive scoring or multi-dimensional scheduling. It keeps a queue at each resource or one central queue, and may ignore deadlines. " +
		"O(n²·R) for n jobs that wait at a time and R resources.",
	Source: "Y. Hao (2016), Enhanced resource scheduling in grid considering overload of different attributes, KSII Trans. Internet Inf. Syst. 10(3), §4, which leaves open how its rivals treat queues and deadlines",
	New:    func() solve.Solver { return &Broker{Rule: "minmin", Queue: "own", Deadlines: "keep"} },
})

// Broker runs the rivals of the MTS paper as a grid's broker could: it decides at the moment, knows only jobs that have arrived, and never looks
// back. The paper leaves open how its rivals treat queues and deadlines, so both are parameters.
//
// Queue own: a job goes to a resource when it arrives and waits there. Queue central: jobs wait at the broker, in order of arrival; whenever jobs arrive
// or a resource becomes idle, those that an idle resource can take start there, and the rule sees idle resources only.
// Deadlines keep: a job goes only where it meets its hard deadline. Deadlines ignore: the rule does not look at deadlines; a job that then ends after its hard
// deadline holds its resource until its end all the same, and is left out of the schedule, because its work is lost.
//
// Rule minmin: the pair of job and resource with the least completion time first, again and again. Rule shortest: that with the least execution time, however
// long the job waits there: the paper says that its Min-min “gives the priority to the job with the smallest execution time” (§4.3). Rules asjs and mrs: the jobs in order of arrival, each
// where its score is best, as [ASJS] and [MRS] have it without their parameter wait. Ties go to the first job, then to the first resource.
//
// Complexity: O(n²·R) for n jobs that wait at a time and R resources; each resource runs one job at a time.
type Broker struct {
	Rule      string   `enum:"minmin,shortest,asjs,mrs" doc:"rule that chooses a job and its resource; shortest: Min-min by the execution time in place of the time at which a job ends"`
	Queue     string   `enum:"own,central" doc:"own: each resource has a queue; central: the broker has the only queue and sees only idle resources"`
	Deadlines string   `enum:"keep,ignore" doc:"ignore: jobs that miss their hard deadline still hold their resource, but are left out of the schedule"`
	Q         *float64 `range:"[0, 1]" zero:"share of jobs with files" doc:"asjs: weight of the bandwidth"`
}

// Supports implements [solve.Solver].
func (*Broker) Supports(in *model.Instance) error {
	if err := solve.Unsupported(in, model.Arrivals|model.HardDeadlines|model.MemoryLimits|model.BandwidthNeeds|model.MixedMachines|model.UnrelatedTimes|model.RestrictedTimes); err != nil {
		return err
	}
	for c := range in.Clusters() {
		if cluster := &in.Clusters()[c]; cluster.Processors > len(cluster.Machines) {
			return fmt.Errorf("%w: several equal processors in cluster %s; a resource of the broker runs one job at a time", solve.ErrUnsupported, cluster.ID)
		}
	}
	return nil
}

// Solve implements [solve.Solver].
func (b *Broker) Solve(ctx context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	if err := cmp.Or(params.Check(b), b.Supports(in)); err != nil {
		return solve.Result{}, err
	}
	run := newBrokerRun(ctx, b, in)
	for run.arrive() {
		if run.poll.Ended() {
			return solve.Stopped(ctx), nil
		}
		run.decide()
	}
	if run.poll.Ended() {
		return solve.Stopped(ctx), nil
	}
	return run.result(ctx), nil
}

// brokerRun is one run of the broker.
type brokerRun struct {
	*Broker
	*grid.Outline
	poll    *kit.Poll
	scores  []float64 // by resource: of asjs
	free    []float64 // by resource: when it is idle
	coming  []int     // jobs that have not arrived, in order of arrival
	waiting []int     // jobs without a resource, in order of arrival
	now     float64
	lost    []model.Unscheduled
}

func newBrokerRun(ctx context.Context, b *Broker, in *model.Instance) *brokerRun {
	r := &brokerRun{Broker: b, Outline: grid.NewOutline(in), poll: kit.NewPoll(ctx), coming: plan.ArrivalOrder(in)}
	r.free = slices.Repeat([]float64{in.FirstArrival()}, len(r.Resources))
	q := shareWithFiles(in)
	if b.Q != nil {
		q = *b.Q
	}
	byCluster := clusterScores(in, q)
	for k := range r.Resources {
		r.scores = append(r.scores, byCluster[r.Resources[k].Cluster])
	}
	return r
}

// arrive goes on to the next moment at which there is something to decide: jobs arrive or, with a central queue, a resource becomes idle. It returns false
// if there is none.
func (r *brokerRun) arrive() bool {
	next := math.Inf(1)
	if len(r.coming) > 0 {
		next = r.Instance.Jobs()[r.coming[0]].Arrival
	}
	if len(r.waiting) > 0 {
		for _, free := range r.free {
			if free > r.now {
				next = min(next, free)
			}
		}
	}
	if math.IsInf(next, 1) {
		r.loseAll("no resource can take it")
		return false
	}
	r.now = next
	for len(r.coming) > 0 && r.Instance.Jobs()[r.coming[0]].Arrival <= next {
		r.waiting, r.coming = append(r.waiting, r.coming[0]), r.coming[1:]
	}
	return true
}

// decide gives jobs to resources at the present moment.
func (r *brokerRun) decide() {
	if r.Rule == "minmin" || r.Rule == "shortest" {
		for {
			best, at, least := -1, -1, math.Inf(1)
			for n, job := range r.waiting {
				if r.poll.Stopped(4 * len(r.Resources)) {
					return
				}
				r.options(job, func(resource int, start, duration float64) {
					key := start + duration
					if r.Rule == "shortest" {
						key = duration
					}
					if key < least {
						best, at, least = n, resource, key
					}
				})
			}
			if best < 0 {
				break
			}
			r.put(r.waiting[best], at)
			r.waiting = slices.Delete(r.waiting, best, best+1)
		}
	} else {
		r.waiting = slices.DeleteFunc(r.waiting, func(job int) bool {
			at, least := -1, math.Inf(1)
			if !r.poll.Stopped(4 * len(r.Resources)) {
				r.options(job, func(resource int, _, duration float64) {
					if key := r.key(job, resource, duration); key < least {
						at, least = resource, key
					}
				})
			}
			if at >= 0 {
				r.put(job, at)
			}
			return at >= 0
		})
	}
	if r.Queue == "own" {
		r.loseAll("when it arrived no resource could take it and meet its hard deadline")
	} else if r.Deadlines == "keep" {
		r.dropHopeless()
	}
}

// options calls yield for each resource that can take the job now.
func (r *brokerRun) options(job int, yield func(resource int, start, duration float64)) {
	j := &r.Instance.Jobs()[job]
	for k := range r.Resources {
		l := &r.Resources[k]
		start := max(r.now, r.free[k])
		if r.Queue == "central" && start > r.now || !l.Fits(j) {
			continue
		}
		duration := l.Duration(r.Instance, job)
		if math.IsInf(duration, 1) || r.Deadlines == "keep" && j.DeadlineHard && model.Late(start+duration, j.Deadline) {
			continue
		}
		yield(k, start, duration)
	}
}

// key is what the rule makes least: the negative score of asjs, or the distance of mrs.
func (r *brokerRun) key(job, resource int, duration float64) float64 {
	if r.Rule == "asjs" {
		return -r.scores[resource]
	}
	transfer := r.Instance.Transfer(job, r.Resources[resource].Bandwidth)
	return math.Hypot(duration-transfer, transfer)
}

// put gives the job to the resource. A job that ends after its hard deadline is lost, but holds the resource.
func (r *brokerRun) put(job, resource int) {
	j := &r.Instance.Jobs()[job]
	start := max(r.now, r.free[resource])
	end := model.End(start, r.Resources[resource].Duration(r.Instance, job))
	r.free[resource] = end
	if j.DeadlineHard && model.Late(end, j.Deadline) {
		r.lose(job, fmt.Sprintf("it ran on %s until %v, after its hard deadline %v", r.Instance.Clusters()[r.Resources[resource].Cluster].ID, end, j.Deadline))
		return
	}
	r.Place(job, resource, start, end)
}

// dropHopeless loses the waiting jobs that could not meet their hard deadline even if all resources were idle now.
func (r *brokerRun) dropHopeless() {
	r.waiting = slices.DeleteFunc(r.waiting, func(job int) bool {
		j := &r.Instance.Jobs()[job]
		for k := range r.Resources {
			if l := &r.Resources[k]; l.Fits(j) && !(j.DeadlineHard && model.Late(r.now+l.Duration(r.Instance, job), j.Deadline)) {
				return false
			}
		}
		r.lose(job, "it waited at the broker until no resource could meet its hard deadline")
		return true
	})
}

// lose leaves the job out of the schedule.
func (r *brokerRun) lose(job int, reason string) {
	r.Left[job] = false
	r.lost = append(r.lost, model.Unscheduled{Job: r.Instance.Jobs()[job].ID, Reason: plan.CutReason(reason)})
}

// loseAll loses all jobs that wait. One without a hard deadline can run nowhere, and the outline says why.
func (r *brokerRun) loseAll(reason string) {
	for _, job := range r.waiting {
		if r.Instance.Jobs()[job].DeadlineHard {
			r.lose(job, reason)
		}
	}
	r.waiting = r.waiting[:0]
}

// result is the schedule.
func (r *brokerRun) result(ctx context.Context) solve.Result {
	result := r.Result(ctx)
	result.Solution.Unscheduled = append(result.Solution.Unscheduled, r.lost...)
	return result
}
