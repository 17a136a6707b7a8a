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

// placeOnNodes adds the placement of a job on tracked machines. Where holes are filled it does not matter while jobs are placed which processors of a machine a job gets, only how
// many; they are named at the end.
func (s *Schedule) placeOnNodes(job int, slot *Slot, p model.Placement) {
	p.Cluster = s.in.Clusters()[slot.Cluster].ID
	if p.Processors = slot.set; s.sets[slot.Cluster] != nil && !slot.instant && !slot.running {
		p.Processors = s.name(slot)
	}
	if slot.running {
		p.Devices = s.in.Jobs()[job].Node().Running.Devices
	} else {
		p.Devices = s.site.Held(s.site.Kind(job), slot.shares)
	}
	if !slot.instant && s.placing.Holes {
		s.unnamed = append(s.unnamed, unnamed{len(s.solution.Jobs), job, slot.shares})
	}
	s.solution.Jobs = append(s.solution.Jobs, p)
}

// NameAgain names the processors of all jobs of a schedule again where a [Schedule] names them at the end: it was made of parts, each of which knew of the others how
// many processors they hold on which machines, and gave names of its own.
func NameAgain(in *model.Instance, sol *model.Solution) {
	switch {
	case Placing{}.ByNode(in):
		site := place.NewSite(in, Placing{}.rule(), 0)
		nameOnMachines(in, site, sol.Jobs, again(in, sol, func(job, cluster int, set model.ProcessorSet) []place.Share {
			return site.Shares(site.Kind(job), cluster, set, nil)
		}))
	case StartsCheap(in):
		r := newCheapResources(in)
		nameInBanks(r, sol.Jobs, again(in, sol, func(_, cluster int, set model.ProcessorSet) []place.Share {
			return r.clusters[cluster].(*cheapCluster).sharesOf(set)
		}))
	}
}

// again lists the placements whose processors are to be named again. What takes no time holds nothing and keeps its names.
func again(in *model.Instance, sol *model.Solution, shares func(job, cluster int, set model.ProcessorSet) []place.Share) (list []unnamed) {
	for at := range sol.Jobs {
		p := &sol.Jobs[at]
		if job, ok := in.JobIndex(p.Job); ok && p.End > p.Start {
			c, _ := in.ClusterIndex(p.Cluster)
			list = append(list, unnamed{at, job, shares(job, c, p.Processors)})
		}
	}
	return list
}

// nameOnMachines names the processors of the jobs on tracked machines: in the order of their starts, each job gets the lowest that are free. There are
// always enough, as no more jobs are on a machine at any time than it has processors for.
func nameOnMachines(in *model.Instance, site *place.Site, jobs []model.Placement, list []unnamed) {
	type use struct {
		unnamed
		start, end float64
		share      place.Share
	}
	byMachine := map[int32][]use{}
	for _, u := range list {
		p := &jobs[u.at]
		for _, share := range u.shares {
			byMachine[share.Machine] = append(byMachine[share.Machine], use{u, p.Start, p.End, share})
		}
		if in.Jobs()[u.job].Node().Running == nil {
			p.Processors = nil
		}
	}
	named := make(map[int][]model.Range, len(list))
	for m, uses := range byMachine {
		machine := &site.Machines[m]
		slices.SortStableFunc(uses, func(a, b use) int { // jobs that run already have their processors
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(running(in, b.job), running(in, a.job)))
		})
		free := make([]float64, machine.Units) // by processor: when it is free again
		for k := range free {
			free[k] = -1
		}
		for _, u := range uses {
			if running(in, u.job) == 1 {
				for _, r := range jobs[u.at].Processors {
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
		jobs[at].Processors = model.NewProcessorSet(runs...)
	}
}

// running is 1 where the job runs already.
func running(in *model.Instance, job int) int {
	if in.Jobs()[job].Node().Running != nil {
		return 1
	}
	return 0
}
