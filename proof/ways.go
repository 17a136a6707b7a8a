package proof

import (
	"math"
	"math/big"
)

// jobWay is one way to run a job on a cluster.
//
// A rectangle holds size processors from its start for a time at least. Any other way is loose: the job holds an area at least before its end, size processors at
// most at any time, and ends no sooner after its head than the time says. Size 0: any number at a time.
type jobWay struct {
	cluster, size int
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
	any := func() []jobWay {
		time, ends := f.timeOn(j, c)
		if area, runs := f.held(j, c); ends && runs {
			return []jobWay{{cluster: c, size: most, loose: true, time: time, area: area}}
		}
		return nil
	}
	if !cluster.Uniform {
		return any()
	}
	var list []jobWay
	for n := least; n <= most; {
		each, last := (job.Tasks+n-1)/n, most // tasks on the fullest processor; the most processors with as many
		if each > 1 {
			last = min(last, (job.Tasks-1)/(each-1))
		}
		time := in.DurationOn(j, c, n)
		switch {
		case math.IsNaN(time) || math.IsInf(time, 0): // it never ends
		case len(list) == mostJobWays:
			return any()
		case each == 1 || n == 1:
			list = append(list, jobWay{cluster: c, size: n, time: number(time), exact: true})
		default:
			list = append(list, jobWay{cluster: c, size: last, loose: true, time: number(time), area: f.areaOf(j, c, n)})
		}
		n = last + 1
	}
	return list
}

// areaOf is the processor time that job j holds at least on n or more equal processors of a cluster: its work, and the overheads and transfers of n.
func (f *facts) areaOf(j, c, n int) *big.Rat {
	in, job := f.in, &f.in.Jobs()[j]
	speed, link := fastest(&in.Clusters()[c])
	area := number(float64(job.Tasks))
	if job.StatesRuntimes() {
		return area.Mul(area.Mul(area, number(in.Busy(j, c, speed, 1))), nearly)
	}
	area.Mul(area, number(job.Work))
	area.Quo(area, number(speed))
	other := number(in.Busy(j, c, speed, 0))
	other.Add(other, number(in.Transfer(j, link)))
	area.Add(area, other.Mul(other, number(float64(n))))
	return area.Mul(area, nearly)
}
