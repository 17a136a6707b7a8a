package beam

import (
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// state is a schedule of some of the jobs. No job will start before the first release.
type state struct {
	releases []release // ascending by time
	left     []uint16  // by class: jobs that have not started
	last     int32     // jobs that start at the first release are of this class or a later one
	path     int32     // −1: nothing has started
	weight   float64   // of the jobs started
	idle     float64   // processor time that stays idle before the first release
	hash     uint64    // of the releases and the jobs left
}

// release is a number of processors, at least one, that are released at one time.
type release struct {
	time  float64
	count int32
}

// child is a state in which one more job has started.
type child struct {
	guide  float64 // higher is better
	hash   uint64
	idle   float64
	parent int32
	class  int32
	passed int32 // releases of the parent at which no more job starts, because it starts at a later one
}

// lowest is below all guides.
var lowest = math.Inf(-1)

// root makes the state in which nothing has started.
func (s *Search) root() {
	r := s.fresh(&s.now)
	r.releases = append(r.releases[:0], release{0, s.processors})
	r.left = r.left[:0]
	for k := range s.classes {
		r.left = append(r.left, uint16(len(s.classes[k].jobs)))
	}
	r.last, r.path, r.weight, r.idle, r.hash = 0, -1, 0, 0, 0
}

// fresh adds a state whose memory is that of an earlier one, if there was one.
func (s *Search) fresh(level *[]state) *state {
	if n := len(*level); n < cap(*level) {
		*level = (*level)[:n+1]
	} else {
		*level = append(*level, state{})
	}
	return &(*level)[len(*level)-1]
}

// expand adds the children of a state. A job starts at the first release, or at a later one if what stays idle then is within the budget.
func (s *Search) expand(parent int32) {
	s.work += workState
	p := &s.now[parent]
	s.profile = append(s.profile[:0], p.releases...)
	c := child{hash: p.hash, idle: p.idle, parent: parent}
	last := p.last
	for k := range s.profile {
		now, next := s.profile[k], math.Inf(1)
		if k+1 < len(s.profile) {
			next = s.profile[k+1].time
		}
		s.offer(c, now, next, last)
		if k+1 == len(s.profile) {
			return
		}
		c.idle += float64(now.count) * (next - now.time)
		if c.idle > s.budget || p.weight+s.heaviest-s.price*c.idle < s.least {
			return // no job that starts later makes a child to keep
		}
		c.hash += uint64(now.count) * (timeKey(next) - timeKey(now.time))
		s.profile[k+1].count += now.count
		c.passed++
		last = 0
	}
}

// offer adds the children of a state in which a job of class last or later starts at the release now. What no set of the jobs that may
// follow there can use stays idle at least until the next release or the end of the job.
func (s *Search) offer(c child, now release, next float64, last int32) {
	p := &s.now[c.parent]
	sums := s.empty(now.count)
	guide, hash := p.weight, c.hash
	for k := int32(len(s.classes)) - 1; k >= last; k-- {
		l := &s.classes[k]
		if l.Size > now.count {
			break
		}
		end := now.time + l.Duration
		if p.left[k] == 0 || end > s.aim {
			continue
		}
		s.work += workChild + int64(len(sums))*int64(p.left[k])
		for range p.left[k] - 1 {
			shift(sums, l.Size)
		}
		if c.guide = guide + l.weight; c.guide-s.price*c.idle >= s.least {
			rest, idle := now.count-l.Size, c.idle
			if len(sums) > 0 {
				idle += float64(rest-most(sums, rest)) * (min(next, end) - now.time)
			}
			if c.guide -= s.price * idle; idle <= s.budget {
				c.class, c.hash = k, hash+l.key+uint64(l.Size)*(timeKey(end)-timeKey(now.time))
				s.add(&c)
			}
		}
		shift(sums, l.Size)
	}
}

// add keeps a child if its guide is among the best. Now and then it forgets the worse half.
func (s *Search) add(c *child) {
	if c.guide < s.least {
		return
	}
	if s.children = append(s.children, *c); len(s.children) < 4*s.width {
		return
	}
	s.children = best(s.children, 2*s.width)
	s.least = math.Inf(1)
	for k := range s.children {
		s.least = min(s.least, s.children[k].guide)
	}
}

// What [Search.Work] counts in ns, as measured: a state that is expanded, a child that is looked at beside its sums, and one that is kept.
const (
	workState = 50
	workChild = 10
	workStart = 200
)

// start makes the state of a child on the next level.
func (s *Search) start(c *child) {
	d, p, l := s.fresh(&s.next), &s.now[c.parent], &s.classes[c.class]
	d.left = append(d.left[:0], p.left...)
	d.left[c.class]--
	d.releases = append(d.releases[:0], p.releases[c.passed:]...)
	for _, r := range p.releases[:c.passed] {
		d.releases[0].count += r.count
	}
	end := d.releases[0].time + l.Duration
	k := 1
	for k < len(d.releases) && d.releases[k].time < end {
		k++
	}
	if k < len(d.releases) && d.releases[k].time == end {
		d.releases[k].count += l.Size
	} else {
		d.releases = slices.Insert(d.releases, k, release{end, l.Size})
	}
	d.last = c.class
	if d.releases[0].count -= l.Size; d.releases[0].count == 0 {
		d.releases, d.last = slices.Delete(d.releases, 0, 1), 0
	}
	d.weight, d.idle, d.hash = p.weight+l.weight, c.idle, c.hash
	s.paths = append(s.paths, path{p.path, c.class})
	d.path = int32(len(s.paths) - 1)
	s.work += workStart
}

// best returns n of the children, none with a lower guide than one of the others. It changes their order.
func best(c []child, n int) []child {
	lo, hi := 0, len(c)-1
	for lo < hi {
		pivot, i, j := c[(lo+hi)/2].guide, lo, hi
		for i <= j {
			for c[i].guide > pivot {
				i++
			}
			for c[j].guide < pivot {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return c[:n]
		}
	}
	return c[:n]
}

// maxSum is the largest number of processors whose sums are looked at.
const maxSum = 4096

// empty returns the set of the sums from 0 to n that holds 0 alone: bit k stands for the sum k. There is none if n is large.
func (s *Search) empty(n int32) []uint64 {
	if n > maxSum {
		return nil
	}
	words := int(n)/64 + 1
	s.sums = slices.Grow(s.sums[:0], words)[:words]
	clear(s.sums)
	s.sums[0] = 1
	return s.sums
}

// shift adds to the set the sums that are larger by n than those it holds.
func shift(sums []uint64, n int32) {
	words, b := int(n)/64, uint(n%64)
	for k := len(sums) - 1; k >= words; k-- {
		x := sums[k-words] << b
		if b > 0 && k > words {
			x |= sums[k-words-1] >> (64 - b)
		}
		sums[k] |= x
	}
}

// most is the largest sum in the set that is at most n.
func most(sums []uint64, n int32) int32 {
	k := n / 64
	x := sums[k] << (63 - uint(n%64))
	if x != 0 {
		return n - int32(bits.LeadingZeros64(x))
	}
	for k--; sums[k] == 0; k-- {
	}
	return 64*k + 63 - int32(bits.LeadingZeros64(sums[k]))
}

// timeKey spreads a time over all words, for hashing.
func timeKey(t float64) uint64 { return kit.Mix(math.Float64bits(t)) }
