package mts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// onClusters is a run on an instance that asks for more than the resources of package grid honour: precedence, licences, moldable jobs and so on. The
// resources are the clusters, and a job starts where [plan.Schedule] can place it. Each step looks at the jobs that are ready. Each is a kind of its own.
type onClusters struct {
	*run
	ends    *grid.Ends
	planned []times   // of job j on cluster c at j·clusters + c: those of its slot when last looked at
	over    []bool    // by job and cluster, as planned: the job is too late there
	speed   []float64 // by cluster: the greatest of its machines
	link    []float64
	memory  []float64
	open    []int32 // the jobs that are ready, not placed, and may still be placed
}

// times are those of a job in a slot, with the usable shares of the cluster.
type times struct{ start, ex, tr float64 }

func (t times) span() float64 { return t.ex + t.tr }

// solveOnClusters solves an instance on its clusters.
//
// Complexity: O(n·C) a step for n ready jobs on C clusters, and a search for a slot for each job with a deadline that could be on time on the cluster where a
// job was placed last.
func (m *Solver) solveOnClusters(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if ctx.Err() != nil {
		return solve.Stopped(ctx), nil // before the state of millions of processors is made
	}
	n, clusters := len(in.Jobs()), len(in.Clusters())
	r := &onClusters{run: prepare(ctx, in, *m, clusters), planned: make([]times, n*clusters), over: make([]bool, n*clusters),
		speed: make([]float64, clusters), link: make([]float64, clusters), memory: make([]float64, clusters)}
	ends, err := grid.NewEnds(in, plan.Placing{Holes: m.Holes}, r.plan)
	if err != nil {
		return solve.Result{}, err
	}
	ends.Until(ctx)
	tell, end := list.Late(ends.Schedule, opt.Trace)
	r.ends, r.trace = ends, tell
	for c := range clusters {
		for _, m := range in.Clusters()[c].Machines {
			r.speed[c], r.link[c], r.memory[c] = max(r.speed[c], m.Speed), max(r.link[c], m.Bandwidth), max(r.memory[c], m.Memory)
		}
	}
	r.kinds = make([]jobKind, n)
	for j := range n {
		job := &in.Jobs()[j]
		k := &r.kinds[j]
		*k = jobKind{jobs: []int32{int32(j)}, deadline: job.Deadline, arrival: job.Arrival, memory: job.Memory, files: job.Input+job.Output > 0 && !job.StatesRuntimes(),
			hard: job.DeadlineHard && job.HasDeadline()}
		for c := range clusters {
			if r.crowded(j, c) {
				k.room++
			}
		}
		if ends.Open(j) {
			r.open = append(r.open, int32(j))
		}
	}
	for r.step() {
	}
	if ctx.Err() != nil || ends.GaveUp() {
		return solve.Stopped(ctx), nil
	}
	solution := ends.Finish()
	end(solution)
	return solve.Result{Solution: solution, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}, nil
}

// plan notes the times of the job in the slot and returns its end; +Inf where it would be too late for a hard deadline.
func (r *onClusters) plan(job, cluster int, slot *plan.Slot) float64 {
	in := r.ends.Instance
	c, j := &in.Clusters()[cluster], &in.Jobs()[job]
	t := times{start: slot.Start}
	if link, spread := slot.SlowestLink(in); spread {
		t.tr = in.Transfer(job, link)
		t.ex = max(0, slot.End-slot.Start-t.tr)
	} else if slot.Set() != nil {
		t.tr, t.ex = in.Transfer(job, in.SlowestLink(cluster, slot.Set())), in.Longest(job, cluster, slot.Set(), j.Tasks)
	} else {
		t.tr, t.ex = in.Transfer(job, c.Machines[0].Bandwidth), in.Busy(job, cluster, c.Machines[0].Speed, (j.Tasks+slot.Processors-1)/slot.Processors)
	}
	t.ex, t.tr = t.ex/r.p.ProcessorShare, t.tr/r.p.BandwidthShare
	at := r.at(job, cluster)
	r.planned[at], r.over[at] = t, model.Late(t.start+t.span(), j.Deadline)
	if j.DeadlineHard && r.over[at] || r.crowded(job, cluster) {
		return math.Inf(1)
	}
	return t.start + t.span()
}

func (r *onClusters) at(job, cluster int) int { return job*len(r.speed) + cluster }

// crowded says whether the job overloads the memory of the cluster.
func (r *onClusters) crowded(job, cluster int) bool {
	return !model.HasRoom(r.memory[cluster]*r.p.MemoryShare, r.kinds[job].memory, 1)
}

// fits says whether the job could be placed on the cluster at some time.
func (r *onClusters) fits(job, cluster int) bool {
	return r.ends.Runs(job, cluster) && !r.crowded(job, cluster)
}

// count brings the numbers of clusters up to date that the job overloads, and its class. It says false where the job can be placed on none.
func (r *onClusters) count(job int) bool {
	in, k := r.ends.Instance, &r.kinds[job]
	possible := false
	k.cpu, k.link = 0, 0
	for c := range r.speed {
		late := r.late(job, c)
		if late {
			k.cpu++
			if k.files && !math.IsInf(r.link[c], 1) {
				k.link++
			}
		}
		possible = possible || r.fits(job, c) && !(late && in.Jobs()[job].DeadlineHard)
	}
	k.class = r.class(k)
	return possible
}

// late says whether the job would be too late on the cluster. If only memory, bandwidth or licences keep the job off the cluster, it is late if it would be
// late there with enough of them. If its number of processors or its run times keep it off, it is late.
func (r *onClusters) late(job, c int) bool {
	in := r.ends.Instance
	switch j := &in.Jobs()[job]; {
	case r.fits(job, c):
		over := &r.over[r.at(job, c)]
		if j.HasDeadline() && !(*over && r.ends.Rises(job, c)) {
			r.ends.At(job, c)
		}
		return *over
	default:
		least, most := in.Width(job, c)
		n := min(most, in.Clusters()[c].Processors)
		ex := in.Busy(job, c, r.speed[c], (j.Tasks+n-1)/n) / r.p.ProcessorShare
		if least > in.Clusters()[c].Processors || math.IsNaN(ex) {
			return true
		}
		ready, _ := r.ends.Ready(job)
		return model.Late(max(ready, r.ends.Release(c, least))+(ex+in.Transfer(job, r.link[c])/r.p.BandwidthShare), j.Deadline)
	}
}

// loads are the loads of the job on the cluster, where it would be in time.
func (r *onClusters) loads(job, c int) load {
	k, t := &r.kinds[job], r.planned[r.at(job, c)]
	return loadOf(t.ex, t.tr, k.deadline-t.start, k.files && !math.IsInf(r.link[c], 1), r.room(k, r.memory[c]))
}

// step places one job; false where none is left that can be placed or the context has ended.
func (r *onClusters) step() bool {
	top := int8(-1)
	for _, j := range r.open {
		if r.poll.Stopped(16 * len(r.speed)) {
			return false
		}
		k := &r.kinds[j]
		if k.open = 0; r.count(int(j)) {
			k.open, top = 1, max(top, k.class)
		}
	}
	job, cluster := r.fragment(top)
	fragment := job >= 0
	if !fragment {
		if job, cluster = r.least(top); job < 0 {
			return false
		}
	}
	if r.ends.GaveUp() {
		return false
	}
	if r.trace != nil {
		r.tellCluster(job, cluster, fragment)
	} else {
		r.place(job, cluster)
	}
	return true
}

// place places the job, where it has a slot yet, and takes note of the jobs that are ready by that.
func (r *onClusters) place(job, cluster int) {
	var ready []int32
	if !r.ends.Put(job, cluster, func(next int) { ready = append(ready, int32(next)) }) {
		return // it no longer runs there, and the next step looks at it again
	}
	kept := r.open[:0]
	for _, j := range r.open {
		if int(j) != job {
			kept = append(kept, j)
		}
	}
	r.open = append(kept, ready...)
}

// fragment is the job of the class that leaves least of a cluster, by the fragment rule, with the cluster; −1: none.
func (r *onClusters) fragment(class int8) (job, cluster int) {
	job = -1
	least := math.Inf(1)
	for _, candidate := range r.open {
		j, k := int(candidate), &r.kinds[candidate]
		if !r.fragments || k.open == 0 || k.class != class || math.IsInf(k.deadline, 1) {
			continue
		}
		for c := range r.speed {
			if !r.fits(j, c) || r.over[r.at(j, c)] {
				continue
			}
			sum, ok := r.loads(j, c).fragment(r.p.Fragment)
			if ok && (job < 0 || sum < least || sum == least && (c < cluster || c == cluster && j < job)) {
				job, cluster, least = j, c, sum
			}
		}
	}
	return job, cluster
}

// least is the job of the class with the least mt, with its cluster; −1: none. It searches for the slots only of jobs whose lower bound is not above the least.
func (r *onClusters) least(class int8) (job, cluster int) {
	const rounding = 1e-9
	job, cluster = -1, -1
	least := math.Inf(1)
	for _, candidate := range r.open {
		j, k := int(candidate), &r.kinds[candidate]
		if k.open == 0 || k.class != class {
			continue
		}
		if bound := r.mt(k, r.ends.Least(j)); bound-rounding*math.Abs(bound) > least {
			continue
		}
		c, _ := r.ends.Best(j, false)
		if c < 0 {
			continue
		}
		key := r.mt(k, r.ends.At(j, c))
		first := c < cluster || c == cluster && j < job
		if r.minmin {
			first = j < job
		}
		if job < 0 || key < least || key == least && first {
			job, cluster, least = j, c, key
		}
	}
	return job, cluster
}

// mt is ln mt of the kind at an end or, without weights, the end.
func (r *onClusters) mt(k *jobKind, end float64) float64 {
	mt := r.log(end)
	if r.p.Weights != "off" {
		mt -= r.logSumExp(k.cpu, k.link, k.room)
	}
	return mt
}

// tellCluster places the job on the cluster and tells of it as a step.
func (r *onClusters) tellCluster(job, cluster int, fragment bool) {
	end, k := r.ends.At(job, cluster), &r.kinds[job]
	if !r.ends.Runs(job, cluster) {
		return // it has no slot there any more
	}
	why := r.weighed(k, max(0, end-r.origin))
	if fragment {
		why = r.filled(k, r.loads(job, cluster))
	}
	why = r.named(why, k, r.ends.Instance.Jobs()[job].ID, r.ends.ResourceName(cluster))
	scores := r.ends.Scores(cluster, func(c int) (float64, string) {
		end := r.ends.At(job, c)
		switch {
		case !math.IsInf(end, 1):
			return end, ""
		case r.fits(job, c):
			return 0, "after its hard deadline"
		}
		return 0, "cannot run it"
	})
	r.place(job, cluster)
	r.trace(r.ends.Step(why, "end", scores))
}
