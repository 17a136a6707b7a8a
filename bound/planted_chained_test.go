package bound

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// plantedProject has 20 to 60 jobs on one cluster whose schedule leaves no copy of two licences idle before its end: each is cut into jobs at
// times of their own, and a job waits for some that end before it starts. So the optimum is the length that was cut.
func plantedProject(t *testing.T, seed uint64) (in *model.Instance, best float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	unit := []float64{1, 0.1, 1.0 / 3, 1e-9, 1e9}[rng.IntN(5)]
	length := 20 + rng.IntN(30)
	b := model.NewBuilder("planted")
	b.Spec().Licences = map[string]int{"k": 2 + rng.IntN(3), "l": 1 + rng.IntN(3)}
	type placed struct{ start, end int }
	var jobs []placed
	for _, licence := range []string{"k", "l"} {
		free := make([]int, b.Spec().Licences[licence]) // when each copy is free
		for {
			first := 0 // the copies that are free first
			for c := range free {
				if free[c] < free[first] {
					first = c
				}
			}
			start := free[first]
			if start == length {
				break
			}
			end := min(length, start+1+rng.IntN(9))
			copies := 0
			for c := range free {
				if free[c] == start && (copies == 0 || rng.IntN(2) == 0) {
					free[c] = end
					copies++
				}
			}
			job := model.JobSpec{ID: fmt.Sprint("j", len(jobs)), Work: new(unit * float64(end-start)), Licences: map[string]int{licence: copies}}
			for k, other := range jobs {
				if other.end <= start && rng.IntN(4) == 0 {
					job.After = append(job.After, fmt.Sprint("j", k))
				}
			}
			jobs = append(jobs, placed{start, end})
			b.Job(job)
		}
	}
	b.Cluster(of("c", len(jobs)))
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, unit * float64(length)
}

// The area proves the planted optimum at once. No method proves more, and the search by learned clauses, which is not told, comes upon a
// schedule of most.
func TestPlantedProjects(t *testing.T) {
	seeds := race.Fewer(uint64(60), 10)
	found := 0
	for seed := range seeds {
		in, best := plantedProject(t, seed)
		proof := New(context.Background(), in)
		for k := 0; k < 40 && proof.Improve(context.Background(), 5_000_000); k++ {
		}
		for _, part := range proof.Parts() {
			if part.Value > best*(1+1e-9) {
				t.Errorf("seed %d: %s proves %v, the planted schedule has %v", seed, part.Method, part.Value, best)
			}
			if part.Method == "destructive" && part.Value < best*(1-1e-9) {
				t.Errorf("seed %d: destructive proves %v, the area is %v", seed, part.Value, best)
			}
		}
		if _, ok := proof.Order(); ok {
			found++
		}
	}
	t.Logf("%d of %d schedules", found, seeds)
	if found < int(seeds)*9/10 {
		t.Errorf("%d of %d schedules, expected nine tenths", found, seeds)
	}
}
