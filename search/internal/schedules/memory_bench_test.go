//go:build unix

package schedules

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/allot-opt/allot/model"
)

// memoryBatch is a batch of rigid jobs on four clusters, each of so many machines with memory of 64. Some jobs fill the memory of a machine with few of its processors. A third of the jobs waits for another. Without memory jobs
// need none.
func memoryBatch(tb testing.TB, jobs, machines, processors int, memory bool) *model.Instance {
	tb.Helper()
	b := model.NewBuilder("memory").Minimise("mean_response", 1)
	for c := range 4 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: machines, Processors: processors, Memory: new(64.0), Speed: 1 + float64(c)/4}}})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		n := 1 << rng.IntN(7)
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 99*rng.Float64()), Processors: model.Rigid(n), Tasks: n, Memory: float64([]int{2, 4, 8, 12, 16, 24, 32, 48}[rng.IntN(8)])}
		if !memory {
			job.Memory = 0
		}
		if j > 100 && j%3 == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// processorSeconds is the processor time that the program has used.
func processorSeconds(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// BenchmarkSearchMemory measures the evaluations of one chain in a second of processor time where memory is counted by machine, and their ratio to those of the same batch without
// memory. On machines of one processor it never runs short.
func BenchmarkSearchMemory(b *testing.B) {
	for _, size := range [][3]int{{20000, 128, 1}, {2000, 128, 8}, {500, 32, 8}} {
		b.Run(fmt.Sprintf("jobs=%d/machines=%d/processors=%d", size[0], 4*size[1], size[2]), func(b *testing.B) {
			rate := func(in *model.Instance, rounds int) float64 {
				e, err := New(b.Context(), in, QueueStart(b, in), 1)
				if err != nil {
					b.Fatal(err)
				}
				e.Advance(0, 10, func() bool { return false }) // the starts
				made, began := int64(0), processorSeconds(b)
				for range rounds {
					made += e.Advance(0, 10, func() bool { return false })
				}
				return float64(made) / (processorSeconds(b) - began)
			}
			without, with := 0.0, 0.0
			for b.Loop() {
				without += rate(memoryBatch(b, size[0], size[1], size[2], false), 20)
				with += rate(memoryBatch(b, size[0], size[1], size[2], true), 20)
			}
			b.ReportMetric(with/float64(b.N), "evaluations/s")
			b.ReportMetric(with/without, "ratio-without")
		})
	}
}
