package place

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Weng et al. (2023), §3, by hand. A machine has 10 cores and GPUs of which 1 and 0.3 are free; three of four jobs need 2 cores and half a GPU, one needs
// 4 cores and a whole one. Neither can use 0.3: F = 0.3.
func TestFGD(t *testing.T) {
	b := newBench(t, "fgd", [][2]float64{{10, 2}}, [][2]float64{{2, 0.5}, {4, 1}, {2, 0.3}, {5, 0}, {0, 0.7}})
	b.scorer.(Learner).Learn([]Typical{{b.Kind(0), 3}, {b.Kind(1), 1}})
	b.run(4, 0, 1)
	// Half a GPU leaves 8 cores, 0.5 and 0.3: F = 3/4 · 0.3 + 1/4 · 0.8 = 0.425, and ⌊100 / (1 + e^0.125)⌋ = 46.
	b.expect(t, 0, 0, -46, 0)
	// 0.3 of a GPU on the second leaves 1 and 0: F = 0, and ⌊100 / (1 + e^−0.3)⌋ = 57; on the first 0.7 and 0.3: F = 0.475, 45.
	b.expect(t, 2, 0, -57, 1)
	// 5 cores leave 5: F as before, ⌊100/2⌋.
	b.expect(t, 3, 0, -50, -1)
	b.run(3, 0, -1)
	// A whole GPU leaves 1 core and 0.3: F as before.
	b.expect(t, 1, 0, -50, -1)
	// 2 cores and 0.5 leave 3 cores: half a GPU still fits.
	b.expect(t, 0, 0, -46, 0)
	b.run(0, 0, 0)
	// 3 cores, 0.5 and 0.3 are free: F = 0.425. Half a GPU leaves 0.3, which nobody can use: F = 0.3, and ⌊100 / (1 + e^−0.125)⌋ = 53.
	b.expect(t, 0, 0, -53, 0)
}

// The typical workload is the most popular kinds up to 95 % of the jobs.
func TestFGDTypical(t *testing.T) {
	b := newBench(t, "fgd", [][2]float64{{10, 2}}, [][2]float64{{1, 0.1}, {1, 0.2}, {1, 0.3}, {1, 0.4}})
	r := b.scorer.(*fgd)
	r.Learn([]Typical{{b.Kind(0), 1}, {b.Kind(1), 90}, {b.Kind(2), 4}, {b.Kind(3), 5}})
	if len(r.typical) != 2 || r.typical[0] != (Typical{b.Kind(1), 90}) || r.typical[1] != (Typical{b.Kind(3), 5}) || r.jobs != 95 {
		t.Errorf("typical: %v", r.typical)
	}
	r.Learn([]Typical{{b.Kind(0), 1}, {b.Kind(1), 89}, {b.Kind(2), 4}, {b.Kind(3), 5}})
	if len(r.typical) != 3 {
		t.Errorf("94 of 99 jobs are no 95 %%: typical: %v", r.typical)
	}
}

// Kinds that differ in memory alone are one.
func TestFGDMemory(t *testing.T) {
	spec := model.InstanceSpec{Devices: []string{"gpu"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Memory: new(10.0), Resources: map[string]float64{"gpu": 1}}}}}}
	for _, memory := range []float64{6, 4, 8} {
		spec.Jobs = append(spec.Jobs, model.JobSpec{Work: new(1.0), Memory: memory, Resources: map[string]float64{"gpu": 0.5}})
	}
	b := benchOf(t, "fgd", spec)
	b.ExpectAll()
	if r := b.scorer.(*fgd); len(r.typical) != 1 || r.typical[0] != (Typical{b.Kind(1), 3}) {
		t.Errorf("typical: %v", r.typical)
	}
}

// With no job known every machine is as good as any other.
func TestFGDUnknown(t *testing.T) {
	b := newBench(t, "fgd", twoMachines, threeJobs)
	b.expect(t, 0, 0, 0, -1)
	b.expect(t, 1, 1, 0, -1)
}

// fragmentation is F_n(M) of a machine from the definition, by rooms, times the number of typical jobs and in millionths. Memory does not matter.
func (b *bench) fragmentation(r *fgd, from *Room, machine int) float64 {
	var room Room
	room.CopyFrom(from)
	room.Memory[machine] = b.Machines[machine].Memory
	free, total := b.Look(&room, machine), 0.0
	for _, p := range r.typical {
		usable := make([]bool, len(free.Devices))
		if b.Blocks(&room, p.Kind, machine) > 0 {
			for _, need := range p.Kind.Node.Resources {
				first, last := free.Machine.Devices(b.Site, need.Resource)
				for d := first; d < last; d++ {
					usable[d] = free.Devices[d] >= min(need.Amount, model.WholeAmount)
				}
			}
		}
		for d, a := range free.Devices {
			if !usable[d] {
				total += float64(p.Jobs) * float64(a)
			}
		}
	}
	return total
}

// The scores are those of the definition, over machines and jobs of many kinds.
func TestFGDReference(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 1))
	compared := 0
	for range 150 {
		b := anyBench(t, "fgd", random)
		b.ExpectAll()
		r := b.scorer.(*fgd)
		score := func(growth float64) float64 { return -math.Floor(100 / (1 + math.Exp(growth/float64(r.jobs)/1e6))) }
		for job := range b.in.Jobs() {
			k := b.Kind(job)
			for machine := range b.Machines {
				if b.Blocks(&b.room, k, machine) == 0 {
					continue
				}
				best := math.Inf(1)
				before := b.fragmentation(r, &b.room, machine)
				for _, device := range b.devicesForShare(k, machine) {
					then := b.after(&b.room, k, machine, device)
					best = min(best, score(b.fragmentation(r, &then, machine)-before))
				}
				got, device := b.score(job, machine)
				if got != best {
					t.Fatalf("job %d on machine %d: score %v, want %v", job, machine, got, best)
				}
				then := b.after(&b.room, k, machine, device)
				if at := score(b.fragmentation(r, &then, machine) - before); at != best {
					t.Fatalf("job %d on machine %d: device %d has score %v, want %v", job, machine, device, at, best)
				}
				compared++
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d scores are compared", compared)
	}
}
