package backfill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// TestLine compares the queue, in the orders of one number a job, with a queue that is sorted at each instant, start by start: with ties, weights of 0 and of 1e9, ages beyond the
// greatest, and so many jobs that blocks and sections are halved and empty.
func TestLine(t *testing.T) {
	for seed := range race.Fewer(uint64(1600), 400) {
		rng := rand.New(rand.NewPCG(seed, 37))
		specs, processors := randomDeep(rng, 150)
		if seed%400 == 0 {
			specs, processors = randomDeep(rng, 3000)
		}
		r, depth := randomRanking(rng), []int{0, 1, 1, 2, 5}[rng.IntN(5)]
		if r.Order != byWFP3 && rng.IntN(4) == 0 {
			r.WeightAge, r.WeightShare = 1e9*float64(rng.IntN(3)-1), 1e9*float64(rng.IntN(3)-1)
		}
		users := int32(0)
		b := model.NewBuilder("line").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: int(processors)}}})
		for k := range specs {
			s := &specs[k]
			if s.User = 1 + rng.Int32N(4); s.User > users { // by number as they come: usage is summed in this order
				users++
				s.User = users
			}
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Arrival: s.Arrival, Processors: model.Rigid(int(s.Processors)), Work: &s.Runtime, Estimate: &s.Estimate, User: fmt.Sprint("u", s.User)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := replay(t, slices.Clone(specs), processors, onlyOnce(&sorted{step: 1, depth: depth, processors: int(processors), scorer: newScorer(r, int(processors))}), false)
		got, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: newGeneral(depth, 1, Order{}, r), Classes: r.looksAtClasses(), Remembers: r.remembers()}, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Jobs {
			if k, _ := in.JobIndex(p.Job); p.Start != want[k] {
				t.Fatalf("seed %d, %+v, depth %d: job %d of %d starts at %v, with a sorted queue at %v\n%s", seed, r, depth, k, len(specs), p.Start, want[k], shown(specs, processors))
			}
		}
	}
}
