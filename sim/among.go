package sim

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// What a policy asks that plans with single machines, where the platform lists every machine: see [Platform.ByNode].

// NodeKind is a number that jobs share which need the same of the machines that they run on. It counts from 0.
func (p *Platform) NodeKind(j *Job) int { return p.nodes.first.Kind(j.Request.index).Number }

// CopyMachine makes what the room has of a machine equal to what another room has of it.
func (p *Platform) CopyMachine(room, other *Room, m int) {
	p.nodes.first.Save(&other.Room, m, &p.nodes.copied)
	p.nodes.first.Load(&room.Room, m, &p.nodes.copied)
}

// Takes is the estimated run time of the job on the given number of processors, if all of them are like those of machine m.
func (p *Platform) Takes(j *Job, m, processors int) float64 {
	machine, r := &p.Machines[m], j.Request
	return takesAlike(p.byEstimates(r.in), r.index, machine.Cluster, processors, machine.Speed, machine.Bandwidth)
}

// OpenTo says whether the machine is open to the job from the start to the end.
func (p *Platform) OpenTo(j *Job, m int, start, end float64) bool {
	machine := &p.nodes.first.Machines[m]
	return machine.OpenTo(p.Needs(j).Reservation, start, end)
}

// OpenAt says whether the machine is open to the job at the time, however long it runs.
func (p *Platform) OpenAt(j *Job, m int, at float64) bool {
	return p.OpenTo(j, m, at, math.Nextafter(at, math.Inf(1)))
}

// ClosedOf are the times in which the machine is closed.
func (p *Platform) ClosedOf(m int) []model.Closure { return p.nodes.first.Machines[m].Closed() }

// FitsAmong is [Platform.FitsOn], where every machine is listed, among the machines that the function names.
func (p *Platform) FitsAmong(room *Room, j *Job, cluster, processors int, among func(m int) bool, shares []Share) ([]Share, bool) {
	if p.ShortOf(room, j, cluster) >= 0 {
		return shares, false
	}
	begin := len(shares)
	shares, ok := p.fitsInTime(p.nodes.site, room, j, cluster, processors, p.now, among, shares)
	if !ok || p.power == nil {
		return shares, ok
	}
	return p.underCap(p.nodes.site, room, j, cluster, processors, p.now, among, shares, begin)
}

// QueueOf is the queue or partition to which the job was submitted; empty: not stated.
func (p *Platform) QueueOf(j *Job) string { return j.Request.in.Jobs()[j.Request.index].Queue() }

// TimeUnit is the unit of time that the instance names; empty: none.
func (p *Platform) TimeUnit() string { return p.in.Units().Time }

// TimeZero is the Unix time of time 0, in seconds; 0: the instance does not state it. It is for policies that keep to the clock, such as to full minutes.
func (p *Platform) TimeZero() float64 {
	unix, _ := p.in.TimeZero()
	return unix
}

// Partition are the machines of a partition that the instance states; false: it does not state it. Where the platform lists the machines of a cluster as one, they are all in the partition
// if one of them is.
func (p *Platform) Partition(name string) (machines []int, known bool) {
	of, known := p.in.Partition(name)
	if !known || of.Closed {
		return nil, known
	}
	for m := range p.Machines {
		cluster := &p.in.Clusters()[p.Machines[m].Cluster]
		groups := cluster.Machines
		if !p.together {
			groups = groups[p.Machines[m].Group : p.Machines[m].Group+1]
		}
		if slices.ContainsFunc(groups, func(g model.Machine) bool { return p.belongs(of, cluster.ID, &g) }) {
			machines = append(machines, m)
		}
	}
	return machines, true
}

// Tier is that of a partition that the instance states, else 0.
func (p *Platform) Tier(partition string) float64 {
	of, known := p.in.Partition(partition)
	if !known {
		return 0
	}
	return of.Tier
}

// Queue is a queue of the system: the jobs that name one partition.
type Queue struct {
	Name     string
	Tier     float64 // queues of a higher tier are served first
	Machines []int   // of the partition
}

// Queues are the queues that a policy is to serve apart: the partitions that the instance states, in its order. There are none where it states fewer than two, or where the discipline
// keeps one queue.
func (p *Platform) Queues() []Queue {
	if !p.byQueue || len(p.in.Partitions()) < 2 {
		return nil
	}
	var queues []Queue
	for _, of := range p.in.Partitions() {
		machines, _ := p.Partition(of.ID)
		queues = append(queues, Queue{of.ID, of.Tier, machines})
	}
	return queues
}

// Reaches says whether the job can hold a processor of the machine when nothing else runs.
func (p *Platform) Reaches(j *Job, m int) bool {
	return p.CanRun(j, p.Machines[m].Cluster) && p.Hosts(&p.empty, j, m) > 0
}

// PoolsOf calls a function with the number of each limited pool from which the job takes licences wherever it runs. A pool may come several times.
func (p *Platform) PoolsOf(j *Job, each func(pool int)) {
	for _, need := range j.Request.Licences {
		for c := range p.clusters {
			if pool := p.poolOf[c][need.Licence]; pool >= 0 {
				each(int(pool))
			}
		}
	}
}

// belongs says whether the machines of a group are in a partition.
func (p *Platform) belongs(of *model.PartitionSpec, cluster string, m *model.Machine) bool {
	if len(of.Clusters) > 0 && !slices.Contains(of.Clusters, cluster) || of.Feature != "" && !slices.Contains(m.Features(), of.Feature) {
		return false
	}
	licence := slices.IndexFunc(p.in.Licences(), func(l model.Licence) bool { return l.ID == of.Licence })
	return licence < 0 || m.Runs(licence)
}
