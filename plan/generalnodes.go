package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// FillsHoles says whether the schedules of [NewResources] fill holes: what jobs ask of single machines can bind. Engines that order jobs find better schedules so, while a
// list rule has the same name with and without such jobs, and fills holes only where [Placing] asks for it.
func FillsHoles(in *model.Instance) bool {
	return Placing{}.ByNode(in) && (in.Whole()&^in.Features()|in.Binding())&NodeFeatures != 0 // in the instance of which this is a batch, or here
}

// Filling is the [Placing] of schedules that fill holes where [FillsHoles] holds.
func Filling(in *model.Instance) Placing { return Placing{Holes: FillsHoles(in)} }

// wholeBlocks is the least number of processors, n at least, that makes up whole blocks of the job.
func (g *nodeCluster) wholeBlocks(job, n int) int {
	if size := g.site.Kind(job).Size; !g.in.Clusters()[g.cluster].WholeMachines {
		return (n + size - 1) / size * size
	}
	return n
}

// block is the number of processors of a block of the job.
func (s *search) block() int {
	if s.g.in.Clusters()[s.g.cluster].WholeMachines {
		return 1
	}
	return s.kind.Size
}

// beginOnNodes is the part of begin of what jobs ask of single machines; false where no choice of machines keeps the job's limits of their number.
func (s *search) beginOnNodes(job int) bool {
	s.kind = s.g.nodes.site.Kind(job)
	blocks, n := s.size/s.block(), s.kind.Node
	alone := blocks == 1 || s.job.Span == model.SpanMachine || n.MaxMachines == 1
	s.oneMachine = alone && s.size > 1
	return !alone || n.MinMachines <= 1 && (n.PerMachine == 0 || n.PerMachine == blocks)
}

// load brings what is free of the machine from t to end to the room of the nodes; false where it is closed to the job.
func (s *search) load(machine int32, t, end float64) bool {
	g, m := s.g.nodes, s.g.nodes.first+int(machine)
	if g.known != nil && !g.site.Machines[m].OpenTo(s.kind.Node.Reservation, t, model.End(t, s.estimate)) {
		return false
	}
	if s.g.whole {
		g.site.Load(&g.room, m, g.site.Idle(m))
		return true
	}
	n := &g.nodes[machine]
	k := n.At(t)
	g.site.Load(&g.room, m, &n.Values[k])
	g.work += 20
	for k++; k < len(n.Times) && n.Times[k] < end; k++ {
		g.work += 40
		g.site.IntersectState(&g.room, m, &n.Values[k])
	}
	return true
}

// askNode is ask where machines are asked one by one.
func (s *search) askNode(l *look, t, end float64) {
	g, n := s.g.nodes, &s.g.nodes.nodes[l.machine]
	m, k := g.first+int(l.machine), n.At(t)
	l.room, l.from = 0, n.End(k)
	one := l.from >= end // step
	if l.until = l.from; !one {
		l.until = n.After(math.Nextafter(end, math.Inf(-1)))
	}
	if s.estimate < s.length {
		l.until = math.Inf(-1) // when it is closed to the job depends on each start
	}
	switch {
	case one && g.known == nil && !s.g.whole:
		g.work += 20
		l.room = int32(g.site.BlocksIn(&n.Values[k], s.kind, m, int(l.free)) * s.block())
	case s.load(l.machine, t, end):
		l.room = int32(g.site.BlocksOn(&g.room, s.kind, m, min(int(l.free), int(g.room.Processors[m]))) * s.block())
	}
}

// chooseOnNodes is the slot at time t, on machines for which share has found room; false: no choice of them keeps the job's limits of the number of machines, or by rounding
// the job would take longer than was assumed. The first rule takes the latest-released processors, as choose does; the others choose machines.
func (s *search) chooseOnNodes(t float64) (Slot, bool) {
	g, k, end := s.g.nodes, s.kind, model.End(t, s.length)
	room := func(m int) int {
		at := s.at[m-g.first] - 1
		if at < 0 {
			return 0
		}
		s.load(int32(m-g.first), t, end)
		return int(s.looks[at].room) / s.block()
	}
	var shares []place.Share
	rule := g.site.Scores() || s.block() > 1 && !s.oneMachine || k.Node.MinMachines > 1 || !s.oneMachine && (k.Node.MaxMachines > 0 || k.Node.PerMachine > 0)
	if rule && s.size > 1 || g.site.Scores() {
		chosen, ok := g.site.ChooseUpTo(&g.room, k, g.cluster, s.size, room, nil)
		if !ok {
			return Slot{}, false
		}
		for k := range s.looks {
			s.looks[k].room = 0
		}
		for i := range chosen {
			s.looks[s.at[int(chosen[i].Machine)-g.first]-1].room = chosen[i].Processors
		}
		shares, s.home = chosen, s.at[int(chosen[0].Machine)-g.first]-1
	}
	set := s.choose()
	if shares == nil {
		for _, share := range g.site.Shares(k, g.cluster, set, nil) {
			m := int(share.Machine)
			s.load(int32(m-g.first), t, end)
			shares = append(shares, g.site.ShareOn(&g.room, k, m, int(share.Processors)/s.block()))
		}
	}
	length := s.g.in.Duration(s.number, g.cluster, set)
	if length > s.length && len(shares) > 1 { // by rounding, on machines of different speed
		return Slot{}, false
	}
	return Slot{Processors: s.size, Start: t, End: model.End(t, length), set: set, shares: slices.Clip(shares)}, true
}
