package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file computes how closed times of machines delay jobs. A piece of a job must keep off closed times from its start for the shorter of its execution
// time and that by the job's estimate.

// since is a time counted from the earliest arrival.
func (f *facts) since(t float64) *big.Rat { return new(big.Rat).Sub(number(t), f.first) }

// expected returns the facts of the instance in which jobs run for their estimates, as far as times and areas of jobs need them.
func (f *facts) expected() *facts {
	return &facts{ctx: f.ctx, in: f.places.known, places: f.places, alone: f.alone, over: f.over}
}

// kept is a time for which every piece of the job on the cluster, where it can run, must keep off closed times at least.
func (f *facts) kept(j, c int) *big.Rat {
	time, runs := f.piece(j, c)
	other, known := f.expected().piece(j, c)
	switch {
	case !runs || !known:
		return new(big.Rat)
	case other.Cmp(time) < 0:
		return other
	}
	return time
}

// piece is a time below which no piece of the job runs on the cluster, and whether it is finite. A job that has all processors it can get, each with one task or
// one with all, is one piece or several alike; another piece has one task at least.
func (f *facts) piece(j, c int) (time *big.Rat, runs bool) {
	cluster := &f.in.Clusters()[c]
	least, most := f.in.Width(j, c)
	if most = min(most, cluster.Processors); f.over[j] == nil && least == most && (most == 1 || f.in.Jobs()[j].Tasks <= most) {
		return f.timeOn(j, c)
	}
	speed, bandwidth := fastest(cluster)
	t := f.in.Busy(j, c, speed, 1) + f.in.Transfer(j, bandwidth)
	if runs = t <= math.MaxFloat64; runs {
		time = number(t)
	}
	return time, runs
}

// keptArea is the least processor time of the job on cluster c that must keep off closed times, and whether the job can hold processors there.
func (f *facts) keptArea(j, c int) (*big.Rat, bool) {
	x, runs := f.held(j, c)
	if !runs {
		return nil, false
	}
	if other, _ := f.expected().held(j, c); other.Cmp(x) < 0 {
		return other, true
	}
	return x, true
}

// sureShare is the part of its area on open machines that the job holds even if the checker accepts somewhat shorter durations: a job that just fits before a
// closed time ends before it.
func (f *facts) sureShare(j int) *big.Rat {
	last := new(big.Rat)
	for c := range f.in.Clusters() {
		for g := range f.in.Clusters()[c].Machines {
			for _, x := range f.in.Clusters()[c].Machines[g].Closed() {
				for _, t := range []float64{x.From, x.To} {
					if t <= math.MaxFloat64 {
						last = larger(last, new(big.Rat).Abs(f.since(t)))
					}
				}
			}
		}
	}
	last.Add(last, new(big.Rat).Abs(f.first))
	shortest := math.Inf(1) // piece
	for c := range f.in.Clusters() {
		if speed, _ := fastest(&f.in.Clusters()[c]); f.alone[j][c] || f.spreads(j, c) {
			shortest = min(shortest, f.in.Busy(j, c, speed, 1), f.places.known.Busy(j, c, speed, 1))
		}
	}
	if !(shortest > 0 && shortest <= math.MaxFloat64) {
		return new(big.Rat)
	}
	lost := last.Mul(last, spacings)
	lost.Quo(lost, number(shortest)).Add(lost, tolerated)
	return larger(new(big.Rat), lost.Sub(big.NewRat(1, 1), lost))
}

// openFrom is the first time from head on at which the job finds open machines with as many processors as it needs, whatever else runs there; nil: there is
// none, or head is nil. Such a time is the head, or one at which a closed time of such a machine begins or ends. The checker of schedules accepts durations
// that are a little shorter, so a job may be.
func (f *facts) openFrom(j int, head *big.Rat) *big.Rat {
	if head == nil || f.in.Features()&model.ClosedTimes == 0 || f.in.Jobs()[j].Node().Running != nil {
		return head
	}
	if f.findsSome(j, head) || f.places.manyClosed {
		return head
	}
	times := []*big.Rat{}
	for c := range f.in.Clusters() {
		if !f.alone[j][c] && !f.spreads(j, c) {
			continue
		}
		if f.places.keepsNothing(j, c) {
			return head
		}
		for g := range f.in.Clusters()[c].Machines {
			for _, x := range f.in.Clusters()[c].Machines[g].Closed() {
				for _, t := range []float64{x.From, x.To} {
					if t <= math.MaxFloat64 && f.since(t).Cmp(head) > 0 {
						times = append(times, f.since(t))
					}
				}
			}
		}
	}
	slices.SortFunc(times, (*big.Rat).Cmp)
	for _, t := range times {
		if f.findsSome(j, t) {
			return t
		}
	}
	return nil
}

// findsSome says whether the job finds room on some cluster from the time on.
func (f *facts) findsSome(j int, at *big.Rat) bool {
	for c := range f.in.Clusters() {
		if (f.alone[j][c] || f.spreads(j, c)) && f.findsRoom(j, c, at) {
			return true
		}
	}
	return false
}

// findsRoom says whether the cluster has as many processors as the job needs on machines that are open to it from the time on. They must stay open for as
// long as the job must keep off closed times.
func (f *facts) findsRoom(j, c int, at *big.Rat) bool {
	job := &f.in.Jobs()[j]
	least, _ := f.in.Width(j, c)
	if f.spreads(j, c) {
		least = 1
	}
	length := f.kept(j, c)
	slack := new(big.Rat).Mul(length, tolerated)
	clock := new(big.Rat).Abs(f.first)
	clock.Add(clock, at).Add(clock, length).Mul(clock, spacings)
	length = larger(new(big.Rat), new(big.Rat).Sub(length, slack.Add(slack, clock)))
	found := 0
	for g := range f.in.Clusters()[c].Machines {
		m := &f.in.Clusters()[c].Machines[g]
		if found >= least {
			break
		}
		room := f.places.holds(j, c, m)
		if room == 0 || len(m.Closed())+len(job.Node().Reservation) > 0 && !f.isOpen(m.Closed(), job.Node().Reservation, at, length) {
			continue
		}
		if job.Span != model.SpanMachine {
			found += room * m.Count
		} else {
			found = max(found, room)
		}
	}
	return found >= least
}

// isOpen says whether closed times let a job of the reservation run from the time on for the length, or just begin if that is 0.
func (f *facts) isOpen(closed []model.Closure, reservation string, at, length *big.Rat) bool {
	until := new(big.Rat).Add(at, length)
	instants := []*big.Rat{at} // at which what holds changes
	for _, x := range closed {
		for _, t := range []float64{x.From, x.To} {
			if t > math.MaxFloat64 {
				continue
			}
			if s := f.since(t); s.Cmp(at) > 0 && s.Cmp(until) < 0 {
				instants = append(instants, s)
			}
		}
	}
	for _, t := range instants {
		mine := reservation == ""
		for _, x := range closed {
			if f.since(x.From).Cmp(t) > 0 || x.To <= math.MaxFloat64 && f.since(x.To).Cmp(t) <= 0 {
				continue
			}
			if reservation == "" || x.For != reservation {
				return false
			}
			mine = true
		}
		if !mine {
			return false
		}
	}
	return true
}
