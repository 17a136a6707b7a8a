package bound

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// This file computes how closed times of machines delay jobs. A job must keep off closed times from its start for as long as it is expected to run, at most
// to its end; a job that outlives its estimate runs on. So no more than that part of a job counts here.

// closingTimes lists where closed times begin and end, in the order of the machines. It leaves out those without an end.
func (r *Relaxation) closingTimes() (times []float64) {
	if r.in.Features()&model.ClosedTimes == 0 {
		return nil
	}
	for c := range r.in.Clusters() {
		for g := range r.in.Clusters()[c].Machines {
			for _, x := range r.in.Clusters()[c].Machines[g].Closed() {
				if times = append(times, x.From); !math.IsInf(x.To, 1) {
					times = append(times, x.To)
				}
			}
		}
	}
	return times
}

// expected returns the instance with the run times that the estimates of its jobs state, see [model.Instance.Known].
func (r *Relaxation) expected() *model.Instance {
	if r.known == nil {
		r.known = r.in.Known()
	}
	return r.known
}

// keptTime is a time for which every piece of the job on cluster c, at least, must keep off closed times; +Inf if the job cannot run there.
func (r *Relaxation) keptTime(j, c int) float64 {
	return min(r.pieceIn(r.in, j, c), r.pieceIn(r.expected(), j, c))
}

// pieceIn is a time below which no piece of the job runs on cluster c, of an instance that differs in the work and the run times of the jobs alone; +Inf if it
// cannot run there. A job that has as many processors as it can get, each with one task or one with all, is one piece or several alike; any other piece has a task.
func (r *Relaxation) pieceIn(in *model.Instance, j, c int) float64 {
	cluster := &in.Clusters()[c]
	least, most := in.Width(j, c)
	most = min(most, cluster.Processors)
	whole := r.shortestIn(in, j, c)
	if math.IsInf(whole, 1) || r.over[j] == nil && least == most && (most == 1 || in.Jobs()[j].Tasks <= most) {
		return whole
	}
	return in.Busy(j, c, r.fast[c].speed, 1) + in.Transfer(j, r.fast[c].link)
}

// keptArea is the least processor time of the job on cluster c that must keep off closed times; +Inf if the job cannot run there.
func (r *Relaxation) keptArea(j, c int) float64 {
	return min(r.areaIn(r.in, j, c), r.areaIn(r.expected(), j, c))
}

// sureShare is the part of its area on open machines that the job holds even if the checker accepts somewhat shorter durations: a job that just fits before a
// closed time ends before it.
func (r *Relaxation) sureShare(j int) float64 {
	last, shortest := math.Abs(r.in.FirstArrival()), math.Inf(1)
	for _, t := range r.closingTimes() {
		last = max(last, math.Abs(r.in.FirstArrival())+math.Abs(t-r.in.FirstArrival()))
	}
	for c := range r.in.Clusters() {
		if speed := r.fast[c].speed; r.canRun(j, c) || r.spreadsTo(j, c) {
			shortest = min(shortest, r.in.Busy(j, c, speed, 1), r.expected().Busy(j, c, speed, 1)) // of a piece
		}
	}
	if !(shortest > 0) {
		return 0
	}
	return max(0, 1-2*model.Tolerance-8*gate.Epsilon*last/shortest)
}

// openFrom is the earliest time, not before start, at which as many processors as the job needs are on machines that are open to it for as long as it
// holds to closed times; +Inf if there is none. What else runs there does not matter. Rounding may make the result too early, never too late.
//
// Complexity: O(groups of machines) where machines are open at the start, else at most that for each closed time.
func (r *Relaxation) openFrom(j int, start float64) float64 {
	in, job := r.in, &r.in.Jobs()[j]
	if in.Features()&model.ClosedTimes == 0 || job.Node().Running != nil || !gate.Finite(start) {
		return start
	}
	if r.opens(j, start) || r.manyClosed() {
		return start
	}
	reservation, first := job.Node().Reservation, in.FirstArrival()
	var times []float64
	for c := range in.Clusters() {
		if !r.canRun(j, c) && !r.spreadsTo(j, c) {
			continue
		}
		if r.mayKeepNothing(j, c) {
			return start
		}
		for g := range in.Clusters()[c].Machines {
			for _, x := range in.Clusters()[c].Machines[g].Closed() {
				if to := x.To - first; to > start && !math.IsInf(to, 1) {
					times = append(times, to)
				}
				if from := x.From - first; from > start && reservation != "" {
					times = append(times, from)
				}
			}
		}
	}
	slices.Sort(times)
	for _, t := range slices.Compact(times) {
		if r.opens(j, t) {
			return t
		}
	}
	return math.Inf(1)
}

// manyClosed says that there are too many closed times to look at each for each job and group of machines.
func (r *Relaxation) manyClosed() bool {
	const most = 1 << 22
	groups, times := 0, 0
	for c := range r.in.Clusters() {
		groups += len(r.in.Clusters()[c].Machines)
		for g := range r.in.Clusters()[c].Machines {
			times += len(r.in.Clusters()[c].Machines[g].Closed())
		}
	}
	return times*groups > most/(len(r.in.Jobs())+1)
}

// opens says whether some cluster has as many processors as the job needs on machines that are open to it from the time on. They must stay open for as long
// as the job must keep off closed times. Where rounding may be as long as that, it is enough that they are open at some time nearby.
func (r *Relaxation) opens(j int, at float64) bool {
	in, job := r.in, &r.in.Jobs()[j]
	reservation, first := job.Node().Reservation, in.FirstArrival()
	for c := range in.Clusters() {
		least, _ := in.Width(j, c)
		switch {
		case r.spreadsTo(j, c):
			least = 1
		case !r.canRun(j, c):
			continue
		}
		kept := r.keptTime(j, c)
		slack := r.slack(at + kept)
		kept = kept*(1-2*model.Tolerance) - slack
		found := 0
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			room := in.ProcessorsFor(job, m)
			switch {
			case room == 0 || kept > 0 && !isOpen(m.Closed(), reservation, first, at, kept) || kept <= 0 && !opensNear(m.Closed(), reservation, first, at, slack):
			case job.Span == model.SpanMachine:
				found = max(found, room)
			default:
				found += room * m.Count
			}
			if found >= least {
				return true
			}
		}
	}
	return false
}

// mayKeepNothing says that some piece of the job on the cluster may take no time, so that closed times do not concern it.
func (r *Relaxation) mayKeepNothing(j, c int) bool {
	speed := r.fast[c].speed
	return r.in.Busy(j, c, speed, 1) == 0 || r.expected().Busy(j, c, speed, 1) == 0
}

// opensNear says whether the closed times let a job of the reservation start at some time no further from the given one than slack: at it, or right before or at one
// at which they begin or end.
func opensNear(closed []model.Closure, reservation string, first, at, slack float64) bool {
	if isOpen(closed, reservation, first, at, 0) {
		return true
	}
	for _, x := range closed {
		for _, t := range []float64{x.From - first, x.To - first} {
			if math.Abs(t-at) <= slack && (isOpen(closed, reservation, first, t, 0) || isOpen(closed, reservation, first, math.Nextafter(t, math.Inf(-1)), 0)) {
				return true
			}
		}
	}
	return false
}

// isOpen says whether the closed times, of a machine, let a job of the reservation run from start on for the length; at the start, if that is 0. Times
// count from the earliest arrival, which is first.
func isOpen(closed []model.Closure, reservation string, first, start, length float64) bool {
	for _, x := range closed {
		if (reservation == "" || x.For != reservation) && start < x.To-first && (x.From-first <= start || x.From-first < start+length) {
			return false
		}
	}
	if reservation == "" {
		return true
	}
	for at := start; ; { // the times of the reservation follow each other
		next := at
		for _, x := range closed {
			if x.For == reservation && x.From-first <= at && at < x.To-first {
				next = max(next, x.To-first)
			}
		}
		switch {
		case next == at:
			return false
		case next >= start+length:
			return true
		}
		at = next
	}
}

// shut lists, by cluster and group, the times in which no job but those that run already may hold a machine of the group: disjoint and ascending.
func (r *Relaxation) shut() [][][][2]float64 {
	reserved := map[string]bool{}
	for j := range r.in.Jobs() {
		if n := r.in.Jobs()[j].Node(); n.Running == nil && n.Reservation != "" {
			reserved[n.Reservation] = true
		}
	}
	first := r.in.FirstArrival()
	list := make([][][][2]float64, len(r.in.Clusters()))
	for c := range list {
		list[c] = make([][][2]float64, len(r.in.Clusters()[c].Machines))
		for g := range list[c] {
			closed := r.in.Clusters()[c].Machines[g].Closed()
			var times []float64
			for _, x := range closed {
				times = append(times, x.From-first, x.To-first)
			}
			slices.Sort(times)
			times = slices.Compact(times)
			for k, from := range times[:max(0, len(times)-1)] {
				names, open := 0, true
				only := ""
				for _, x := range closed {
					if x.From-first <= from && from < x.To-first {
						open = open && x.For != "" && reserved[x.For] && (names == 0 || x.For == only)
						names, only = names+1, x.For
					}
				}
				if !open {
					list[c][g] = append(list[c][g], [2]float64{from, times[k+1]})
				}
			}
		}
	}
	return list
}

// openTime is the time between a and b without the shut times.
func openTime(shut [][2]float64, a, b float64) float64 {
	sum := b - a
	for _, x := range shut {
		sum -= max(0, min(b, x[1])-max(a, x[0]))
	}
	return max(0, sum)
}
