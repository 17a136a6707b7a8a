package plan

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// What it takes to look for slots by the estimate is about what is counted while jobs look for them, on each kind of cluster and on any number of machines: neither forgets what the other
// knows.
func TestLooksAreAboutWhatIsCounted(t *testing.T) {
	b := model.NewBuilder("widths").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 100}}})
	for tasks := range 10 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", tasks), Work: new(1.0), Tasks: tasks + 1, Processors: model.Moldable(1, tasks+1)})
	}
	in, tried := build(t, b), 0
	for j := range in.Jobs() {
		for n := 1; n <= in.Jobs()[j].Tasks; n = Wider(in.Jobs()[j].Tasks, n) {
			tried++
		}
	}
	if got := LooksOf(in).Widths * 10; got < float64(tried) || got > 1.5*float64(tried) {
		t.Errorf("%d numbers of processors are tried of 10 jobs, %v by the estimate", tried, got)
	}
	for _, kind := range []struct {
		name  string
		times float64 // by how many times one may be off: the estimate takes it that all jobs are among the steps of a cheap cluster
		with  func(spec *model.InstanceSpec)
	}{
		{"*plan.plainCluster", 2, func(*model.InstanceSpec) {}},
		{"*plan.generalCluster", 2, func(spec *model.InstanceSpec) {
			spec.Clusters[0].Machines[1].Speed = 2
		}},
		{"*plan.nodeCluster", 3.5, func(spec *model.InstanceSpec) {
			for j := range spec.Jobs {
				spec.Jobs[j].Exclusive = true
			}
		}},
		{"*plan.cheapCluster", 10, func(spec *model.InstanceSpec) {
			spec.Objective = map[string]float64{"energy_cost": 1}
			spec.Tariff, spec.Horizon = &model.TariffSpec{Per: 1, Price: [][]float64{{0, 2}, {100, 1}}}, &model.HorizonSpec{To: 1e6}
			for m := range spec.Clusters[0].Machines {
				spec.Clusters[0].Machines[m].Power = &model.PowerSpec{Idle: 1, Busy: float64(2 + m)}
			}
		}},
	} {
		for _, machines := range []int{2, 10, 100, 1000} {
			for _, jobs := range []int{2, 20, 200} {
				b := model.NewBuilder("looks").Minimise("makespan", 1)
				b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: machines / 2, Processors: 2}, {ID: "n", Count: machines / 2, Processors: 2}}})
				for j := range jobs {
					b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + j%7)), Arrival: float64(j % 3), Processors: model.Rigid(2)})
				}
				b.Spec().Licences = map[string]int{"asked for by none": 1}
				kind.with(b.Spec())
				in := build(t, b)
				r, of := NewResources(in), LooksOf(in)
				if got := fmt.Sprintf("%T", r.clusters[0]); got != kind.name {
					t.Fatalf("a %s, want a %s", got, kind.name)
				}
				about := func(r *Resources, slot, times float64, what string) {
					for job := range jobs {
						slot, ok := r.Earliest(job, 0, 2, in.Jobs()[job].Arrival)
						if !ok {
							t.Fatal("no slot")
						}
						r.Take(job, &slot)
					}
					if counted, estimate := float64(r.Work()), slot*float64(jobs); counted > times*estimate || estimate > times*counted {
						t.Errorf("%s%s: %d machines, %d jobs: %v ns counted, %v by the estimate", kind.name, what, machines, jobs, counted, estimate)
					}
				}
				about(r, of.Slot, kind.times, "")
				if FillsHoles(in) {
					behind := newResources(in, false, Placing{})
					if g := behind.clusters[0].(*generalCluster); g.size() <= g.nodes.size() {
						t.Errorf("%d bytes with the machines, which take %d", g.size(), g.nodes.size())
					}
					about(behind, of.Behind, kind.times, " without holes")
				} else if of.Behind != of.Slot {
					t.Errorf("%s: %v ns without holes, %v with them", kind.name, of.Behind, of.Slot)
				}
			}
		}
	}
}
