package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// unequal is a batch on machines that take different power, under prices by the unit. Some machines can be off, some have little memory, some are faster.
type unequal struct {
	in       *model.Instance
	price    []float64
	machines []unequalMachine
	plain    bool // no machine can be off, and all are as fast
}

// unequalMachine is a machine with what is free of it, unit by unit.
type unequalMachine struct {
	processors   int
	busy, memory float64
	used, held   []float64
}

// drawUnequal draws one.
func drawUnequal(t *rapid.T) *unequal {
	number := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
	length := number(4, 16, "horizon")
	u := &unequal{price: make([]float64, length), plain: rapid.Bool().Draw(t, "plain")}
	lowest := rapid.SampledFrom([]int{0, 0, -2}).Draw(t, "lowest price")
	tariff := &model.TariffSpec{Per: 1}
	for k := range u.price {
		if u.price[k] = float64(number(lowest, 5, "price")); k > 0 && number(0, 1, "as before") == 1 {
			u.price[k] = u.price[k-1]
			continue
		}
		tariff.Price = append(tariff.Price, []float64{float64(k), u.price[k]})
	}
	memory := rapid.Bool().Draw(t, "memory")
	cluster := model.ClusterSpec{ID: "c"}
	all := 0
	for m := range number(1, 3, "machines") {
		power := &model.PowerSpec{Idle: float64(number(1, 3, "idle")), Busy: float64(number(0, 4, "busy"))}
		one := model.MachineSpec{ID: fmt.Sprint("m", m), Processors: number(1, 3, "processors"), Power: power}
		if !u.plain && number(0, 2, "can be off") > 0 {
			off := power.Idle * float64(number(0, 3, "off")) / 4
			way := func(label string) model.WaySpec { // it takes least when it is off, so that what a gap costs is exact
				return model.WaySpec{Time: float64(number(0, 2, label)), Power: off + float64(number(0, 4, label+" power"))}
			}
			power.Off = []model.OffSpec{{Name: "off", Power: off, Down: way("down"), Up: way("up")}}
		}
		if !u.plain && number(0, 2, "fast") == 0 {
			one.Speed = 2
		}
		known := unequalMachine{processors: one.Processors, busy: power.Busy, memory: math.Inf(1), used: make([]float64, length), held: make([]float64, length)}
		if memory && number(0, 3, "all memory") > 0 {
			known.memory = float64(number(1, 6, "memory of it"))
			one.Memory = &known.memory
		}
		cluster.Machines, u.machines, all = append(cluster.Machines, one), append(u.machines, known), all+one.Processors
	}
	b := model.NewBuilder("unequal").Minimise("energy_cost", 1).Cluster(cluster)
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{From: 0, To: float64(length)}
	for j := range number(1, 6, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(number(1, all, "size")), Work: new(float64(number(1, 5, "length"))), Arrival: float64(number(0, 3, "arrival"))}
		if memory {
			job.Memory = float64(number(0, 2, "memory"))
		}
		if number(0, 2, "states power") == 0 {
			job.Power = new(float64(number(0, 4, "power")))
		}
		b.Job(job)
	}
	var err error
	if u.in, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	return u
}

// cheapest is the least cost of the job, and its first start, by trying every unit and giving it the processors that cost least there.
func (u *unequal) cheapest(job int) (best float64, at int) {
	j := &u.in.Jobs()[job]
	length := int(j.Work)
	best, at = math.Inf(1), -1
	for start := int(j.Arrival); start+length <= len(u.price); start++ {
		unit := 0.0
		for k := start; k < start+length; k++ {
			unit += u.price[k]
		}
		var free []float64 // what a free processor costs
		for m := range u.machines {
			machine := &u.machines[m]
			power := machine.busy
			if own, stated := j.Power(); stated {
				power = own
			}
			for p := 1; p <= machine.processors; p++ { // whether so many processors are free there
				fits := true
				for k := start; k < start+length; k++ {
					fits = fits && machine.used[k]+float64(p) <= float64(machine.processors) && machine.held[k]+float64(p)*j.Memory <= machine.memory
				}
				if fits {
					free = append(free, power*unit)
				}
			}
		}
		if len(free) < j.Min {
			continue
		}
		slices.Sort(free)
		cost := 0.0
		for _, f := range free[:j.Min] {
			cost += f
		}
		if cost < best-1e-9 {
			best, at = cost, start
		}
	}
	return best, at
}

// The price of a slot is what the evaluator says the job adds to the cost, of processors and of machines that it wakes. Where machines differ in power and memory only,
// no start and no choice of processors costs less, and none that costs as much is earlier.
func TestPricesOnUnequalMachines(t *testing.T) {
	priced, woken, several := 0, 0, 0
	often.Check(t, 40, func(t *rapid.T) {
		u := drawUnequal(t)
		if !PricesStarts(u.in) {
			t.Fatal("no prices")
		}
		s := newCheap(t, u.in)
		var chosen []Slot                    // of the jobs so far; without processors: it has none
		schedule := func() *model.Solution { // the processors are named once, so it is made anew
			other := newCheap(t, u.in)
			for job, slot := range chosen {
				if slot.Processors == 0 {
					other.LeaveUnplaceable(job)
				} else {
					other.Place(job, slot)
				}
			}
			return other.Solution()
		}
		cost := func() float64 {
			e, err := model.EvaluateObjective(u.in, schedule())
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		before := cost()
		for job := range u.in.Jobs() {
			j := &u.in.Jobs()[job]
			slot, ok := s.Earliest(job, 0)
			if u.plain {
				best, at := u.cheapest(job)
				if ok != (at >= 0) || ok && (slot.Start != float64(at) || math.Abs(slot.Price-best) > 1e-9*max(1, math.Abs(best))) {
					t.Fatalf("job %s: a slot %t at %v for %v; trying all says at %d for %v\n%+v", j.ID, ok, slot.Start, slot.Price, at, best, schedule().Jobs)
				}
			}
			if !ok {
				s.LeaveUnplaceable(job)
				chosen = append(chosen, Slot{})
				continue
			}
			s.Place(job, slot)
			chosen = append(chosen, slot)
			after := cost()
			if more := after - before; math.Abs(more-slot.Price) > 1e-9*max(1, math.Abs(after)) {
				t.Fatalf("job %s adds %v to the cost, its slot says %v\n%+v", j.ID, more, slot.Price, schedule())
			}
			priced, before = priced+1, after
			if slot.Wakes != 0 {
				woken++
			}
			if len(slot.shares) > 1 {
				several++
			}
			u.hold(schedule())
		}
		if report := model.Check(u.in, schedule()); !report.OK() {
			t.Fatal(report.Violations)
		}
	})
	if priced < 500 || woken < 50 || several < 100 {
		t.Errorf("%d slots, of which %d wake machines and %d lie on several", priced, woken, several)
	}
}

// hold takes what the jobs of a schedule hold.
func (u *unequal) hold(sol *model.Solution) {
	if !u.plain {
		return
	}
	first := 0
	for m := range u.machines {
		machine := &u.machines[m]
		clear(machine.used)
		clear(machine.held)
		for _, p := range sol.Jobs {
			n := 0
			for _, r := range p.Processors {
				n += max(0, min(r.Last, first+machine.processors-1)-max(r.First, first)+1)
			}
			job, _ := u.in.JobIndex(p.Job)
			for k := int(p.Start); k < int(p.End); k++ {
				machine.used[k] += float64(n)
				machine.held[k] += float64(n) * u.in.Jobs()[job].Memory
			}
		}
		first += machine.processors
	}
}

// What a job on unequal machines held is free again after Free, and what they take more is that of the slot while it is held.
func TestFreeOnUnequalMachines(t *testing.T) {
	woken := 0
	often.Check(t, 20, func(t *rapid.T) {
		u := drawUnequal(t)
		r := NewResources(u.in)
		for job := range u.in.Jobs() {
			slot, ok := r.Cheapest(job, 0, u.in.Jobs()[job].Min, u.in.Jobs()[job].Arrival, math.Inf(1))
			if !ok {
				continue
			}
			before, waking := r.Clone(), r.Waking()
			r.Take(job, &slot)
			if more := r.Waking() - waking; math.Abs(more-slot.Wakes) > 1e-9*max(1, math.Abs(more)) {
				t.Fatalf("job %d wakes machines for %v, its slot says %v", job, more, slot.Wakes)
			}
			if r.Free(job, &slot); math.Abs(r.Waking()-waking) > 1e-9*max(1, math.Abs(waking)) || u.in.Features()&model.MemoryLimits == 0 && !r.Alike(before, math.Inf(-1), askedAll) {
				t.Fatalf("job %d: %v before it was taken and freed, %v after", job, waking, r.Waking())
			}
			if r.Take(job, &slot); slot.Wakes != 0 {
				woken++
			}
		}
	})
	if woken < 100 {
		t.Errorf("%d slots wake machines", woken)
	}
}

// On a machine that can be off no start at which the job touches another, the arrival or the end of the horizon costs less than the one that is chosen: each is tried, and the evaluator says
// what it costs.
func TestCheapestAmongStartsThatTouch(t *testing.T) {
	tried, dearer := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		number := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
		length := number(6, 16, "horizon")
		tariff := &model.TariffSpec{Per: 1}
		for k := range length {
			tariff.Price = append(tariff.Price, []float64{float64(k), float64(number(0, 4, "price"))})
		}
		power := &model.PowerSpec{Idle: float64(number(2, 4, "idle")), Busy: float64(number(0, 2, "busy"))}
		power.Off = []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: float64(number(0, 2, "down")), Power: float64(number(0, 5, "down power"))}, Up: model.WaySpec{Time: float64(number(0, 2, "up")), Power: float64(number(0, 5, "up power"))}}}
		b := model.NewBuilder("").Minimise("energy_cost", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Power: power}}})
		b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{From: 0, To: float64(length)}
		for j := range number(1, 5, "jobs") {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(number(1, 2, "size")), Work: new(float64(number(1, 4, "length"))), Arrival: float64(number(0, 3, "arrival"))})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := NewResources(in)
		sol := &model.Solution{}
		for job := range in.Jobs() {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[job].ID, Reason: "left out"})
		}
		cost := func(with *model.Placement) float64 {
			s := &model.Solution{Jobs: sol.Jobs, Unscheduled: sol.Unscheduled}
			if with != nil {
				s.Jobs = append(slices.Clone(s.Jobs), *with)
				s.Unscheduled = slices.DeleteFunc(slices.Clone(s.Unscheduled), func(u model.Unscheduled) bool { return u.Job == with.Job })
			}
			e, err := model.EvaluateObjective(in, s)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		for job := range in.Jobs() {
			j := &in.Jobs()[job]
			slot, ok := r.Cheapest(job, 0, j.Min, j.Arrival, math.Inf(1))
			base := cost(nil)
			for start := j.Arrival; start+j.Work <= float64(length); start++ {
				end, touches, fits := start+j.Work, start == j.Arrival || start+j.Work == float64(length), model.ProcessorSet(nil)
				for first := 0; first+j.Min <= 2 && fits == nil; first++ {
					fits = model.ProcessorSet{{First: first, Last: first + j.Min - 1}}
					for _, p := range sol.Jobs {
						if p.Start < end && start < p.End && overlap(p.Processors, fits) {
							fits = nil
							break
						}
					}
				}
				for _, p := range sol.Jobs {
					touches = touches || p.End == start || p.Start == end
				}
				if !touches || fits == nil {
					continue
				}
				at := cost(&model.Placement{Job: j.ID, Cluster: "c", Processors: fits, Start: start, End: end}) - base
				if tried++; !ok || slot.Price > at+1e-9*max(1, at) {
					t.Fatalf("job %s costs %v from %v on, and %v from %v on", j.ID, slot.Price, slot.Start, at, start)
				}
				if at > slot.Price+1e-9 {
					dearer++
				}
			}
			if !ok {
				continue
			}
			r.Take(job, &slot)
			used := 0 // the processors are named here: the first that is free, as starts are by the whole unit and the jobs few
			for first := range 3 - j.Min {
				set, free := model.ProcessorSet{{First: first, Last: first + j.Min - 1}}, true
				for _, p := range sol.Jobs {
					free = free && !(p.Start < slot.End && slot.Start < p.End && overlap(p.Processors, set))
				}
				if free {
					sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: "c", Processors: set, Start: slot.Start, End: slot.End})
					used++
					break
				}
			}
			if used == 0 {
				return // only another naming of the processors has room
			}
			sol.Unscheduled = slices.DeleteFunc(sol.Unscheduled, func(u model.Unscheduled) bool { return u.Job == j.ID })
		}
	})
	if tried < 1000 || dearer < 300 {
		t.Errorf("%d starts, of which %d cost more", tried, dearer)
	}
}

// Of two machines alike, of which one serves a job already, that one takes another on its free processors: the other would have to wake.
func TestMachinesThatAreAwakeComeFirst(t *testing.T) {
	for _, awake := range []int{0, 1} {
		power := &model.PowerSpec{Idle: 2, Busy: 1, Off: []model.OffSpec{{Name: "off"}}}
		b := model.NewBuilder("").Minimise("energy_cost", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 4, Power: power}}})
		b.Spec().Tariff, b.Spec().Horizon = &model.TariffSpec{Per: 1, Price: [][]float64{{0, 1}}}, &model.HorizonSpec{From: 0, To: 9}
		in, err := b.Job(model.JobSpec{ID: "a", Work: new(9.0)}, model.JobSpec{ID: "b", Work: new(3.0), Processors: model.Rigid(3)}).Build()
		if err != nil {
			t.Fatal(err)
		}
		r := NewResources(in)
		first := Slot{Processors: 1, Start: 0, End: 9, shares: []place.Share{{Machine: int32(awake), Processors: 1}}}
		r.Take(0, &first)
		slot, ok := r.Cheapest(1, 0, 3, 0, math.Inf(1))
		if !ok || slot.Wakes != 0 || slot.Price != 9 || len(slot.shares) != 1 || int(slot.shares[0].Machine) != awake {
			t.Errorf("machine %d is awake: %+v, %v", awake, slot, ok)
		}
	}
}
