package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/plan"
)

// Processors that are released before a job starts on them wait for it: one from 0 to 4, then two from 5 to 10.
func TestIdleByHand(t *testing.T) {
	r := plan.NewReleases(3)
	r.Reset(0, 3)
	for _, c := range []struct {
		size            int32
		ready, duration float64
		start, idle     float64
	}{{2, 0, 4, 0, 0}, {3, 0, 1, 4, 4}, {2, 10, 1, 10, 14}, {1, 12, 1, 12, 15}} {
		if start := r.Place(c.size, c.ready, c.duration); start != c.start || r.Idle() != c.idle {
			t.Errorf("%d processors from %v for %v: start %v, idle %v, expected %v and %v", c.size, c.ready, c.duration, start, r.Idle(), c.start, c.idle)
		}
	}
}

// The earliest start of a job is where it is placed.
func TestEarliestIsWhereAJobIsPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processors := rapid.IntRange(1, 9).Draw(t, "processors")
		r := plan.NewReleases(processors)
		r.Reset(0, processors)
		for range rapid.IntRange(1, 20).Draw(t, "jobs") {
			size, ready := int32(rapid.IntRange(1, processors).Draw(t, "size")), rapid.SampledFrom([]float64{0, 1, 5, 12}).Draw(t, "ready")
			want := r.Earliest(size, ready)
			if got := r.Place(size, ready, rapid.SampledFrom([]float64{1, 2.5, 7}).Draw(t, "duration")); got != want {
				t.Fatalf("%d processors from %v: placed at %v, the earliest start is %v", size, ready, got, want)
			}
		}
	})
}

// Processor by processor: a job takes those released last of all that are released by its start, which wait for it until then.
func TestIdleByTheLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processors := rapid.IntRange(1, 9).Draw(t, "processors")
		jobs := rapid.IntRange(1, 30).Draw(t, "jobs")
		r := plan.NewReleases(min(processors, jobs))
		r.Reset(0, processors)
		release, idle := make([]float64, processors), 0.0
		for range jobs {
			size := rapid.IntRange(1, processors).Draw(t, "size")
			ready, duration := float64(rapid.IntRange(0, 20).Draw(t, "ready")), float64(rapid.IntRange(0, 6).Draw(t, "duration"))
			start := r.Place(int32(size), ready, duration)
			if duration == 0 { // it holds nothing
				continue
			}
			for range size {
				latest := -1
				for k, at := range release {
					if at <= start && at >= 0 && (latest < 0 || at > release[latest]) {
						latest = k
					}
				}
				idle += start - release[latest]
				release[latest] = -1 - start - duration // taken
			}
			for k, at := range release {
				if at < 0 {
					release[k] = -1 - at
				}
			}
			if r.Idle() != idle {
				t.Fatalf("idle %v, processor by processor %v", r.Idle(), idle)
			}
		}
	})
}
