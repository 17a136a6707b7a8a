package plan

import (
	"fmt"

	"github.com/allot-opt/allot/model"
)

// Decoder computes the [Totals] of list schedules of plain rigid jobs, cluster by cluster. It tracks the number of free processors over
// time, not which ones are free. It allocates nothing after it has been made, so that a search can decode millions of orders.
//
// A job starts at the earliest time, from its arrival on, at which the jobs before it in the order have released enough processors for
// it. Of the processors free by then it takes the latest-released ones. No job goes into a hole between jobs before it.
//
// A Decoder is for one goroutine; Clone makes another.
type Decoder struct {
	clusters []decoderCluster
	origin   float64 // earliest arrival of all jobs
	releases *Releases
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

// Totals are the figures of the list schedule of one cluster.
type Totals struct {
	Jobs     int     // in the order
	Makespan float64 // last end − earliest arrival of all jobs
	Busy     float64 // Σ duration · processors
	Over     float64 // Σ max(0, end − deadline)
}

// DecoderFeatures are the features of an instance that a [Decoder] honours.
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
	d.releases = NewReleases(min(widest, len(in.Jobs())))
	return d, nil
}

// Clone is a decoder of the same instance for another goroutine.
func (d *Decoder) Clone() *Decoder {
	clone := *d
	clone.releases = NewReleases(d.releases.most())
	return &clone
}

// Duration is the execution time of the job on the cluster, and whether it can run there.
func (d *Decoder) Duration(job, cluster int) (float64, bool) {
	j := &d.clusters[cluster].jobs[job]
	return j.duration, j.size > 0
}

// Decode schedules the jobs on the cluster in the given order. All must be able to run there.
//
// Complexity: O(jobs · distinct release times). There are at most as many release times as jobs that run at once.
func (d *Decoder) Decode(cluster int, order []int32) Totals {
	c := &d.clusters[cluster]
	d.releases.Reset(d.origin, int(c.processors))
	latest := d.origin
	totals := Totals{Jobs: len(order)}
	for _, id := range order {
		j := &c.jobs[id]
		end := model.End(d.releases.Place(j.size, j.arrival, j.duration), j.duration)
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
