package place

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// drawSite draws a cluster of a few machines with devices of two kinds, and jobs that need blocks there.
func drawSite(t *rapid.T) (*Site, *model.Instance, Rule) {
	b := model.NewBuilder("site")
	cluster := model.ClusterSpec{ID: "c"}
	for m := range rapid.IntRange(1, 4).Draw(t, "groups") {
		cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Count: rapid.IntRange(1, 2).Draw(t, "count"),
			Processors: rapid.IntRange(1, 8).Draw(t, "processors"), Speed: float64(rapid.IntRange(1, 2).Draw(t, "speed")),
			Resources: map[string]float64{"gpu": float64(rapid.IntRange(0, 4).Draw(t, "gpu")), "fpga": float64(rapid.IntRange(0, 2).Draw(t, "fpga")), "nic": 4}})
		if rapid.IntRange(0, 2).Draw(t, "little memory") == 0 {
			cluster.Machines[m].Memory = new(float64(rapid.IntRange(1, 12).Draw(t, "memory")))
		}
	}
	b.Spec().Devices = []string{"gpu", "fpga"}
	b.Cluster(cluster)
	for j := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		block, blocks := rapid.IntRange(1, 2).Draw(t, "block"), rapid.IntRange(1, 4).Draw(t, "blocks")
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0), Block: block, Processors: model.Rigid(block * blocks), Resources: map[string]float64{
			"gpu": rapid.SampledFrom([]float64{0, 0.25, 0.6, 1, 2}).Draw(t, "gpu needed"), "fpga": rapid.SampledFrom([]float64{0, 0, 0.5, 1}).Draw(t, "fpga needed"),
			"nic": rapid.SampledFrom([]float64{0, 0.5, 1.5}).Draw(t, "nic needed")}}
		if rapid.Bool().Draw(t, "needs memory") {
			job.Memory = float64(rapid.IntRange(1, 3).Draw(t, "memory needed"))
		}
		switch rapid.IntRange(0, 3).Draw(t, "layout") {
		case 1:
			least := rapid.IntRange(1, blocks).Draw(t, "least")
			job.Machines = model.Moldable(least, rapid.IntRange(least, blocks).Draw(t, "most"))
		case 2:
			job.PerMachine = 1
		case 3:
			job.Exclusive = true
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	rule := rapid.SampledFrom(Rules()).Draw(t, "rule")
	s := NewSite(in, rule, 1)
	s.ExpectAll()
	return s, in, rule
}

// most is the number of blocks of the job that the machine has room for, found by trying: the definition, in words of the model.
func most(s *Site, r *Room, in *model.Instance, job, m int) int {
	n, machine := in.Jobs()[job].Node(), &s.Machines[m]
	if n.Exclusive && int(r.Processors[m]) < machine.Units {
		return 0
	}
	blocks := 0
	for len(short(s, r, in, job, m, blocks+1)) == 0 {
		blocks++
	}
	return blocks
}

// short lists what the machine has too little of for so many blocks of the job, as [Site.Lacks] names it: the definition, in words of the model.
func short(s *Site, r *Room, in *model.Instance, job, m, blocks int) (names []string) {
	j, machine, free := &in.Jobs()[job], &s.Machines[m], s.Look(r, m)
	processors := blocks * j.Node().Block
	for _, need := range j.Node().Resources {
		enough := need.Amount*model.Amount(blocks) <= free.Amounts[need.Resource]
		if in.Resources()[need.Resource].Devices {
			first, last := machine.Devices(s, need.Resource)
			whole, shares := 0, 0
			for _, share := range free.Devices[first:last] {
				if share == model.WholeAmount {
					whole++
				}
				if share >= need.Amount {
					shares++
				}
			}
			enough = shares >= blocks
			if need.Amount >= model.WholeAmount {
				enough = whole >= blocks*int(need.Amount/model.WholeAmount)
			}
		}
		if !enough {
			names = append(names, in.Resources()[need.Resource].ID)
		}
	}
	if j.Memory*float64(processors) > r.Memory[m] {
		names = append(names, Memory)
	}
	if processors > int(r.Processors[m]) {
		names = append(names, Processors)
	}
	return names
}

// What a machine lacks is what there is too little of; and it has what shares hold if it has room for the blocks, and each device that they name has what a block needs of it. A share that
// names too few devices is refused. The first of the resources of which a block needs a share of a device is the one that a rule chooses by.
func TestLacksAndHas(t *testing.T) {
	lacks, has, not := 0, 0, 0
	property := func(t *rapid.T) {
		s, in, _ := drawSite(t)
		room := s.Room()
		for range rapid.IntRange(1, 8).Draw(t, "looks") {
			job, m := rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "job"), rapid.IntRange(0, len(s.Machines)-1).Draw(t, "machine")
			k, blocks := s.Kind(job), rapid.IntRange(1, 4).Draw(t, "blocks")
			if k.Node.PerMachine > 0 {
				blocks = k.Node.PerMachine // no machine gets more
			}
			lacking := short(s, &room, in, job, m, blocks)
			if got := s.Lacks(&room, k, m, blocks*k.Size); !slices.Equal(got, lacking) {
				t.Fatalf("job %d, %d blocks on machine %d: lacks %v, want %v", job, blocks, m, got, lacking)
			}
			if lacks += len(lacking); len(lacking) > 0 || k.Node.Exclusive && int(room.Processors[m]) < s.Machines[m].Units {
				continue
			}
			share, want, first := Share{Machine: int32(m), Processors: int32(blocks * k.Size)}, true, -1
			for _, need := range k.Node.Resources {
				if !in.Resources()[need.Resource].Devices {
					continue
				}
				if first < 0 && need.Amount < model.WholeAmount {
					first = need.Resource
				}
				from, to := s.Machines[m].Devices(s, need.Resource)
				count := blocks * max(1, int(need.Amount/model.WholeAmount))
				for _, d := range rapid.Permutation(numbers(from, to)).Draw(t, "devices")[:count] {
					share.Devices = append(share.Devices, int32(d))
					want = want && s.Look(&room, m).Devices[d] >= min(need.Amount, model.WholeAmount)
				}
			}
			if k.Share != first {
				t.Fatalf("job %d: the first share is of resource %d, want %d", job, k.Share, first)
			}
			if n := len(share.Devices); n > 0 && rapid.IntRange(0, 3).Draw(t, "one too few") == 0 {
				share.Devices, want = share.Devices[:n-1], false
			}
			if want = want && most(s, &room, in, job, m) >= k.Node.PerMachine; s.Has(&room, k, []Share{share}) != want {
				t.Fatalf("job %d has %+v: %v, want %v", job, share, !want, want)
			}
			if want {
				has++
				s.Take(&room, k, []Share{share})
			} else {
				not++
			}
		}
	}
	often.Check(t, 10, property)
	if lacks < race.Enough(100) || has < race.Enough(100) || not < race.Enough(50) {
		t.Errorf("%d lacked, %d there and %d not", lacks, has, not)
	}
}

// numbers are the whole numbers of [from, to).
func numbers(from, to int) (all []int) {
	for k := from; k < to; k++ {
		all = append(all, k)
	}
	return all
}

// What a capacity has left for amounts in decimals is what is left of the decimals, however it was added up.
func TestTimesOfDecimals(t *testing.T) {
	rng, off := rand.New(rand.NewPCG(57, 0)), 0
	for range 20_000 {
		parts, capacity, amount := []float64{1, 10, 100, 1000}[rng.IntN(4)], 1+rng.IntN(2000), 1+rng.IntN(40)
		left, free := capacity, float64(capacity)/parts
		for range rng.IntN(12) {
			if one := 1 + rng.IntN(200); one <= left {
				left, free = left-one, free-float64(one)/parts
			}
		}
		most := rng.IntN(80)
		want := min(left/amount, most)
		if got := Times(free, float64(capacity)/parts, float64(amount)/parts, most); got != want {
			t.Fatalf("%v fits %d times into %v, %d parts of %v, want %d", float64(amount)/parts, got, free, left, 1/parts, want)
		}
		if min(most, int(free/(float64(amount)/parts))) != want {
			off++
		}
	}
	if off < 100 {
		t.Errorf("%d sums are off without an allowance", off)
	}
}

// exists says whether blocks can be shared among machines that have room for the given numbers, within the limits of the job.
func exists(room []int, blocks, used int, n *model.NodeNeeds) bool {
	if blocks == 0 {
		return used >= n.MinMachines && (n.MaxMachines == 0 || used <= n.MaxMachines)
	}
	if len(room) == 0 {
		return false
	}
	if exists(room[1:], blocks, used, n) {
		return true
	}
	for b := 1; b <= min(room[0], blocks); b++ {
		if (n.PerMachine == 0 || b == n.PerMachine) && exists(room[1:], blocks-b, used+1, n) {
			return true
		}
	}
	return false
}

// Choose finds machines where there are any within the limits of the job, whatever the rule; what it takes is there, and giving it back restores the room.
func TestChooseFindsWhatThereIs(t *testing.T) {
	found, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, in, _ := drawSite(t)
		room := s.Room()
		first := s.Room()
		type held struct {
			kind   *Kind
			shares []Share
		}
		var all []held
		for job := range in.Jobs() {
			j, k := &in.Jobs()[job], s.Kind(job)
			blocks := j.Min / k.Size
			var rooms []int
			for m := range s.Machines {
				b := most(s, &room, in, job, m)
				if k.Node.PerMachine > 0 {
					b = min(b, k.Node.PerMachine) // what a machine that is empty gives is capped
				}
				if got := s.Blocks(&room, k, m); min(got, blocks) != min(b, blocks) && k.Node.PerMachine == 0 {
					t.Fatalf("job %d on machine %d: room for %d blocks, found %d", job, m, b, got)
				}
				rooms = append(rooms, b)
			}
			shares, ok := s.Choose(&room, k, 0, j.Min, nil, nil)
			if want := exists(rooms, blocks, 0, k.Node); ok != want {
				t.Fatalf("job %d: %v, expected %v with room for %v of %d blocks", job, ok, want, rooms, blocks)
			}
			if !ok {
				none++
				continue
			}
			found++
			taken := 0
			for _, share := range shares {
				taken += int(share.Processors)
			}
			if taken != j.Min || !s.Has(&room, k, shares) {
				t.Fatalf("job %d: takes %v, has %v", job, shares, s.Has(&room, k, shares))
			}
			if n := k.Node; len(shares) < n.MinMachines || n.MaxMachines > 0 && len(shares) > n.MaxMachines || n.PerMachine > 0 && len(shares)*n.PerMachine != blocks {
				t.Fatalf("job %d: takes %v, asks for %+v", job, shares, n)
			}
			set := model.ProcessorSet{}
			for _, share := range shares {
				first := s.Machines[share.Machine].First
				set = append(set, model.Range{First: first, Last: first + int(share.Processors) - 1})
			}
			if again := s.Shares(k, 0, model.NewProcessorSet(set...), s.Held(k, shares)); len(again) != len(shares) || !slices.ContainsFunc(again, func(a Share) bool {
				return slices.ContainsFunc(shares, func(b Share) bool { return a.Machine == b.Machine && slices.Equal(a.Devices, b.Devices) })
			}) {
				t.Fatalf("job %d: %v read back as %v", job, shares, again)
			}
			s.Take(&room, k, shares)
			all = append(all, held{k, shares})
		}
		for _, h := range all {
			s.Give(&room, h.kind, h.shares)
		}
		if !room.Alike(&first) {
			t.Fatalf("after all was given back: %+v, expected %+v", room, first)
		}
	})
	if found < race.Enough(100) || none < race.Enough(30) {
		t.Errorf("%d jobs found machines, %d did not", found, none)
	}
}

// What is free in two rooms at once is the least of each, and kept scores never serve another state: a site that has looked at much finds the same as a new one.
func TestKeptScoresAreThoseOfTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, in, rule := drawSite(t)
		a, b := s.Room(), s.Room()
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			job := rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "job")
			k, room := s.Kind(job), &a
			if rapid.Bool().Draw(t, "in the other room") {
				room = &b
			}
			if shares, ok := s.Choose(room, k, 0, in.Jobs()[job].Min, nil, nil); ok {
				s.Take(room, k, shares)
			}
			if rapid.IntRange(0, 3).Draw(t, "meet") == 0 {
				s.Intersect(&a, &b, 0, len(s.Machines))
			}
		}
		fresh := NewSite(in, rule, 1)
		fresh.ExpectAll()
		if s.drawing != nil {
			return
		}
		copied := fresh.Room()
		copied.CopyFrom(&a)
		for m := range copied.stamps {
			copied.stamps[m] = fresh.tick()
		}
		for job := range in.Jobs() {
			got, ok := s.Choose(&a, s.Kind(job), 0, in.Jobs()[job].Min, nil, nil)
			want, okWant := fresh.Choose(&copied, fresh.Kind(job), 0, in.Jobs()[job].Min, nil, nil)
			if ok != okWant || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("job %d: %v %v, a new site finds %v %v", job, got, ok, want, okWant)
			}
		}
	})
}

// Jobs that need the same are of two kinds where closed times do not concern one of them, because it takes no time by its estimate: it may use machines
// that are never open to the other, whichever is asked about first.
func TestKindsByClosedTimes(t *testing.T) {
	for _, first := range []int{0, 1} {
		b := model.NewBuilder("closed")
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Resources: map[string]float64{"r": 1}, Closed: []model.ClosedSpec{{}}}}})
		b.Job(model.JobSpec{ID: "never", Estimate: new(1.0), Resources: map[string]float64{"r": 1}})
		b.Job(model.JobSpec{ID: "unconcerned", Work: new(1.0), Estimate: new(0.0), Resources: map[string]float64{"r": 1}})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		s := NewSite(in, Rules()[0], 1)
		s.Hosts(s.Kind(first), 0)
		if never, unconcerned := s.Hosts(s.Kind(0), 0), s.Hosts(s.Kind(1), 0); never != 0 || unconcerned != 1 {
			t.Errorf("job %d first: the machine hosts %d and %d processors, expected 0 and 1", first, never, unconcerned)
		}
	}
}

// Where two rooms meet, what is free of a resource is what is free of its devices: a half of each of two, where another half is taken of each.
func TestMeetAddsUpDevices(t *testing.T) {
	b := newBench(t, "best", [][2]float64{{8, 2}}, [][2]float64{{0, 0.5}})
	k, other := b.Kind(0), b.Room()
	b.Take(&b.room, k, []Share{{Processors: 1, Devices: []int32{0}}})
	b.Take(&other, k, []Share{{Processors: 1, Devices: []int32{1}}})
	var state State
	b.Save(&other, 0, &state)
	met := b.Room()
	met.CopyFrom(&b.room)
	b.Intersect(&met, &other, 0, 1)
	b.IntersectState(&b.room, 0, &state)
	for _, room := range []*Room{&met, &b.room} {
		if free := b.Look(room, 0); free.Amounts[1] != model.WholeAmount || free.Devices[0] != model.WholeAmount/2 || free.Devices[1] != model.WholeAmount/2 {
			t.Errorf("%v is free, of the devices %v", free.Amounts, free.Devices)
		}
	}
}
