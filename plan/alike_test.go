package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// Two profiles are alike from a time on only if their used amounts are the same at that time and at all later ones; and if they are so while something is used.
func TestAlikeProfilesByTheLetter(t *testing.T) {
	same := 0
	often.Check(t, 20, func(t *rapid.T) {
		var p [2]*profile
		var used [2][12]float64
		for i := range p {
			p[i] = newProfile(9)
			for range rapid.IntRange(0, 3).Draw(t, "jobs") {
				start, length, amount := rapid.IntRange(0, 9).Draw(t, "start"), rapid.IntRange(0, 2).Draw(t, "length"), float64(rapid.IntRange(1, 2).Draw(t, "amount"))
				p[i].add(float64(start), float64(start+length), amount)
				for k := start; k < start+length; k++ {
					used[i][k] += amount
				}
			}
		}
		at := rapid.IntRange(0, 11).Draw(t, "from")
		want := slices.Equal(used[0][at:], used[1][at:])
		if got := p[0].alike(p[1], float64(at)); got && !want || !got && want && used[0][at] > 0 {
			t.Fatalf("from %d on: alike %v, used %v", at, got, used)
		}
		if want && at < 6 {
			same++
		}
	})
	if same == 0 {
		t.Error("none are alike")
	}
}

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

// Two states in which jobs hold different amounts of one thing are alike for a job that does not ask for it, and not for one that does.
func TestAlikeForWhatIsAsked(t *testing.T) {
	for name, ask := range map[string]func(j *model.JobSpec){
		"a licence": func(j *model.JobSpec) { j.Licences = map[string]int{"l": 1} },
		"memory":    func(j *model.JobSpec) { j.Memory = 2 },
	} {
		b := model.NewBuilder(name)
		b.Spec().Licences = map[string]int{"l": 1}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3, Memory: new(3.0)}}})
		for k := range 4 {
			j := model.JobSpec{ID: fmt.Sprint(k), Work: new(1.0)}
			if k%2 == 1 {
				ask(&j)
			}
			b.Job(j)
		}
		in := build(t, b)
		states := [2]*Resources{NewResources(in), NewResources(in)}
		for k, r := range states {
			slot, _ := r.Earliest(k, 0, 1, 0)
			r.Take(k, &slot)
		}
		for job, alike := range map[int]bool{2: true, 3: false} {
			if asked := states[0].Asks(job); states[0].Alike(states[1], 0, asked) != alike || states[1].Alike(states[0], 0, asked) != alike {
				t.Errorf("%s: alike for job %d, which asks for %b: want %v", name, job, asked, alike)
			}
		}
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
