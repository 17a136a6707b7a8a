package solvers_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// sixJobs is an instance of two processors (a) and one (b) for which all list heuristics decide differently:
//
//	job  arrival  processors  time on a  on b
//	j0   0        1           4          2
//	j1   0        1           6          5
//	j2   1        2           3          –
//	j3   1        1           9          4
//	j4   2        1           2          2
//	j5   2        1           1          10
func sixJobs(t *testing.T) *model.Instance {
	b := model.NewBuilder("six jobs").Cluster(solvecases.Machines("a", 2, 1), solvecases.Machines("b", 1, 1))
	for k, j := range []struct {
		arrival    float64
		processors int
		a, b       float64
	}{{0, 1, 4, 2}, {0, 1, 6, 5}, {1, 2, 3, 3}, {1, 1, 9, 4}, {2, 1, 2, 2}, {2, 1, 1, 10}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: j.arrival, Processors: model.Rigid(j.processors), Runtime: map[string]float64{"a": j.a, "b": j.b}})
	}
	return solvecases.Built(t, b)
}

// The least end: j0 2 on b before 4 on a; j1 6 on a before 7 on b; j2 fits a only, whose second processor j1 releases at 6;
// j3 6 on b before 18 on a; j4 8 on b before 11 on a; j5 10 on a before 18 on b.
func TestMCTByHand(t *testing.T) {
	solverstest.Schedules(t, &solvers.MCT{}, sixJobs(t), "j0 b:0 0-2", "j1 a:0 0-6", "j2 a:0-1 6-9", "j3 b:0 2-6", "j4 b:0 6-8", "j5 a:0 9-10")
}

// The least time: b for j0, j1 and j3, one after another; a for j2 and j5, and for j4 as the first of two that are equal.
func TestMETByHand(t *testing.T) {
	solverstest.Schedules(t, &solvers.MET{}, sixJobs(t), "j0 b:0 0-2", "j1 b:0 2-7", "j2 a:0-1 1-4", "j3 b:0 7-11", "j4 a:0 4-6", "j5 a:1 4-5")
}

// The first release: 0 on both for j0 and, as a has two processors, for j1; 6 for j2, two on a; then a is released at 9, b
// at 0 for j3 (which arrives at 1), at 5 for j4 and at 7 for j5.
func TestOLBByHand(t *testing.T) {
	solverstest.Schedules(t, &solvers.OLB{}, sixJobs(t), "j0 a:0 0-4", "j1 a:1 0-6", "j2 a:0-1 6-9", "j3 b:0 1-5", "j4 b:0 5-7", "j5 b:0 7-17")
}

// The first start: 0 on both for j0, which ends first on b; then 0 on a, not 2 on b, for j1; 6 for j2, two on a; then 9 on a,
// but 2 on b for j3, 6 for j4 and 8 for j5, however much longer it takes there.
func TestFCFSListByHand(t *testing.T) {
	solverstest.Schedules(t, &solvers.FCFSList{}, sixJobs(t), "j0 b:0 0-2", "j1 a:0 0-6", "j2 a:0-1 6-9", "j3 b:0 2-6", "j4 b:0 6-8", "j5 b:0 8-18")
}
