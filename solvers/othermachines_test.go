package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// behind is a batch on four machines with two GPUs each, behind others that no job can use.
func behind(t *testing.T, seed uint64, others int) *model.Instance {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 57))
	of := model.MachineSpec{ID: "m", Count: 4, Processors: 4, Memory: new(16.0), Resources: map[string]float64{"gpu": 2}, Features: []string{"mine"}}
	cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{of}}
	if others > 0 {
		cluster.Machines = []model.MachineSpec{{ID: "other", Count: others, Processors: 4, Memory: new(16.0), Resources: map[string]float64{"gpu": 2}}, of}
	}
	b := model.NewBuilder("").Cluster(cluster)
	b.Spec().Devices = []string{"gpu"}
	at := 0.0
	for k := range 12 {
		at += float64(r.IntN(5))
		length := float64(1 + r.IntN(12))
		j := model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: at, Processors: model.Rigid(1 + r.IntN(6)), Work: &length, Estimate: new(length + float64(r.IntN(4))), Memory: float64(r.IntN(4)), Features: [][]string{{"mine"}},
			User: string(rune('a' + r.IntN(2))),
		}
		if r.IntN(2) == 0 {
			j.Resources = map[string]float64{"gpu": float64(1 + r.IntN(2))}
		}
		if r.IntN(4) == 0 {
			j.PerMachine = 1
			j.Processors = model.Rigid(1 + r.IntN(4))
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Machines that no job can use change nothing, however many stand before the others: each on-line policy starts the same jobs at the same times on the same of
// the machines that they can use. Sets of machines are kept in words of 64, and these stand at other places of them.
func TestMachinesThatNobodyCanUse(t *testing.T) {
	seeds := race.Fewer(8, 2)
	tried := 0
	for _, info := range solve.Solvers() {
		policy, online := solve.PolicyOf(info.New())
		if !online || policy.Supports(behind(t, 0, 1)) != nil {
			continue
		}
		tried++
		t.Run(info.Name, func(t *testing.T) {
			for seed := range uint64(seeds) {
				var want []model.Placement
				for _, others := range []int{0, 1, 61, 64, 70, 130} {
					sol, _, err := solve.Simulate(t.Context(), policy, behind(t, seed, others), sim.Options{Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					for k := range sol.Jobs {
						p := &sol.Jobs[k]
						moved := slices.Clone(p.Processors)
						for i := range moved {
							moved[i].First, moved[i].Last = moved[i].First-4*others, moved[i].Last-4*others
						}
						p.Processors = moved
					}
					if others == 0 {
						want = sol.Jobs
						continue
					}
					for k := range want {
						if got := sol.Jobs[k]; got.Job != want[k].Job || got.Start != want[k].Start || got.End != want[k].End || !slices.Equal(got.Processors, want[k].Processors) {
							t.Fatalf("seed %d, %d others: %+v, without them %+v", seed, others, got, want[k])
						}
					}
				}
			}
		})
	}
	if tried < 5 {
		t.Errorf("%d policies", tried)
	}
}
