package place

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// on is the machines of the shares, with the number of processors on each.
func on(shares []Share) (machines [][2]int) {
	for _, s := range shares {
		machines = append(machines, [2]int{int(s.Machine), int(s.Processors)})
	}
	return machines
}

// Of machines that are equally good the first is taken, and of devices the first, whatever the rule; of several machines the first ones.
func TestFirstOfEqual(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Name == "random" {
			continue
		}
		spec := model.InstanceSpec{Devices: []string{"gpu"}, Clusters: []model.ClusterSpec{{ID: "c"}}}
		for range 4 {
			spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, model.MachineSpec{Processors: 4, Resources: map[string]float64{"cpu": 4, "gpu": 2}})
		}
		for _, n := range []int{1, 2} {
			spec.Jobs = append(spec.Jobs, model.JobSpec{Work: new(1.0), Processors: model.Rigid(n), Machines: model.Rigid(n), Resources: map[string]float64{"cpu": 1, "gpu": 0.5}})
		}
		b := benchOf(t, rule.Name, spec)
		b.ExpectAll()
		for job, want := range [][][2]int{{{0, 1}}, {{0, 1}, {1, 1}}} {
			shares, ok := b.Choose(&b.room, b.Kind(job), 0, job+1, nil, nil)
			if !ok || !slices.Equal(on(shares), want) || shares[0].Devices[0] != 0 {
				t.Errorf("%s: %+v, want %v and the first device", rule.Name, shares, want)
			}
		}
	}
}

// A job of several machines takes the best by the rule.
func TestBestOfSeveral(t *testing.T) {
	spec := model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c"}}}
	for _, cores := range []float64{16, 4, 8, 2} {
		spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, model.MachineSpec{Processors: 2, Resources: map[string]float64{"cpu": cores}})
	}
	spec.Jobs = []model.JobSpec{{Work: new(1.0), Processors: model.Rigid(2), PerMachine: 1, Resources: map[string]float64{"cpu": 2}}}
	b := benchOf(t, "best", spec)
	if shares, ok := b.Choose(&b.room, b.Kind(0), 0, 2, nil, nil); !ok || !slices.Equal(on(shares), [][2]int{{3, 1}, {1, 1}}) {
		t.Errorf("%v", on(shares))
	}
}

// Within limits of the number of machines a job passes over those with which it could not keep them.
func TestLimitsOfMachines(t *testing.T) {
	for _, c := range []struct {
		rooms    []int
		blocks   int
		machines model.ProcessorRange
		want     [][2]int
	}{
		{[]int{1, 1, 2, 2}, 4, model.Moldable(1, 2), [][2]int{{2, 2}, {3, 2}}},
		{[]int{3, 1}, 3, model.Moldable(2, 3), [][2]int{{0, 2}, {1, 1}}},
		{[]int{3, 1, 2, 2}, 7, model.Moldable(1, 3), [][2]int{{0, 3}, {2, 2}, {3, 2}}},
		{[]int{2, 2, 1}, 4, model.Rigid(3), [][2]int{{0, 2}, {1, 1}, {2, 1}}},
		{[]int{3}, 3, model.Moldable(2, 3), nil},
		{[]int{1, 2, 2}, 5, model.Moldable(1, 2), nil},
	} {
		spec := model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c"}}}
		for _, room := range c.rooms {
			spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, model.MachineSpec{Processors: room})
		}
		spec.Jobs = []model.JobSpec{{Work: new(1.0), Processors: model.Rigid(c.blocks), Machines: c.machines}}
		b := benchOf(t, First, spec)
		if shares, ok := b.Choose(&b.room, b.Kind(0), 0, c.blocks, nil, nil); ok != (c.want != nil) || !slices.Equal(on(shares), c.want) {
			t.Errorf("%d blocks on %+v machines of %v: %v, want %v", c.blocks, c.machines, c.rooms, on(shares), c.want)
		}
	}
}

// Has looks at the devices that are named, resource by resource.
func TestHas(t *testing.T) {
	b := benchOf(t, First, model.InstanceSpec{Devices: []string{"fpga", "gpu"},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Processors: 4, Resources: map[string]float64{"fpga": 2, "gpu": 2}}}}},
		Jobs: []model.JobSpec{{Work: new(1.0), Resources: map[string]float64{"fpga": 0.5, "gpu": 0.5}}, {Work: new(1.0), Resources: map[string]float64{"gpu": 1}},
			{Work: new(1.0), Resources: map[string]float64{"fpga": 1}}}})
	both := func(fpga, gpu int32) []Share { return []Share{{Processors: 1, Devices: []int32{fpga, 2 + gpu}}} }
	k := b.Kind(0)
	b.Take(&b.room, b.Kind(1), []Share{{Processors: 1, Devices: []int32{2}}})
	b.Take(&b.room, b.Kind(2), []Share{{Processors: 1, Devices: []int32{1}}})
	if !b.Has(&b.room, k, both(0, 1)) || b.Has(&b.room, k, both(0, 0)) || b.Has(&b.room, k, both(1, 1)) {
		t.Errorf("of the free devices %v, of a GPU that is taken %v, of an FPGA that is taken %v", b.Has(&b.room, k, both(0, 1)), b.Has(&b.room, k, both(0, 0)), b.Has(&b.room, k, both(1, 1)))
	}
}

// No rounding errors of memory stay behind on a machine on which nothing runs any more.
func TestGiveRestoresMemory(t *testing.T) {
	spec := model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Processors: 4, Memory: new(1.0)}}}}}
	for _, memory := range []float64{0.1, 0.2, 0.3} {
		spec.Jobs = append(spec.Jobs, model.JobSpec{Work: new(1.0), Memory: memory, PerMachine: 1})
	}
	b := benchOf(t, First, spec)
	idle := b.Room()
	share := []Share{{Processors: 1}}
	for _, job := range []int{0, 1, 2} {
		b.Take(&b.room, b.Kind(job), share)
	}
	for _, job := range []int{1, 2, 0} {
		b.Give(&b.room, b.Kind(job), share)
	}
	if !b.room.Alike(&idle) {
		t.Errorf("%v of memory is free, there is %v", b.room.Memory, idle.Memory)
	}
}

// On a machine of two processors memory limits what runs beside other jobs.
func TestMemoryOfTwo(t *testing.T) {
	b := benchOf(t, First, model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Processors: 2, Memory: new(3.0)}}}},
		Jobs: []model.JobSpec{{Work: new(1.0), Memory: 2, PerMachine: 1}, {Work: new(1.0), Memory: 1}}})
	b.run(0, 0, -1)
	if first, second := b.Blocks(&b.room, b.Kind(0), 0), b.Blocks(&b.room, b.Kind(1), 0); first != 0 || second != 1 {
		t.Errorf("room for %d and %d, want 0 and 1", first, second)
	}
}

// A job that runs already on less than a block of a machine counts there among the blocks of its sort.
func TestRunningJobsAreCounted(t *testing.T) {
	b := benchOf(t, "clustering", model.InstanceSpec{Devices: []string{"gpu"},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{Count: 2, Processors: 4, Resources: map[string]float64{"gpu": 2}}}}},
		Jobs: []model.JobSpec{{Work: new(1.0), Block: 4, Processors: model.Rigid(4), Resources: map[string]float64{"gpu": 1},
			Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(2, 3, 4, 5)}}}})
	k := b.Kind(0)
	b.Take(&b.room, k, b.Shares(k, 0, model.Processors(2, 3, 4, 5), nil))
	for m := range 2 {
		if free := b.Look(&b.room, m); free.Runs(k.Sort) != 1 || free.Free != 2 {
			t.Errorf("machine %d: %d blocks run, %d processors are free, want 1 and 2", m, free.Runs(k.Sort), free.Free)
		}
	}
}

// A rule is told of the jobs when their number has grown by an eighth, and its scores are not kept beyond that.
func TestExpect(t *testing.T) {
	jobs := make([][2]float64, 30)
	for k := range jobs {
		jobs[k] = [2]float64{1, 1}
		if k == 0 {
			jobs[k][1] = 0.5
		}
	}
	b := newBench(t, "fgd", twoMachines, jobs)
	told := []int{}
	for job := range jobs {
		before := b.scorer.(*fgd).jobs
		if b.Expect(job); b.scorer.(*fgd).jobs != before {
			told = append(told, job+1)
		}
		free := b.Look(&b.room, 0)
		fresh, device := b.scorer.Score(&free, b.Kind(0))
		if e := b.look(&b.room, b.Kind(0), 0); e.score != fresh || e.device != int32(device) {
			t.Fatalf("after %d jobs the score %v is kept, it is %v", job+1, e.score, fresh)
		}
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 27, 30}; !slices.Equal(told, want) {
		t.Errorf("told after %v jobs, want %v", told, want)
	}
}
