package ga

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// errCancelled ends an evaluation when the context ends.
var errCancelled = errors.New("ga: cancelled")

// decoder turns coded schedules of one cluster into start times. It allocates nothing after it has been made.
type decoder struct {
	ctx     context.Context
	cluster *Cluster
	words   int
	held    float64          // the last release by an earlier job; without one the origin
	release []float64        // mask coding: of each processor
	counts  *plan.Releases   // list coding
	behind  plan.ReleasesLog // list coding: the state behind what earlier jobs hold, where they hold anything
	between int              // jobs between two checks of the context
}

// workBetweenLooks is the number of jobs × processors after which a decoder checks its context: well below a millisecond.
const workBetweenLooks = 1 << 16

func newDecoder(ctx context.Context, c *Cluster) *decoder {
	d := &decoder{
		ctx:     ctx,
		cluster: c,
		words:   Words(c.Processors),
		held:    c.Origin,
		release: make([]float64, c.Processors),
		between: max(1, workBetweenLooks/c.Processors),
	}
	atOnce := min(c.Processors, len(c.Jobs))
	if c.Released == nil {
		d.counts = plan.NewReleases(atOnce)
		return d
	}
	d.held = slices.Max(c.Released)
	d.counts = plan.NewReleasesAt(c.Released, atOnce)
	d.behind.Add(d.counts)
	return d
}

// Starts returns the start time of each job, by the index of the job.
func (c *Cluster) Starts(s Schedule) []float64 {
	starts := make([]float64, len(c.Jobs))
	_, _ = newDecoder(context.Background(), c).decode(s, starts) // fails only when its context ends
	return starts
}

// decode computes the totals of a schedule and, where starts is not nil, the start times by job. It fails only where the context ends.
func (d *decoder) decode(s Schedule, starts []float64) (Totals, error) {
	d.reset(s.Masks == nil)
	latest := d.held
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
			start = d.counts.Place(int32(j.Size), j.Arrival, j.Duration)
		}
		if starts != nil {
			starts[id] = start
		}
		end := model.End(start, j.Duration)
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

// reset releases all processors at the origin, or when the earlier jobs release them.
func (d *decoder) reset(list bool) {
	switch held := d.cluster.Released; {
	case list && held == nil:
		d.counts.Reset(d.cluster.Origin, d.cluster.Processors)
	case list:
		d.behind.Restore(0, d.counts)
	case held == nil:
		for k := range d.release {
			d.release[k] = d.cluster.Origin
		}
	default:
		copy(d.release, held)
	}
}

// placeOn places the job on the processors of the mask and returns its start: the latest of their releases, but not before the arrival. A
// job that takes no time holds nothing and waits for no processor.
func (d *decoder) placeOn(j *Job, mask []uint64) float64 {
	start := j.Arrival
	if j.Duration == 0 {
		return start
	}
	for w, word := range mask {
		release := d.release[w<<6:]
		for ; word != 0; word &= word - 1 {
			if t := release[bits.TrailingZeros64(word)]; t > start {
				start = t
			}
		}
	}
	end := model.End(start, j.Duration)
	for w, word := range mask {
		release := d.release[w<<6:]
		for ; word != 0; word &= word - 1 {
			release[bits.TrailingZeros64(word)] = end
		}
	}
	return start
}
