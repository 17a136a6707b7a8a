package mts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/mts"
)

// Decisions are those of the literal form on odd numbers: jobs of no work, equal jobs and machines, and works, data and deadlines of magnitudes from 1e-9 to 1e12 on one grid.
func TestDecidesAsTheLiteralFormOnOddInstances(t *testing.T) {
	magnitudes := []float64{1e-9, 1e-3, 1, 1e6, 1e12}
	onOff := []string{"on", "off"}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 77))
		odd := func() float64 {
			switch rng.IntN(4) {
			case 0:
				return 1
			case 1:
				return magnitudes[rng.IntN(len(magnitudes))]
			}
			return magnitudes[rng.IntN(len(magnitudes))] * rng.Float64()
		}
		b := model.NewBuilder("odd")
		for r := range 1 + rng.IntN(5) {
			m := model.MachineSpec{ID: "m", Speed: max(1e-9, odd())}
			if rng.IntN(2) == 0 {
				m.Memory = new(max(1e-9, odd()))
			}
			if rng.IntN(2) == 0 {
				m.Bandwidth = max(1e-9, odd())
			}
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{m}})
		}
		for j := range 1 + rng.IntN(16) {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(odd())}
			if rng.IntN(4) == 0 {
				job.Work = new(0.0)
			}
			if rng.IntN(3) == 0 {
				job.Input, job.Memory, job.MinBandwidth = odd(), odd(), odd()
			}
			if rng.IntN(3) == 0 {
				job.Arrival = odd()
			}
			if rng.IntN(3) > 0 {
				job.Deadline, job.DeadlineHard = new(job.Arrival*float64(rng.IntN(2))+odd()), rng.IntN(2) == 0
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			continue // numbers too small for the model
		}
		for k := range 8 {
			p := mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1,
				Classes: onOff[k&1], Fragments: onOff[k>>1&1], Weights: onOff[k>>2&1]}
			asLiteral(t, fmt.Sprintf("seed %d, switches %d", seed, k), in, p)
		}
	}
}
