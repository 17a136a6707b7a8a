//go:build unix

package backfill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// deepQueue is an instance of jobs that all wait at time 0, of 300 users in 30 accounts and 4 queues.
func deepQueue(tb testing.TB, jobs int) *model.Instance {
	rng := rand.New(rand.NewPCG(7, 1))
	b := model.NewBuilder("deep").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4096}}})
	for k := range jobs {
		run := float64(60 + rng.IntN(7200))
		estimate := float64([]int{1800, 3600, 7200, 14400}[rng.IntN(4)])
		user := rng.IntN(300)
		b.Job(model.JobSpec{
			ID: fmt.Sprint(k), Processors: model.Rigid(1 << rng.IntN(8)), Work: &run, Estimate: new(max(run, estimate)),
			User: fmt.Sprintf("u%d", user), Group: fmt.Sprintf("a%d", user%30), Queue: fmt.Sprintf("q%d", rng.IntN(4)),
		})
	}
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// BenchmarkDeepQueue runs EASY on a queue of jobs that all wait at 0 until all have ended, in several orders.
func BenchmarkDeepQueue(b *testing.B) {
	in := deepQueue(b, *atOnce)
	month := 30 * 86400.0
	for _, c := range []struct {
		name, order, share string
		bound              *float64
	}{
		{byArrival, byArrival, shareTree, nil}, {bySmallest, bySmallest, shareTree, nil}, {byWFP3, byWFP3, shareTree, nil}, {byMultifactor, byMultifactor, shareTree, nil},
		{"bound_wait", byShortest, shareTree, &month}, {bySlurm + "-tree", bySlurm, shareTree, nil}, {bySlurm + "-classic", bySlurm, shareClassic, nil},
	} {
		b.Run("order="+c.name, func(b *testing.B) {
			r := DefaultRanking()
			r.Order, r.FairShare, r.BoundWait = c.order, c.share, c.bound
			measure(b, *atOnce, func() sim.Totals {
				_, totals, err := sim.Simulate(context.Background(), in, sim.Discipline{General: EASY(1, 1, r).General}, sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
		})
	}
}

// BenchmarkDeepCycles runs the schedulers of Slurm on a deep queue in several orders.
func BenchmarkDeepCycles(b *testing.B) {
	in := deepNodes(b, *deepMost, *deepJobs, false)
	for _, order := range []string{byArrival, bySmallest, byWFP3, byMultifactor, bySlurm} {
		b.Run("order="+order, func(b *testing.B) {
			r := DefaultRanking()
			r.Order = order
			measure(b, len(in.Jobs()), func() sim.Totals {
				_, totals, err := sim.Simulate(context.Background(), in, Slurm(1, DefaultCycles(), r), sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
		})
	}
}
