//go:build unix

package solvers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// BenchmarkSearchFirst measures the processor time until search reports its first schedule of 20,000 moldable jobs on 15 clusters, and its ratio to that of fcfs-list alone.
func BenchmarkSearchFirst(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	builder := model.NewBuilder("moldable").Minimise("makespan", 1)
	for c := range 15 {
		builder.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 16 << (c % 4)}}})
	}
	for j := range 20_000 {
		tasks := 1 + rng.IntN(64)
		builder.Job(model.JobSpec{ID: fmt.Sprint("j", j), Tasks: tasks, Processors: model.Moldable(1, min(16, tasks)), Work: new(rng.ExpFloat64())})
	}
	in, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	used := func() float64 {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
	}
	first := func(name string) float64 {
		info, err := solve.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		began, took := used(), math.NaN()
		_, err = info.New().Solve(ctx, in, solve.Options{Seed: 1, Workers: 1, MaxEvals: 1, Progress: func(p solve.Progress) {
			if math.IsNaN(took) && p.Schedule != nil {
				took = used() - began
				cancel()
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
		if math.IsNaN(took) { // a heuristic reports nothing: its schedule is its first
			took = used() - began
		}
		return took
	}
	search, list := 0.0, 0.0
	for b.Loop() {
		list += first("fcfs-list")
		search += first("search")
	}
	b.ReportMetric(search/float64(b.N), "ms-first")
	b.ReportMetric(search/list, "ratio-list")
}
