package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// cheap says whether jobs start at the cheapest moment.
func (s *Schedule) cheap() bool {
	_, ok := s.clusters[0].(*cheapCluster)
	return ok
}

// placeCheap adds the placement of a job that starts at the cheapest moment. Which processors of a bank it gets does not matter while jobs are placed, only
// how many; they are named at the end.
func (s *Schedule) placeCheap(g *cheapCluster, job int, slot *Slot, p model.Placement) {
	p.Cluster, p.Processors = s.in.Clusters()[slot.Cluster].ID, slot.set
	if p.Processors == nil {
		p.Processors = model.NewProcessorSet(model.Range{First: 0, Last: slot.Processors - 1})
	}
	if slot.End > slot.Start {
		shares := slot.shares
		if shares == nil {
			shares = []place.Share{{Processors: int32(slot.Processors)}}
		}
		s.unnamed = append(s.unnamed, unnamed{len(s.solution.Jobs), job, shares})
	}
	s.solution.Jobs = append(s.solution.Jobs, p)
}

// nameCheap names the processors of jobs that start at the cheapest moment: in the order of their starts, each job gets those of its banks that have been free
// for the shortest time. There are always enough, as no more are in use at any time than a bank has.
func (s *Schedule) nameCheap() {
	jobs := s.solution.Jobs
	slices.SortStableFunc(s.unnamed, func(a, b unnamed) int { return cmp.Compare(jobs[a.at].Start, jobs[b.at].Start) })
	clusters := make(map[string]int, len(s.clusters))
	sets := make([][]*plainSets, len(s.clusters)) // by cluster and bank; nil: none used yet
	for c := range s.clusters {
		clusters[s.in.Clusters()[c].ID] = c
		sets[c] = make([]*plainSets, len(s.clusters[c].(*cheapCluster).banks))
	}
	for _, u := range s.unnamed {
		p := &jobs[u.at]
		c := clusters[p.Cluster]
		slot := Slot{Start: p.Start, End: p.End}
		p.Processors = nil
		for _, share := range u.shares {
			of := &sets[c][share.Machine]
			if *of == nil {
				b := &s.clusters[c].(*cheapCluster).banks[share.Machine]
				all := model.NewProcessorSet(model.Range{First: b.first, Last: b.first + b.processors - 1})
				*of = &plainSets{[]plainStep{{math.Inf(-1), b.processors, all}}}
			}
			p.Processors = append(p.Processors, (*of).place(int(share.Processors), &slot)...)
		}
		p.Processors = model.NewProcessorSet(p.Processors...)
	}
	s.unnamed = s.unnamed[:0]
}
