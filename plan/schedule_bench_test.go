package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// BenchmarkSchedule places jobs in order of arrival, each where it ends first.
func BenchmarkSchedule(b *testing.B) {
	for _, c := range []struct {
		name string
		in   *model.Instance
	}{
		{"instance=plain/jobs=100000/processors=1000", busyCluster(b, 100_000, 1000, func(rng *rand.Rand) int { return 1 + rng.IntN(32) })},
		{"instance=wide/jobs=22508/processors=49152", busyCluster(b, 22_508, 49_152, func(rng *rand.Rand) int { return 512 << rng.IntN(7) })},
		{"instance=licences-and-memory/jobs=20000/processors=1000", licensedCluster(b, 20_000, 1500)},
		{"instance=licences-and-memory-at-once/jobs=20000/processors=1000", licensedCluster(b, 20_000, 0)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := newSchedule(b, c.in)
				for _, job := range ArrivalOrder(c.in) {
					slot, ok := s.Earliest(job, 0)
					if !ok {
						b.Fatal("a job has no slot")
					}
					s.Place(job, slot)
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(c.in.Jobs()))/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// busyCluster is one cluster with jobs that arrive as fast as it can run them.
func busyCluster(tb testing.TB, jobs, processors int, size func(*rand.Rand) int) *model.Instance {
	tb.Helper()
	b := model.NewBuilder("busy").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors / 8, Processors: 8}}})
	rng, arrival := rand.New(rand.NewPCG(1, 5)), 0.0
	for j := range jobs {
		n, work := size(rng), 1+1000*rng.ExpFloat64()
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: arrival, Processors: model.Rigid(n), Work: &work})
		arrival += 1000 * rng.ExpFloat64() * float64(n) / float64(processors)
	}
	return build(tb, b)
}

// licensedCluster is a cluster of 1,000 processors in two kinds of machines with jobs that need memory and licences. The mean time
// between arrivals is gap for each 1,000 processors that the jobs need; 0: all arrive at once.
func licensedCluster(tb testing.TB, jobs int, gap float64) *model.Instance {
	tb.Helper()
	b := model.NewBuilder("licensed").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
		{ID: "small", Count: 50, Processors: 12, Memory: new(48.0)},
		{ID: "large", Count: 25, Processors: 16, Memory: new(256.0)}}})
	b.Spec().Licences = map[string]int{"solver": 80, "mesher": 40}
	rng, arrival := rand.New(rand.NewPCG(1, 6)), 0.0
	for j := range jobs {
		n, work := 1+rng.IntN(16), 1+1000*rng.ExpFloat64()
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: arrival, Processors: model.Rigid(n), Work: &work, Memory: 8 * rng.Float64()}
		switch rng.IntN(4) {
		case 0:
			job.Licences = map[string]int{"solver": 1 + rng.IntN(3)}
		case 1:
			job.Licences = map[string]int{"mesher": 1}
		}
		b.Job(job)
		arrival += gap * rng.ExpFloat64() * float64(n) / 1000
	}
	return build(tb, b)
}
