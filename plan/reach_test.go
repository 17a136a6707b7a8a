package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// TestReach: jobs that reach some of the machines of a group are placed as they are where each machine is tracked. The same jobs on
// the first manyMachines machines of a group, which are all tracked, and on a million of them get the same places.
func TestReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features := modeltest.AllFeatures &^ (model.MoldableJobs | model.GridSpan | model.HardDeadlines)
		spec := modeltest.Generator{Features: features, Jobs: 12, Clusters: 2, Groups: 2, Machines: 2}.Spec(t)
		spec.Queueing, spec.Objective = nil, nil
		for c := range spec.Clusters {
			for m := range spec.Clusters[c].Machines {
				spec.Clusters[c].Machines[m].Queue = nil
			}
		}
		grow := func(count int) *model.Solution {
			spec.Clusters[0].Machines[len(spec.Clusters[0].Machines)-1].Count = count // the last, so that no processor is renumbered
			in, err := model.New(spec)
			if err != nil {
				t.Skip(err)
			}
			s, err := NewSchedule(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, job := range ArrivalOrder(in) {
				slot, found := Slot{}, false
				for c := range in.Clusters() {
					if other, ok := s.Earliest(job, c); ok && (!found || other.End < slot.End) {
						slot, found = other, true
					}
				}
				if found {
					s.Place(job, slot)
				} else {
					s.LeaveUnplaceable(job)
				}
			}
			sol := s.Solution()
			if report := model.Check(in, sol); !report.OK() {
				t.Fatalf("count %d: %v", count, report.Violations)
			}
			return sol
		}
		few, many := grow(manyMachines), grow(1_000_000)
		if diff := cmp.Diff(few.Jobs, many.Jobs); diff != "" {
			t.Fatal(diff)
		}
	})
}
