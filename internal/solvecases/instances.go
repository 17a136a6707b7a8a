// Package solvecases makes the instances that the conformance test of solvers and other tests share, and finds the optima of the smallest.
package solvecases

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Built returns the instance that the builder makes.
func Built(t testing.TB, b *model.Builder) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Machines makes a cluster of n processors of one speed.
func Machines(id string, n int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: speed}}}
}

// Tiny makes an instance of 1 to 5 jobs on 1 to 3 clusters, with the given objective. If the seed is odd, jobs arrive at different times.
func Tiny(seed uint64, objective string) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := model.NewBuilder("tiny").Minimise(objective, 1)
	clusters := 1 + rng.IntN(3)
	for c := range clusters {
		b.Cluster(Machines(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(3))))
	}
	for j := range 1 + rng.IntN(5) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(1 + rng.IntN(12)))}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(20)))
		}
		if seed%2 == 1 {
			job.Arrival = float64(rng.IntN(6))
		}
		b.Job(job)
	}
	return b
}

// Medium makes an instance of 120 jobs that minimises mcp. If rich is true, it asks for every feature that list schedules honour.
func Medium(seed uint64, rich bool) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := model.NewBuilder("medium").Minimise("mcp", 1)
	for c := range 3 {
		cluster := Machines(fmt.Sprint("c", c), 8+4*c, 1+float64(c)/4)
		if rich {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: "big", Count: 2, Processors: 4, Speed: 2, Memory: new(8.0), Bandwidth: 10, Licences: []string{"solver"}})
		}
		b.Cluster(cluster)
	}
	if rich {
		b.Spec().Licences = map[string]int{"solver": 3}
	}
	for j := range 120 {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(8)), Work: new(1 + 99*rng.Float64()), Deadline: new(400 * rng.Float64())}
		if rich {
			job.Arrival = 50 * rng.Float64()
			job.Memory = float64(rng.IntN(4))
			job.Input = float64(rng.IntN(20))
			job.DeadlineHard = rng.IntN(4) == 0
			if rng.IntN(3) == 0 {
				job.Licences = map[string]int{"solver": 1 + rng.IntN(2)}
			}
			if j > 0 && rng.IntN(3) == 0 {
				job.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			if rng.IntN(5) == 0 {
				job.Span, job.Processors = "machine", model.Rigid(1+rng.IntN(4))
			}
			if rng.IntN(5) == 0 {
				job.Runtime = map[string]float64{"c0": 5 + 50*rng.Float64(), "c2": 5 + 50*rng.Float64()}
			}
		}
		b.Job(job)
	}
	return b
}

// Grid makes a grid of single machines with memory and bandwidth, and at most most jobs with files and deadlines.
func Grid(seed uint64, most int) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 0x6d7473))
	whole := seed%3 == 1 // whole numbers: many ties
	number := func(low, high float64) float64 {
		if whole {
			return math.Floor(low + (high-low+1)*rng.Float64())
		}
		return low + (high-low)*rng.Float64()
	}
	b := model.NewBuilder("grid")
	resources := 1 + rng.IntN(10)
	for r := range resources {
		m := model.MachineSpec{ID: "m", Processors: 1 + rng.IntN(3), Speed: number(1, 5), Memory: new(number(1, 5)), Bandwidth: number(5, 15)}
		if rng.IntN(8) == 0 {
			m.Memory = nil
		}
		if rng.IntN(8) == 0 {
			m.Bandwidth = 0
		}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{m}})
	}
	origin := []float64{0, 0, 3, 1e9}[rng.IntN(4)]
	spread := []float64{0, 0, 4, 30}[rng.IntN(4)]
	tight := []float64{1, 5, 40}[rng.IntN(3)]
	for j := range 1 + rng.IntN(most) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(number(1, 11)), Arrival: origin + math.Floor(spread*rng.Float64())}
		if rng.IntN(6) > 0 {
			job.Deadline = new(job.Arrival + tight*number(1, 5))
			job.DeadlineHard = rng.IntN(8) > 0
		}
		if rng.IntN(2) == 0 {
			job.Input, job.Output = number(1, 10), number(1, 5)
		}
		if rng.IntN(5) > 0 {
			job.Memory = number(1, 5)
		}
		if rng.IntN(2) == 0 {
			job.MinBandwidth = number(1, 9)
		}
		if rng.IntN(10) == 0 {
			job.Runtime = map[string]float64{"r0": number(1, 5), fmt.Sprint("r", resources-1): number(1, 5)}
		}
		b.Job(job)
	}
	return b
}

// MixedGrid makes a grid with one cluster that allocates whole machines, and one that allocates single processors.
func MixedGrid(seed uint64, most int) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 6))
	b := model.NewBuilder("mixed grid").Minimise("unfinished", 1)
	grid := model.ClusterSpec{ID: "grid", Allocation: "machine"}
	for m := range 1 + rng.IntN(6) {
		grid.Machines = append(grid.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(4),
			Memory: new(1 + 4*rng.Float64()), Bandwidth: 5 + 10*rng.Float64()})
	}
	b.Cluster(grid, model.ClusterSpec{ID: "rest", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 3, Memory: new(15.0), Bandwidth: 4}}})
	for j := range 1 + rng.IntN(most) {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 10*rng.Float64()), Arrival: float64(rng.IntN(3)), Deadline: new(3 + 20*rng.Float64()),
			DeadlineHard: rng.IntN(4) > 0, Memory: 5 * rng.Float64(), Input: 15 * rng.Float64(), MinBandwidth: 8 * rng.Float64()})
	}
	return b
}

// OnlineJobs are jobs that arrive over time on a few processors, with estimates that are too long, too short or right.
func OnlineJobs(rng *rand.Rand) []model.JobSpec {
	var jobs []model.JobSpec
	for k := range 25 {
		work := float64(1 + rng.IntN(9))
		jobs = append(jobs, model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: float64(rng.IntN(40)), Processors: model.Rigid(1 + rng.IntN(4)),
			Work: new(work), Estimate: new(max(1, work+float64(rng.IntN(9)-3))),
		})
	}
	return jobs
}
