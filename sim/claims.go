package sim

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Rigid is the number of processors that a policy for rigid jobs gives the job on the cluster. For a moldable job it is the rigid maximum:
// the most that the job may hold, but no more than it has tasks or than the empty cluster can give it at once, and no fewer than it must
// hold; in whole blocks. Under a power cap it counts what the last cap leaves, which holds for ever. O(groups of machines of the cluster) for a moldable job, O(machines) under a cap.
func (p *Platform) Rigid(j *Job, cluster int) int {
	r := j.Request
	least, most := r.in.Width(r.index, cluster)
	if least == most {
		return least
	}
	n := max(least, min(most, r.Tasks, r.in.Usable(r.index, cluster)))
	if p.capOf(cluster) != nil {
		n = max(least, p.underLastCap(j, cluster, n))
	}
	return n - n%r.in.Jobs()[r.index].Node().Block
}

// StatesTimes says whether the job states run times, which the speed of a processor does not change.
func (p *Platform) StatesTimes(j *Job) bool {
	return j.Request.in.Jobs()[j.Request.index].StatesRuntimes()
}

// Usable finds the number of processors of each machine that the job could hold in the room: none on a cluster for which the job states no
// run time or whose pools have too few licences. O(machines).
func (p *Platform) Usable(room *Room, j *Job, free []int32) {
	r := j.Request
	times := p.StatesTimes(j)
	if r.Memory == 0 && r.MinBandwidth == 0 && r.Span != model.SpanMachine && len(r.Licences) == 0 && !times {
		copy(free, room.Processors)
		p.usableUnderCaps(room, j, free)
		return
	}
	for c := range p.clusters {
		view := &p.clusters[c]
		closed := times && math.IsNaN(r.in.Busy(r.index, c, 1, 1)) || p.ShortOf(room, j, c) >= 0
		for m := view.first; m < view.last; m++ {
			if free[m] = 0; !closed {
				free[m] = int32(p.Hosts(room, j, m))
			}
		}
	}
	p.usableUnderCaps(room, j, free)
}

// TakeClaims takes what the claims hold out of the room, with the licences of the pools of all their clusters.
func (p *Platform) TakeClaims(room *Room, j *Job, claims []Claim) {
	for k := range claims {
		p.take(room, j, claims[k].Shares)
	}
	p.changeLicences(room, j, -1, len(claims), func(k int) int { return claims[k].Cluster })
}

// takeLicencesOf takes the licences of a job that starts with the parts.
func (p *Platform) takeLicencesOf(room *Room, j *Job, parts []Part) {
	p.changeLicences(room, j, -1, len(parts), func(k int) int { return parts[k].Cluster })
}

// GiveParts puts what the parts of a job hold back into the room.
func (p *Platform) GiveParts(room *Room, j *Job, parts []Part) {
	if len(parts) == 1 {
		p.Give(room, j, parts[0].Cluster, parts[0].Shares)
		return
	}
	for k := range parts {
		p.give(room, j, parts[k].Shares)
	}
	p.giveLicencesOf(room, j, parts)
}

// giveLicencesOf puts the licences of a job that ran with the parts back.
func (p *Platform) giveLicencesOf(room *Room, j *Job, parts []Part) {
	p.changeLicences(room, j, 1, len(parts), func(k int) int { return parts[k].Cluster })
}

// changeLicences adds the copies of the job to the pools of n clusters, with the sign. A pool that several of them use counts once: the job
// needs its copies once there.
func (p *Platform) changeLicences(room *Room, j *Job, sign int32, n int, cluster func(k int) int) {
	for _, need := range j.Request.Licences {
		for k := range n {
			pool := p.poolOf[cluster(k)][need.Licence]
			before := 0 // the first of the clusters that use the pool
			for p.poolOf[cluster(before)][need.Licence] != pool {
				before++
			}
			if pool >= 0 && before == k {
				room.Copies[pool] += sign * int32(need.Copies)
			}
		}
	}
}
