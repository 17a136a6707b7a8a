package schedules

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// MemoryBatch is a batch of rigid jobs on four clusters, each of so many machines with memory of 64. Some jobs fill the memory of a machine with few of its processors. A third of the jobs waits for another.
func MemoryBatch(tb testing.TB, jobs, machines, processors int) *model.Instance {
	tb.Helper()
	b := model.NewBuilder("memory").Minimise("mean_response", 1)
	for c := range 4 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: machines, Processors: processors, Memory: new(64.0), Speed: 1 + float64(c)/4}}})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		n := 1 << rng.IntN(7)
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 99*rng.Float64()), Processors: model.Rigid(n), Tasks: n, Memory: float64([]int{2, 4, 8, 12, 16, 24, 32, 48}[rng.IntN(8)])}
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

// BenchmarkSearchMemory measures the evaluations a second by one chain where memory is counted by machine.
func BenchmarkSearchMemory(b *testing.B) {
	for _, size := range [][3]int{{20000, 128, 1}, {2000, 128, 8}} {
		in := MemoryBatch(b, size[0], size[1], size[2])
		b.Run(fmt.Sprintf("jobs=%d/machines=%d/processors=%d", size[0], 4*size[1], size[2]), func(b *testing.B) {
			e, err := New(b.Context(), in, QueueStart(b, in), 1)
			if err != nil {
				b.Fatal(err)
			}
			made := int64(0)
			for b.Loop() {
				made += e.Advance(0, 10, func() bool { return false })
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "evaluations/s")
		})
	}
}
