package backfill

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowProfile is the free processors by whole units of time; the last of them never ends.
type slowProfile []int32

// at is the number at a time.
func (s slowProfile) at(t int) int32 { return s[min(t, len(s)-1)] }

// holds says whether enough are free between two times.
func (s slowProfile) holds(size int32, from, to float64) bool {
	for t := int(from); float64(t) < min(to, float64(len(s))); t++ {
		if s.at(t) < size {
			return false
		}
	}
	return math.IsInf(to, 1) && s[len(s)-1] >= size || !math.IsInf(to, 1)
}

// What a profile of many pieces says is what one says that is looked at unit by unit, whatever was added to it, also over many pieces at once.
func TestProfileUnitByUnit(t *testing.T) {
	const horizon, processors = 600, 1000
	shifted, asked := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 57))
		p, slow, now := &profile{}, make(slowProfile, horizon), 0
		p.reset(0, processors)
		for k := range slow {
			slow[k] = processors
		}
		var held [][3]int
		for range 300 {
			switch {
			case r.IntN(3) == 0 && len(held) > 0: // something is given back
				k := r.IntN(len(held))
				h := held[k]
				held[k] = held[len(held)-1]
				held = held[:len(held)-1]
				from := max(h[0], now)
				if from < h[1] {
					p.add(float64(from), float64(h[1]), int32(h[2]))
					for u := from; u < h[1]; u++ {
						slow[u] += int32(h[2])
					}
				}
			case r.IntN(40) == 0:
				now += r.IntN(5)
				p.forget(float64(now))
			default:
				from := now + r.IntN(horizon-now-1)
				to := min(horizon-1, from+1+r.IntN([]int{4, 30, 400}[r.IntN(3)]))
				size := 1 + r.IntN(3)
				held = append(held, [3]int{from, to, size})
				p.add(float64(from), float64(to), -int32(size))
				for u := from; u < to; u++ {
					slow[u] -= int32(size)
				}
			}
			for k := range p.heads {
				if p.heads[k].more != 0 {
					shifted++
				}
			}
			size := int32(processors - r.IntN(60))
			length, limit := 1+r.IntN(40), now+1+r.IntN(horizon)
			want := float64(limit)
			for u := now; u < limit; u++ {
				if slow.holds(size, float64(u), math.Min(float64(u+length), float64(limit))) {
					want = float64(u)
					break
				}
			}
			if got := p.earliest(size, float64(length), 1, float64(limit)); got != want {
				t.Fatalf("seed %d: earliest %v, want %v", seed, got, want)
			}
			below := math.Inf(1)
			for u := now; u < horizon; u++ {
				if slow[u] < size {
					below = float64(u)
					break
				}
			}
			if got, _ := p.firstBelow(position{}, size); got != below {
				t.Fatalf("seed %d: fewer than %d are free at %v, want %v", seed, size, got, below)
			}
			at := now + r.IntN(horizon-now)
			if slow[at] >= size {
				from, to := float64(now), math.Inf(1)
				for u := at; u >= now; u-- {
					if slow[u] < size {
						from = float64(u + 1)
						break
					}
				}
				for u := at; u < horizon; u++ {
					if slow[u] < size {
						to = float64(u)
						break
					}
				}
				asked++
				if gotFrom, gotTo, _ := p.extent(p.find(float64(at)), size); gotFrom != from || gotTo != to {
					t.Fatalf("seed %d: %d are free around %d from %v to %v, want %v to %v", seed, size, at, gotFrom, gotTo, from, to)
				}
			}
			until, least, most := at+1+r.IntN(50), int32(math.MaxInt32), int32(0)
			begin := int(p.pieces[p.find(float64(at)).piece].times[p.find(float64(at)).step])
			for u := begin; u < until; u++ {
				least, most = min(least, slow.at(u)), max(most, slow.at(u))
			}
			if gotLeast, gotMost := p.bounds(p.find(float64(at)), float64(until)); gotLeast != least || gotMost != most {
				t.Fatalf("seed %d: from %d to %d between %d and %d are free, want %d to %d", seed, begin, until, gotLeast, gotMost, least, most)
			}
			back := float64(limit)
			for u := limit - 1; u >= now && slow.at(u) >= size; u-- {
				back = float64(u)
			}
			if got := p.back(size, float64(limit)); got != back {
				t.Fatalf("seed %d: %d are free until %d from %v on, want %v", seed, size, limit, got, back)
			}
		}
	}
	if shifted < 1000 || asked < 500 {
		t.Errorf("%d pieces were changed as a whole, %d intervals asked for", shifted, asked)
	}
}
