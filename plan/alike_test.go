package plan

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// In states that are alike from a time on, jobs that are ready then or later find the same slots, one after another: all jobs, or those that ask for no more than was said.
func TestAlikeStatesGiveTheSameSlots(t *testing.T) {
	same, differ, asking := 0, 0, 0
	often.Check(t, 60, func(t *rapid.T) {
		features := modeltest.AllFeatures
		if rapid.Bool().Draw(t, "counted") {
			features = model.Arrivals | model.ParallelJobs | model.LicencePools
		} else if rapid.Bool().Draw(t, "in parts") {
			features = model.Arrivals | model.ParallelJobs | model.LicencePools | model.MemoryLimits | model.MachineSpan | model.MixedMachines
		}
		in := modeltest.Generator{Features: features, Jobs: 8}.Instance(t)
		a, b := NewResources(in), NewResources(in)
		order := rapid.Permutation(indices(in)).Draw(t, "order")
		first := rapid.IntRange(0, len(order)).Draw(t, "placed")
		place := func(r *Resources, job int, ready float64) (slots []Slot) {
			for c := range in.Clusters() {
				if in.CanRun(job, c) {
					least, _ := in.Width(job, c)
					if slot, ok := r.Earliest(job, c, least, ready); ok {
						slots = append(slots, slot)
					}
				}
			}
			return slots
		}
		take := func(r *Resources, jobs []int) {
			for _, job := range jobs {
				if slots := place(r, job, in.Jobs()[job].Arrival); len(slots) > 0 {
					r.Take(job, &slots[job%len(slots)])
				}
			}
		}
		take(a, order[:first])
		other := slices.Clone(order[:first])
		if first > 1 && rapid.Bool().Draw(t, "exchange") {
			k := rapid.IntRange(1, first-1).Draw(t, "at")
			other[k-1], other[k] = other[k], other[k-1]
		} else if first > 0 && rapid.IntRange(0, 2).Draw(t, "drop") == 0 {
			other = other[1:]
		}
		take(b, other)
		ready := rapid.SampledFrom([]float64{0, 1, 2, 5, 20, 1000}).Draw(t, "ready")
		asked := askedAll
		if rapid.Bool().Draw(t, "by what is asked") {
			asked = 0
			for _, job := range order[first:] {
				asked |= a.Asks(job)
			}
		}
		if !a.Alike(b, ready, asked) {
			differ++
			return
		}
		if same++; asked != askedAll && !a.Alike(b, ready, askedAll) {
			asking++
		}
		for _, job := range order[first:] {
			from := max(ready, in.Jobs()[job].Arrival)
			x, y := place(a, job, from), place(b, job, from)
			if len(x) != len(y) {
				t.Fatalf("job %d: %d slots and %d", job, len(x), len(y))
			}
			for k := range x {
				if x[k].Start != y[k].Start || x[k].End != y[k].End || asked == askedAll && !slices.Equal(x[k].set, y[k].set) {
					t.Fatalf("job %d: %+v and %+v", job, x[k], y[k])
				}
			}
			if k := len(x); k > 0 {
				a.Take(job, &x[job%k])
				b.Take(job, &y[job%k])
			}
		}
	})
	if same == 0 || differ == 0 || asking < race.Enough(10) {
		t.Errorf("%d states were alike and %d were not, %d only for what is asked: the test proves nothing", same, differ, asking)
	}
}

// A copy finds the same slots as the state it was made of, and what happens to one of them does not change the other.
func TestCloneOfResources(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		features := modeltest.AllFeatures
		if rapid.Bool().Draw(t, "counted") {
			features = model.Arrivals | model.ParallelJobs | model.LicencePools
		}
		in := modeltest.Generator{Features: features, Jobs: 8}.Instance(t)
		again := func(jobs []int, r *Resources) { // places the jobs, each where it ends first
			for _, job := range jobs {
				var best *Slot
				for c := range in.Clusters() {
					if !in.CanRun(job, c) {
						continue
					}
					least, _ := in.Width(job, c)
					if slot, ok := r.Earliest(job, c, least, in.Jobs()[job].Arrival); ok && (best == nil || slot.End < best.End) {
						best = &slot
					}
				}
				if best != nil {
					r.Take(job, best)
				}
			}
		}
		order := rapid.Permutation(indices(in)).Draw(t, "order")
		half := len(order) / 2
		a := NewResources(in)
		if rapid.Bool().Draw(t, "queued") {
			a.QueueInstants()
		}
		again(order[:half], a)
		b, before := a.Clone(), a.Clone()
		again(order[half:], b)
		if now := math.Inf(-1); !a.Alike(before, now, askedAll) {
			t.Fatal("placing jobs in the copy changed the original")
		}
		again(order[half:], a)
		if !a.Alike(b, math.Inf(-1), askedAll) {
			t.Fatal("the copy and the original place the same jobs otherwise")
		}
	})
}
