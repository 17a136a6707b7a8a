package packing

import (
	"fmt"
	"math/bits"

	"github.com/allot-opt/allot/model"
)

// read puts the jobs of a schedule onto the machines as they lie there, but for jobs that the engine leaves out or may not start at once.
func (w *walk) read(s *model.Solution) {
	byName := map[string]int32{}
	numbers := make([][]int32, len(w.in.Clusters())) // by cluster and group: the first machine
	m := int32(0)
	for c := range w.in.Clusters() {
		for g := range w.in.Clusters()[c].Machines {
			group := &w.in.Clusters()[c].Machines[g]
			numbers[c] = append(numbers[c], m)
			for k := range group.Count {
				if w.devices > 0 {
					byName[w.in.Clusters()[c].ID+"\x00"+group.Name(k)] = m
				}
				m++
			}
		}
	}
	for k := range s.Jobs {
		w.readJob(&s.Jobs[k], byName, numbers)
	}
}

// readJob puts one job onto its machines.
func (w *walk) readJob(placed *model.Placement, byName map[string]int32, numbers [][]int32) {
	j, known := w.in.JobIndex(placed.Job)
	if !known || w.kindOf[j] < 0 {
		return
	}
	k := w.kindOf[j]
	size := int32(w.in.Jobs()[j].Node().Block)
	var on []int32
	processors, devices, cluster := map[int32]int32{}, map[int32]uint64{}, -1
	several := false
	placed.Parts(1, func(piece model.Piece) {
		c, known := w.in.ClusterIndex(piece.Cluster)
		if several = several || !known || cluster >= 0 && c != cluster; several {
			return
		}
		cluster = c
		groups := w.in.Clusters()[c].Machines
		for _, r := range piece.Processors {
			for first := r.First; first <= r.Last; {
				g := w.in.Clusters()[c].GroupOf(first)
				at := (first - groups[g].First) / groups[g].Units
				last := min(r.Last, groups[g].First+(at+1)*groups[g].Units-1)
				m := numbers[c][g] + int32(at)
				if processors[m] == 0 {
					on = append(on, m)
				}
				processors[m] += int32(last - first + 1)
				first = last + 1
			}
		}
		for id, machines := range piece.Devices {
			for r := range w.in.Resources() {
				if resource := &w.in.Resources()[r]; !resource.Devices || resource.ID != id {
					continue
				}
				for name, set := range machines {
					m, known := byName[piece.Cluster+"\x00"+name]
					for _, run := range set {
						for i := run.First; known && i <= run.Last; i++ {
							devices[m] |= 1 << (w.variety(m).devices[w.resource[r]].from + uint(i))
						}
					}
				}
			}
		}
	})
	if several || len(on) == 0 {
		return
	}
	var g *gang
	if len(on) > 1 {
		g = &gang{on}
	}
	for _, m := range on {
		blocks := processors[m] / size
		if w.room(k, m, blocks) < blocks || blocks == 0 {
			return // the machine is closed at the start, or the memory lacks a little because it was rounded
		}
	}
	for _, m := range on {
		w.put(m, entry{gang: g, devices: devices[m], kind: k, blocks: processors[m] / size})
	}
}

// solution writes the best schedule of a walk. Jobs that are worth nothing are placed where there is room.
func (p *problem) solution(w *walk) *model.Solution {
	s := newState(p)
	for m, entries := range w.kept {
		for _, e := range entries {
			s.put(int32(m), e)
		}
	}
	left, copies := w.counted(s.entries)
	s.placeRest(left, copies)
	used := make([]int, len(p.kinds)) // jobs of the kind that are written
	of := map[*gang]*model.Placement{}
	placements := make([]*model.Placement, len(p.in.Jobs()))
	for m := range s.entries {
		at := &p.machines[m]
		cluster := &p.in.Clusters()[p.types[at.variety].cluster]
		group := &cluster.Machines[at.group]
		next := group.First + int(at.index)*group.Units
		for i := range s.entries[m] {
			e := &s.entries[m][i]
			placed := of[e.gang]
			if placed == nil || e.gang == nil {
				j := p.kinds[e.kind].jobs[used[e.kind]]
				used[e.kind]++
				least, _ := p.in.Width(int(j), int(p.types[at.variety].cluster))
				placed = &model.Placement{Job: p.in.Jobs()[j].ID, Cluster: cluster.ID, Start: p.start,
					End: model.End(p.start, p.in.DurationOn(int(j), int(p.types[at.variety].cluster), least))}
				of[e.gang], placements[j] = placed, placed
			}
			n := int(e.blocks) * int(p.kinds[e.kind].needs[0].amount)
			placed.Processors = append(placed.Processors, model.Range{First: next, Last: next + n - 1})
			next += n
			p.name(placed, m, e)
		}
	}
	return p.written(placements)
}

// name adds the devices of an entry on a machine to its placement.
func (p *problem) name(placed *model.Placement, m int, e *entry) {
	at := &p.machines[m]
	v := &p.types[at.variety]
	for r := range p.in.Resources() {
		if !p.in.Resources()[r].Devices {
			continue
		}
		of := v.devices[p.resource[r]]
		var runs []model.Range
		for held := e.devices & of.set(); held != 0; held &= held - 1 {
			i := bits.TrailingZeros64(held) - int(of.from)
			runs = append(runs, model.Range{First: i, Last: i})
		}
		if runs == nil {
			continue
		}
		if placed.Devices == nil {
			placed.Devices = model.DevicesHeld{}
		}
		id := p.in.Resources()[r].ID
		if placed.Devices[id] == nil {
			placed.Devices[id] = map[string]model.ProcessorSet{}
		}
		placed.Devices[id][p.in.Clusters()[v.cluster].Machines[at.group].Name(int(at.index))] = model.NewProcessorSet(runs...)
	}
}

// written is the schedule of the placements, by job; nil: the job is left out.
func (p *problem) written(placements []*model.Placement) *model.Solution {
	s := &model.Solution{}
	for j, placed := range placements {
		switch id := p.in.Jobs()[j].ID; {
		case placed != nil:
			placed.Processors = model.NewProcessorSet(placed.Processors...)
			s.Jobs = append(s.Jobs, *placed)
		case p.kindOf[j] >= 0:
			s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: id, Reason: "no room is left on machines that can run it in time"})
		case p.in.Runs(j):
			s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: id, Reason: fmt.Sprintf("it would miss its hard deadline, no machine is open to it at %v, or the objective is better without it", p.start)})
		default:
			s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: id, Reason: p.in.WhyNowhere(j)})
		}
	}
	return s
}

// placeRest places jobs on one machine each that are worth nothing, where there is room.
func (s *state) placeRest(left []int32, copies []int64) {
	looks := 2_000_000 // at most: a schedule is written in some milliseconds
	for k := range s.kinds {
		d := &s.kinds[k]
		if d.worth > 0 || d.least > 1 {
			continue
		}
		for m := int32(0); int(m) < len(s.machines) && left[k] > 0 && looks > 0; {
			looks--
			draws := s.draws(int32(k), m)
			able := s.room(int32(k), m, d.blocks) == d.blocks && (d.each == 0 || d.each == d.blocks)
			for _, n := range draws {
				able = able && copies[n.pool] >= n.copies
			}
			if !able {
				m++
				continue
			}
			for _, n := range draws {
				copies[n.pool] -= n.copies
			}
			s.place(int32(k), m, d.blocks, nil)
			left[k]--
		}
	}
}
