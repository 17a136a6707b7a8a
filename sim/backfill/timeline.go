package backfill

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/sim"
)

// timeline is the planned room of a platform over time, from now on.
type timeline struct {
	steps.Function[*sim.Room]
	platform *sim.Platform
	empty    *sim.Room // of the platform
	step     float64   // see [EASY]
	clusters []int     // on which places are looked for
	changes  []float64 // times at which machines are closed or opened, ascending
	flat     *profile  // in place of the steps where only the number of processors matters; else nil
	spare    []*sim.Room
	common   sim.Room
	shares   []sim.Share // of the place that was found last
	waking   float64     // how long a machine of a job that starts now may take to be up, see [sim.Engine.Waking]
	rigid    bool        // a moldable job holds its rigid maximum; else the fewest processors that it may hold
	within   bitset      // the machines on which places are looked for; nil: all
}

// generalBooking is a place for a job in a timeline.
type generalBooking struct {
	cluster    int
	start, end float64
	shares     []sim.Share
}

// open implements availability.
func (t *timeline) open(now float64) {
	if t.Times == nil {
		t.reset(now)
		return
	}
	t.forget(now)
}

// reset implements availability.
func (t *timeline) reset(now float64) {
	if t.flat != nil {
		t.flat.reset(now, t.empty.Processors[0])
		return
	}
	t.spare = append(t.spare, t.Values...)
	t.Times, t.Values = append(t.Times[:0], now), append(t.Values[:0], t.copyOf(t.empty))
	t.limit(now)
}

// join implements availability.
func (t *timeline) join(*sim.Job) {}

// improve implements availability.
func (t *timeline) improve() {}

// end implements availability.
func (t *timeline) end(j *sim.Job, s *generalBooking) { t.give(j, s, t.Times[0]) }

// advance implements availability.
func (t *timeline) advance(j *sim.Job, s *generalBooking) {
	t.give(j, s, t.Times[0])
	limit := s.start
	if t.platform.Draws() {
		limit = math.Inf(1)
	}
	if better, ok := t.earliestBefore(j, limit); ok && better.start < s.start {
		*s = better
	}
	t.take(j, s)
}

// copyOf returns a copy of a room. It reuses the memory of a spare room if there is one.
func (t *timeline) copyOf(room *sim.Room) *sim.Room {
	var fresh *sim.Room
	if n := len(t.spare) - 1; n >= 0 {
		fresh, t.spare = t.spare[n], t.spare[:n]
	} else {
		fresh = new(sim.Room)
	}
	fresh.CopyFrom(room)
	return fresh
}

// forget drops what is past.
func (t *timeline) forget(now float64) {
	t.spare = append(t.spare, t.Values[:max(0, t.At(now))]...)
	t.Forget(now)
}

// split makes the given time the beginning of a step and returns the number of that step.
func (t *timeline) split(at float64) int { return t.Split(at, t.copyOf) }

// take takes what the booking holds out of the rooms.
func (t *timeline) take(j *sim.Job, s *generalBooking) {
	if t.flat != nil {
		t.flat.add(s.start, s.end, -j.Processors)
		return
	}
	from, to := t.split(s.start), t.split(s.end)
	for k := from; k < to; k++ {
		t.platform.Take(t.Values[k], j, s.cluster, s.shares)
	}
}

// give puts what the booking holds from the given time on back into the rooms.
func (t *timeline) give(j *sim.Job, s *generalBooking, from float64) {
	if from = max(from, s.start); from >= s.end {
		return
	}
	if t.flat != nil {
		t.flat.add(from, s.end, j.Processors)
		return
	}
	first, last := t.split(from), t.split(s.end)
	for k := first; k < last; k++ {
		t.platform.Give(t.Values[k], j, s.cluster, s.shares)
	}
	t.mergeEqual(last)
	t.mergeEqual(first)
}

// mergeEqual merges step k with the one before it if the two are equal.
func (t *timeline) mergeEqual(k int) {
	if room, merged := t.Join(k, alike); merged {
		t.spare = append(t.spare, room)
	}
}

// alike says whether two rooms are equal.
func alike(a, b *sim.Room) bool {
	return a.Alike(&b.Room) && slices.Equal(a.Copies, b.Copies) && a.SamePower(b)
}

// earliest implements availability.
func (t *timeline) earliest(j *sim.Job) (generalBooking, bool) {
	if t.flat != nil {
		start := t.flat.earliest(j.Processors, j.Expected(), t.step, infinite)
		return generalBooking{start: start, end: ending(start, j.Expected(), t.step)}, true
	}
	return t.earliestBefore(j, math.Inf(1))
}

// earliestBefore is earliest of the bookings that start before the limit.
func (t *timeline) earliestBefore(j *sim.Job, limit float64) (generalBooking, bool) {
	best := generalBooking{start: math.Inf(1)}
	changes := t.changes
	for k, start := range t.Times {
		for len(changes) > 0 && changes[0] <= start {
			changes = changes[1:]
		}
		for {
			if !inTime(j, start) || start >= limit {
				return best, false
			}
			for _, c := range t.clusters {
				if t.platform.Stopped() {
					return best, false
				}
				if s, ok := t.slotAt(j, k, start, c); ok && (best.shares == nil || s.end < best.end) {
					best.cluster, best.start, best.end, best.shares = s.cluster, s.start, s.end, append(best.shares[:0], s.shares...)
				}
			}
			if best.shares != nil {
				best.start = start
				return best, true
			}
			if len(changes) == 0 || k+1 < len(t.Times) && changes[0] >= t.Times[k+1] {
				break
			}
			start, changes = changes[0], changes[1:]
		}
	}
	return best, false
}

// slotAt is a booking on the cluster from a time in step k on, of processors that are free for as long as the job is estimated
// to take on them, until the next look; false: there is none, or it misses the job's hard deadline.
func (t *timeline) slotAt(j *sim.Job, k int, start float64, cluster int) (generalBooking, bool) {
	s := generalBooking{cluster: cluster, start: start}
	width := t.width(j, cluster)
	t.platform.CopyCluster(&t.common, t.Values[k], cluster)
	t.keepWithin(cluster)
	for next := k + 1; ; next++ {
		var ok bool
		if t.shares, ok = t.platform.FitsAt(&t.common, j, cluster, width, start, t.shares[:0]); !ok {
			return s, false
		}
		s.shares = t.shares
		takes := t.platform.Estimate(j, cluster, s.shares)
		s.end = ending(s.start, takes, t.step)
		if next == len(t.Times) || t.Times[next] >= s.end || t.platform.Stopped() {
			return s, inTime(j, s.start+takes) // a job of no time ends before its booking
		}
		t.platform.IntersectFor(&t.common, t.Values[next], j, cluster, width)
	}
}

// width is the number of processors that a job holds on the cluster.
func (t *timeline) width(j *sim.Job, cluster int) int {
	if t.rigid {
		return t.platform.Rigid(j, cluster)
	}
	return t.platform.Width(j, cluster)
}

// keepWithin takes the machines out of the common room on which no place is looked for.
func (t *timeline) keepWithin(cluster int) {
	if t.within != nil {
		first, last := t.platform.MachinesOf(cluster)
		for m := first; m < last; m++ {
			if !t.within.has(m) {
				t.common.Shut(m)
			}
		}
	}
}
