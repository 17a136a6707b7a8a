package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// fig4Batch is a batch by the recipe of MUSCLE's Fig. 4: bounded Pareto times, sizes U[1,10], four clusters.
func fig4Batch(tb testing.TB, jobs int) *model.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	b := model.NewBuilder("fig4").Minimise("mcp", 1)
	for _, c := range []struct {
		id    string
		size  int
		speed float64
	}{{"C1", 20, 1}, {"C2", 16, 1.2}, {"C3", 12, 1.4}, {"C4", 10, 1.6}} {
		b.Cluster(model.ClusterSpec{ID: c.id, Machines: []model.MachineSpec{{ID: "m", Count: c.size, Speed: c.speed}}})
	}
	for k := range jobs {
		work := 5 + 40*rng.ExpFloat64()
		b.Job(model.JobSpec{ID: "J" + string(rune('0'+k/100)) + string(rune('0'+k/10%10)) + string(rune('0'+k%10)), Processors: model.Rigid(1 + rng.IntN(10)), Work: &work, Deadline: new(work * (1 + 5*rng.Float64()))})
	}
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

func BenchmarkDecode(b *testing.B) {
	in := fig4Batch(b, 100)
	d := newDecoder(b, in)
	orders := make([][]int32, 4)
	for j := range 100 {
		orders[j%4] = append(orders[j%4], int32(j))
	}
	b.ReportAllocs()
	sum := 0.0
	for b.Loop() {
		for c, order := range orders {
			t := d.decode(c, order)
			sum += model.ComprehensivePerformance(in.Clusters()[c].Weights, float64(in.Clusters()[c].Processors)*t.Makespan-t.Busy, t.Makespan, t.Over)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
}
