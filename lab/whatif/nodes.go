package whatif

import (
	"fmt"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// lackByNode says what keeps the job from starting now on a cluster whose machines count one by one, on so many processors.
func lackByNode(p *sim.Platform, j *sim.Job, cluster, processors int) Cause {
	if l := p.ShortOf(&p.Free, j, cluster); l >= 0 {
		return Cause{Kind: causeLicence, Of: p.LicenceID(l), Text: fmt.Sprintf("too few copies of licence %s are free", p.LicenceID(l))}
	}
	n := p.Needs(j)
	if p.HasPlace(&p.Free, j, cluster, processors) {
		text := "too few of the machines with room are open to it for as long as it is estimated to take"
		if n.Reservation != "" {
			text = fmt.Sprintf("too few of the machines with room are open to reservation %s for as long as it is estimated to take", n.Reservation)
		}
		return Cause{Kind: causeClosed, Text: text}
	}
	u := usableMachines(p, j, cluster)
	blocks := processors / n.Block
	if p.CountsMachines(cluster) {
		blocks = processors
	}
	if n.Exclusive {
		idle, room := 0, 0
		for _, m := range u {
			if m.Free == m.Units {
				idle, room = idle+1, room+m.Empty
			}
		}
		if room < processors {
			return Cause{Kind: causeMachines, Text: fmt.Sprintf("it needs machines to itself: of the %d that it can use, %d are idle", len(u), idle)}
		}
	}
	free := 0
	for _, m := range u {
		free += m.Free
	}
	if free < processors {
		return Cause{Kind: causeProcessors, Text: fmt.Sprintf("too few processors are free: it needs %d on %s, %d are free on machines that it can use", processors, p.ClusterID(cluster), free)}
	}
	for _, devices := range []bool{true, false} { // devices first, as they are what people ask about
		for _, need := range n.Resources {
			if p.Resource(need.Resource).Devices != devices {
				continue
			}
			if cause, lacks := lackOf(p, u, need, blocks, p.OnOneMachine(j, cluster), n); lacks {
				return cause
			}
		}
	}
	return Cause{Kind: causeMachines, Text: fmt.Sprintf("%d processors are free on %s, but too few machines have all that it needs at the same time", free, p.ClusterID(cluster))}
}

// usableMachines are the machines of a cluster that the job could use if they were idle.
func usableMachines(p *sim.Platform, j *sim.Job, cluster int) []sim.MachineFree {
	var list []sim.MachineFree
	first, last := p.MachinesOf(cluster)
	for m := first; m < last; m++ {
		if free := p.FreeOf(j, m); free.Empty > 0 {
			list = append(list, free)
		}
	}
	return list
}

// lackOf says what of a resource keeps the job from starting, if that resource alone does.
func lackOf(p *sim.Platform, machines []sim.MachineFree, need model.ResourceNeed, blocks int, together bool, n *model.NodeNeeds) (Cause, bool) {
	resource := p.Resource(need.Resource)
	free, on, room := model.Amount(0), 0, 0 // free in all, on how many machines, room for how many blocks
	widest := 0                             // room for blocks on one machine
	for i := range machines {
		here, fit := machines[i].Of(p, need)
		if here > 0 {
			free, on = free+here, on+1
		}
		if fit = min(fit, machines[i].Empty); n.PerMachine > 0 && fit >= n.PerMachine {
			fit = n.PerMachine
		} else if n.PerMachine > 0 {
			fit = 0
		}
		room, widest = room+fit, max(widest, fit)
	}
	if together {
		room = widest
	}
	if room >= blocks {
		return Cause{}, false
	}
	all := need.Amount * model.Amount(blocks)
	share := resource.Devices && need.Amount < model.WholeAmount
	switch {
	case share:
		return Cause{Kind: causeResource, Of: resource.ID, Text: fmt.Sprintf("a share of %v of %s is free on %s of %s; it needs %d%s",
			need.Amount.Float(), resource.ID, numtext.Counted(devicesFree(p, machines, need), "device"), numtext.Counted(on, "machine"), blocks, where(together, blocks, n))}, true
	case free < all:
		return Cause{Kind: causeResource, Of: resource.ID, Text: fmt.Sprintf("too little of %s is free: it needs %v, and the machines that it can use have %v free", resource.ID, all.Float(), free.Float())}, true
	}
	each := need.Amount
	if together {
		each = all
	} else if n.PerMachine > 1 {
		each *= model.Amount(n.PerMachine)
	}
	text := fmt.Sprintf("%v of %s are free, on %s; it needs %v on one", free.Float(), resource.ID, numtext.Counted(on, "machine"), each.Float())
	if parts := all / each; parts > 1 {
		text = fmt.Sprintf("%v of %s are free, on %s; it needs %d times %v, each on one", free.Float(), resource.ID, numtext.Counted(on, "machine"), parts, each.Float())
	}
	return Cause{Kind: causeMachines, Of: resource.ID, Text: text}, true
}

// where says on how many machines shares of devices must lie.
func where(together bool, blocks int, n *model.NodeNeeds) string {
	switch {
	case blocks == 1:
		return ""
	case together:
		return " on one machine"
	case n.PerMachine > 1:
		return fmt.Sprintf(", %d on each machine", n.PerMachine)
	}
	return ""
}

// devicesFree is the number of devices that have the share free.
func devicesFree(p *sim.Platform, machines []sim.MachineFree, need model.ResourceNeed) int {
	n := 0
	for i := range machines {
		_, fit := machines[i].Of(p, need)
		n += fit
	}
	return n
}
