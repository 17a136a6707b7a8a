package place

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
)

// bench is a site whose machines tests look at one by one.
type bench struct {
	*Site
	room Room
}

// newBench lays out machines with cores and GPUs, each {cores, GPUs}, and jobs that need such, each {cores, GPUs}.
func newBench(t testing.TB, rule string, machines, jobs [][2]float64) *bench {
	t.Helper()
	spec := model.InstanceSpec{Devices: []string{"gpu"}, Clusters: []model.ClusterSpec{{ID: "c"}}}
	for _, m := range machines {
		spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, model.MachineSpec{Processors: 100, Resources: map[string]float64{"cpu": m[0], "gpu": m[1]}})
	}
	for _, j := range jobs {
		needs := map[string]float64{"cpu": j[0]}
		if j[1] > 0 {
			needs["gpu"] = j[1]
		}
		spec.Jobs = append(spec.Jobs, model.JobSpec{Work: new(1.0), Resources: needs})
	}
	return benchOf(t, rule, spec)
}

func benchOf(t testing.TB, rule string, spec model.InstanceSpec) *bench {
	t.Helper()
	for k := range spec.Clusters[0].Machines {
		spec.Clusters[0].Machines[k].ID = "m" + strconv.Itoa(k)
	}
	for k := range spec.Jobs {
		spec.Jobs[k].ID = "j" + strconv.Itoa(k)
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSite(in, r, 1)
	return &bench{s, s.Room()}
}

// run lets a block of the job run on the machine, on the given device.
func (b *bench) run(job, machine, device int) {
	k := b.Kind(job)
	b.Take(&b.room, k, []Share{b.share(&b.room, k, candidate{machine: int32(machine), blocks: 1, device: int32(device)})})
}

// score is the score of a block of the job on the machine, and the device.
func (b *bench) score(job, machine int) (float64, int) {
	if d, ok := b.scorer.(Drawing); ok {
		d.Draw()
	}
	free := b.Look(&b.room, machine)
	return b.scorer.Score(&free, b.Kind(job))
}

// expect checks the score of a block of the job on the machine, and the device.
func (b *bench) expect(t *testing.T, job, machine int, score float64, device int) {
	t.Helper()
	if s, d := b.score(job, machine); s != score || d != device {
		t.Errorf("job %d on machine %d: score %v, device %d, want %v, %d", job, machine, s, d, score, device)
	}
}

// Two machines, of 8 cores and 2 GPUs and of 16 cores and 4 GPUs, and jobs of half a GPU, two GPUs and none.
var (
	twoMachines = [][2]float64{{8, 2}, {16, 4}}
	threeJobs   = [][2]float64{{4, 0.5}, {8, 2}, {2, 0}}
)

// anyBench is a site with machines and jobs of many kinds, on whose machines some jobs run.
func anyBench(t testing.TB, rule string, random *rand.Rand) *bench {
	t.Helper()
	spec := model.InstanceSpec{Devices: []string{"a100", "t4"}, Clusters: []model.ClusterSpec{{ID: "c"}}}
	features := []string{"ib", "nvlink"}
	for range 6 {
		m := model.MachineSpec{Processors: 2 + random.IntN(12), Resources: map[string]float64{
			"cpu": float64(random.IntN(40)) / 2, "a100": float64(random.IntN(4)), "t4": float64(random.IntN(5)),
		}}
		if random.IntN(2) == 0 {
			m.Memory = new(float64(10 + random.IntN(50)))
		}
		if random.IntN(2) == 0 {
			m.Features = features[:1+random.IntN(2)]
		}
		spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, m)
	}
	for range 12 {
		j := model.JobSpec{Work: new(1.0), Memory: float64(random.IntN(8)), Block: 1 + random.IntN(2), Resources: map[string]float64{}}
		j.Processors = model.Rigid(j.Block)
		if random.IntN(3) > 0 {
			j.Resources["cpu"] = float64(random.IntN(10)) / 2
		}
		for _, device := range spec.Devices {
			switch random.IntN(4) {
			case 0:
				j.Resources[device] = float64(1+random.IntN(9)) / 10
			case 1:
				j.Resources[device] = float64(1 + random.IntN(2))
			}
		}
		if random.IntN(4) == 0 {
			j.Features = [][]string{features[1:]}
		}
		j.Exclusive = random.IntN(12) == 0
		spec.Jobs = append(spec.Jobs, j)
	}
	b := benchOf(t, rule, spec)
	for range 3 * len(spec.Jobs) {
		job, machine := random.IntN(len(spec.Jobs)), random.IntN(len(b.Machines))
		if b.Blocks(&b.room, b.Kind(job), machine) > 0 {
			b.run(job, machine, -1)
		}
	}
	return b
}

// after is the room once a block of the kind runs on the machine, on the device if it shares one.
func (b *bench) after(room *Room, k *Kind, machine, device int) Room {
	var then Room
	then.CopyFrom(room)
	b.Take(&then, k, []Share{b.share(&then, k, candidate{machine: int32(machine), blocks: 1, device: int32(device)})})
	return then
}

// devicesForShare are the devices of the machine that may give a block of the kind its share; −1 alone if it needs none.
func (b *bench) devicesForShare(k *Kind, machine int) (devices []int) {
	if k.Share < 0 {
		return []int{-1}
	}
	free := b.Look(&b.room, machine)
	first, last := free.Machine.Devices(b.Site, k.Share)
	for d := first; d < last; d++ {
		if free.Devices[d] >= k.Node.Need(k.Share) {
			devices = append(devices, d)
		}
	}
	return devices
}

// What is remembered of machines is of machines of one class: of another class it differs, although as much is free there.
func TestKeysTellClassesApart(t *testing.T) {
	tr := &trial{processors: 3, memory: 2, amounts: []model.Amount{5}, devices: []model.Amount{1, 4}}
	key := func(class, processors int, memory float64) string {
		return string(tr.key(nil, class, processors, memory))
	}
	seen := map[string]int{}
	for class := range 300 {
		if before, again := seen[key(class, 9, 9)]; again {
			t.Errorf("classes %d and %d have the same key", before, class)
		}
		seen[key(class, 9, 9)] = class
	}
	if key(1, 4, 3) != key(1, 9, 9) || key(1, 2, 9) == key(1, 9, 9) || key(1, 9, 1) == key(1, 9, 9) {
		t.Error("more than the limits makes a difference, or less makes none")
	}
}

// Jobs with equal needs are of one kind. Where machines are closed, one that may take no time is of another kind than one that takes some; elsewhere that makes no difference.
func TestKindsOfJobsThatMayTakeNoTime(t *testing.T) {
	for _, closed := range []bool{false, true} {
		machine := model.MachineSpec{Processors: 4, Resources: map[string]float64{"gpu": 2}}
		if closed {
			machine.Closed = []model.ClosedSpec{{From: 5, To: new(6.0)}}
		}
		spec := model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine}}}}
		for _, work := range []float64{1, 2, 0, 0} {
			spec.Jobs = append(spec.Jobs, model.JobSpec{Work: &work, Resources: map[string]float64{"gpu": 1}})
		}
		spec.Jobs = append(spec.Jobs, model.JobSpec{Work: new(1.0), Resources: map[string]float64{"gpu": 2}}, model.JobSpec{Work: new(1.0), Span: "machine", Resources: map[string]float64{"gpu": 1}})
		b := benchOf(t, "first", spec)
		kind := b.Kind
		if kind(0).whole || !kind(5).whole {
			t.Error("a job that stays on one machine is of a kind that does not, or one that need not is of a kind that does")
		}
		if kind(0) != kind(1) || kind(2) != kind(3) || (kind(0) == kind(2)) == closed || kind(0) == kind(4) {
			t.Errorf("closed %v: kinds %d %d %d %d %d", closed, kind(0).Number, kind(1).Number, kind(2).Number, kind(3).Number, kind(4).Number)
		}
	}
}
