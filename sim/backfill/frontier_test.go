package backfill

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/sim"
)

// planned is a place in a profile.
type planned struct {
	start, end float64
	size       int32
}

// slowEarliest is the earliest place beside others, sought at the beginning and at the end of each.
func slowEarliest(places []planned, now float64, processors, size int32, estimate float64) float64 {
	times := []float64{now}
	for _, x := range places {
		times = append(times, x.start, x.end)
	}
	free := func(at float64) int32 {
		left := processors
		for _, x := range places {
			if x.start <= at && at < x.end {
				left -= x.size
			}
		}
		return left
	}
	best := math.Inf(1)
	for _, start := range times {
		fits := start >= now && start < best
		for _, t := range times {
			fits = fits && (t < start || t >= start+estimate || free(t) >= size)
		}
		if fits && free(start) >= size {
			best = start
		}
	}
	return best
}

// TestFrontier: whatever is planned, given back and forgotten, the earliest place of a job is that of a plain search, and no place lies before the
// frontier, which is of use.
func TestFrontier(t *testing.T) {
	useful := 0
	for seed := range race.Fewer(uint64(200), 10) {
		rng := rand.New(rand.NewPCG(seed, 31))
		processors := int32(1) << rng.IntN(8)
		longest := []float64{3, 50, 4000}[rng.IntN(3)]
		var p profile
		var f frontier
		var places []planned
		now := 0.0
		p.reset(now, processors)
		f.clear(processors)
		estimate := func() float64 {
			if rng.IntN(5) == 0 {
				return math.Exp2(math.Floor(math.Log2(longest) * rng.Float64()))
			}
			return math.Ceil(longest*rng.Float64()*4) / 4
		}
		for range 150 {
			size, length := 1+rng.Int32N(processors), estimate()
			switch k := len(places) - 1; {
			case rng.IntN(12) == 0:
				now += longest * rng.Float64() / 20
				p.forget(now)
			case k >= 0 && rng.IntN(3) == 0: // a job ends early, or its reservation moves
				k = rng.IntN(k + 1)
				x := places[k]
				places[k] = places[len(places)-1]
				places = places[:len(places)-1]
				if x.start = max(x.start, now); x.start < x.end {
					p.add(x.start, x.end, x.size)
					f.freed(&p, x.start, x.end, x.size)
				}
			default:
				before := f.before(size, length)
				at := p.earliestFrom(p.find(before), size, length, 1, infinite)
				if want := slowEarliest(places, now, processors, size, length); at != want || before > at {
					t.Fatalf("seed %d: %d of %d processors for %v: %v with the frontier at %v, expected %v", seed, size, processors, length, at, before, want)
				}
				if before > now {
					useful++
				}
				f.note(size, length, at)
				p.add(at, at+length, -size)
				places = append(places, planned{at, at + length, size})
			}
		}
	}
	if useful < 100 {
		t.Errorf("the frontier is of use %d times only", useful)
	}
}

// TestClasses: each estimate is in a class that begins by it; the first class from it on begins with it or later; the next begins beyond.
func TestClasses(t *testing.T) {
	for _, estimate := range []float64{1, 1.1, 1.25, 2, 3, 3.5, 59.999, 60, 64, 65, 86400, 1 << 31} {
		c, next := class(estimate), from(estimate)
		if shortest(c) > estimate || shortest(c+1) <= estimate {
			t.Errorf("%v is in the class from %v to %v", estimate, shortest(c), shortest(c+1))
		}
		if shortest(next) < estimate || next > 0 && shortest(next-1) >= estimate {
			t.Errorf("the first class from %v on begins with %v", estimate, shortest(next))
		}
	}
}

// TestConservativeLong compares conservative backfilling with the naive version on queues of some dozen jobs whose estimates are as wrong as
// those of users.
func TestConservativeLong(t *testing.T) {
	for seed := range race.Fewer(uint64(4), 1) {
		for _, processors := range []int32{16, 100} {
			const jobs = 60
			source, list := &simtest.Synthetic{Jobs: jobs, Processors: int(processors), Load: 2, Seed: seed}, make([]sim.Spec, jobs)
			for k := range list {
				if more, err := source.Next(&list[k]); !more || err != nil {
					t.Fatal(more, err)
				}
				if seed%2 == 0 {
					list[k].Arrival = 0
				}
			}
			want := newNaive(list, processors, 1, false, naiveConservative).start
			got := replay(t, list, processors, Conservative(1, Ranking{}), false)
			for k := range want {
				if want[k] != got[k] {
					t.Fatalf("seed %d, %d processors: job %d starts at %v, the naive version says %v", seed, processors, k, got[k], want[k])
				}
			}
		}
	}
}
