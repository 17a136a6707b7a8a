package bound

import (
	"math"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/model"
)

// mostWays is the most ways to run a job on a cluster that are told apart.
const mostWays = 64

// knownWays is what has to be known of the ways to run a job.
type knownWays int

const (
	untilEnd  knownWays = iota // what it holds until its end, at least
	fromStart                  // what it holds from its start, at least
	exactly                    // how long it runs
)

// waysOn lists ways to run job j on cluster c, each from its earliest start on. Whatever the job does there costs no less than one of them.
//
// A job that holds all its processors from its start for some time at least is a rectangle. Other jobs may release processors early, or hold a slow one for
// longer. They hold an amount of processor time before their end, and some number of processors at most: see [powered.Way]. known is false if what is needed is not known.
func (r *Relaxation) waysOn(j, c int, need knownWays) (ways []powered.Way, known bool) {
	in, job, cluster := r.in, &r.in.Jobs()[j], &r.in.Clusters()[c]
	if r.over[j] != nil {
		return r.spreadWays(j, c), need == untilEnd
	}
	if !r.canRun(j, c) {
		return nil, true
	}
	least, most := in.Width(j, c)
	most = min(most, cluster.Processors)
	switch {
	case least == most && (least == 1 || job.Tasks <= least):
		return r.rectangle(j, c, least, r.shortestOn(j, c)), cluster.Uniform || need != exactly
	case !ends(r.shortestOn(j, c)):
		return nil, true
	case !cluster.Uniform:
		return []powered.Way{r.looseWay(j, c, most, r.areaOn(j, c), r.shortestOn(j, c))}, need == untilEnd
	}
	return r.equalWays(j, c, &cluster.Machines[0], most, need)
}

// equalWays lists ways to run job j on equal processors of cluster c, like those of the machine, and on no more of them than most says.
func (r *Relaxation) equalWays(j, c int, m *model.Machine, most int, need knownWays) (ways []powered.Way, known bool) {
	in, job := r.in, &r.in.Jobs()[j]
	least, _ := in.Width(j, c)
	for n := least; n <= most; {
		each := (job.Tasks + n - 1) / n // tasks on the fullest processor
		last := most                    // the most processors at which it has as many
		if each > 1 {
			last = min(last, (job.Tasks-1)/(each-1))
		}
		switch length := in.Busy(j, c, m.Speed, each) + in.Transfer(j, m.Bandwidth); {
		case !ends(length):
		case each == 1 || n == 1:
			ways = append(ways, r.rectangle(j, c, n, length)...)
		case need != untilEnd:
			return nil, false
		default:
			area := float64(job.Tasks)*job.Work/m.Speed + float64(n)*(in.Busy(j, c, m.Speed, 0)+in.Transfer(j, m.Bandwidth))
			if job.StatesRuntimes() {
				area = float64(job.Tasks) * in.Busy(j, c, m.Speed, 1)
			}
			ways = append(ways, r.looseWay(j, c, last, area, length))
		}
		if n = last + 1; len(ways) > mostWays {
			return []powered.Way{r.looseWay(j, c, most, r.areaOn(j, c), r.shortestOn(j, c))}, need == untilEnd
		}
	}
	return ways, true
}

// ends says that a job which takes the time ends.
func ends(time float64) bool { return !math.IsNaN(time) && !math.IsInf(time, 0) }

// rectangle is the way to hold processors from the start on, if the job ends.
func (r *Relaxation) rectangle(j, c, width int, length float64) []powered.Way {
	if !ends(length) {
		return nil
	}
	return []powered.Way{{Cluster: c, Width: float64(width), Length: length, First: r.start[j]}}
}

// staysOnMachines says that every job which can run on the cluster holds processors of one machine there. Then groups of machines are clusters of their own.
func (r *Relaxation) staysOnMachines(c int) bool {
	cluster := &r.in.Clusters()[c]
	if cluster.Uniform && len(cluster.Machines) == 1 && (cluster.Machines[0].Count == 1 || cluster.Machines[0].Units == 1) {
		return false // that would be the same
	}
	for j := range r.in.Jobs() {
		job := &r.in.Jobs()[j]
		switch _, most := r.in.Width(j, c); {
		case r.duties[j] == MustLeave:
		case job.Node().Running != nil || r.over[j] != nil:
			return false
		case r.canRun(j, c) && most > 1 && job.Span != model.SpanMachine:
			return false
		}
	}
	return true
}

// waysInGroup lists ways to run job j on a machine of the group.
func (r *Relaxation) waysInGroup(j, c, group int, need knownWays) (ways []powered.Way, known bool) {
	m := &r.in.Clusters()[c].Machines[group]
	_, most := r.in.Width(j, c)
	if !r.canRun(j, c) {
		return nil, true
	}
	return r.equalWays(j, c, m, min(most, r.in.ProcessorsFor(&r.in.Jobs()[j], m)), need)
}

// looseWay is a way to hold an area by at most width processors, that ends no sooner than the time allows.
func (r *Relaxation) looseWay(j, c, width int, area, time float64) powered.Way {
	length := area / float64(width) * (1 - 8*gate.Epsilon)
	if length == 0 { // it holds nothing
		width = 0
	}
	return powered.Way{Cluster: c, Width: float64(width), Length: length, First: r.start[j] + max(0, time-length), Loose: true, Head: r.start[j]}
}

// spreadWays is the part on one cluster of a job that may spread over several. Each cluster does a share of the work at no less than its least price since the
// job's head, so all together pay no less than if the cheapest did all.
func (r *Relaxation) spreadWays(j, c int) []powered.Way {
	area := r.areaOn(j, c)
	if math.IsInf(area, 1) {
		return nil
	}
	return []powered.Way{{Cluster: c, Width: area * (1 - 8*gate.Epsilon), First: r.start[j] + r.least[j], Loose: true, Head: r.start[j]}}
}
