package sim

import (
	"math"
	"reflect"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// What a plan asks that keeps each machine by itself, where the platform lists every machine: see [Platform.ByNode].

// MachineState is what is free of one machine.
type MachineState = place.State

// IdleState is what is free of the machine when nothing runs there, to read only.
func (p *Platform) IdleState(m int) *MachineState { return p.nodes.site.Idle(m) }

// HostsIn is [Platform.Hosts] of a machine in a state.
func (p *Platform) HostsIn(state *MachineState, j *Job, m int) int {
	k := p.nodes.first.Kind(j.Request.index)
	return p.nodes.first.BlocksIn(state, k, m, math.MaxInt) * p.nodes.size(k, m)
}

// SameMachines says whether the two jobs need the same of each machine by itself, however many machines they need.
func (p *Platform) SameMachines(a, b *Job) bool {
	x, y := *p.Needs(a), *p.Needs(b)
	x.MinMachines, x.MaxMachines, y.MinMachines, y.MaxMachines = 0, 0, 0, 0
	return a.Request.Memory == b.Request.Memory && a.Request.MinBandwidth == b.Request.MinBandwidth && slices.Equal(a.Request.Licences, b.Request.Licences) && reflect.DeepEqual(x, y)
}

// ChangeState takes what a job holds of one machine, its only share, out of the state of that machine, or gives it back. It uses the room for it.
func (p *Platform) ChangeState(state *MachineState, room *Room, j *Job, share []Share, give bool) {
	m := int(share[0].Machine)
	p.LoadState(room, m, state)
	if give {
		p.nodes.give(room, j.Request.index, share, false)
	} else {
		p.nodes.take(room, j.Request.index, share)
	}
	p.nodes.site.Save(&room.Room, m, state)
}

// LoadState makes what the room has of the machine equal to the state.
func (p *Platform) LoadState(room *Room, m int, state *MachineState) {
	p.nodes.site.Load(&room.Room, m, state)
}

// MeetState reduces what the room has of the machine to what is free in the state too.
func (p *Platform) MeetState(room *Room, m int, state *MachineState) {
	p.nodes.site.IntersectState(&room.Room, m, state)
}

// NeedsDevices says whether the job needs devices, or shares of them.
func (p *Platform) NeedsDevices(j *Job) bool {
	for _, need := range p.Needs(j).Resources {
		if p.in.Resources()[need.Resource].Devices {
			return true
		}
	}
	return false
}

// SteadyNodes says that the platform lists every machine, and that no time is better than another for a job but for what other jobs hold of machines: no
// machine is ever closed, those of a cluster are equally fast, licences are not limited, no cluster has a power cap, no machine sleeps by a rule, and the rule draws nothing at random.
func (p *Platform) SteadyNodes() bool {
	return p.nodes != nil && p.power == nil && !p.nodes.mixed && !p.nodes.draws && len(p.Pools) == 0 && p.in.Features()&(model.ClosedTimes|model.SleepingMachines) == 0
}
