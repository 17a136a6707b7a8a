package place

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// Weng et al. (2023), §6.1, BestFit, by hand: half of (8−4)/16 + (2−0.5)/4 is 0.3125 left of the first machine.
func TestBest(t *testing.T) {
	b := newBench(t, "best", twoMachines, threeJobs)
	b.expect(t, 0, 0, -68, -1) // ⌊100 · (1 − 0.3125)⌋
	b.expect(t, 0, 1, -18, -1) // ⌊100 · (1 − (12/16 + 3.5/4)/2)⌋
	b.expect(t, 1, 0, -100, -1)
	b.expect(t, 2, 0, -56, -1) // ⌊100 · (1 − (6/16 + 2/4)/2)⌋
	b.run(0, 1, 0)
	b.expect(t, 0, 1, -37, -1) // ⌊100 · (1 − (8/16 + 3/4)/2)⌋

	b = newBench(t, "best", [][2]float64{twoMachines[1], twoMachines[0]}, threeJobs)
	b.expect(t, 0, 1, -68, -1) // the largest machine stands first
}

// Where only devices are resources, processors take the place of cores; where there is nothing but processors, these are all.
func TestBestProcessors(t *testing.T) {
	spec := model.InstanceSpec{
		Devices:  []string{"gpu"},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Processors: 8, Resources: map[string]float64{"gpu": 4}}, {Processors: 16, Resources: map[string]float64{"gpu": 4}}}}},
		Jobs:     []model.JobSpec{{Work: new(1.0), Block: 4, Processors: model.Rigid(4), Resources: map[string]float64{"gpu": 2}}},
	}
	b := benchOf(t, "best", spec)
	b.expect(t, 0, 0, -62, -1) // ⌊100 · (1 − (4/16 + 2/4)/2)⌋
	b.expect(t, 0, 1, -37, -1)

	plain := model.InstanceSpec{
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Processors: 8}, {Processors: 16}}}},
		Jobs:     []model.JobSpec{{Work: new(1.0), Processors: model.Rigid(4), Span: "machine"}},
	}
	b = benchOf(t, "best", plain)
	b.expect(t, 0, 1, -6, -1) // its first block is one processor: ⌊100 · (1 − 15/16)⌋
}
