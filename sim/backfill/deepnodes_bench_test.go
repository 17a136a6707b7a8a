//go:build unix

package backfill

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

var (
	deepJobs = flag.Int("deep-jobs", 50_000, "jobs that wait in BenchmarkDeepNodes")
	deepMost = flag.Int("deep-nodes", 1000, "nodes in BenchmarkDeepNodes")
	deepPlan = flag.Bool("deep-conservative", false, "BenchmarkDeepNodes also runs conservative, which is too slow for so many jobs")
)

// deepNodes is a cluster with GPUs and memory and a long queue: six nodes of ten have 64 processors, three have four GPUs besides, one has 128 processors and eight GPUs. Three of
// four jobs arrive at 0, the others within an hour; one node of two runs a job already. Half the estimates are round. named: each node has a feature of its own name, and one job of
// fifty names four nodes, so that no two nodes are alike.
func deepNodes(b testing.TB, nodes, jobs int, named bool) *model.Instance {
	rng := rand.New(rand.NewPCG(uint64(nodes), uint64(jobs)))
	build := model.NewBuilder("deep")
	build.Spec().Devices = []string{"gpu"}
	cluster := model.ClusterSpec{ID: "c"}
	kinds := []struct {
		name             string
		processors, gpus int
		memory           float64
	}{{"cpu", 64, 0, 256}, {"gpu", 64, 4, 512}, {"big", 128, 8, 1024}}
	counts := []int{nodes * 6 / 10, nodes * 3 / 10, nodes - nodes*6/10 - nodes*3/10}
	first := 0
	for k, of := range kinds {
		m := model.MachineSpec{ID: of.name, Count: counts[k], Processors: of.processors, Memory: new(of.memory), Features: []string{of.name}}
		if of.gpus > 0 {
			m.Resources = map[string]float64{"gpu": float64(of.gpus)}
			m.Features = append(m.Features, "gpus")
		}
		for n := 0; named && n < counts[k]; n++ {
			one := m
			one.ID, one.Count = fmt.Sprint(of.name, n), 1
			one.Features = append([]string{one.ID}, m.Features...)
			cluster.Machines = append(cluster.Machines, one)
		}
		if !named {
			cluster.Machines = append(cluster.Machines, m)
		}
		for n := range counts[k] {
			if n%2 == 0 {
				left := float64(60 * (1 + rng.IntN(4*60)))
				set := model.ProcessorSet{{First: first, Last: first + of.processors/2 - 1}}
				build.Job(model.JobSpec{ID: fmt.Sprint("r", k, "-", n), Work: new(left * (0.3 + 0.7*rng.Float64())), Estimate: new(left), Processors: model.Rigid(of.processors / 2),
					Running: &model.RunningSpec{Cluster: "c", Processors: set}})
			}
			first += of.processors
		}
	}
	build.Cluster(cluster)
	round := []float64{0.5, 1, 2, 4, 8, 24}
	for k := range jobs {
		runtime := math.Ceil(60 * math.Exp(rng.Float64()*math.Log(240)))
		estimate := 60 * math.Ceil(runtime*(1+4*rng.Float64())/60)
		if rng.IntN(2) == 0 {
			for _, hours := range round {
				if estimate = hours * 3600; estimate >= runtime && rng.IntN(3) > 0 {
					break
				}
			}
		}
		j := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(runtime), Estimate: new(estimate), User: fmt.Sprint("u", rng.IntN(60)), Queue: "cpu", Memory: float64(1 + rng.IntN(3)), Features: [][]string{{"cpu"}}, Span: "machine"}
		if rng.IntN(4) == 0 {
			j.Arrival = float64(rng.IntN(3600))
		}
		switch rng.IntN(16) {
		case 0, 1, 2, 3, 4, 5, 6:
			j.Block = 1 << rng.IntN(7)
			j.Processors = model.Rigid(j.Block)
		case 7:
			n := 2 + rng.IntN(15)
			j.Span, j.Block, j.Processors, j.PerMachine, j.Machines = "", 64, model.Rigid(64*n), 1, model.Rigid(n)
		case 8, 9, 10, 11, 12, 13, 14:
			gpus := 1 << rng.IntN(3)
			j.Queue, j.Features, j.Block, j.Resources = "gpu", [][]string{{"gpus"}}, 8*gpus, map[string]float64{"gpu": float64(gpus)}
			j.Processors = model.Rigid(j.Block)
		case 15:
			n := 1 + rng.IntN(8)
			j.Queue, j.Features, j.Resources = "gpu", [][]string{{"gpus"}}, map[string]float64{"gpu": 4}
			j.Span, j.Block, j.Processors, j.PerMachine, j.Machines = "", 32, model.Rigid(32*n), 1, model.Rigid(n)
		}
		if named && rng.IntN(50) == 0 && j.PerMachine == 0 {
			kind := 0
			if j.Queue == "gpu" {
				kind = 1
			}
			var names []string
			for range 4 {
				names = append(names, fmt.Sprint(kinds[kind].name, rng.IntN(counts[kind])))
			}
			j.Features = append(j.Features, names)
		}
		build.Job(j)
	}
	in, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// BenchmarkDeepNodes empties a queue of 50,000 jobs on 1,000 nodes. Targets: easy 10 s, also where no two nodes are alike; backfill 10 s and conservative 60 s, which
// they miss.
func BenchmarkDeepNodes(b *testing.B) {
	for _, c := range []struct {
		solver string
		named  bool
		policy sim.Discipline
	}{
		{"easy", false, EASY(1, 1, Ranking{})},
		{"easy", true, EASY(1, 1, Ranking{})},
		{"backfill", false, Slurm(1, DefaultCycles(), Ranking{})},
		{"conservative:reservations=100", false, ConservativeUpTo(100, 1, Ranking{})},
		{"conservative:reservations=1000", false, ConservativeUpTo(1000, 1, Ranking{})},
		{"conservative", false, Conservative(1, Ranking{})},
	} {
		nodes := "alike"
		if c.named {
			nodes = "named"
		}
		b.Run("solver="+c.solver+"/nodes="+nodes, func(b *testing.B) {
			if strings.HasPrefix(c.solver, "conservative") && !*deepPlan {
				b.Skip("only with -deep-conservative, and few jobs")
			}
			in := deepNodes(b, *deepMost, *deepJobs, c.named)
			measure(b, len(in.Jobs()), func() sim.Totals {
				_, totals, err := sim.Simulate(context.Background(), in, c.policy, sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(totals.Instants), "instants")
				return totals
			})
		})
	}
}
