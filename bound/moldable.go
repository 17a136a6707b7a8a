package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "moldable-dual", Metric: "makespan", Certifies: true,
	Doc:    "the makespans within which moldable jobs on one cluster of equal processors need more processor time than there is, if at most one part of a job that is longer than half of it runs on a processor",
	Source: "G. Mounié, C. Rapine, D. Trystram (2007), A 3/2-approximation algorithm for scheduling independent monotonic malleable tasks, SIAM J. Comput. 37, doi:10.1137/S0097539701385995, the knapsack of the dual test, relaxed to fractions and stated for tasks instead of monotonic work",
	New: OnceShown(func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
		sum, ok := proveMoldable(ctx, r)
		return sum, func() *proof.Argument { return showMoldable(sum) }, ok
	})})

// showMoldable is the makespan that the sum states. It is a little less than one that was refuted, so that rounding errors of the test do not matter.
func showMoldable(sum Sum) *proof.Argument {
	low, _ := sum.Low()
	return &proof.Argument{Moldable: &proof.Moldable{Makespan: low}}
}

// moldableJob is a job as the dual test sees it. A processor that runs b of its tasks is busy for busy(b).
type moldableJob struct {
	tasks        int
	least, most  int               // processors
	share        int               // most tasks of one processor
	busy         func(int) float64 // nondecreasing
	transfer     float64           // time to move the job's files, which comes on top of the time of its longest processor
	work         float64           // of all tasks, without overheads
	overhead     float64           // of each processor
	held         float64           // processor time that it holds in any case
	required     int               // long parts that it has at least, see proveMoldable
	price, slack float64           // processor time that one more long part saves, and how many more save it
}

// proveMoldable refutes makespans by bisection. The largest that it refutes is the bound.
//
// Suppose that all jobs end within d. Then each processor of a job runs at most as many tasks as end within d. Call the part of a job on one processor long if it takes more than d/2. All long
// parts run at the time d/2, so there are at most as many of them as processors. A short part holds fewer tasks. So a job with fewer long parts needs more processors, and pays more overhead.
// The dual test looks for the least processor time of all jobs with at most as many long parts as processors. If that is above d times the processors, d is refuted.
//
// Complexity: O(n·(log n + log tasks)) a makespan for n jobs, and about 35 makespans.
//
// Mounié, Rapine and Trystram assume that the work of a job, its processors times its time, does not decrease when its processors increase. Here it may: 4 equal tasks take 3·2 task times on 3 processors
// and 4·1 on 4. But the test needs no more than this, which holds for every job: a processor is busy for the tasks that it runs and for one overhead. Arrivals, precedence, memory and licences are ignored.
func proveMoldable(ctx context.Context, r *Relaxation) (Sum, bool) {
	jobs := r.moldableJobs(ctx)
	if jobs == nil {
		return Sum{}, false
	}
	processors := float64(r.in.Processors())
	low, area := 0.0, 0.0
	for k := range jobs {
		j := &jobs[k]
		low = max(low, r.least[r.must[k]])
		area += max(j.held, j.work+j.overhead)
	}
	low = max(low, area/processors)
	if !gate.Finite(low*processors) || low == 0 {
		return Sum{}, false
	}
	// The first guess above low that is not refuted. At twice the longest job or more no part needs to be long; the area grows with the overheads alone.
	high := low
	for steps := 0; refutes(ctx, jobs, processors, high); steps++ {
		if ctx.Err() != nil || steps > 100 {
			return r.moldableSum(low), true
		}
		low, high = high, 1.25*high
	}
	for range 30 {
		middle := low + (high-low)/2
		if ctx.Err() != nil || middle <= low || middle >= high {
			break
		}
		if refutes(ctx, jobs, processors, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return r.moldableSum(low), true
}

// moldableSum is the bound d: a makespan that was refuted, or the larger of the area and the longest job. Its error is that of the sums that prove it.
func (r *Relaxation) moldableSum(d float64) Sum {
	return Sum{Value: d, Size: d, Terms: 8*len(r.must) + 64}
}

// moldableJobs are the jobs that have to be placed, on one cluster of equal processors. It is nil if there are several clusters, unequal processors or whole machines, or if no job can choose its number of
// processors, or if the context ends.
func (r *Relaxation) moldableJobs(ctx context.Context) []moldableJob {
	in := r.in
	if len(in.Clusters()) != 1 || !in.Clusters()[0].Uniform || in.Clusters()[0].WholeMachines {
		return nil
	}
	machine := &in.Clusters()[0].Machines[0]
	moldable := false
	jobs := make([]moldableJob, len(r.must))
	asked := kit.NewPoll(ctx)
	for k, at := range r.must {
		if asked.Stopped(8 * r.groups) {
			return nil
		}
		job := &in.Jobs()[at]
		least, most := in.Width(at, 0)
		most = min(most, in.Usable(at, 0), job.Tasks)
		least = min(least, most) // processors without a task are left out
		moldable = moldable || least < most
		j := moldableJob{
			tasks: job.Tasks, least: least, most: most, share: job.Tasks - least + 1,
			busy:     func(b int) float64 { return in.Busy(at, 0, machine.Speed, b) },
			transfer: in.Transfer(at, machine.Bandwidth),
			held:     r.areaOn(at, 0),
		}
		j.overhead = j.busy(0)
		j.work = job.Work / machine.Speed * float64(job.Tasks)
		if job.StatesRuntimes() {
			j.work = j.busy(1) * float64(job.Tasks)
		}
		jobs[k] = j
	}
	if !moldable {
		return nil
	}
	return jobs
}

// within is the largest number of the job's tasks that one processor may get and finishes in the time. Rounding makes it larger, never smaller, so that rounding refutes nothing that is possible.
func (j *moldableJob) within(time float64) int {
	time += 1e-12 * math.Abs(time)
	return sort.Search(j.share, func(k int) bool { return j.busy(k+1) > time })
}

// refutes reports that no schedule of the jobs ends within d. It proves nothing if the context ends.
func refutes(ctx context.Context, jobs []moldableJob, processors, d float64) bool {
	needed, area := 0.0, 0.0 // long parts; processor time with no more long parts than needed
	for k := range jobs {
		if k%256 == 0 && ctx.Err() != nil {
			return false
		}
		j := &jobs[k]
		time, possible := j.split(d)
		if !possible {
			return true
		}
		needed += float64(j.required)
		area += time
	}
	limit := d * processors * (1 + 1e-12)
	if needed > processors || area <= limit {
		return needed > processors
	}
	// The long parts that are left go to the jobs for which they save most. Fractions are allowed, so no choice of whole parts takes less.
	order := make([]int, 0, len(jobs))
	for k := range jobs {
		if jobs[k].slack > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[b].price, jobs[a].price) })
	left := processors - needed
	for _, k := range order {
		more := min(left, jobs[k].slack)
		area -= more * jobs[k].price
		left -= more
	}
	return area > limit
}

// split computes three figures of a job that ends within d: the number of long parts that it needs at least, the processor time that each further long part saves, and how many further ones save it. It returns
// the processor time without further long parts, or false if the job cannot end within d.
//
// With x long parts of at most long tasks and all others of at most short tasks, at least (tasks − x·(long − short))/short processors run the job, and never fewer than tasks/long.
func (j *moldableJob) split(d float64) (time float64, possible bool) {
	long, short := j.within(d-j.transfer), j.within(d/2)
	short = min(short, long)
	if j.tasks > 0 && (long == 0 || j.tasks > long*j.most) {
		return 0, false
	}
	fewest := max(j.least, (j.tasks+long-1)/long)
	j.required, j.price, j.slack = 0, 0, 0
	base := j.work + float64(fewest)*j.overhead
	if short == 0 {
		j.required = fewest
		return max(j.held, base), true
	}
	if long > short {
		j.required = max(0, (j.tasks-j.most*short+long-short-1)/(long-short))
	}
	parts := (float64(j.tasks) - float64(j.required)*float64(long-short)) / float64(short)
	if extra := parts - float64(fewest); extra > 0 && long > short && j.overhead > 0 {
		j.price = j.overhead * float64(long-short) / float64(short)
		j.slack = extra * j.overhead / j.price
		time = base + extra*j.overhead
		if time <= j.held { // what is held in any case cannot be saved
			j.price, j.slack = 0, 0
			return j.held, true
		}
		if base < j.held {
			j.slack = (time - j.held) / j.price
		}
		return time, true
	}
	return max(j.held, base), true
}
