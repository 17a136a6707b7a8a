package workload

import (
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Streamer is a workload that can also generate its jobs a few at a time, in constant memory. The jobs are those of Generate, in the same order. They ask nothing
// of single machines, which a simulation of a stream does not follow.
type Streamer interface {
	Workload
	// Stream returns the system, an instance without jobs, and the jobs in order of arrival.
	Stream(seed uint64) (system *model.Instance, jobs *Batches, err error)
}

// Batches hands out the jobs of a stream. Each batch is an instance with the clusters of the system and a few of the jobs.
type Batches struct {
	spec  model.InstanceSpec // the system
	draw  func() model.JobSpec
	left  int             // jobs that are not drawn yet
	drawn *model.Instance // jobs that were drawn together; nil: none
	given int             // how many of these were handed out
}

// drawnJobs is the number of jobs that are drawn together, so that the clusters are not built anew for each batch. A batch has batchJobs of them: a
// simulation keeps a batch in memory while one of its jobs waits.
const drawnJobs, batchJobs = 1000, 4

// Next returns the next batch; nil: there are no more jobs.
func (b *Batches) Next() (*model.Instance, error) {
	if b.drawn == nil || b.given == len(b.drawn.Jobs()) {
		if b.left == 0 {
			return nil, nil
		}
		drawn, err := b.take(min(drawnJobs, b.left))
		if err != nil {
			return nil, err
		}
		b.drawn, b.given = drawn, 0
	}
	var jobs []int
	var arrivals []float64
	for len(jobs) < batchJobs && b.given < len(b.drawn.Jobs()) {
		jobs, arrivals = append(jobs, b.given), append(arrivals, b.drawn.Jobs()[b.given].Arrival)
		b.given++
	}
	return b.drawn.Batch(jobs, arrivals, nil), nil
}

// Left is the number of jobs that are still to come.
func (b *Batches) Left() int {
	if b.drawn == nil {
		return b.left
	}
	return b.left + len(b.drawn.Jobs()) - b.given
}

// take makes an instance of the next n jobs.
func (b *Batches) take(n int) (*model.Instance, error) {
	spec := b.spec
	spec.Jobs = make([]model.JobSpec, n)
	for k := range spec.Jobs {
		spec.Jobs[k] = b.draw()
	}
	b.left -= n
	return model.New(spec)
}

// mostJobs is the largest number of jobs of an instance in memory; a stream may have more.
const mostJobs = 10_000_000

// whole makes one instance of all jobs, unless there is an error already.
func whole(b *Batches, err error) (*model.Instance, error) {
	if err != nil {
		return nil, err
	}
	if b.left > mostJobs {
		return nil, &params.Error{Name: "jobs", Expected: fmt.Sprintf("at most %d in one instance, more only in a stream", mostJobs), Found: b.left}
	}
	return b.take(b.left)
}

// streamed returns the system and the jobs, unless there is an error already.
func streamed(b *Batches, err error) (*model.Instance, *Batches, error) {
	if err != nil {
		return nil, nil, err
	}
	system, err := model.New(b.spec)
	if err != nil {
		return nil, nil, err
	}
	return system, b, nil
}
