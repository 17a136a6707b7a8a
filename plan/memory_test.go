package plan

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// heldMemory is a job that was placed.
type heldMemory struct {
	set        model.ProcessorSet
	start, end float64
	each       float64
}

// slowMemory is the earliest slot of a job on a cluster of one speed, from the list of the jobs placed before: it tries every time at which one of them begins or ends.
func slowMemory(in *model.Instance, held []heldMemory, job, n int, ready float64) (float64, model.ProcessorSet, bool) {
	j, c := &in.Jobs()[job], &in.Clusters()[0]
	length := in.Busy(job, 0, c.Machines[0].Speed, (j.Tasks+n-1)/n)
	released := make([]float64, c.Processors)
	times := []float64{ready}
	for _, h := range held {
		times = append(times, h.start, h.end)
		for _, r := range h.set {
			for p := r.First; p <= r.Last; p++ {
				released[p] = max(released[p], h.end)
			}
		}
	}
	slices.Sort(times)
	one := j.Span == model.SpanMachine && in.Features().Has(model.MachineSpan)
	for _, t := range times {
		if t < ready {
			continue
		}
		var may []int
		home := []int(nil)
		homeRoom := math.MaxInt
		for g := range c.Machines {
			m := &c.Machines[g]
			for i := range m.Count {
				if in.ProcessorsFor(j, m) == 0 {
					continue
				}
				free := []int{}
				most := 0.0
				for p := m.First + i*m.Units; p < m.First+(i+1)*m.Units; p++ {
					if released[p] <= t {
						free = append(free, p)
					}
				}
				for _, at := range times {
					if at = max(at, t); at >= model.End(t, length) {
						continue
					}
					used := 0.0
					for _, h := range held {
						if h.start <= at && at < h.end {
							for p := m.First + i*m.Units; p < m.First+(i+1)*m.Units; p++ {
								if slices.ContainsFunc(h.set, func(r model.Range) bool { return r.First <= p && p <= r.Last }) {
									used += h.each
								}
							}
						}
					}
					most = max(most, used)
				}
				room := len(free)
				if j.Memory > 0 && !math.IsInf(m.Memory, 1) {
					room = min(room, int((m.Memory-most)/j.Memory))
				}
				slices.SortFunc(free, func(a, b int) int {
					if released[a] != released[b] {
						if released[a] > released[b] {
							return -1
						}
						return 1
					}
					return a - b
				})
				free = free[:room]
				may = append(may, free...)
				if room >= n && room < homeRoom {
					home, homeRoom = free, room
				}
			}
		}
		if one {
			may = home
		}
		if len(may) < n {
			continue
		}
		slices.SortFunc(may, func(a, b int) int {
			if released[a] != released[b] {
				if released[a] > released[b] {
					return -1
				}
				return 1
			}
			return a - b
		})
		return t, model.Processors(may[:n]...), true
	}
	return 0, nil, false
}

// ofEachPart is how many processors of each part of cluster 0 the set has.
func ofEachPart(r *Resources, set model.ProcessorSet) map[int32]int {
	counts := map[int32]int{}
	for _, run := range set {
		for p := run.First; p <= run.Last; p++ {
			counts[r.clusters[0].(*generalCluster).homes[p]]++
		}
	}
	return counts
}

// A cluster with memory finds the slots that a search through all times and machines finds, and does so from states that were brought back.
func TestMemoryAgainstEveryTime(t *testing.T) {
	late := 0
	often.Check(t, 20, func(t *rapid.T) {
		b := model.NewBuilder("memory")
		cluster := model.ClusterSpec{ID: "c"}
		for g := range rapid.IntRange(1, 2).Draw(t, "groups") {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", g), Count: rapid.IntRange(1, 4).Draw(t, "machines"), Processors: rapid.IntRange(1, 4).Draw(t, "processors"),
				Memory: new(float64(rapid.IntRange(4, 16).Draw(t, "memory")))})
		}
		b.Cluster(cluster)
		for j := range rapid.IntRange(1, 40).Draw(t, "jobs") {
			n := rapid.IntRange(1, 4).Draw(t, "size")
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(rapid.IntRange(1, 8).Draw(t, "work"))), Processors: model.Rigid(n), Tasks: n, Memory: float64(rapid.IntRange(0, 8).Draw(t, "need"))}
			if chance(t, 8, "one machine") {
				job.Span = "machine"
			}
			b.Job(job)
		}
		in := build(t, b)
		named := rapid.Bool().Draw(t, "named")
		r, mark := newResources(in, named, Placing{}), newResources(in, named, Placing{})
		var held, before []heldMemory
		for j := range in.Jobs() {
			if !in.CanRun(j, 0) {
				continue
			}
			switch rapid.IntRange(0, 3).Draw(t, "mark") {
			case 0:
				mark.Assign(r)
				before = slices.Clone(held)
			case 1:
				r.Assign(mark)
				held = slices.Clone(before)
			}
			n, ready := in.Jobs()[j].Min, float64(rapid.IntRange(0, 6).Draw(t, "ready"))
			slot, ok := r.Earliest(j, 0, n, ready)
			start, set, found := slowMemory(in, held, j, n, ready)
			if ok != found || ok && slot.Start != start {
				t.Fatalf("job %d on %d: %+v %v, every time: %v %v %v", j, n, slot, ok, start, set, found)
			}
			if !ok {
				continue
			}
			if start > ready {
				late++
			}
			if slot.Set() == nil { // memory never runs short: any processors that are free do
				return
			}
			if named && !slices.Equal(slot.Set(), set) || !maps.Equal(ofEachPart(r, slot.Set()), ofEachPart(r, set)) {
				t.Fatalf("job %d takes %v, every time: %v", j, slot.Set(), set)
			}
			r.Take(j, &slot)
			held = append(held, heldMemory{set, slot.Start, slot.End, in.Jobs()[j].Memory})
		}
	})
	if late < 100 {
		t.Errorf("%d jobs had to wait: the test proves little", late)
	}
}

// What earlier jobs found says nothing of a job that may use cheap machines alone, and what such a job found says nothing of others: a state that remembers finds the slots of one that
// remembers nothing.
func TestFoundStartsAndLimitsOfCost(t *testing.T) {
	limited, late := 0, 0
	often.Check(t, 10, func(t *rapid.T) {
		b := model.NewBuilder("cost").Minimise("cost", 1)
		cluster := model.ClusterSpec{ID: "c"}
		for g := range 2 {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", g), Count: rapid.IntRange(1, 2).Draw(t, "machines"), Processors: 2, Memory: new(4.0), Cost: float64(1 + g)})
		}
		b.Cluster(cluster)
		for j := range rapid.IntRange(2, 12).Draw(t, "jobs") {
			n := rapid.IntRange(1, 2).Draw(t, "size")
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(rapid.IntRange(1, 4).Draw(t, "work"))), Processors: model.Rigid(n), Tasks: n, Memory: float64(rapid.IntRange(0, 4).Draw(t, "need"))})
		}
		in := build(t, b)
		usual, bare := NewResources(in), NewResources(in)
		g, ok := bare.clusters[0].(*generalCluster)
		if !ok || !g.short {
			return
		}
		for j := range in.Jobs() {
			if !in.CanRun(j, 0) {
				continue
			}
			among := Among{Cost: rapid.SampledFrom([]float64{1, 2, math.Inf(1)}).Draw(t, "cost")}
			g.earlier = earlier{}
			want, found := bare.EarliestAmong(j, 0, in.Jobs()[j].Min, 0, among)
			got, ok := usual.EarliestAmong(j, 0, in.Jobs()[j].Min, 0, among)
			if ok != found || !reflect.DeepEqual(got, want) {
				t.Fatalf("job %d on machines of cost %v at most: %+v %v; remembering nothing %+v %v", j, among.Cost, got, ok, want, found)
			}
			if !ok {
				continue
			}
			if among.Cost == 1 {
				limited++
			}
			if got.Start > 0 {
				late++
			}
			if rapid.IntRange(0, 2).Draw(t, "take") > 0 {
				usual.Take(j, &got)
				bare.Take(j, &want)
			}
		}
	})
	if limited < race.Enough(100) || late < race.Enough(100) {
		t.Errorf("%d jobs on cheap machines alone, %d that waited", limited, late)
	}
}
