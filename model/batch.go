package model

import (
	"math"
	"slices"
)

// Hold is the processors, memory, licences and resources of machines that an earlier job holds, whatever is planned after it.
type Hold struct {
	Job        *Job
	Start, End float64
	Pieces     []HoldPiece
}

// HoldPiece is the part of a hold on one cluster.
type HoldPiece struct {
	Cluster    int
	Processors ProcessorSet
	Devices    DevicesHeld // of a job that did not run already at time 0; see [Running]
	End        float64
}

// Batch is the instance with the given jobs only. Job jobs[k] may not start before ready[k], which is its arrival in the batch
// ([Instance.Submitted] keeps its own), and earlier jobs hold what holds says. Where
// a given job waits for a job that is not given, the latter counts as ended by then. Holds are the feature [Commitments]; no file can state
// them. Beside holds a batch has all features of the instance by which jobs ask something of single machines: what is held there is known by machine, not by processor. A
// batch has no recorded starts.
//
// Complexity: O(jobs + clusters + processors of clusters on which something is held).
func (in *Instance) Batch(jobs []int, ready []float64, holds []Hold) *Instance {
	b := *in
	b.digest = &digest{of: &b}
	b.jobs, b.jobIndex = make([]Job, len(jobs)), newJobIndex(len(jobs))
	b.firstArrival, b.successors, b.held, b.released, b.submitted, b.recorded, b.requested = 0, nil, holds, nil, make([]float64, len(jobs)), nil, nil
	b.whole = in.Whole()
	position := map[int]int{} // where jobs wait for others: by index in the instance
	for k, j := range jobs {
		if in.successors != nil {
			position[j] = k
		}
		b.jobs[k], b.submitted[k] = in.jobs[j], in.Submitted(j)
		b.jobIndex.add(b.jobs, k)
	}
	for k, j := range jobs {
		if in.requested != nil {
			b.requested = append(b.requested, in.requested[j])
		}
		job := &b.jobs[k]
		job.Arrival = ready[k]
		if job.After != nil {
			own := *job.Demand
			own.After, job.Demand = nil, &own
		}
		for _, before := range in.jobs[j].After {
			if at, here := position[before]; here {
				job.After = append(job.After, at)
				if b.successors == nil {
					b.successors = make([][]int, len(jobs))
				}
				b.successors[at] = append(b.successors[at], k)
			}
		}
		if k == 0 || job.Arrival < b.firstArrival {
			b.firstArrival = job.Arrival
		}
	}
	b.workflows = make([]Workflow, len(in.workflows))
	for w := range in.workflows {
		b.workflows[w] = in.workflows[w]
		b.workflows[w].Jobs = nil
	}
	for k := range b.jobs {
		if w := b.jobs[k].Workflow; w >= 0 {
			b.workflows[w].Jobs = append(b.workflows[w].Jobs, k)
		}
	}
	b.features = b.findFeatures(nil)
	b.release()
	return &b
}

// WithLimits returns the instance with other deadlines and budgets; +Inf means none. A job keeps a hard deadline.
//
// Complexity: O(jobs).
func (in *Instance) WithLimits(limits func(job int) (deadline, budget float64)) *Instance {
	clone := *in
	clone.digest = &digest{of: &clone}
	clone.jobs = slices.Clone(in.jobs)
	for k := range clone.jobs {
		j := &clone.jobs[k]
		deadline, budget := limits(k)
		if j.Budget = budget; !j.DeadlineHard {
			j.Deadline = deadline
		}
	}
	return &clone
}

// release finds the times at which the holds release processors.
func (in *Instance) release() {
	for _, hold := range in.held {
		for _, piece := range hold.Pieces {
			if piece.End <= in.firstArrival {
				continue
			}
			in.features |= Commitments | in.whole&ofNodes
			if in.released == nil {
				in.released = make([][]float64, len(in.clusters))
			}
			times := in.released[piece.Cluster]
			if times == nil {
				times = make([]float64, in.clusters[piece.Cluster].Processors)
				for p := range times {
					times[p] = in.firstArrival
				}
				in.released[piece.Cluster] = times
			}
			for p := range piece.Processors.each() {
				times[p] = math.Max(times[p], piece.End)
			}
		}
	}
}

// Whole is the features of the instance and of those that it is a batch of, see [Instance.Batch]. What a schedule has to track depends on them: batches that are planned
// one after another share the machines.
func (in *Instance) Whole() Features { return in.features | in.whole }

// Held is the holds of jobs outside the instance, see [Instance.Batch].
func (in *Instance) Held() []Hold { return in.held }

// HeldUntil is the time, by processor of the cluster, at which the holds release it, see [Instance.Batch]; nil where all processors are free
// from the first arrival on.
func (in *Instance) HeldUntil(cluster int) []float64 {
	if in.released == nil {
		return nil
	}
	return in.released[cluster]
}

// Submitted is the job's own arrival. Only in a batch can it differ from [Job].Arrival, which is there the time from which the batch may start
// the job, see [Instance.Batch].
func (in *Instance) Submitted(job int) float64 {
	if in.submitted == nil {
		return in.jobs[job].Arrival
	}
	return in.submitted[job]
}

// WithArrivals is the instance with other arrivals, one for each job. The deadline of a job moves with its arrival, and the instance has no dates.
func (in *Instance) WithArrivals(arrivals []float64) *Instance {
	all := make([]int, len(in.jobs))
	for k := range all {
		all[k] = k
	}
	b := in.Batch(all, arrivals, in.held)
	b.timeZero, b.timeZone = nil, ""
	for k := range b.jobs {
		b.jobs[k].Deadline += arrivals[k] - in.jobs[k].Arrival // stays infinite where there is none
	}
	return b
}
