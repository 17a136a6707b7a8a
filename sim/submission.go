package sim

import (
	"math"
	"time"

	"github.com/allot-opt/allot/model"
)

// Site is what the instance states of its site; nil: nothing.
func (p *Platform) Site() *model.SiteSpec { return p.in.Site() }

// QualityOf is the quality of service of a job of the instance; empty: none is stated.
func (p *Platform) QualityOf(id string) string {
	job, known := p.in.JobIndex(id)
	if !known {
		return ""
	}
	return p.in.Jobs()[job].Quality()
}

// SubmitterOf is who submitted the job, the group or account, and the queue or partition; an empty text is not stated.
func (p *Platform) SubmitterOf(j *Job) (user, group, queue string) {
	of := &j.Request.in.Jobs()[j.Request.index]
	return of.User(), of.Group(), of.Queue()
}

// EachSubmitter calls a function with the user and the group of each job that is known at the beginning, in the order of the instance.
func (p *Platform) EachSubmitter(take func(user, group string)) {
	for k := range p.in.Jobs() {
		take(p.in.Jobs()[k].User(), p.in.Jobs()[k].Group())
	}
}

// MachineCount is the number of machines.
func (p *Platform) MachineCount() (n int) {
	for c := range p.in.Clusters() {
		for m := range p.in.Clusters()[c].Machines {
			n += p.in.Clusters()[c].Machines[m].Count
		}
	}
	return n
}

// TRES is what a job asks for, by the names that Slurm has for it: cpu, node (the fewest machines), mem (in the instance's unit), gres/gpu and license/name. A moldable job counts with the
// most processors that it may hold.
func (p *Platform) TRES(j *Job) map[string]float64 {
	r := j.Request
	processors := float64(min(r.Max, r.Tasks))
	needs := p.Needs(j)
	counts := map[string]float64{"cpu": processors, "node": float64(max(1, needs.MinMachines))}
	if r.Memory > 0 {
		counts["mem"] = r.Memory * processors
	}
	for _, need := range needs.Resources {
		counts["gres/"+p.Resource(need.Resource).ID] = need.Amount.Float() * math.Ceil(processors/float64(needs.Block))
	}
	for _, need := range r.Licences {
		counts["license/"+p.LicenceID(need.Licence)] = float64(need.Copies)
	}
	return counts
}

// PartitionTRES is what the machines of a partition have together, by the names of [Platform.TRES]; what has no limit is left out. Of a partition that the instance does not
// state it is what all machines have.
func (p *Platform) PartitionTRES(name string) map[string]float64 {
	of, known := p.in.Partition(name)
	total := map[string]float64{}
	for c := range p.in.Clusters() {
		cluster := &p.in.Clusters()[c]
		for m := range cluster.Machines {
			machine := &cluster.Machines[m]
			if known && !p.belongs(of, cluster.ID, machine) {
				continue
			}
			count := float64(machine.Count)
			total["node"] += count
			total["cpu"] += count * float64(machine.Units)
			if !math.IsInf(machine.Memory, 1) {
				total["mem"] += count * machine.Memory
			}
			for k := range p.in.Resources() {
				if amount := machine.Amount(k); amount > 0 {
					total["gres/"+p.Resource(k).ID] += count * amount.Float()
				}
			}
		}
	}
	return total
}

// Clock is the date of a number of seconds after time 0, in the zone of the instance, UTC where it names none that is known; nil: the date of time 0 is not known.
func (p *Platform) Clock() func(seconds float64) time.Time {
	zero, known := p.in.TimeZero()
	if !known {
		return nil
	}
	zone, err := time.LoadLocation(p.in.TimeZone())
	if err != nil {
		zone = time.UTC
	}
	return func(seconds float64) time.Time { return time.Unix(int64(math.Floor(zero+seconds)), 0).In(zone) }
}
