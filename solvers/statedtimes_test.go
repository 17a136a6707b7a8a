package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Jobs that ask the same of single machines but state run times for different clusters, need licences, and bring files over links of different bandwidth, on machines of different speed that
// close at times: each on-line policy places each of them, on a cluster that it can run on, and the checker finds nothing wrong.
func TestStatedTimesOnNodes(t *testing.T) {
	tried := 0
	for _, info := range solve.Solvers() {
		policy, online := solve.PolicyOf(info.New())
		if !online || policy.Supports(stated(t, 0)) != nil {
			continue
		}
		tried++
		t.Run(info.Name, func(t *testing.T) {
			for seed := range uint64(race.Fewer(60, 10)) {
				in := stated(t, seed)
				sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != len(in.Jobs()) {
					t.Fatalf("seed %d: %d of %d jobs, %v %+v", seed, len(sol.Jobs), len(in.Jobs()), report.Violations, sol.Unscheduled)
				}
			}
		})
	}
	if tried < 5 {
		t.Errorf("%d policies", tried)
	}
}

// stated is such a batch.
func stated(t *testing.T, seed uint64) *model.Instance {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 59))
	b := model.NewBuilder("")
	for _, id := range []string{"c", "d"} {
		cluster := model.ClusterSpec{ID: id}
		for m := range 3 {
			one := model.MachineSpec{ID: fmt.Sprint("m", m), Processors: 4, Resources: map[string]float64{"gpu": 2}, Speed: []float64{1, 1, 2}[r.IntN(3)], Bandwidth: []float64{1, 1, 4}[r.IntN(3)]}
			if r.IntN(2) == 0 {
				from := float64(r.IntN(20))
				one.Closed = []model.ClosedSpec{{From: from, To: new(from + float64(1+r.IntN(20)))}}
			}
			cluster.Machines = append(cluster.Machines, one)
		}
		b.Cluster(cluster)
	}
	b.Spec().Devices, b.Spec().Licences = []string{"gpu"}, map[string]int{"l": 1}
	at := 0.0
	for k := range 14 {
		at += float64(r.IntN(4))
		j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Processors: model.Rigid(1 + r.IntN(2)), Resources: map[string]float64{"gpu": 1}}
		length := float64(1 + r.IntN(9))
		switch r.IntN(4) {
		case 0:
			j.Runtime = map[string]float64{"c": length}
		case 1:
			j.Runtime = map[string]float64{"d": length}
		case 2:
			j.Work, j.Input = &length, float64(r.IntN(6))
		default:
			j.Work = &length
		}
		if r.IntN(3) == 0 {
			j.Licences = map[string]int{"l": 1}
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A machine that closes once, for ever: jobs that have started before it does are not looked at again, and those that can end before it closes start.
func TestMachineThatClosesOnce(t *testing.T) {
	for _, info := range solve.Solvers() {
		policy, online := solve.PolicyOf(info.New())
		if !online {
			continue
		}
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Closed: []model.ClosedSpec{{From: 30}}}}})
		for k, at := range []float64{0, 1, 12, 22, 25, 26} {
			length := []float64{10, 8, 9, 6, 3, 9}[k]
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Work: &length, Estimate: &length, Processors: model.Rigid(1 + k%2)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if policy.Supports(in) != nil {
			continue
		}
		sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 5 {
			t.Errorf("%s: %d jobs are placed, want 5: %v %+v", info.Name, len(sol.Jobs), report.Violations, sol.Unscheduled)
		}
	}
}
