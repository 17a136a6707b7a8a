package plan

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// fill places the jobs in a drawn order, each on the first cluster from a drawn one on that has a slot.
func fill(t *rapid.T, s *Schedule, order, first []int) *model.Solution {
	for k, job := range Topological(s.in, order) {
		placed := false
		for c := range s.in.Clusters() {
			if slot, ok := s.Earliest(job, (c+first[k])%len(s.in.Clusters())); ok {
				s.Place(job, slot)
				placed = true
				break
			}
		}
		if !placed {
			s.LeaveUnplaceable(job)
		}
	}
	return s.Solution()
}

// TestRestart fills a schedule again and again: each time it is the schedule that a new one becomes, and the one before stays as it was.
func TestRestart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12}.Instance(t)
		if rapid.Bool().Draw(t, "behind holds") && len(in.Jobs()) > 0 {
			in = behindFirst(in)
		}
		jobs := make([]int, len(in.Jobs()))
		for j := range jobs {
			jobs[j] = j
		}
		empty, again := newSchedule(t, in), newSchedule(t, in)
		var before, kept *model.Solution
		for range 3 {
			order := rapid.Permutation(jobs).Draw(t, "order")
			first := rapid.SliceOfN(rapid.IntRange(0, 2), len(jobs), len(jobs)).Draw(t, "first")
			again.Restart(empty)
			found, want := fill(t, again, order, first), fill(t, newSchedule(t, in), order, first)
			if !reflect.DeepEqual(found, want) {
				t.Fatalf("%+v, a new schedule becomes %+v", found, want)
			}
			if !reflect.DeepEqual(before, kept) {
				t.Fatalf("the solution before has changed to %+v, it was %+v", before, kept)
			}
			before, kept = found, want
		}
	})
}

// behindFirst is the batch of all jobs but the first behind a hold of it on the first processor of each cluster.
func behindFirst(in *model.Instance) *model.Instance {
	h := model.Hold{Job: &in.Jobs()[0], End: 7}
	for c := range in.Clusters() {
		h.Pieces = append(h.Pieces, model.HoldPiece{Cluster: c, Processors: model.Processors(0), End: 3 + float64(c)})
	}
	var rest []int
	var ready []float64
	for j := 1; j < len(in.Jobs()); j++ {
		rest, ready = append(rest, j), append(ready, max(1, in.Jobs()[j].Arrival))
	}
	return in.Batch(rest, ready, []model.Hold{h})
}
