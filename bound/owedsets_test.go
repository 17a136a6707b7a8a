package bound_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// Sets of jobs that exclude each other have no job in common, also where a job of one has to be placed because another waits for it: else what is owed is counted twice, and
// the certificate is refuted.
func TestSetsOfJobsThatAreOwedAreDisjoint(t *testing.T) {
	several := 0
	for seed := range race.Fewer(uint64(100), 20) {
		rng := rand.New(rand.NewPCG(seed, 36))
		b := model.NewBuilder("sets").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 4}}})
		for j := range 15 {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(8)), Work: new(float64(1 + rng.IntN(5)))}
			if rng.IntN(3) > 0 {
				job.Deadline, job.DeadlineHard = new(float64(5+rng.IntN(6))), true
			}
			for before := range j {
				if rng.IntN(12) == 0 {
					job.After = append(job.After, fmt.Sprint("j", before))
				}
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := bound.New(t.Context(), in)
		sets, seen := p.OwedBy(), map[int]bool{}
		if len(sets) > 1 {
			several++
		}
		for _, set := range sets {
			for _, j := range set.Jobs {
				if seen[j] {
					t.Fatalf("seed %d: job %d is in two sets: %v", seed, j, sets)
				}
				seen[j] = true
			}
		}
	}
	if several < race.Fewer(10, 1) {
		t.Errorf("%d batches with several sets: too few", several)
	}
}
