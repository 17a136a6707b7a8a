package ga

import (
	"context"
	"errors"
	"math/bits"
)

// errCancelled ends an evaluation when the context ends.
var errCancelled = errors.New("ga: cancelled")

// decoder turns coded schedules of one cluster into start times. It allocates nothing after it has been made.
type decoder struct {
	ctx     context.Context
	cluster *Cluster
	words   int
	release []float64 // mask coding: of each processor
	steps   []step    // list coding: of all processors, ascending
	between int       // jobs between two looks at the context
}

// step is a number of processors, at least one, that are released at one time.
type step struct {
	time  float64
	count int
}

// workBetweenLooks is the number of jobs × processors after which a decoder looks at its context: well below a millisecond.
const workBetweenLooks = 1 << 16

func newDecoder(ctx context.Context, c *Cluster) *decoder {
	return &decoder{
		ctx:     ctx,
		cluster: c,
		words:   Words(c.Processors),
		release: make([]float64, c.Processors),
		steps:   make([]step, 0, min(c.Processors, len(c.Jobs))+2), // no more than jobs that run at once, and one to insert
		between: max(1, workBetweenLooks/c.Processors),
	}
}

// Starts is when each job starts, by index.
func (c *Cluster) Starts(s Schedule) []float64 {
	starts := make([]float64, len(c.Jobs))
	_, _ = newDecoder(context.Background(), c).decode(s, starts) // fails only when its context ends
	return starts
}

// decode computes the totals of a schedule and, unless starts is nil, the start times. The error says that the context ended.
func (d *decoder) decode(s Schedule, starts []float64) (Totals, error) {
	d.reset(s.Masks == nil)
	latest := d.cluster.Origin
	var totals Totals
	left := d.between
	for _, id := range s.Order {
		if left--; left == 0 {
			if d.ctx.Err() != nil {
				return Totals{}, errCancelled
			}
			left = d.between
		}
		j := &d.cluster.Jobs[id]
		var start float64
		if s.Masks != nil {
			start = d.placeOn(j, s.Masks[int(id)*d.words:int(id+1)*d.words])
		} else {
			start = d.placeNext(j)
		}
		if starts != nil {
			starts[id] = start
		}
		end := start + j.Duration
		totals.Response += end - j.Arrival
		if end > j.Deadline {
			totals.Over += end - j.Deadline
		}
		if end > latest {
			latest = end
		}
	}
	totals.Makespan = latest - d.cluster.Origin
	return totals, nil
}

// reset releases all processors at the origin.
func (d *decoder) reset(list bool) {
	if list {
		d.steps = append(d.steps[:0], step{d.cluster.Origin, d.cluster.Processors})
		return
	}
	for k := range d.release {
		d.release[k] = d.cluster.Origin
	}
}

// placeOn places the job on the processors of the mask and returns its start: the latest of their releases.
func (d *decoder) placeOn(j *Job, mask []uint64) float64 {
	start := j.Arrival
	for w, word := range mask {
		release := d.release[w<<6:]
		for ; word != 0; word &= word - 1 {
			if t := release[bits.TrailingZeros64(word)]; t > start {
				start = t
			}
		}
	}
	end := start + j.Duration
	for w, word := range mask {
		release := d.release[w<<6:]
		for ; word != 0; word &= word - 1 {
			release[bits.TrailingZeros64(word)] = end
		}
	}
	return start
}

// placeNext places the job at the earliest time at which enough processors are released, on the latest-released of those
// free by then, and returns its start.
func (d *decoder) placeNext(j *Job) float64 {
	steps := d.steps
	last, free := 0, steps[0].count
	for free < j.Size {
		last++
		free += steps[last].count
	}
	start := steps[last].time
	if start < j.Arrival {
		start = j.Arrival
	}
	for last+1 < len(steps) && steps[last+1].time <= start {
		last++
	}
	to := last + 1 // the steps from here to last are used up
	for left := j.Size; left > 0; left -= steps[to].count {
		if to--; steps[to].count > left {
			steps[to].count -= left
			to++
			break
		}
	}
	// Those behind that come before the end move down over them; the end comes in behind those.
	end, from := start+j.Duration, last+1
	for from < len(steps) && steps[from].time < end {
		steps[to] = steps[from]
		to++
		from++
	}
	switch {
	case from < len(steps) && steps[from].time == end:
		steps[from].count += j.Size
	case to < from:
		steps[to] = step{end, j.Size}
		to++
	default: // nothing was used up: make room
		steps = append(steps, step{})
		copy(steps[to+1:], steps[to:])
		steps[to] = step{end, j.Size}
		d.steps = steps
		return start
	}
	if to < from {
		steps = steps[:to+copy(steps[to:], steps[from:])]
	}
	d.steps = steps
	return start
}
