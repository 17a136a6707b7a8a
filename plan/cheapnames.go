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

// nameInBanks names the processors of jobs that start at the cheapest moment: in the order of their starts, each job gets those of its banks that have been free
// for the shortest time. There are always enough, as no more are in use at any time than a bank has.
func nameInBanks(r *Resources, jobs []model.Placement, list []unnamed) {
	slices.SortStableFunc(list, func(a, b unnamed) int { return cmp.Compare(jobs[a.at].Start, jobs[b.at].Start) })
	sets := make([][]*plainSets, len(r.clusters)) // by cluster and bank; nil: none used yet
	for c := range r.clusters {
		sets[c] = make([]*plainSets, len(r.clusters[c].(*cheapCluster).banks))
	}
	for _, u := range list {
		p := &jobs[u.at]
		c, _ := r.in.ClusterIndex(p.Cluster)
		slot := Slot{Start: p.Start, End: p.End}
		p.Processors = nil
		for _, share := range u.shares {
			of := &sets[c][share.Machine]
			if *of == nil {
				b := &r.clusters[c].(*cheapCluster).banks[share.Machine]
				all := model.NewProcessorSet(model.Range{First: b.first, Last: b.first + b.processors - 1})
				*of = &plainSets{steps: []plainStep{{math.Inf(-1), b.processors, all}}}
			}
			p.Processors = append(p.Processors, (*of).place(int(share.Processors), &slot)...)
		}
		p.Processors = model.NewProcessorSet(p.Processors...)
	}
}
