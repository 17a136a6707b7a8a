package solvecases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// Queues makes an instance of 3 to 7 tasks on 2 or 3 machines with queues, some of them alike, that minimises qos_penalty. With an idle rate, which
// is an arrival rate above that of the tasks, it has at most 5 tasks. Not every instance is stable.
func Queues(seed uint64, idle bool) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 5))
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	b := model.NewBuilder(fmt.Sprint("random-", seed, idle)).Minimise("qos_penalty", 1)
	tasks := 3 + rng.IntN(5)
	if idle {
		tasks = 3 + rng.IntN(3)
	}
	machines := 2 + rng.IntN(2)
	rate := float64(tasks) / 10
	if idle {
		rate *= 1 + between(0.02, 0.6)
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: 10, K: new(between(0, 2)), Charge: []string{"response", "service"}[rng.IntN(2)]}
	for left, c := machines, 0; left > 0; c++ {
		count := 1 + rng.IntN(left)
		left -= count
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: count, Speed: between(1, 4), Cost: between(0, 0.3),
			Queue: &model.QueueSpec{ServiceRate: between(0.15, 0.9), ArrivalVariance: new(between(0, 9)), ServiceVariance: new(between(0, 6))}}}})
	}
	for k := range tasks {
		job := model.JobSpec{ID: fmt.Sprint("t", k), Arrival: between(0, 5), Work: new(between(1, 12)), WorkCV: between(0, 1)}
		if rng.IntN(5) > 0 {
			job.Deadline = new(job.Arrival + between(1, 12))
		}
		if rng.IntN(5) > 0 {
			job.Budget = new(between(0.1, 2))
		}
		b.Job(job)
	}
	return b
}

// MediumQueues makes an instance of 60 tasks on 12 machines that minimises qos_penalty.
func MediumQueues() *model.Builder {
	rng := rand.New(rand.NewPCG(3, 3))
	b := model.NewBuilder("medium").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 3, CV: new(1.0), Period: 20}
	for c := range 3 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 4, Speed: float64(6 - c), Cost: 0.1 * float64(6-c)}}})
	}
	for k := range 60 {
		b.Job(model.JobSpec{ID: fmt.Sprint("t", k), Work: new(4 + 16*rng.Float64()), WorkCV: 0.4, Deadline: new(4 + 12*rng.Float64()), Budget: new(1 + 3*rng.Float64())})
	}
	return b
}

// IsStable reports whether the machines of an instance with queues can serve the jobs.
func IsStable(in *model.Instance) bool {
	view, err := model.Queues(in, nil)
	if err != nil {
		return false
	}
	room, rate := 0, 0.0
	for k := range view.Machines {
		room += int(math.Ceil(view.Machines[k].ServiceRate*in.Queueing().Period)) - 1
		rate += view.Machines[k].ServiceRate
	}
	return room >= len(in.Jobs()) && in.Queueing().Rate < rate
}
