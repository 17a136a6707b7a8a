package model

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// servedAlike is the number of alike machines up to which each is a server in the view of [Instance.WithQueueing].
const servedAlike = 1 << 12

// WithQueueing returns the instance with a queueing view that follows from its jobs and machines, for an instance whose own view is missing or has no
// rate: [Queues] of it succeeds unless there are no jobs or none of them can run. Its other metrics are those of the instance, and it is not meant to be
// written. The load is that of the machines together, in (0, 1).
//
//   - A machine that states no service rate serves μ = 1/E jobs per time. E is the mean machine time of the jobs that can run on machines of its
//     kind: the time for which all processors of the machine together are busy with all tasks of the job ([Instance.Busy] by what is known
//     of it, divided by the number of processors). If it states no variance of the service time either, that is the variance of the machine times,
//     with the variance of each by work_cv.
//   - λ = load·Σμ over the machines on which some job can run, and T = n/λ for n jobs.
//   - If the jobs are few, no machine would stay stable with one of them: T is doubled, and so λ halved, until the machines together
//     have room, Σ(⌈μT⌉ − 1) ≥ n.
//   - Of more than 4,096 alike machines (servedAlike), as many as there are jobs are servers, but at least that number.
//
// Complexity: O(n · groups of machines). It returns nil where the context ends first.
func (in *Instance) WithQueueing(ctx context.Context, load float64) *Instance {
	clone := *in
	clone.digest = &digest{of: &clone}
	clone.clusters = slices.Clone(in.clusters)
	known, n := in.Known(), len(in.jobs)
	var used []*Machine
	sum, asked := 0.0, kit.NewPoll(ctx)
	for c := range clone.clusters {
		var jobs []int
		for j := range in.jobs {
			if asked.Stopped(32) {
				return nil
			}
			if in.CanRun(j, c) {
				jobs = append(jobs, j)
			}
		}
		groups := slices.Clone(in.clusters[c].Machines)
		clone.clusters[c].Machines = groups
		for g := range groups {
			m := &groups[g]
			m.Count = min(m.Count, max(n, servedAlike))
			if m.Queue = known.queueOf(c, m, jobs, asked); asked.Ended() {
				return nil
			}
			if m.Queue.ServiceRate > 0 {
				used = append(used, m)
				sum += float64(m.Count) * m.Queue.ServiceRate
			}
		}
	}
	q := &clone.queueing
	q.Given, q.Rate, q.Period = true, load*sum, 0
	if n == 0 || sum == 0 {
		return &clone
	}
	room := func(period float64) int {
		room := 0
		for _, m := range used {
			if each := math.Ceil(m.Queue.ServiceRate*period) - 1; each > 0 {
				room += m.Count * int(min(each, float64(n)))
			}
		}
		return room
	}
	for q.Period = float64(n) / q.Rate; room(q.Period) < n; q.Period *= 2 {
	}
	q.Rate = float64(n) / q.Period
	return &clone
}

// queueOf describes a machine of the cluster as a server for those of the jobs that can run on it, see [Instance.WithQueueing]. Its service rate is 0
// where there are none, and means nothing where the context has ended.
func (in *Instance) queueOf(cluster int, m *Machine, jobs []int, asked *kit.Poll) *QueueSpec {
	const fastest = 1e18 // the largest number that a file may state, for jobs that take no time
	var times []float64
	mean, own := 0.0, 0.0
	for _, k := range jobs {
		if asked.Stopped(16) {
			break
		}
		j := &in.jobs[k]
		if in.ProcessorsFor(j, m) == 0 {
			continue
		}
		time := in.Busy(k, cluster, m.Speed, j.Tasks) / float64(m.Units)
		times = append(times, time)
		mean += time
		own += j.WorkCV * time * j.WorkCV * time
	}
	if len(times) == 0 {
		return &QueueSpec{}
	}
	mean /= float64(len(times))
	variance := own
	for _, time := range times {
		variance += (time - mean) * (time - mean)
	}
	variance /= float64(len(times))
	q := m.Queue.clone()
	if q == nil {
		q = &QueueSpec{}
	}
	if q.ServiceRate == 0 {
		q.ServiceRate = min(fastest, 1/mean)
	}
	if q.ServiceVariance == nil {
		q.ServiceVariance = &variance
	}
	return q
}
