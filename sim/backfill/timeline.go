package backfill

import (
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/sim"
)

// timeline is what of a grid is free when, from now on, by what is planned: rooms[k] from times[k] to times[k+1], the last
// from then on.
type timeline struct {
	platform *sim.Platform
	times    []float64
	rooms    []*sim.Room
	spare    []*sim.Room
	meet     sim.Room
}

// slot is a place for a job in a timeline.
type generalBooking struct {
	cluster    int
	start, end float64
	shares     []sim.Share
}

// reset frees everything from now on.
func (t *timeline) reset(now float64, empty *sim.Room) {
	t.spare = append(t.spare, t.rooms...)
	t.times, t.rooms = append(t.times[:0], now), append(t.rooms[:0], t.copyOf(empty))
}

// copyOf is a room like another.
func (t *timeline) copyOf(room *sim.Room) *sim.Room {
	fresh := new(sim.Room)
	if n := len(t.spare) - 1; n >= 0 {
		fresh, t.spare = t.spare[n], t.spare[:n]
	}
	fresh.CopyFrom(room)
	return fresh
}

// forget drops what is past.
func (t *timeline) forget(now float64) {
	k := sort.Search(len(t.times)-1, func(k int) bool { return t.times[k+1] > now })
	t.spare = append(t.spare, t.rooms[:k]...)
	t.times, t.rooms = slices.Delete(t.times, 0, k), slices.Delete(t.rooms, 0, k)
	t.times[0] = max(t.times[0], now)
}

// split makes the time the beginning of a step and returns which.
func (t *timeline) split(at float64) int {
	k := sort.SearchFloat64s(t.times, at)
	if k < len(t.times) && t.times[k] == at {
		return k
	}
	t.times = slices.Insert(t.times, k, at)
	t.rooms = slices.Insert(t.rooms, k, t.copyOf(t.rooms[k-1]))
	return k
}

// take takes what a slot holds.
func (t *timeline) take(j *sim.Job, s *generalBooking) {
	from, to := t.split(s.start), t.split(s.end)
	for k := from; k < to; k++ {
		t.platform.Take(t.rooms[k], j, s.cluster, s.shares)
	}
}

// give gives back what a slot holds, from the time on.
func (t *timeline) give(j *sim.Job, s *generalBooking, from float64) {
	if from = max(from, s.start); from >= s.end {
		return
	}
	first, last := t.split(from), t.split(s.end)
	for k := first; k < last; k++ {
		t.platform.Give(t.rooms[k], j, s.cluster, s.shares)
	}
	t.join(last)
	t.join(first)
}

// join makes one of a step and the one before it, where they are equal.
func (t *timeline) join(k int) {
	if k > 0 && alike(t.rooms[k-1], t.rooms[k]) {
		t.spare = append(t.spare, t.rooms[k])
		t.times, t.rooms = slices.Delete(t.times, k, k+1), slices.Delete(t.rooms, k, k+1)
	}
}

// alike says that two rooms are equal.
func alike(a, b *sim.Room) bool {
	return slices.Equal(a.Processors, b.Processors) && slices.Equal(a.Copies, b.Copies) && slices.Equal(a.Memory, b.Memory)
}

// earliest is the slot of the earliest start, of those the one of the earliest end, of those on the first cluster; false where there
// is none that meets a hard deadline.
func (t *timeline) earliest(j *sim.Job, step float64) (generalBooking, bool) {
	best := generalBooking{start: math.Inf(1)}
	for k, start := range t.times {
		for c := range t.platform.Clusters() {
			if s, ok := t.slotAt(j, k, c, step); ok && (best.shares == nil || s.end < best.end) {
				best = s
			}
		}
		if best.shares != nil {
			best.start = start
			return best, true
		}
	}
	return best, false
}

// slotAt is a slot on the cluster from the beginning of a step on, on processors that are free for as long as the job is
// expected to take on them.
func (t *timeline) slotAt(j *sim.Job, k, cluster int, step float64) (generalBooking, bool) {
	s := generalBooking{cluster: cluster, start: t.times[k]}
	t.meet.CopyFrom(t.rooms[k])
	for next := k + 1; ; next++ {
		shares, ok := t.platform.Fits(&t.meet, j, cluster, s.shares[:0])
		if !ok {
			return s, false
		}
		s.shares = shares
		s.end = ending(s.start, t.platform.Estimate(j, cluster, shares), step)
		if next == len(t.times) || t.times[next] >= s.end {
			return s, inTime(j, s.end)
		}
		t.meet.Meet(t.rooms[next])
	}
}
