package backfill

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/sim"
)

// A roster holds what a plain list of the same jobs holds, in its order, and knows the place of each; gaps are never many more than jobs.
func TestRosterAsAPlainList(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 57))
		var all roster
		var plain []*sim.Job
		var free []int32 // handles of jobs that have left
		next := int32(0)
		for range 200 {
			switch {
			case r.IntN(5) < 3:
				if len(free) == 0 {
					free, next = append(free, next), next+1
				}
				j := &sim.Job{Number: int64(r.IntN(1000)), Handle: free[len(free)-1]}
				at, there := slices.BinarySearchFunc(plain, j, func(a, b *sim.Job) int { return int(a.Number - b.Number) })
				if there {
					continue
				}
				free, plain = free[:len(free)-1], slices.Insert(plain, at, j)
				if at == len(plain)-1 && r.IntN(2) == 0 {
					all.add(j)
				} else {
					all.insert(j)
				}
			case r.IntN(30) == 0:
				all.reset(plain)
			case len(plain) > 0:
				k := r.IntN(len(plain))
				all.remove(int(all.places[plain[k].Handle]))
				free = append(free, plain[k].Handle)
				plain = slices.Delete(plain, k, k+1)
			}
			if all.tidy(); len(all.jobs) > 2*len(plain)+32 {
				t.Fatalf("seed %d: %d places for %d jobs", seed, len(all.jobs), len(plain))
			}
			if !slices.Equal(all.list(), plain) || all.live != len(plain) {
				t.Fatalf("seed %d: %d jobs, expected %d", seed, all.live, len(plain))
			}
			for _, j := range plain {
				if at := all.jobs[all.places[j.Handle]]; at.job != j || at.handle != j.Handle {
					t.Fatalf("seed %d: the place of job %d holds %+v", seed, j.Number, at)
				}
			}
		}
	}
}
