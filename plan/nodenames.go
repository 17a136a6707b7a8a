package plan

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// unnamed is a placement whose processors are not named yet.
type unnamed struct {
	at     int // index into the solution's placements
	job    int
	shares []place.Share
}

// placeOnNodes adds the placement of a job on tracked machines. Which processors of a machine a job gets does not matter while jobs are placed, only how
// many; they are named at the end.
func (s *Schedule) placeOnNodes(job int, slot *Slot, p model.Placement) {
	p.Cluster = s.in.Clusters()[slot.Cluster].ID
	if p.Processors = slot.set; slot.running {
		p.Devices = s.in.Jobs()[job].Node().Running.Devices
	} else {
		p.Devices = s.site.Held(s.site.Kind(job), slot.shares)
	}
	if !slot.instant {
		s.unnamed = append(s.unnamed, unnamed{len(s.solution.Jobs), job, slot.shares})
	}
	s.solution.Jobs = append(s.solution.Jobs, p)
}

// nameProcessors names the processors of the jobs on tracked machines: in the order of their starts, each job gets the lowest that are free. There are
// always enough, as no more jobs are on a machine at any time than it has processors for.
func (s *Schedule) nameProcessors() {
	type use struct {
		unnamed
		start, end float64
		share      place.Share
	}
	byMachine := map[int32][]use{}
	for _, u := range s.unnamed {
		p := &s.solution.Jobs[u.at]
		for _, share := range u.shares {
			byMachine[share.Machine] = append(byMachine[share.Machine], use{u, p.Start, p.End, share})
		}
		if s.in.Jobs()[u.job].Node().Running == nil {
			p.Processors = nil
		}
	}
	named := make(map[int][]model.Range, len(s.unnamed))
	for m, uses := range byMachine {
		machine := &s.site.Machines[m]
		slices.SortStableFunc(uses, func(a, b use) int { // jobs that run already have their processors
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(running(s.in, b.job), running(s.in, a.job)))
		})
		free := make([]float64, machine.Units) // by processor: when it is free again
		for k := range free {
			free[k] = -1
		}
		for _, u := range uses {
			if running(s.in, u.job) == 1 {
				for _, r := range s.solution.Jobs[u.at].Processors {
					for p := max(r.First, machine.First); p <= min(r.Last, machine.First+machine.Units-1); p++ {
						free[p-machine.First] = max(free[p-machine.First], u.end)
					}
				}
				continue
			}
			for p, left := 0, u.share.Processors; left > 0; p++ {
				if free[p] <= u.start || u.end == u.start { // what takes no time holds nothing
					free[p] = max(free[p], u.end)
					left--
					named[u.at] = append(named[u.at], model.Range{First: machine.First + p, Last: machine.First + p})
				}
			}
		}
	}
	for at, runs := range named {
		s.solution.Jobs[at].Processors = model.NewProcessorSet(runs...)
	}
	s.unnamed = s.unnamed[:0]
}

// running is 1 where the job runs already.
func running(in *model.Instance, job int) int {
	if in.Jobs()[job].Node().Running != nil {
		return 1
	}
	return 0
}
