package solvers_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// slowAndFar is a grid of three machines: fast with a slow link, slow with a fast link, and between, with little memory.
func slowAndFar(t *testing.T, jobs ...model.JobSpec) *model.Instance {
	machine := func(id string, speed, bandwidth, memory float64) model.ClusterSpec {
		return model.ClusterSpec{ID: id, Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Speed: speed, Bandwidth: bandwidth, Memory: &memory}}}
	}
	return solvecases.Built(t, model.NewBuilder("slow and far").Cluster(machine("fast", 8, 2, 4), machine("near", 2, 10, 4), machine("small", 6, 8, 1)).Job(jobs...))
}

// Scores with q = 1/2: fast 1/2·2/10 + 1/2 = 0.6, near 1/2 + 1/2·2/8 = 0.625, small 1/2·8/10 + 1/2·6/8 = 0.775. All go to small but the second, which does
// not fit there, and the third, which would miss its deadline there and on near. With waits: j0 small, j1 near, j2 fast, then j3 (wait 2 on small, 8 on near, 1 on fast) fast.
func TestASJSByHand(t *testing.T) {
	in := slowAndFar(t, model.JobSpec{ID: "j0", Work: new(12.0)}, model.JobSpec{ID: "j1", Work: new(16.0), Memory: 2},
		model.JobSpec{ID: "j2", Work: new(8.0), Deadline: new(2.0), DeadlineHard: true}, model.JobSpec{ID: "j3", Work: new(24.0)})
	solverstest.Schedules(t, solverstest.With(solve.Default[solvers.ASJS](), func(x *solvers.ASJS) { x.Q = new(0.5) }), in, "j0 small:0 0-2", "j1 near:0 0-8", "j2 fast:0 0-1", "j3 small:0 2-6")
	solverstest.Schedules(t, solverstest.With(solve.Default[solvers.ASJS](), func(x *solvers.ASJS) { x.Q, x.Wait = new(0.5), "on" }), in, "j0 small:0 0-2", "j1 near:0 0-8", "j2 fast:0 0-1", "j3 fast:0 1-4")
	// No job has files, so the share of those is 0: processing power alone counts.
	solverstest.Schedules(t, solve.Default[solvers.ASJS](), in, "j0 fast:0 0-1.5", "j1 fast:0 1.5-3.5", "j2 small:0 0-1.3333333333333333", "j3 fast:0 3.5-6.5")
}

// Execution and transfer of j0: fast (1, 6), near (4, 1.2), small (4/3, 1.5): √(CI² + DI²) 6.1, 4.2, 2.0. j1 does not fit small: fast 2.2 (2, 1), near 8.0 (8, 0.2). With
// waits j2 has 3 + 1 on fast, 4 on near and 17/6 + 4/3 on small: fast, the first of two that are equal.
func TestMRSByHand(t *testing.T) {
	in := slowAndFar(t, model.JobSpec{ID: "j0", Work: new(8.0), Input: 12}, model.JobSpec{ID: "j1", Work: new(16.0), Output: 2, Memory: 2}, model.JobSpec{ID: "j2", Work: new(8.0)})
	solverstest.Schedules(t, solve.Default[solvers.MRS](), in, "j0 small:0 0-2.833333333333333", "j1 fast:0 0-3", "j2 fast:0 3-4")
	solverstest.Schedules(t, solverstest.With(solve.Default[solvers.MRS](), func(x *solvers.MRS) { x.Wait = "on" }), in, "j0 small:0 0-2.833333333333333", "j1 fast:0 0-3", "j2 fast:0 3-4")
	late := slowAndFar(t, model.JobSpec{ID: "j0", Work: new(8.0)}, model.JobSpec{ID: "j1", Work: new(8.0), Deadline: new(1.5), DeadlineHard: true})
	solverstest.Schedules(t, solve.Default[solvers.MRS](), late, "j0 fast:0 0-1", "j1 small:0 0-1.3333333333333333")
}

// Deadlines 9, none, 4, 6 (waits for the one due at 9), 7: 4, 7, 9, 6, none.
func TestEDDByHand(t *testing.T) {
	b := model.NewBuilder("due").Cluster(solvecases.Machines("c", 1, 1))
	for k, deadline := range []float64{9, 0, 4, 6, 7} {
		job := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(1.0)}
		if deadline > 0 {
			job.Deadline = &deadline
		}
		if k == 3 {
			job.After = []string{"j0"}
		}
		b.Job(job)
	}
	solverstest.Schedules(t, &solvers.EDD{}, solvecases.Built(t, b), "j2 c:0 0-1", "j4 c:0 1-2", "j0 c:0 2-3", "j3 c:0 3-4", "j1 c:0 4-5")
}

// Mean durations on speeds 1 and 2 are 3/4 of the work. Ranks: j3 3, j2 3/4 + 3, j1 6, j0 3/4 + max(6, 3.75).
func TestHEFTByHand(t *testing.T) {
	b := model.NewBuilder("ranks").Cluster(solvecases.Machines("slow", 1, 1), solvecases.Machines("fast", 1, 2))
	b.Job(model.JobSpec{ID: "j0", Work: new(1.0)}, model.JobSpec{ID: "j1", Work: new(8.0), After: []string{"j0"}},
		model.JobSpec{ID: "j2", Work: new(1.0), After: []string{"j0"}}, model.JobSpec{ID: "j3", Work: new(4.0), After: []string{"j2"}})
	solverstest.Schedules(t, &solvers.HEFT{}, solvecases.Built(t, b), "j0 fast:0 0-0.5", "j1 fast:0 0.5-4.5", "j2 slow:0 0.5-1.5", "j3 slow:0 1.5-5.5")
}
