package plan

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// wholeUnits is an instance whose times are all whole units, with what is free of it unit by unit: the slow counterpart of a cheapCluster.
type wholeUnits struct {
	in         *model.Instance
	clock      int // when the horizon begins
	price, cap []float64
	used       []int
	copies     []int // of a licence, of which there are two
	power      []float64
	processors int
}

// drawWholeUnits draws a cluster of alike processors under prices and a cap by the unit.
func drawWholeUnits(t *rapid.T) *wholeUnits {
	number := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
	w := &wholeUnits{clock: rapid.SampledFrom([]int{0, 3, 1_700_000_000}).Draw(t, "clock"), processors: number(1, 4, "processors")}
	length := number(3, 30, "horizon")
	per := rapid.SampledFrom([]float64{1, 3.6e6}).Draw(t, "per")
	tariff := &model.TariffSpec{Per: per}
	period := 0
	if rapid.Bool().Draw(t, "periodic") {
		period = number(2, 8, "period")
		tariff.Period = float64(period)
	}
	w.price = make([]float64, length)
	lowest := rapid.SampledFrom([]int{0, 0, -3}).Draw(t, "lowest price")
	steps := length
	if period > 0 {
		steps = min(length, period)
	}
	for k := range steps {
		w.price[k] = float64(number(lowest, 5, "price"))
		if k > 0 && number(0, 1, "as before") == 1 {
			w.price[k] = w.price[k-1]
			continue
		}
		tariff.Price = append(tariff.Price, []float64{float64(w.clock + k), w.price[k]})
	}
	if period > 0 {
		for k := period; k < length; k++ {
			w.price[k] = w.price[k-period]
		}
	}
	idle := float64(number(0, 2, "idle"))
	b := model.NewBuilder("units").Minimise("energy_cost", 1)
	if rapid.Bool().Draw(t, "waits") {
		metric := rapid.SampledFrom([]string{"mean_wait", "mean_response", "over_deadline", "bounded_slowdown", "mean_slowdown"}).Draw(t, "metric")
		b.Spec().Objective[metric] = float64(number(1, 8, "weight")) / per
	}
	cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: w.processors, Power: &model.PowerSpec{Idle: idle, Busy: 2}}}}
	w.cap = make([]float64, length)
	limit := math.Inf(1)
	capped := rapid.Bool().Draw(t, "cap")
	for k := range w.cap {
		if capped && number(0, 3, "new cap") == 0 {
			limit = max(0.5, idle+float64(number(0, 8, "cap")))
			cluster.PowerCap = append(cluster.PowerCap, []float64{float64(w.clock + k), limit})
		}
		w.cap[k] = limit - idle
	}
	b.Cluster(cluster)
	b.Spec().Licences = map[string]int{"l": 2}
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{From: float64(w.clock), To: float64(w.clock + length)}
	for j := range number(1, 8, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(number(1, w.processors, "size")), Work: new(float64(number(0, 6, "length"))),
			Arrival: float64(w.clock + number(0, 3, "arrival"))}
		if number(0, 2, "states power") == 0 {
			job.Power = new(float64(number(0, 4, "power")))
		}
		if n := number(0, 4, "copies"); n <= 2 && n > 0 {
			job.Licences = map[string]int{"l": n}
		}
		if rapid.Bool().Draw(t, "has deadline") {
			job.Deadline = new(float64(w.clock + number(1, length, "deadline")))
			job.DeadlineHard = rapid.Bool().Draw(t, "hard")
		}
		b.Job(job)
	}
	var err error
	if w.in, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	w.used, w.copies, w.power = make([]int, length), make([]int, length), make([]float64, length)
	return w
}

// cost is what the job costs from a unit on, and whether it may start there.
func (w *wholeUnits) cost(job, start int) (float64, bool) {
	j := &w.in.Jobs()[job]
	size, length := j.Min, int(j.Work)
	end := start + length
	if start < 0 || end > len(w.price) || j.DeadlineHard && float64(w.clock+end) > j.Deadline {
		return 0, false
	}
	power := 2.0
	if own, stated := j.Power(); stated {
		power = own
	}
	sum := 0.0
	for k := start; k < end; k++ {
		if w.used[k]+size > w.processors || w.copies[k]+w.in.JobSpec(job).Licences["l"] > 2 || w.power[k]+power*float64(size) > w.cap[k] {
			return 0, false
		}
		sum += power * float64(size) * w.price[k]
	}
	sum /= w.in.Tariff().Per
	response, jobs := float64(w.clock+end)-j.Arrival, float64(len(w.in.Jobs()))
	for _, term := range w.in.ObjectiveTerms() {
		switch term.Metric {
		case "mean_wait":
			sum += term.Weight * (response - float64(length)) / jobs
		case "mean_response":
			sum += term.Weight * response / jobs
		case "mean_slowdown":
			if length > 0 {
				sum += term.Weight * response / float64(length) / jobs
			}
		case "bounded_slowdown":
			sum += term.Weight * max(1, response/max(10, float64(length))) / jobs
		case "over_deadline":
			if j.HasDeadline() {
				sum += term.Weight * max(0, float64(w.clock+end)-j.Deadline)
			}
		}
	}
	return sum, true
}

// The decoder finds the cheapest start, and of equal ones the earliest: that of trying every unit.
func TestCheapestStartIsThatOfTryingAll(t *testing.T) {
	often.Check(t, 30, func(t *rapid.T) {
		w := drawWholeUnits(t)
		s := newCheap(t, w.in)
		for job := range w.in.Jobs() {
			j := &w.in.Jobs()[job]
			best, at := math.Inf(1), -1
			for start := int(j.Arrival) - w.clock; start < len(w.price)+1; start++ {
				if cost, ok := w.cost(job, start); ok && cost < best-1e-9 {
					best, at = cost, start
				}
			}
			slot, ok := s.Earliest(job, 0)
			late := ok && j.DeadlineHard && model.Late(slot.End, j.Deadline)
			if (ok && !late) != (at >= 0) {
				t.Fatalf("job %s: a slot %t at %v, trying all units says %d", j.ID, ok, slot.Start-float64(w.clock), at)
			}
			if at < 0 {
				s.LeaveUnplaceable(job)
				continue
			}
			if got := slot.Start - float64(w.clock); got != float64(at) {
				cost, _ := w.cost(job, int(got))
				t.Fatalf("job %s starts at %v for %v (%v), trying all units says at %d for %v", j.ID, got, slot.Price, cost, at, best)
			}
			if j.Work > 0 && math.Abs(slot.Price-best) > 1e-9*max(1, math.Abs(best)) {
				t.Fatalf("job %s costs %v, trying all units says %v", j.ID, slot.Price, best)
			}
			s.Place(job, slot)
			power := 2.0
			if own, stated := j.Power(); stated {
				power = own
			}
			for k := at; k < at+int(j.Work); k++ {
				w.used[k] += j.Min
				w.copies[k] += w.in.JobSpec(job).Licences["l"]
				w.power[k] += power * float64(j.Min)
			}
		}
		if report := model.Check(w.in, s.Solution()); !report.OK() {
			t.Fatal(report.Violations)
		}
	})
}

// What a job held is free again after Free, and what machines take is as before.
func TestFreeGivesBackWhatTakeTook(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in, ok := drawCheap(t, 8)
		if !ok || in.Features().Has(model.MemoryLimits) { // memory is free again but for rounding
			return
		}
		r := NewResources(in)
		var placed []int
		slots := make([]Slot, len(in.Jobs()))
		for job := range in.Jobs() {
			cluster := rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")
			if !in.CanRun(job, cluster) {
				continue
			}
			least, _ := in.Width(job, cluster)
			slot, found := r.Cheapest(job, cluster, least, in.Jobs()[job].Arrival, math.Inf(1))
			if !found {
				continue
			}
			before, waking := r.Clone(), r.Waking()
			r.Take(job, &slot)
			if more := r.Waking() - waking; math.Abs(more-slot.Wakes) > 1e-9*max(1, math.Abs(more)) {
				t.Fatalf("job %d wakes machines for %v, its slot says %v", job, more, slot.Wakes)
			}
			r.Free(job, &slot)
			if !r.Alike(before, math.Inf(-1), askedAll) || math.Abs(r.Waking()-waking) > 1e-9*max(1, math.Abs(waking)) {
				t.Fatalf("job %d: the state is not the one before it was taken and freed: %v, %v", job, r.Waking(), waking)
			}
			r.Take(job, &slot)
			slots[job], placed = slot, append(placed, job)
		}
		for _, job := range rapid.Permutation(placed).Draw(t, "freed") {
			r.Free(job, &slots[job])
		}
		if !r.Alike(NewResources(in), math.Inf(-1), askedAll) || math.Abs(r.Waking()) > 1e-6 {
			t.Fatalf("the state is not empty: %v", r.Waking())
		}
	})
}
