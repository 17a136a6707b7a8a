package proof_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// A job that waits for one that a hard deadline may keep out need not be placed either.
func TestNoDutyBehindAJobThatMayBeLeftOut(t *testing.T) {
	deadline := 9.0
	may := job("may", 1, 1)
	may.Deadline, may.DeadlineHard = &deadline, true
	in := built(t, model.NewBuilder("waits").Cluster(cluster("c", 1, 1)).Job(may, job("behind", 1, 5, "may"), job("must", 1, 2)))
	for jobs, want := range map[int]proof.Verdict{1: proof.Refuted, 2: proof.Verified} {
		by := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{jobs}}}
		if r := proof.Check(t.Context(), in, claim(in, "makespan", 2, 0, by)); r.Verdict != want {
			t.Errorf("job %d alone: %v", jobs, r)
		}
	}
}

// Copies of a licence in the pool of the grid and in one of a cluster add up.
func TestCopiesOfAllPoolsAddUp(t *testing.T) {
	own := cluster("own", 4, 1)
	own.Licences = map[string]int{"l": 1}
	b := model.NewBuilder("pools").Cluster(own, cluster("other", 4, 1))
	b.Spec().Licences = map[string]int{"l": 2}
	for _, id := range []string{"x", "y", "z"} {
		j := job(id, 1, 3)
		j.Licences = map[string]int{"l": 1}
		b.Job(j)
	}
	expect(t, built(t, b), "makespan", 3, 0, proof.Argument{Area: &proof.Area{Licence: "l"}})
}

// A job counts with its least area on any cluster where it can run.
func TestAreaLevelsTakeTheLeastArea(t *testing.T) {
	b := model.NewBuilder("unrelated").Cluster(cluster("a", 1, 1), cluster("b", 1, 1)).Minimise("mcp", 1)
	b.Job(model.JobSpec{ID: "x", Runtime: map[string]float64{"a": 1, "b": 10}})
	expect(t, built(t, b), "mcp", 1.0/3, 0, proof.Argument{AreaLevels: &proof.AreaLevels{}}) // the makespan weighs a third
}

// A right schedule that costs less than a bound refutes it, whether or not anything proves the bound.
func TestScheduleRefutesABoundWithoutACertificate(t *testing.T) {
	in := built(t, model.NewBuilder("one").Cluster(cluster("c", 1, 1)).Job(job("x", 1, 1)))
	plan := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{{Job: "x", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 1}}}
	for bound, want := range map[float64]proof.Verdict{1: proof.NotCertified, 2: proof.Refuted} {
		if out := proof.CheckSolution(t.Context(), in, claim(in, "makespan", bound, 0, nil), plan); out.Verdict != want || out.Optimal {
			t.Errorf("a bound of %v: %+v", bound, out)
		}
	}
}
