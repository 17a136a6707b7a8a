package place

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// By hand: all known jobs need 4 cores and half a GPU. Two fit on 8 cores, which are worth one GPU; on 100 cores two GPUs are worth two. A job of 4 cores
// and a GPU leaves one on 4 cores, and two on 96.
func TestLookahead(t *testing.T) {
	const gpu = sequences * float64(model.WholeAmount)
	b := newBench(t, "lookahead", [][2]float64{{8, 2}, {100, 2}}, [][2]float64{{4, 0.5}, {4, 1}, {1, 0}, {1, 0.2}})
	b.scorer.(Learner).Learn([]Typical{{b.Kind(2), 2}, {b.Kind(0), 3}})
	b.expect(t, 1, 0, gpu/2, -1)
	b.expect(t, 1, 1, gpu, -1)
	b.expect(t, 2, 0, gpu/2, -1) // a core less leaves room for one
	b.expect(t, 2, 1, 0, -1)
	b.expect(t, 0, 0, gpu/2, 0)
	b.run(0, 1, 1)
	b.expect(t, 0, 1, gpu/2, 0) // another half is lost on either; the first comes first
	b.run(3, 1, 1)
	b.expect(t, 3, 1, 0, 1) // 0.3 of the second device is of no use to the known jobs
}

// With no job known every machine is as good as any other. Where no known job needs a device, processors count.
func TestLookaheadProcessors(t *testing.T) {
	b := newBench(t, "lookahead", [][2]float64{{8, 2}, {100, 2}}, [][2]float64{{4, 0}, {3, 1}})
	b.expect(t, 1, 0, 0, -1)
	b.scorer.(Learner).Learn([]Typical{{b.Kind(0), 7}})
	b.expect(t, 1, 0, sequences, -1) // two processors were worth filling, one remains
	b.expect(t, 1, 1, sequences, -1) // 25 and 24
}

// What a machine with few processors is worth does not serve for one with many: of blocks of four processors and a core, two and one fit here.
func TestLookaheadFewProcessors(t *testing.T) {
	machine := model.MachineSpec{Processors: 8, Resources: map[string]float64{"cpu": 2, "gpu": 4}}
	b := benchOf(t, "lookahead", model.InstanceSpec{Devices: []string{"gpu"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine, machine}}},
		Jobs: []model.JobSpec{{Work: new(1.0), Block: 4, Processors: model.Rigid(4), Resources: map[string]float64{"cpu": 1, "gpu": 1}}, {Work: new(1.0), Block: 4, Processors: model.Rigid(4)}}})
	b.scorer.(Learner).Learn([]Typical{{b.Kind(0), 1}})
	b.run(1, 1, -1)
	const gpu = sequences * float64(model.WholeAmount)
	b.expect(t, 0, 0, gpu, -1)
	b.expect(t, 0, 1, gpu, -1)
	b.expect(t, 1, 0, gpu, -1) // one block less is room for
	b.expect(t, 1, 1, gpu, -1)
}

// The sequences are drawn anew when the number of known jobs has doubled, or has shrunk.
func TestLookaheadLearn(t *testing.T) {
	b := newBench(t, "lookahead", twoMachines, threeJobs)
	r := b.scorer.(*lookahead)
	only := func(job, jobs int) bool {
		r.Learn([]Typical{{b.Kind(job), jobs}})
		return r.drawn[0][0] == b.Kind(job)
	}
	if !only(0, 4) || only(1, 7) || !only(1, 8) || !only(0, 2) {
		t.Error("the sequences are drawn at other times")
	}
}

// worth is S · V_n of a machine from the definition: every sequence is played by rooms to its end.
func (b *bench) worth(r *lookahead, room *Room, machine int) float64 {
	filled := model.Amount(0)
	for _, kinds := range r.drawn {
		var now Room
		now.CopyFrom(room)
		for _, k := range kinds {
			if b.Blocks(&now, k, machine) == 0 {
				continue
			}
			now = b.after(&now, k, machine, -1)
			for _, need := range k.Node.Resources {
				if b.in.Resources()[need.Resource].Devices {
					filled += need.Amount
				}
			}
		}
	}
	return float64(filled)
}

// The scores are those of the definition, over machines and jobs of many kinds.
func TestLookaheadReference(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 2))
	compared := 0
	for range 12 {
		b := anyBench(t, "lookahead", random)
		b.ExpectAll()
		r := b.scorer.(*lookahead)
		if !r.devices {
			continue
		}
		for job := range b.in.Jobs() {
			k := b.Kind(job)
			for machine := range b.Machines {
				if b.Blocks(&b.room, k, machine) == 0 {
					continue
				}
				best := math.Inf(1)
				before := b.worth(r, &b.room, machine)
				for _, device := range b.devicesForShare(k, machine) {
					then := b.after(&b.room, k, machine, device)
					best = min(best, before-b.worth(r, &then, machine))
				}
				got, device := b.score(job, machine)
				if got != best {
					t.Fatalf("job %d on machine %d: score %v, want %v", job, machine, got, best)
				}
				then := b.after(&b.room, k, machine, device)
				if at := before - b.worth(r, &then, machine); at != best {
					t.Fatalf("job %d on machine %d: device %d has score %v, want %v", job, machine, device, at, best)
				}
				compared++
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d scores are compared", compared)
	}
}
