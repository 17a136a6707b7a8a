package plan

import (
	"fmt"

	"github.com/allot-opt/allot/model"
)

// Decoder computes what list schedules of plain rigid jobs cost, cluster by cluster, and nothing else: it tracks how many
// processors are free when, not which. It allocates nothing after it has been made, so that a search can decode millions
// of orders.
//
// A job starts at the earliest time, not before its arrival, at which as many processors as it needs are released by the
// jobs before it in the order; of the processors free by then it takes the latest-released ones. It never starts before a
// time at which those before it left fewer processors, so holes are not filled.
//
// A Decoder is for one goroutine; Clone makes another.
type Decoder struct {
	clusters []decoderCluster
	origin   float64 // earliest arrival of all jobs
	steps    []step
}

// decoderCluster is what the decoder knows of one cluster.
type decoderCluster struct {
	processors int32
	jobs       []decoderJob
}

// decoderJob is one job on one cluster.
type decoderJob struct {
	duration float64
	deadline float64
	arrival  float64
	size     int32 // 0: cannot run there
}

// step is a number of processors that are released at one time.
type step struct {
	time  float64
	count int32
}

// Totals is what the list schedule of one cluster costs.
type Totals struct {
	Jobs     int     // in the order
	Makespan float64 // last end − earliest arrival of all jobs
	Busy     float64 // processor time held
	Over     float64 // time over deadlines
}

// DecoderFeatures is what a [Decoder] honours.
const DecoderFeatures = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes | model.BackgroundLoad

// NewDecoder prepares the decoder of an instance; the error names a feature that list decoding by counts cannot honour.
func NewDecoder(in *model.Instance) (*Decoder, error) {
	if missing := in.Features() &^ DecoderFeatures; missing != 0 {
		return nil, fmt.Errorf("plan: list decoding by counts cannot honour %s", missing)
	}
	d := &Decoder{origin: in.FirstArrival()}
	widest := 0
	for c := range in.Clusters() {
		cluster := decoderCluster{int32(in.Clusters()[c].Processors), make([]decoderJob, len(in.Jobs()))}
		for j := range in.Jobs() {
			if in.CanRun(j, c) {
				size, _ := in.Width(j, c)
				job := &in.Jobs()[j]
				cluster.jobs[j] = decoderJob{in.DurationOn(j, c, size), job.Deadline, job.Arrival, int32(size)}
			}
		}
		d.clusters = append(d.clusters, cluster)
		widest = max(widest, in.Clusters()[c].Processors)
	}
	d.steps = make([]step, min(widest, len(in.Jobs()))+2)
	return d, nil
}

// Clone is a decoder of the same instance for another goroutine.
func (d *Decoder) Clone() *Decoder {
	clone := *d
	clone.steps = make([]step, len(d.steps))
	return &clone
}

// Duration is the execution time of the job on the cluster, and whether it can run there.
func (d *Decoder) Duration(job, cluster int) (float64, bool) {
	j := &d.clusters[cluster].jobs[job]
	return j.duration, j.size > 0
}

// Decode schedules the jobs on the cluster in the given order. All must be able to run there.
//
// Complexity: O(jobs · distinct release times), of which there are at most as many as jobs running at once.
func (d *Decoder) Decode(cluster int, order []int32) Totals {
	c := &d.clusters[cluster]
	steps := d.steps
	steps[0] = step{d.origin, c.processors}
	n, latest := 1, d.origin
	totals := Totals{Jobs: len(order)}
	for _, id := range order {
		j := &c.jobs[id]
		last, free := 0, steps[0].count
		for free < j.size {
			last++
			free += steps[last].count
		}
		start := steps[last].time
		if start < j.arrival {
			start = j.arrival
			for last+1 < n && steps[last+1].time <= start {
				last++
			}
		}
		end := start + j.duration
		n = take(steps, n, last, j.size, end)
		totals.Busy += float64(j.size) * j.duration
		if end > j.deadline {
			totals.Over += end - j.deadline
		}
		if end > latest {
			latest = end
		}
	}
	totals.Makespan = latest - d.origin
	return totals
}

// take moves processors, the latest-released of the first steps up to last, to a step at the time end, and returns the new
// number of steps.
func take(steps []step, n, last int, size int32, end float64) int {
	to := last + 1 // the steps from here to last are used up
	for left := size; left > 0; left -= steps[to].count {
		if to--; steps[to].count > left {
			steps[to].count -= left
			to++
			break
		}
	}
	if to > last && steps[last].time == end { // a job of no time, on some of the processors that are released as it starts
		steps[last].count += size
		return n
	}
	// Those after them that come before the end move down over them.
	from := last + 1
	for from < n && steps[from].time < end {
		if to != from {
			steps[to] = steps[from]
		}
		to++
		from++
	}
	switch {
	case from < n && steps[from].time == end:
		steps[from].count += size
	case to < from:
		steps[to] = step{end, size}
		to++
	default: // nothing was used up: make room
		copy(steps[to+1:n+1], steps[from:n])
		steps[to] = step{end, size}
		return n + 1
	}
	if to == from {
		return n
	}
	return to + copy(steps[to:], steps[from:n])
}
