package model

import (
	"math"
	"slices"
)

// Known is the instance as someone sees it who must not know how long its jobs really take. The work of a job with a stated estimate is
// estimate × reference_speed there; every other job is as it is. The queueing view of an instance rests on it: see [Queues].
//
// A job with both an estimate and run times keeps the clusters on which it can run. Its run time on each is what the time rule without
// transfers and overheads makes of the estimate, on the slowest machine of the cluster.
//
// It is the instance itself where no estimate differs from the truth, so Known of Known is Known. Complexity: O(n + run times).
func (in *Instance) Known() *Instance {
	if !slices.ContainsFunc(in.jobs, func(j Job) bool { return in.misjudged(&j) }) {
		return in
	}
	known := *in
	known.digest = &digest{of: &known}
	known.jobs = slices.Clone(in.jobs)
	for k := range known.jobs {
		j := &known.jobs[k]
		if !in.misjudged(j) {
			continue
		}
		j.Work = j.Estimate * j.ReferenceSpeed
		if j.runtimes != nil {
			own := *j.Demand
			own.runtimes, j.Demand = in.estimatedRuntimes(j), &own
		}
	}
	return &known
}

// misjudged says whether the job's estimate differs from the truth.
func (in *Instance) misjudged(j *Job) bool {
	if math.IsNaN(j.Estimate) {
		return false
	}
	if j.Work != j.Estimate*j.ReferenceSpeed {
		return true
	}
	return j.runtimes != nil && !slices.EqualFunc(j.runtimes, in.estimatedRuntimes(j), func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}

// estimatedRuntimes are the run times of a job by its estimate, by cluster; NaN where the job cannot run.
func (in *Instance) estimatedRuntimes(j *Job) []float64 {
	times := slices.Clone(j.runtimes)
	for c := range times {
		if math.IsNaN(times[c]) {
			continue
		}
		most, speed := j.Max, math.Inf(1)
		if in.clusters[c].WholeMachines {
			most = 1
		}
		for g := range in.clusters[c].Machines {
			speed = min(speed, in.clusters[c].Machines[g].Speed)
		}
		times[c] = float64(ceilDiv(j.Tasks, most)) * (j.Estimate * j.ReferenceSpeed) / speed
	}
	return times
}
