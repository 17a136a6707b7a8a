package backfill

import (
	"slices"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// What [slurm] does where clusters have power caps, of which Slurm itself knows nothing. A cycle plans the power too: what runs takes it until its estimated end, and what is planned from its start on. So a job
// starts, or is planned, when the caps leave what it takes beside them for as long as it is estimated to run. A job that the main scheduler cannot start for the sake of power keeps the power of its clusters from
// the jobs behind, whatever their queues.

// powerLine is what a cluster takes over time less what its cap lets it take, by a plan.
type powerLine struct {
	steps.Function[model.PowerBalance]
	cluster int
	levels  []bitset // where processors take different power: the machines that take at most a power, the most first, without the highest
}

// newPowerLines makes the lines of the clusters with a cap, by cluster; nil: there is none.
func newPowerLines(platform *sim.Platform) []*powerLine {
	if !platform.Capped() {
		return nil
	}
	lines := make([]*powerLine, platform.Clusters())
	for c := range lines {
		if !platform.CappedCluster(c) {
			continue
		}
		l := &powerLine{cluster: c}
		for _, machines := range platform.PowerLevels(c) {
			level := newBitset(len(platform.Machines))
			for _, m := range machines {
				level.add(m)
			}
			l.levels = append(l.levels, level)
		}
		lines[c] = l
	}
	return lines
}

// reset begins a plan in which nothing runs.
func (l *powerLine) reset(platform *sim.Platform, now float64) {
	l.Times, l.Values = append(l.Times[:0], now), append(l.Values[:0], platform.CapBalance(l.cluster, now))
	changes := platform.CapChanges()
	for _, at := range changes[firstAfter(changes, now):] {
		l.Times, l.Values = append(l.Times, at), append(l.Values, platform.CapBalance(l.cluster, at))
	}
}

// take takes the power of a job on the shares from one time to another.
func (l *powerLine) take(platform *sim.Platform, j *sim.Job, shares []sim.Share, from, to float64) {
	first, last := l.Split(max(from, l.Times[0]), nil), l.Split(max(to, l.Times[0]), nil)
	for k := first; k < last; k++ {
		l.Values[k] = platform.WithPower(l.Values[k], j, shares)
	}
}

// keeps says whether a job keeps to the cap on the shares from one time to another. If not, after is the first time from which on it may: when the last step ends that is in its way.
func (l *powerLine) keeps(platform *sim.Platform, j *sim.Job, shares []sim.Share, from, to float64) (after float64, ok bool) {
	ok = true
	for k := max(0, l.At(from)); k < len(l.Times) && (l.Times[k] < to || l.Times[k] <= from); k++ {
		if b := platform.WithPower(l.Values[k], j, shares); b.Keeps() {
			continue
		}
		ok, after = false, l.End(k)
	}
	return after, ok
}

// planPower begins the plan of a cycle with what runs.
func (p *slurm) planPower(now float64) {
	for _, l := range p.power {
		if l != nil {
			l.reset(p.platform, now)
		}
	}
	for _, of := range p.release.ends {
		p.takePower(of.job, p.release.shares[of.job.Handle], now, p.release.expected(now, of.end))
	}
}

// takePower takes the power of a job that runs or is planned from one time to another.
func (p *slurm) takePower(j *sim.Job, shares []sim.Share, from, to float64) {
	if p.power == nil || len(shares) == 0 {
		return
	}
	if l := p.power[p.platform.Machines[shares[0].Machine].Cluster]; l != nil && len(l.Times) > 0 {
		l.take(p.platform, j, shares, from, to)
	}
}

// keepsPower says whether a job that starts at a time keeps to the cap of the cluster on the shares, beside what runs and is planned; if not, it may from another time on.
func (p *slurm) keepsPower(j *sim.Job, cluster int, shares []sim.Share, start float64) (after float64, ok bool) {
	if p.power == nil || p.power[cluster] == nil {
		return 0, true
	}
	return p.power[cluster].keeps(p.platform, j, shares, start, start+p.platform.Estimate(j, cluster, shares))
}

// levelsOf are the sets of machines of the cluster to which a job may have to keep for the sake of power, beside all of them: none where its processors take the same on all machines.
func (p *slurm) levelsOf(j *sim.Job, cluster int) []bitset {
	if p.power == nil || p.power[cluster] == nil || len(p.power[cluster].levels) == 0 || p.platform.StatesPower(j) {
		return nil
	}
	least := newBitset(len(p.platform.Machines))
	for _, m := range p.platform.LeastPower(j, cluster, p.platform.Rigid(j, cluster)) {
		least.add(m)
	}
	return append(slices.Clip(p.power[cluster].levels), least)
}

// planUnder is [slurm.planOn] on the machines that are available, and where the job would break a cap there, on fewer of them.
func (p *slurm) planUnder(j *sim.Job, of *lineOf, cluster int, now, s, next float64) (jobPlan, float64, bool) {
	levels := p.levelsOf(j, cluster)
	avail := slices.Clone(p.avail)
	plan, again, ok := p.planOn(j, of, cluster, now, s, next)
	for k := 0; !ok && k < len(levels); k++ {
		copy(p.avail, avail)
		p.avail.meet(levels[k])
		other, sooner, found := p.planOn(j, of, cluster, now, s, next)
		switch {
		case found:
			return other, sooner, true
		case sooner > 0 && (again == 0 || sooner < again):
			again = sooner
		}
	}
	return plan, again, ok
}

// lookAgain is when to look again for a plan that would break a cap: as next says, which may be 0, or when the power is left.
func (p *slurm) lookAgain(now, next, after float64) float64 {
	if after > now+p.Window || next > 0 && next < after {
		return next
	}
	return after
}

// keepPower keeps the power of the job's clusters from the jobs behind it, by their machines.
func (p *slurm) keepPower(j *sim.Job) {
	for i := range p.options[j.Handle] {
		if c := p.options[j.Handle][i].cluster; p.power[c] != nil {
			p.closed.join(p.all[c])
		}
	}
}
