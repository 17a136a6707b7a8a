package bound

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// resources lists the resources that the jobs hold: processors, copies of licences and memory. If a job may run on several clusters, it holds a
// part of what these clusters have together. Resources that are never scarce are left out.
func (w *wholeTimes) resources(r *Relaxation) {
	w.processors(r)
	for l := range r.in.Licences() {
		w.licence(r, l)
	}
	memory := w.memory(r)
	w.faithful = r.all && len(r.in.Clusters()) == 1 && !memory && r.in.Features()&^(model.Arrivals|model.Precedence|model.LicencePools|model.ParallelJobs|model.UnrelatedTimes) == 0
	w.apart(r)
}

// mostCapacity is the largest capacity of a resource that is used, so that sums of needs times lengths stay within int64.
const mostCapacity = 1 << 20

// limit adds a resource to the problem, unless it suffices for all jobs at once. A certificate names it as shown.
func (w *wholeTimes) limit(capacity int64, needs []int64, shown proof.WindowResource) {
	resource := tasks.Resource{Capacity: capacity}
	total, exceeded := int64(0), false
	for k, need := range needs {
		if need > 0 && w.problem.Length[k] > 0 {
			need = min(need, capacity) // more than there is: the job runs alone, and something else is wrong
			resource.Uses = append(resource.Uses, tasks.Use{Job: k, Need: need})
			total += need
			exceeded = exceeded || total > capacity
		}
	}
	if exceeded {
		w.problem.Resources, w.shown = append(w.problem.Resources, resource), append(w.shown, shown)
	}
}

// shared limits a resource of which each cluster has a pool of its own or draws on a common one. Pools are numbered. The argument has gives the
// capacity of each pool, −1 for no limit, and pools the pool of each cluster. The function of says how much job k takes on cluster c. Each pool limits the jobs that
// can take from no other pool. All pools together limit all jobs. A certificate names them as shown, with the clusters of a pool.
func (w *wholeTimes) shared(r *Relaxation, has []int64, pools []int, shown proof.WindowResource, of func(k, c int) int64) {
	all, total := make([]int64, len(w.jobs)), int64(0)
	single := make([][]int64, len(has))
	for p := range has {
		single[p] = make([]int64, len(w.jobs))
		if has[p] > mostCapacity {
			has[p] = -1
		}
		if has[p] < 0 || total < 0 {
			total = -1
		} else {
			total += has[p]
		}
	}
	for k, j := range w.jobs {
		only, least := -1, int64(math.MaxInt64)
		for c := range r.in.Clusters() {
			if !r.in.CanRun(j, c) {
				continue
			}
			least = min(least, of(k, c))
			if only == -1 {
				only = pools[c]
			} else if only != pools[c] {
				only = -2
			}
		}
		if all[k] = least; only >= 0 {
			single[only][k] = least
		}
	}
	for p := range has {
		if has[p] >= 0 && len(has) > 1 {
			own := shown
			own.Clusters = nil
			for c := range pools {
				if pools[c] == p {
					own.Clusters = append(own.Clusters, c)
				}
			}
			w.limit(has[p], single[p], own)
		}
	}
	if total >= 0 && total <= mostCapacity {
		w.limit(total, all, shown)
	}
}

// processors limits processors by cluster.
func (w *wholeTimes) processors(r *Relaxation) {
	var has []int64
	for c := range r.in.Clusters() {
		has = append(has, int64(r.in.Clusters()[c].Processors))
	}
	each := eachCluster(r)
	w.shared(r, has, each, proof.WindowResource{Clusters: each}, func(k, c int) int64 {
		least, _ := r.in.Width(w.jobs[k], c)
		return int64(least)
	})
}

// eachCluster lists all clusters: each has a pool of its own.
func eachCluster(r *Relaxation) []int {
	list := make([]int, len(r.in.Clusters()))
	for c := range list {
		list[c] = c
	}
	return list
}

// licence limits the copies of a licence: those of the grid's pool, numbered 0, and of the clusters' own.
func (w *wholeTimes) licence(r *Relaxation, l int) {
	has := []int64{-1}
	if copies := r.in.Licences()[l].Copies; copies != model.Unlimited {
		has[0] = int64(copies)
	}
	pools := make([]int, len(r.in.Clusters()))
	for c := range pools {
		if copies, own := r.in.Pool(c, l); own {
			pools[c] = len(has)
			has = append(has, -1)
			if copies != model.Unlimited {
				has[len(has)-1] = int64(copies)
			}
		}
	}
	w.shared(r, has, pools, proof.WindowResource{Licence: r.in.Licences()[l].ID}, func(k, _ int) int64 { return copiesOf(r.in, w.jobs[k], l) })
}

// copiesOf is how many copies of the licence the job needs.
func copiesOf(in *model.Instance, j, l int) int64 {
	copies := int64(0)
	for _, need := range in.Jobs()[j].Licences {
		if need.Licence == l {
			copies += int64(need.Copies)
		}
	}
	return copies
}

// memory limits the memory of all machines of a cluster together, and says whether a job needs any. It divides the memory of a cluster into parts. The
// memory that a job holds is rounded down and that of the cluster is rounded up, by more than the checker allows.
func (w *wholeTimes) memory(r *Relaxation) bool {
	if r.in.Features()&model.MemoryLimits == 0 {
		return false
	}
	parts := mostCapacity/len(r.in.Clusters()) - 1 // all together are at most the largest capacity
	whole := make([]float64, len(r.in.Clusters()))
	has := make([]int64, len(whole))
	for c := range whole {
		for g := range r.in.Clusters()[c].Machines {
			m := &r.in.Clusters()[c].Machines[g]
			whole[c] += float64(m.Count) * m.Memory
		}
		if has[c] = -1; whole[c] < math.MaxFloat64/2 {
			has[c] = int64(parts) + 1
		}
	}
	const rounding = 1 - 1e-12 // so that a part is no larger than it is in exact numbers
	each := eachCluster(r)
	w.shared(r, has, each, proof.WindowResource{Clusters: each, Memory: parts}, func(k, c int) int64 {
		if has[c] < 0 || r.in.Jobs()[w.jobs[k]].Memory == 0 {
			return 0
		}
		processors, _ := r.in.Width(w.jobs[k], c)
		share := r.in.Jobs()[w.jobs[k]].Memory * float64(processors) / whole[c]
		return int64(float64(parts) * min(1, share) * rounding)
	})
	return true
}

// apart finds the pairs of jobs that cannot overlap, whatever clusters they run on.
func (w *wholeTimes) apart(r *Relaxation) {
	const most = 3000 // pairs times pairs of clusters, in thousands
	n := len(w.jobs)
	w.problem.Apart = make([][]int, n)
	if K := len(r.in.Clusters()); n*n*K*K > 1000*most {
		return
	}
	follows := w.problem.Follows()
	for a := range n {
		for b := range a {
			if w.problem.Length[a] == 0 || w.problem.Length[b] == 0 || follows[a][b] || follows[b][a] || w.together(r, w.jobs[a], w.jobs[b]) {
				continue
			}
			w.problem.Apart[a] = append(w.problem.Apart[a], b)
			w.problem.Apart[b] = append(w.problem.Apart[b], a)
		}
	}
	for _, list := range w.problem.Apart {
		slices.Sort(list)
	}
}

// together says that the jobs could run at the same time on some clusters.
func (w *wholeTimes) together(r *Relaxation, a, b int) bool {
	for c := range r.in.Clusters() {
		if !r.in.CanRun(a, c) {
			continue
		}
		for d := range r.in.Clusters() {
			if r.in.CanRun(b, d) && fitTogether(r.in, a, c, b, d) {
				return true
			}
		}
	}
	return false
}

// fitTogether says that no known reason keeps job a on cluster c from running at the same time as job b on cluster d.
func fitTogether(in *model.Instance, a, c, b, d int) bool {
	if c == d {
		wide, _ := in.Width(a, c)
		other, _ := in.Width(b, c)
		if wide+other > in.Clusters()[c].Processors || !memoryFits(in, a, b, c) {
			return false
		}
	}
	for _, need := range in.Jobs()[a].Licences {
		copies, own := in.Pool(c, need.Licence)
		_, others := in.Pool(d, need.Licence)
		if own == others && (!own || c == d) && copies != model.Unlimited && int64(need.Copies)+copiesOf(in, b, need.Licence) > int64(copies) {
			return false
		}
	}
	return true
}

// memoryFits says that the machines of the cluster have room for the tasks of both jobs. If no machine has room for a task of each, the jobs
// need machines of their own.
func memoryFits(in *model.Instance, a, b, c int) bool {
	if in.Features()&model.MemoryLimits == 0 {
		return true
	}
	machines, needA, needB, largest := 0, 0, 0, 0.0
	mostA, mostB := 0, 0 // tasks of the job on one machine
	for g := range in.Clusters()[c].Machines {
		m := &in.Clusters()[c].Machines[g]
		machines += m.Count
		largest = max(largest, m.Memory)
		mostA, mostB = max(mostA, in.ProcessorsFor(&in.Jobs()[a], m)), max(mostB, in.ProcessorsFor(&in.Jobs()[b], m))
	}
	if in.Jobs()[a].Memory+in.Jobs()[b].Memory <= largest*(1+1e-8) || mostA == 0 || mostB == 0 {
		return true
	}
	needA, _ = in.Width(a, c)
	needB, _ = in.Width(b, c)
	return (needA+mostA-1)/mostA+(needB+mostB-1)/mostB <= machines
}
