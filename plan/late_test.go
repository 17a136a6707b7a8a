package plan

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A hard deadline that is missed by rounding alone, as 0.1 + 0.1 + 0.1 misses 0.3, is met; one missed by more is not.
func TestHardDeadlinesAreMetUpToRounding(t *testing.T) {
	for deadline, want := range map[float64]int{0.3: 3, 0.3 - 1e-12: 2, 0.2: 2} {
		b := model.NewBuilder("tenths").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		for j := range 3 {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(0.1), Deadline: &deadline, DeadlineHard: true})
		}
		in := build(t, b)
		s := newSchedule(t, in)
		for j := range 3 {
			slot, ok := s.Earliest(j, 0)
			if !ok {
				t.Fatal("no slot")
			}
			s.Place(j, slot)
		}
		sol := s.Solution()
		if len(sol.Jobs) != want {
			t.Errorf("deadline %v: %d jobs placed, want %d", deadline, len(sol.Jobs), want)
		}
		if report := model.Check(in, sol); !report.OK() {
			t.Errorf("deadline %v: %v", deadline, report.Violations[0])
		}
	}
}
