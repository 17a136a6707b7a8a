package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// Where no schedule has all jobs in time their prices could rise without end, and would prove any value of the schedules that place all. What the methods state stays within what jobs can cost that
// end by some time long after the last of them: it is worked out here from the metrics alone.
func TestPricesOfImpossibleBatchesStayWithinWhatJobsCanCost(t *testing.T) {
	metrics := []string{"mean_response", "mean_wait", "over_deadline", "bounded_slowdown", "mean_slowdown", "energy", "energy_cost"}
	tight := 0
	for seed := range race.Fewer(uint64(160), 40) {
		rng := rand.New(rand.NewPCG(seed, 57))
		unit := []float64{1, 1e9, 8e-9, 1e-3, 0.1}[rng.IntN(5)]
		metric := metrics[rng.IntN(len(metrics))]
		power := rng.IntN(2) == 0 || metric == "energy" || metric == "energy_cost"
		b := model.NewBuilder(fmt.Sprint("rise", seed)).Minimise(metric, 1)
		last, processors, dearest := 0.0, 0.0, 1.0
		for c := range 1 + rng.IntN(2) {
			cluster := solvecases.Machines(fmt.Sprint("c", c), 1+rng.IntN(2), float64(1+rng.IntN(2)))
			processors += float64(cluster.Machines[0].Count)
			if power {
				cluster.Machines[0].Power = &model.PowerSpec{Idle: float64(rng.IntN(3)), Busy: 1}
			}
			b.Cluster(cluster)
		}
		if power {
			last = unit * float64(2+rng.IntN(10))
			b.Spec().Horizon, dearest = &model.HorizonSpec{To: last}, 1e6
			b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, float64(rng.IntN(5))}, {2 * unit, dearest}}}
		}
		jobs := 3 + rng.IntN(5)
		shortest := math.Inf(1)
		for j := range jobs {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(unit * float64(1+rng.IntN(6))), Processors: model.Rigid(1)}
			if rng.IntN(2) == 0 {
				job.Arrival = unit * float64(rng.IntN(4))
			}
			last, shortest = last+job.Arrival+*job.Work, min(shortest, *job.Work/2)
			if rng.IntN(3) > 0 {
				job.Deadline, job.DeadlineHard = new(job.Arrival+unit*float64(1+rng.IntN(8))), rng.IntN(4) > 0
				last += *job.Deadline
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if metric == "bounded_slowdown" {
			last += 20 // it counts times below 10 as 10
		}
		most := map[string]float64{"mean_response": last, "mean_wait": last, "over_deadline": float64(jobs) * last, "bounded_slowdown": 1 + last/10, "mean_slowdown": last / shortest,
			"energy": 3 * processors * last, "energy_cost": 3 * processors * last * dearest}[metric]
		p := bound.New(t.Context(), in)
		for range 40 {
			if !p.Improve(t.Context(), 1e6) {
				break
			}
		}
		if p.Owed() > 0 {
			tight++
		}
		for _, part := range p.Parts() {
			if !(math.Abs(part.Value) <= 100*most) {
				t.Errorf("seed %d: %s proves %s %g, schedules cost %g at most", seed, part.Method, metric, part.Value, most)
			}
		}
	}
	if tight < race.Fewer(5, 2) {
		t.Errorf("only %d batches owe jobs", tight)
	}
}
