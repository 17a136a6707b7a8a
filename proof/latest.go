package proof

import (
	"math"
	"math/big"
)

// This file computes by when jobs end at the latest that are placed.

// endBy is the time by which job j has to end: its hard deadline or the end of the horizon, whichever is earlier. stated is false if there is none.
func (f *facts) endBy(j int) (by float64, stated bool) {
	job := &f.in.Jobs()[j]
	by, stated = job.Deadline, job.DeadlineHard && job.HasDeadline()
	if _, to, bounded := f.in.Horizon(); bounded && (!stated || to < by) {
		by, stated = to, true
	}
	return by, stated
}

// latestEnd is when job j, which some schedule may place, ends at the latest by its own limit; nil: it has none. It is that limit and what the rules tolerate of as many jobs as
// there are, rounded up to a float64; plain is the limit alone.
func (f *facts) latestEnd(j int) (last, plain *big.Rat) {
	by, stated := f.endBy(j)
	if !stated {
		return nil, nil
	}
	end := new(big.Rat).Sub(number(by), f.first)
	plain = new(big.Rat).Set(end)
	up, exact := end.Add(end, f.slackOf(j, by, len(f.has))).Float64()
	if !exact && number(up).Cmp(end) < 0 {
		up = math.Nextafter(up, math.Inf(1))
	}
	return number(up), plain
}

// limit finds the latest ends of the jobs, by their own limits and those of the jobs that wait for them and have to be placed.
func (f *facts) limit() {
	f.last, f.plain = make([]*big.Rat, len(f.has)), make([]*big.Rat, len(f.has))
	for k := len(f.order) - 1; k >= 0; k-- { // those that wait come first
		j := f.order[k]
		if !f.never[j] {
			f.last[j], f.plain[j] = f.latestEnd(j)
		}
		for _, next := range f.in.Successors(j) {
			if f.has[next] && f.last[next] != nil {
				f.last[j] = sooner(f.last[j], new(big.Rat).Sub(f.last[next], f.least[next]))
				f.plain[j] = sooner(f.plain[j], new(big.Rat).Sub(f.plain[next], f.least[next]))
			}
		}
	}
}

// sooner is the smaller of two times, the first of which may be nil: there is none.
func sooner(a, b *big.Rat) *big.Rat {
	if a == nil || b.Cmp(a) < 0 {
		return b
	}
	return a
}

// within is the smaller of a time and the latest end of job j.
func (f *facts) within(j int, end *big.Rat) *big.Rat {
	if f.last[j] == nil {
		return end
	}
	return sooner(end, f.last[j])
}
