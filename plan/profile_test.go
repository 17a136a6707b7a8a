package plan

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
	"pgregory.net/rapid"
)

// slowProfile is what a [profile] says, from the list of what is used.
type slowProfile struct {
	capacity float64
	uses     []use
}

// use is an amount used from start to end.
type use struct{ start, end, amount float64 }

// at is what is used at the time.
func (p *slowProfile) at(t float64) float64 {
	sum := 0.0
	for _, u := range p.uses {
		if u.start <= t && t < u.end {
			sum += u.amount
		}
	}
	return sum
}

// events are the times in [from, to) at which the use may change, and from itself.
func (p *slowProfile) events(from, to float64) []float64 {
	var times []float64
	if from < to {
		times = append(times, from)
	}
	for _, u := range p.uses {
		for _, t := range []float64{u.start, u.end} {
			if from < t && t < to {
				times = append(times, t)
			}
		}
	}
	return times
}

// earliest tries the time given and every end after it.
func (p *slowProfile) earliest(ready, length, amount float64) float64 {
	best := math.Inf(1)
	if p.fits(ready, model.End(ready, length), amount) {
		return ready
	}
	for _, u := range p.uses {
		if u.end > ready && u.end < best && p.fits(u.end, model.End(u.end, length), amount) {
			best = u.end
		}
	}
	return best
}

// fits says whether the amount is free from start to end; nothing is held in an empty interval.
func (p *slowProfile) fits(start, end, amount float64) bool {
	limit := p.capacity * (1 + 1e-12)
	if amount > limit {
		return false
	}
	for _, t := range p.events(start, end) {
		if p.at(t)+amount > limit {
			return false
		}
	}
	return true
}

// free is the least that is free from start to end.
func (p *slowProfile) free(start, end float64) float64 {
	most := 0.0
	for _, t := range p.events(start, end) {
		most = max(most, p.at(t))
	}
	return max(0, p.capacity-most)
}

func TestProfileByTheLetter(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		clock := drawClock(t)
		capacity := rapid.SampledFrom([]float64{1, 4, 0.3}).Draw(t, "capacity")
		amount := rapid.SampledFrom([]float64{capacity, capacity / 4, capacity / 3, 0, capacity * 1.5})
		profile, slow := newProfile(capacity), &slowProfile{capacity: capacity}
		for range rapid.IntRange(0, 12).Draw(t, "uses") {
			start := clock.arrival.Draw(t, "start")
			u := use{start, start + clock.time.Draw(t, "length"), amount.Draw(t, "amount")}
			profile.add(u.start, u.end, u.amount)
			if u.start < u.end && u.amount > 0 {
				slow.uses = append(slow.uses, u)
			}
		}
		for range 5 {
			from, length, need := clock.arrival.Draw(t, "from"), clock.time.Draw(t, "long"), amount.Draw(t, "need")
			if got, want := profile.earliest(from, length, need), slow.earliest(from, length, need); got != want {
				t.Fatalf("Earliest(%v, %v, %v): got %v, want %v", from, length, need, got, want)
			}
			if got, want := profile.free(from, from+length), slow.free(from, from+length); got != want {
				t.Fatalf("Free(%v, %v): got %v, want %v", from, from+length, got, want)
			}
		}
	})
}

// What Earliest finds can be added without ever using more than there is.
func TestProfileIsNeverOverfull(t *testing.T) {
	often.Check(t, 5, func(t *rapid.T) {
		clock := drawClock(t)
		const capacity = 1.0
		profile, slow := newProfile(capacity), &slowProfile{capacity: capacity}
		for range rapid.IntRange(1, 30).Draw(t, "uses") {
			length, amount := clock.time.Draw(t, "length"), float64(rapid.IntRange(1, 10).Draw(t, "tenths"))/10
			start := profile.earliest(clock.arrival.Draw(t, "ready"), length, amount)
			if free := profile.free(start, start+length); free < amount-1e-11 {
				t.Fatalf("%v is free from %v for %v, where Earliest found %v", free, start, length, amount)
			}
			profile.add(start, start+length, amount)
			slow.uses = append(slow.uses, use{start, start + length, amount})
		}
		for _, u := range slow.uses {
			if used := slow.at(u.start); used > capacity*(1+1e-11) {
				t.Fatalf("%v is used at %v", used, u.start)
			}
		}
	})
}

func TestProfileEdges(t *testing.T) {
	inf := math.Inf(1)
	empty := newProfile(2)
	full := newProfile(2) // [1, 2): 2, [2, 3): 1, [4, 5): 2
	full.add(1, 3, 1)
	full.add(1, 2, 1)
	full.add(4, 5, 2)
	full.add(9, 9, 2)
	full.add(9, 8, 2)
	full.add(9, 10, 0)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"empty", empty.earliest(3, 5, 2), 3},
		{"empty, more than there is", empty.earliest(3, 5, 3), inf},
		{"empty, more than there is for no time", empty.earliest(3, 0, 3), inf},
		{"empty, free", empty.free(0, 9), 2},
		{"before the first step", full.earliest(0, 1, 2), 0},
		{"too long before the first step", full.earliest(0, 1.5, 2), 5},
		{"a hole just long enough", full.earliest(0.5, 1, 2), 3},
		{"a hole too short", full.earliest(0.5, 1.5, 2), 5},
		{"beside another", full.earliest(1, 2, 1), 2},
		{"beside another, too long", full.earliest(1, 2.5, 1), 5},
		{"no time, in a full step", full.earliest(1.5, 0, 2), 1.5},
		{"no time, on a step", full.earliest(4, 0, 2), 4},
		{"no amount", full.earliest(1.5, 9, 0), 1.5},
		{"behind the last step", full.earliest(7, 9, 2), 7},
		{"free before the first step", full.free(0, 1), 2},
		{"free up to a step", full.free(3, 4), 2},
		{"free at its end", full.free(2, 4), 1},
		{"free in a full step", full.free(1.2, 1.3), 0},
		{"free across all", full.free(0, 9), 0},
		{"free for no time", full.free(1.5, 1.5), 2},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

// Ten tenths fill what has a capacity of one although they do not sum to it.
func TestProfileOfTenths(t *testing.T) {
	p := newProfile(1)
	for range 10 {
		if start := p.earliest(0, 1, 0.1); start != 0 {
			t.Fatalf("a tenth fits at %v", start)
		}
		p.add(0, 1, 0.1)
	}
	if start := p.earliest(0, 1, 0.1); start != 1 {
		t.Errorf("an eleventh fits at %v", start)
	}
}

func TestProfileRoom(t *testing.T) {
	tenths := newProfile(0.3) // 0.3/0.1 is less than 3
	huge := newProfile(1e18)
	used := newProfile(8)
	used.add(1, 2, 5)
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"three tenths", tenths.room(0, 1, 0.1, 9), 3},
		{"at most two", tenths.room(0, 1, 0.1, 2), 2},
		{"more than there are numbers", huge.room(0, 1, 1e-18, 7), 7},
		{"beside another", used.room(0, 2, 2, 9), 1},
		{"before it", used.room(0, 1, 2, 9), 4},
		{"too much", used.room(1, 2, 4, 9), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}
