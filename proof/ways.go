package proof

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// jobWay is one way to run a job on a cluster.
//
// A rectangle holds size processors from its start for a time at least. Any other way is loose: the job holds an area at least before its end, size processors at
// most at any time, and ends no sooner after its head than the time says. Size 0: any number at a time.
type jobWay struct {
	cluster, size int
	part          int // of which it holds processors, where that is used
	loose         bool
	time          *big.Rat // of a rectangle: how long it holds them; of a loose way: from its head to its end, at least
	area          *big.Rat // of a loose way
	exact         bool     // the job lasts as long as the rectangle
}

// mostJobWays is the most ways of a job on a cluster that are told apart.
const mostJobWays = 64

// nearly is a factor below 1 for areas that are added up from several rounded times.
var nearly = new(big.Rat).Mul(rounded, rounded)

// jobWays lists ways to run job j on cluster c; whatever it does there, one of them holds no more and ends no later.
func (f *facts) jobWays(j, c int) []jobWay {
	in, job, cluster := f.in, &f.in.Jobs()[j], &f.in.Clusters()[c]
	if f.over[j] != nil { // each cluster does a share of the work
		if area, runs := f.held(j, c); runs {
			return []jobWay{{cluster: c, loose: true, time: f.least[j], area: area}}
		}
		return nil
	}
	if !f.alone[j][c] {
		return nil
	}
	least, most := in.Width(j, c)
	most = min(most, cluster.Processors)
	if least == most && (least == 1 || job.Tasks <= least) {
		if time, ends := f.timeOn(j, c); ends {
			return []jobWay{{cluster: c, size: least, time: time, exact: cluster.Uniform}}
		}
		return nil
	}
	any := func() []jobWay { return f.anyWay(j, c, most) }
	if !cluster.Uniform {
		return any()
	}
	return f.equalWays(j, c, &cluster.Machines[0], most, any)
}

// equalWays lists the ways of job j on at most so many equal processors of cluster c, like those of the machine; those of any, if there are many.
func (f *facts) equalWays(j, c int, m *model.Machine, most int, any func() []jobWay) (list []jobWay) {
	in, job := f.in, &f.in.Jobs()[j]
	least, _ := in.Width(j, c)
	for n := least; n <= most; {
		each, last := (job.Tasks+n-1)/n, most // tasks on the fullest processor; the most processors with as many
		if each > 1 {
			last = min(last, (job.Tasks-1)/(each-1))
		}
		time := in.Busy(j, c, m.Speed, each) + in.Transfer(j, m.Bandwidth)
		switch {
		case math.IsNaN(time) || math.IsInf(time, 0): // it never ends
		case len(list) == mostJobWays:
			return any()
		case each == 1 || n == 1:
			list = append(list, jobWay{cluster: c, size: n, time: number(time), exact: true})
		default:
			list = append(list, jobWay{cluster: c, size: last, loose: true, time: number(time), area: f.areaOf(j, c, n, m)})
		}
		n = last + 1
	}
	return list
}

// anyWay is the way of which no number of up to most processors holds less, or ends sooner.
func (f *facts) anyWay(j, c, most int) []jobWay {
	time, ends := f.timeOn(j, c)
	if area, runs := f.held(j, c); ends && runs {
		return []jobWay{{cluster: c, size: most, loose: true, time: time, area: area}}
	}
	return nil
}

// waysInGroup lists ways to run job j on one machine of the group.
func (f *facts) waysInGroup(j, c, group int) []jobWay {
	if !f.alone[j][c] {
		return nil
	}
	m := &f.in.Clusters()[c].Machines[group]
	_, most := f.in.Width(j, c)
	most = min(most, f.places.holds(j, c, m))
	return f.equalWays(j, c, m, most, func() []jobWay { return f.anyWay(j, c, most) })
}

// staysOnMachines says that every job that may be placed holds processors of a single machine on the cluster.
func (f *facts) staysOnMachines(c int) bool {
	for j := range f.in.Jobs() {
		job := &f.in.Jobs()[j]
		_, most := f.in.Width(j, c)
		if !f.never[j] && (job.Node().Running != nil || f.over[j] != nil || f.alone[j][c] && most > 1 && job.Span != model.SpanMachine) {
			return false
		}
	}
	return true
}

// areaOf is the processor time that job j holds at least on n or more equal processors of a cluster: its work, and the overheads and transfers of n.
func (f *facts) areaOf(j, c, n int, m *model.Machine) *big.Rat {
	in, job := f.in, &f.in.Jobs()[j]
	area := number(float64(job.Tasks))
	if job.StatesRuntimes() {
		return area.Mul(area.Mul(area, number(in.Busy(j, c, m.Speed, 1))), nearly)
	}
	area.Mul(area, number(job.Work))
	area.Quo(area, number(m.Speed))
	other := number(in.Busy(j, c, m.Speed, 0))
	other.Add(other, number(in.Transfer(j, m.Bandwidth)))
	area.Add(area, other.Mul(other, number(float64(n))))
	return area.Mul(area, nearly)
}
