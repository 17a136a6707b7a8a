package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// generalCluster tracks each processor of a cluster by itself, with the memory of its machines and the pools of licences:
// for clusters whose machines differ and jobs that ask for more than processors.
//
// Complexity of looking for a slot: O(speeds · events · processors), where the events are the times that are tried until
// processors, memory and licences are free together; in most cases one or two.
type generalCluster struct {
	in         *model.Instance
	cluster    int
	pools      *licencePools
	released   []float64  // by processor
	machines   []machine  // each machine by itself
	speeds     []float64  // distinct, descending
	candidates []freeUnit // scratch
}

// machine is one machine of the cluster.
type machine struct {
	group       *model.Machine
	first, last int      // processors
	memory      *Profile // nil: unlimited
}

// freeUnit is a processor that could be taken.
type freeUnit struct {
	processor, machine int
	released           float64
}

func newGeneralCluster(in *model.Instance, cluster int, pools *licencePools) *generalCluster {
	c := &in.Clusters()[cluster]
	g := &generalCluster{in: in, cluster: cluster, pools: pools, released: slices.Repeat([]float64{in.FirstArrival()}, c.Processors)}
	for k := range c.Machines {
		group := &c.Machines[k]
		for i := range group.Count {
			m := machine{group: group, first: group.First + i*group.Units, last: group.First + (i+1)*group.Units - 1}
			if !math.IsInf(group.Memory, 1) {
				m.memory = NewProfile(group.Memory)
			}
			g.machines = append(g.machines, m)
		}
		g.speeds = append(g.speeds, group.Speed)
	}
	slices.Sort(g.speeds)
	g.speeds = slices.Compact(g.speeds)
	slices.Reverse(g.speeds)
	return g
}

// release implements clusterState.
func (g *generalCluster) release(n int) float64 {
	times := slices.Clone(g.released)
	slices.Sort(times)
	return times[n-1]
}

// earliest implements clusterState. It tries the processors of at least each speed in turn, the fastest first, and keeps
// the slot that ends first.
func (g *generalCluster) earliest(job int, ready float64) (Slot, bool) {
	best, found := Slot{End: math.Inf(1)}, false
	speeds := g.speeds
	if g.in.Jobs()[job].StatesRuntimes() {
		speeds = speeds[len(speeds)-1:]
	}
	for _, speed := range speeds {
		if slot, ok := g.earliestAt(job, ready, speed, best.End); ok && slot.End < best.End {
			best, found = slot, true
		}
	}
	return best, found
}

// earliestAt is the slot of the earliest start on processors of at least the given speed; none where it would not end
// before the time to beat.
func (g *generalCluster) earliestAt(job int, ready, speed, beat float64) (Slot, bool) {
	j := &g.in.Jobs()[job]
	size, _ := g.in.Width(job, g.cluster)
	g.candidates = g.candidates[:0]
	slowest := math.Inf(1)
	for k := range g.machines {
		m := &g.machines[k]
		hosted, _ := g.in.Hosts(j, m.group)
		if m.group.Speed < speed || hosted == 0 {
			continue
		}
		slowest = min(slowest, m.group.Bandwidth)
		for p := m.first; p <= m.last; p++ {
			g.candidates = append(g.candidates, freeUnit{p, k, g.released[p]})
		}
	}
	if len(g.candidates) < size {
		return Slot{}, false
	}
	tasks := (j.Tasks + size - 1) / size
	length := g.in.Busy(job, g.cluster, speed, tasks) + g.in.Transfer(job, slowest)
	for t := ready; t+length < beat || math.IsInf(beat, 1); {
		if later := g.pools.earliest(j, g.cluster, t, length); later > t {
			t = later
			continue
		}
		if set := g.choose(j, size, t, length); set != nil {
			return Slot{Start: t, End: t + g.in.Duration(job, g.cluster, set), set: set}, true
		}
		next := g.next(t)
		if math.IsInf(next, 1) {
			return Slot{}, false
		}
		t = next
	}
	return Slot{}, false
}

// next is the earliest time after t at which a candidate is released or memory of its machine changes.
func (g *generalCluster) next(t float64) float64 {
	next := math.Inf(1)
	last := -1
	for _, u := range g.candidates {
		if u.released > t {
			next = min(next, u.released)
		}
		if m := &g.machines[u.machine]; u.machine != last && m.memory != nil {
			next = min(next, m.memory.Next(t))
		}
		last = u.machine
	}
	return next
}

// choose picks processors that are free at t and stay within memory for the length: the latest-released, lowest numbers
// first; for a job that must stay on one machine those of the machine with the fewest free that still fits. Nil: too few.
func (g *generalCluster) choose(j *model.Job, size int, t, length float64) model.ProcessorSet {
	var free []freeUnit
	for from := 0; from < len(g.candidates); {
		to := from
		for to < len(g.candidates) && g.candidates[to].machine == g.candidates[from].machine {
			to++
		}
		m := &g.machines[g.candidates[from].machine]
		here := slices.DeleteFunc(slices.Clone(g.candidates[from:to]), func(u freeUnit) bool { return u.released > t })
		here = latest(here, g.fits(j, m, t, length))
		switch {
		case j.Span != model.SpanMachine:
			free = append(free, here...)
		case len(here) >= size && (free == nil || len(here) < len(free)):
			free = here
		}
		from = to
	}
	if len(free) < size {
		return nil
	}
	var ids []int
	for _, u := range latest(free, size) {
		ids = append(ids, u.processor)
	}
	return model.Processors(ids...)
}

// fits is the number of the job's processors that the machine's memory allows from t for the length.
func (g *generalCluster) fits(j *model.Job, m *machine, t, length float64) int {
	if m.memory == nil || j.Memory == 0 {
		return m.group.Units
	}
	return int(m.memory.Free(t, t+length) / j.Memory * (1 + 1e-12))
}

// latest keeps the n latest-released units, lowest numbers first.
func latest(units []freeUnit, n int) []freeUnit {
	if len(units) <= n {
		return units
	}
	slices.SortStableFunc(units, func(a, b freeUnit) int {
		switch {
		case a.released > b.released:
			return -1
		case a.released < b.released:
			return 1
		}
		return a.processor - b.processor
	})
	return units[:n]
}

// place implements clusterState.
func (g *generalCluster) place(job int, slot Slot) model.ProcessorSet {
	memory := g.in.Jobs()[job].Memory
	for _, r := range slot.set {
		for p := r.First; p <= r.Last; p++ {
			g.released[p] = slot.End
			if m := g.machineOf(p); memory > 0 && m.memory != nil {
				m.memory.Add(slot.Start, slot.End, memory)
			}
		}
	}
	return slot.set
}

// machineOf is the machine that holds the processor.
func (g *generalCluster) machineOf(processor int) *machine {
	k, _ := slices.BinarySearchFunc(g.machines, processor, func(m machine, p int) int {
		if m.last < p {
			return -1
		}
		return 1
	})
	return &g.machines[k]
}
