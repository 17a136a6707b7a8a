package learning

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// resource is a resource with its time-table. This says how much is held at each time by the jobs that run then wherever they start.
type resource struct {
	capacity int64
	uses     []tasks.Use
	starts   []int32 // positions in uses by latest start, and by earliest end: nearly sorted from call to call
	ends     []int32
	latest   []int32 // by position in uses: the latest start and the earliest end when the time-table was made
	earliest []int32
	parts    []part
	stale    bool
}

// part is an interval in which the same jobs hold the resource.
type part struct {
	from, to int32
	held     int64
}

func newResource(r *tasks.Resource) resource {
	uses := slices.Clone(r.Uses)
	slices.SortStableFunc(uses, func(a, b tasks.Use) int { return cmp.Compare(b.Need, a.Need) }) // the largest first: explanations take them first
	out := resource{capacity: r.Capacity, uses: uses, stale: true}
	for k := range uses {
		out.starts, out.ends = append(out.starts, int32(k)), append(out.ends, int32(k))
	}
	out.latest, out.earliest = make([]int32, len(uses)), make([]int32, len(uses))
	return out
}

// fill makes the time-table of the resource and moves the jobs that do not fit. It returns false at a conflict.
func (s *Solver) fill(k int) bool {
	r := &s.resources[k]
	r.stale = false
	s.work += int64(len(r.uses)) / 2
	for i := range r.uses {
		j := r.uses[i].Job
		r.latest[i], r.earliest[i] = -s.low[2*j+1], s.low[2*j]+s.lengths[j]
	}
	most, at := s.profile(r)
	if most > r.capacity {
		s.conflict = s.holders(s.conflict[:0], r, at, r.capacity+1, -1, int32(len(s.trail)))
		if s.record != nil {
			s.record.overfull(s, int32(k), at)
		}
		return false
	}
	for i := range r.uses {
		u := &r.uses[i]
		if u.Need+most <= r.capacity {
			break // the others need less
		}
		j := int32(u.Job)
		if s.low[2*j] == -s.low[2*j+1] {
			continue
		}
		if !s.later(int32(k), r, j, u.Need) || !s.earlier(int32(k), r, j, u.Need) {
			return false
		}
	}
	return true
}

// profile makes the parts. It returns the most that is held and when that is.
func (s *Solver) profile(r *resource) (most int64, at int32) {
	s.sortByKey(r.starts, r.latest)
	s.sortByKey(r.ends, r.earliest)
	r.parts = r.parts[:0]
	held, since, e := int64(0), int32(0), 0
	for b := 0; e < len(r.ends); {
		i, change := r.ends[e], int64(0)
		t := r.earliest[i]
		if b < len(r.starts) && r.latest[r.starts[b]] < t {
			i = r.starts[b]
			t, change = r.latest[i], r.uses[i].Need
			b++
		} else {
			change = -r.uses[i].Need
			e++
		}
		if r.latest[i] >= r.earliest[i] {
			continue
		}
		if held > 0 && t > since {
			r.parts = append(r.parts, part{since, t, held})
			if held > most {
				most, at = held, since
			}
		}
		held += change
		since = t
	}
	return most, at
}

// sortByKey sorts numbers that are nearly sorted by key.
func (s *Solver) sortByKey(list, key []int32) {
	for k := 1; k < len(list); k++ {
		x := list[k]
		v := key[x]
		i := k
		for ; i > 0 && key[list[i-1]] > v; i-- {
			list[i] = list[i-1]
		}
		list[i] = x
		s.work += int64(k-i) / 8
	}
}

// behind is the number of parts that end at the time or before.
func behind(parts []part, t int32) int {
	low, high := 0, len(parts)
	for low < high {
		middle := (low + high) / 2
		if parts[middle].to <= t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// later moves the earliest start of job j behind the times at which the job does not fit.
func (s *Solver) later(k int32, r *resource, j int32, need int64) bool {
	length := s.lengths[j]
	for i := behind(r.parts, s.low[2*j]); i < len(r.parts); i++ {
		p := &r.parts[i]
		if p.from >= s.low[2*j]+length || p.from >= -s.low[2*j+1] {
			return true
		}
		for p.held+need > r.capacity && p.to > s.low[2*j] {
			t := min(p.to, s.low[2*j]+length) - 1
			if !s.raise(literal{2 * j, t + 1}, cause{byResource, k, t}) {
				return false
			}
		}
	}
	return true
}

// earlier moves the latest end of job j before the times at which the job does not fit.
func (s *Solver) earlier(k int32, r *resource, j int32, need int64) bool {
	length := s.lengths[j]
	end := -s.low[2*j+1] + length
	for i := min(behind(r.parts, end), len(r.parts)-1); i >= 0; i-- {
		p := &r.parts[i]
		if p.to <= -s.low[2*j+1] || p.to <= s.low[2*j]+length {
			return true
		}
		for p.held+need > r.capacity && p.from < -s.low[2*j+1]+length {
			t := max(p.from, -s.low[2*j+1])
			if !s.raise(literal{2*j + 1, -(t - length)}, cause{byResource, k, t}) {
				return false
			}
		}
	}
	return true
}
