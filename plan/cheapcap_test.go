package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// A sum in two parts is exact where what is added and taken away again is much larger than what stays.
func TestTwofoldSum(t *testing.T) {
	var sum twofold
	sum.add(0.1, 3)
	for _, sign := range []float64{1, -1} {
		for k := range 10 {
			sum.add(0.1*float64(k), 3*sign)
			sum.add(1e15, 7*sign)
		}
	}
	if got := sum.sum + sum.lost; math.Abs(got-0.3) > 1e-12 {
		t.Errorf("%v of %v", got, sum)
	}
}

// A job finds room under a power cap wherever the free processors that take least keep it, whatever power costs: no price, a price of 0 and a negative one may
// not hide them behind those that take more.
func TestFrugalProcessorsKeepTheCap(t *testing.T) {
	found, short := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		number := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
		length := number(3, 10, "horizon")
		b := model.NewBuilder("capped")
		cluster := model.ClusterSpec{ID: "c"}
		var busy, size []int // by machine
		all := 0
		idle := 0
		for m := range number(1, 4, "machines") {
			power := &model.PowerSpec{Idle: float64(number(0, 1, "idle")), Busy: float64(number(0, 3, "busy"))}
			one := model.MachineSpec{ID: fmt.Sprint("m", m), Processors: number(1, 3, "processors"), Power: power, Cost: float64(m)} // no two are alike
			idle, all = idle+int(power.Idle), all+one.Processors
			busy, size = append(busy, int(power.Busy)), append(size, one.Processors)
			cluster.Machines = append(cluster.Machines, one)
		}
		most := make([]int, length)
		for k := range most {
			if most[k] = number(0, 8, "most"); k > 0 && number(0, 1, "as before") == 1 {
				most[k] = most[k-1]
				continue
			}
			cluster.PowerCap = append(cluster.PowerCap, []float64{float64(k), float64(idle + most[k])})
		}
		b.Cluster(cluster)
		if number(0, 1, "priced") == 1 {
			b.Minimise("energy_cost", 1)
			b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, float64(number(-1, 2, "price"))}, {float64(number(1, 5, "time")), float64(number(-1, 2, "price"))}}}
		}
		b.Spec().Horizon = &model.HorizonSpec{To: float64(length)}
		for j := range number(1, 4, "jobs") {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(number(1, all, "size")), Work: new(float64(number(1, 4, "length"))), Arrival: float64(number(0, 2, "arrival"))})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		s := newCheap(t, in)
		used := make([][]int, length) // by unit and machine
		for k := range used {
			used[k] = make([]int, len(size))
		}
		for job := range in.Jobs() {
			j := &in.Jobs()[job]
			room := false
			for start := int(j.Arrival); start+int(j.Work) <= length && !room; start++ {
				var free []int
				for m, power := range busy {
					held := 0
					for _, u := range used[start : start+int(j.Work)] {
						held = max(held, u[m])
					}
					free = append(free, slices.Repeat([]int{power}, size[m]-held)...)
				}
				if slices.Sort(free); len(free) < j.Min {
					continue
				}
				power := 0
				for _, p := range free[:j.Min] {
					power += p
				}
				room = slices.Min(most[start:start+int(j.Work)]) >= power
			}
			slot, ok := s.Earliest(job, 0)
			if ok != room {
				t.Fatalf("job %s has a slot: %t, there is room: %t\n%+v", j.ID, ok, room, slot)
			}
			if !ok {
				short++
				s.LeaveUnplaceable(job)
				continue
			}
			found++
			s.Place(job, slot)
			first := 0
			for m := range size {
				n := 0
				for _, r := range s.Last().Processors {
					n += max(0, min(r.Last, first+size[m]-1)-max(r.First, first)+1)
				}
				for k := int(slot.Start); k < int(slot.End); k++ {
					used[k][m], most[k] = used[k][m]+n, most[k]-n*busy[m]
				}
				first += size[m]
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatal(report.Violations)
		}
	})
	if found < 200 || short < 100 {
		t.Errorf("%d slots, %d jobs without", found, short)
	}
}
