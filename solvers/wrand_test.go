package solvers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// A cluster is drawn in proportion to the sum of its processors' speeds, among those that can run the job: 4 for a, 6 for b
// and 10 for c, which has machines of two speeds; for jobs of three processors, b is too narrow.
func TestWRANDProbabilities(t *testing.T) {
	for _, c := range []struct {
		size   int
		shares []float64
	}{{1, []float64{4. / 20, 6. / 20, 10. / 20}}, {3, []float64{4. / 14, 0, 10. / 14}}} {
		const jobs = 10_000
		in := wrandInstance(t, jobs, c.size)
		counts := map[string]float64{}
		for _, p := range placements(t, &solvers.WRAND{}, in, 1) {
			counts[p.Cluster]++
		}
		// Chi-square; with two degrees of freedom it exceeds 13.8 in one of 1,000 cases.
		sum := 0.0
		for k, share := range c.shares {
			count, expected := counts[in.Clusters()[k].ID], share*jobs
			switch {
			case expected > 0:
				sum += (count - expected) * (count - expected) / expected
			case count > 0:
				t.Errorf("%v jobs of %d processors on %s", count, c.size, in.Clusters()[k].ID)
			}
		}
		if sum > 13.8 {
			t.Errorf("size %d: chi-square %v of %v", c.size, sum, counts)
		}
	}
}

// wrandInstance has jobs of one size.
func wrandInstance(t *testing.T, jobs, size int) *model.Instance {
	b := model.NewBuilder("capabilities").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 2, 3), model.ClusterSpec{ID: "c",
		Machines: []model.MachineSpec{{ID: "slow", Processors: 5}, {ID: "fast", Speed: 5}}})
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0), Processors: model.Rigid(size)})
	}
	return solvecases.Built(t, b)
}

// placements are those of the solver's schedule.
func placements(t *testing.T, solver solve.Solver, in *model.Instance, seed uint64) []model.Placement {
	t.Helper()
	result, err := solver.Solve(context.Background(), in, solve.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Solution.Jobs) != len(in.Jobs()) {
		t.Fatalf("placed %d of %d jobs", len(result.Solution.Jobs), len(in.Jobs()))
	}
	return result.Solution.Jobs
}

// The seed decides: the same one draws the same clusters, another one others.
func TestWRANDSeed(t *testing.T) {
	in := wrandInstance(t, 100, 1)
	clusters := func(seed uint64) (ids string) {
		for _, p := range placements(t, &solvers.WRAND{}, in, seed) {
			ids += p.Cluster
		}
		return ids
	}
	if first, again := clusters(1), clusters(1); first != again {
		t.Error("one seed gives two schedules")
	}
	if clusters(1) == clusters(2) {
		t.Error("two seeds give one schedule")
	}
}
