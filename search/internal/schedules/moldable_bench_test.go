package schedules

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// moldableBatch is a batch of jobs of up to 32 processors with heavy-tailed work on one cluster. A job has as many tasks as processors, or 20 to 60 times as many; with messages, each of its processors
// has an overhead.
func moldableBatch(b *testing.B, jobs, processors int, messages, manyTasks bool, seed uint64) *model.Instance {
	b.Helper()
	rng := rand.New(rand.NewPCG(seed, 0x6d6f6c64))
	builder := model.NewBuilder("batch").Cluster(model.ClusterSpec{ID: "c", Network: &model.Network{Bandwidth: 1}, Machines: []model.MachineSpec{{ID: "m", Count: processors}}})
	for k := range jobs {
		most := 1 + rng.IntN(32)
		total := min(2000, 10*math.Pow(1-rng.Float64(), -1/1.1))
		job := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Moldable(1, most), Tasks: most}
		if manyTasks {
			job.Tasks = most * (20 + rng.IntN(41))
		}
		if messages {
			job.Message = total / float64(most) * (0.02 + 0.28*rng.Float64())
		}
		job.Work = new(total / float64(job.Tasks))
		builder.Job(job)
	}
	in, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// BenchmarkMoldableStarts compares the first schedules of moldable batches: starts=rules are those of the priority rules, starts=shelves those of the dual algorithm beside them. It reports the mean ratio of
// the best to the proved bound, over ten batches.
func BenchmarkMoldableStarts(b *testing.B) {
	for _, size := range [][2]int{{60, 32}, {60, 128}, {200, 64}, {1000, 128}} {
		for _, kind := range []struct {
			name                string
			messages, manyTasks bool
		}{{"plain", false, false}, {"messages", true, false}, {"tasks", true, true}} {
			for _, starts := range []string{"rules", "shelves"} {
				b.Run(fmt.Sprintf("kind=%s/jobs=%d/processors=%d/starts=%s", kind.name, size[0], size[1], starts), func(b *testing.B) {
					const batches = 10
					sum := 0.0
					for b.Loop() {
						sum = 0
						for seed := range uint64(batches) {
							sum += bestStart(b, moldableBatch(b, size[0], size[1], kind.messages, kind.manyTasks, seed), starts == "shelves")
						}
					}
					b.ReportMetric(sum/batches, "ratio-bound")
				})
			}
		}
	}
}

// bestStart is the makespan of the best first schedule over the bound that a second of work proves.
func bestStart(b *testing.B, in *model.Instance, withShelves bool) float64 {
	p := newProblem(b.Context(), in)
	starts := p.startRules()
	if withShelves {
		starts = append(starts, p.moldableStarts(b.Context())...)
	}
	best := math.Inf(1)
	for _, start := range starts {
		d := newDecoder(p)
		d.stop = func() bool { return false }
		g, ok := d.dispatch(start)
		if !ok || !d.decode(&g, 0, math.Inf(1)) {
			b.Fatal("a start was stopped")
		}
		best = min(best, d.rank().Objective)
	}
	proof := bound.New(b.Context(), in)
	proof.Improve(b.Context(), 1_000_000_000)
	low, known := proof.Bound().Value()
	if !known {
		b.Fatal("no bound")
	}
	return best / low
}
