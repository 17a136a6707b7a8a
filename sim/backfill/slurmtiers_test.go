package backfill_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// Slurm looks at jobs of a higher tier first, whatever the order within a tier: on a machine that runs one job at a time, none starts while one of a higher tier has waited for a minute.
func TestSlurmKeepsTiers(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 61))
		b := model.NewBuilder("tiers").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2}}})
		tiers := map[string]float64{}
		for _, name := range []string{"p", "q", "r"} {
			tiers[name] = float64(rng.IntN(3))
			b.Spec().Partitions = append(b.Spec().Partitions, model.PartitionSpec{ID: name, Tier: tiers[name]})
		}
		tierOf := map[string]float64{}
		for k := range 40 {
			id, queue := fmt.Sprint("j", k), []string{"p", "q", "r", "p,q"}[rng.IntN(4)]
			tierOf[id] = tiers[queue[:1]]
			if len(queue) > 1 {
				tierOf[id] = max(tiers["p"], tiers["q"])
			}
			length := float64(60 * (1 + rng.IntN(9)))
			b.Job(model.JobSpec{ID: id, Arrival: float64(60 * rng.IntN(60)), Processors: model.Rigid(2), Work: &length, Estimate: &length, Queue: queue})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []string{"fcfs", "sjf"} {
			r := backfill.DefaultRanking()
			r.Order = order
			sol, _, err := sim.Simulate(t.Context(), in, backfill.Slurm(1, backfill.DefaultCycles(), r), sim.Options{})
			if err != nil || len(sol.Jobs) != 40 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			slices.SortFunc(sol.Jobs, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
			for k, p := range sol.Jobs {
				for _, later := range sol.Jobs[k+1:] {
					if j, _ := in.JobIndex(later.Job); in.Jobs()[j].Arrival <= p.Start-60 && tierOf[later.Job] > tierOf[p.Job] {
						t.Errorf("seed %d, %s: %s of tier %v starts at %v, %s of tier %v waits since %v", seed, order, p.Job, tierOf[p.Job], p.Start, later.Job, tierOf[later.Job], in.Jobs()[j].Arrival)
					}
				}
			}
		}
	}
}
