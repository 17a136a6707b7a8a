//go:build unix

package model_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
)

// presolveLarge is an instance of 100,000 jobs to which every rule applies, on 1,000 machines named one by one: jobs that ask for the same, or each
// for something of its own, also in lists.
func presolveLarge(own, lists bool) *model.Instance {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	spec := model.InstanceSpec{Licences: map[string]int{"l": 2 * n}, Horizon: &model.HorizonSpec{To: 1e12}}
	cluster := model.ClusterSpec{ID: "c", Network: &model.Network{Latency: 1}, PowerCap: [][]float64{{0, 1e9}}}
	for k := range 1000 {
		cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("n", k), Processors: 8, Memory: new(1e4), Bandwidth: float64(1 + k%2),
			Features: []string{"f"}, Resources: map[string]float64{"r": 100}, Power: &model.PowerSpec{Busy: 1}, Closed: []model.ClosedSpec{{From: 1e13, To: new(1e14)}}})
	}
	spec.Clusters = []model.ClusterSpec{cluster}
	for k := range n {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(k), Work: new(float64(1 + rng.IntN(1000))), Processors: model.Rigid(1 + rng.IntN(64)), Memory: float64(1 + rng.IntN(8))}
		if own {
			j.Memory, j.Licences, j.Span, j.Features = rng.Float64(), map[string]int{"l": 1}, "grid", [][]string{{"f"}}
			j.Resources, j.Deadline, j.DeadlineHard = map[string]float64{"r": float64(k%8) + 1}, new(1e12), true
		}
		if lists && k > 0 {
			j.Message, j.After = rng.Float64(), []string{fmt.Sprint("j", rng.IntN(k))}
		}
		spec.Jobs = append(spec.Jobs, j)
	}
	in, err := model.New(spec)
	if err != nil {
		panic(err)
	}
	return in
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The presolve of 100,000 jobs takes at most 50 ms of processor time.
func BenchmarkPresolve(b *testing.B) {
	for k, name := range []string{"shared", "own", "lists"} {
		in := presolveLarge(k > 0, k > 1)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before, runs := processorTime(b), 0
			for b.Loop() {
				if _, by := model.Reduce(in, 0); by.Keeps() {
					b.Fatalf("machines are not merged: %s", by)
				}
				runs++
			}
			b.ReportMetric((processorTime(b)-before).Seconds()*1e3/float64(runs), "cpu-ms/op")
		})
		b.Run("binding/"+name, func(b *testing.B) { // asks for the features that can bind, as solvers do
			before, runs := processorTime(b), 0
			for b.Loop() {
				if in.Binding()&model.MemoryLimits != 0 {
					b.Fatal("memory never runs short")
				}
				runs++
			}
			b.ReportMetric((processorTime(b)-before).Seconds()*1e3/float64(runs), "cpu-ms/op")
		})
	}
}
