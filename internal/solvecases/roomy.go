package solvecases

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Roomy describes a batch on a grid of which most jobs can be placed. Machines and works are those of the workload mts: speed U[5, 15], memory
// U[1, 5], bandwidth U[5, 15], work U[1, 11], least bandwidth U[1, 5]. 80 % of the jobs have files of U[5, 15]. All arrive at once.
//
// How long a greedy heuristic takes depends on which machines the jobs fit. Where each fits all of them all compete for the same machines, and many have
// nearly the same completion time.
type Roomy struct {
	Jobs, Machines int
	Memory         float64 // jobs need U[0, Memory]: up to 1 they fit every machine
	Near           float64 // share of the jobs that need within 4 % of the memory of some machine instead
	Tight          float64 // share of the jobs whose hard deadline is within 3 % of their service time on some machine: they must start there at once
	Deadlines      bool    // the other jobs have hard deadlines up to 8·Jobs/Machines service times
}

// MeasuredRoomy is the batch that docs/mts.md measures: two thirds of the jobs are placed, and all jobs fit all machines.
func MeasuredRoomy(jobs int) Roomy {
	return Roomy{Jobs: jobs, Machines: 120, Memory: 1, Tight: 0.3, Deadlines: true}
}

// Generate makes the batch of a seed.
func (x Roomy) Generate(tb testing.TB, seed uint64) *model.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 0x726f6f6d79)) // "roomy"
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	b := model.NewBuilder(fmt.Sprintf("roomy-%d", x.Jobs)).Minimise("unfinished", 1)
	grid := make([]model.MachineSpec, x.Machines)
	for r := range grid {
		grid[r] = model.MachineSpec{ID: "m", Speed: uniform(5, 15), Memory: new(uniform(1, 5)), Bandwidth: uniform(5, 15)}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: grid[r : r+1]})
	}
	for k := range x.Jobs {
		m := &grid[rng.IntN(x.Machines)]
		job := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(uniform(1, 11)), Memory: uniform(0, x.Memory), MinBandwidth: uniform(1, 5)}
		if rng.Float64() < x.Near {
			job.Memory = *m.Memory * uniform(0.96, 1)
		}
		if rng.Float64() < 0.8 {
			job.Input = uniform(5, 15)
		}
		service := *job.Work/m.Speed + job.Input/m.Bandwidth
		switch tight := rng.Float64() < x.Tight; {
		case tight:
			job.Deadline, job.DeadlineHard = new(service*uniform(1, 1.03)), true
		case x.Deadlines:
			job.Deadline, job.DeadlineHard = new(service*uniform(0, 8)*float64(x.Jobs)/float64(x.Machines)), true
		}
		b.Job(job)
	}
	return Built(tb, b)
}
