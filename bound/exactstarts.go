package bound

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/plan"
)

// mostExact is the most jobs of an instance whose starts are computed in exact numbers.
const mostExact = 1 << 16

// workOfExact is what a few operations on exact numbers take, in units of a [kit.Poll].
const workOfExact = 400

// exactStarts are the earliest starts of the jobs in exact numbers, where rounding decides on which side of a step they lie. They are never later than they are;
// where other work or closed times delay a job, or there are many jobs, they are earlier by what rounding may make of it. A job without one has nil. It returns false
// if the context has ended.
func (r *Relaxation) exactStarts(end *kit.Poll) (list []*big.Rat, ok bool) {
	if r.exact != nil {
		return r.exact, true
	}
	in := r.in
	list = make([]*big.Rat, len(in.Jobs()))
	first := exact(in.FirstArrival())
	for _, j := range plan.ArrivalOrder(in) {
		if end.Stopped(workOfExact * (1 + len(in.Jobs()[j].After))) {
			return nil, false
		}
		start := r.start[j]
		if !gate.Finite(start) {
			continue
		}
		x := exact(max(0, start-r.slack(start)))
		if len(in.Jobs()) <= mostExact {
			chain := exact(in.Jobs()[j].Arrival)
			chain.Sub(chain, first)
			for _, before := range in.Jobs()[j].After {
				if list[before] != nil && gate.Finite(r.least[before]) {
					finish := exact(r.least[before])
					if finish.Add(finish, list[before]); finish.Cmp(chain) > 0 {
						chain = finish
					}
				}
			}
			if chain.Cmp(x) > 0 {
				x = chain
			}
		}
		list[j] = x
	}
	r.exact = list
	return list, true
}

// slack is by how much rounding may move an earliest start.
func (r *Relaxation) slack(start float64) float64 {
	return float64(4*(r.depth+r.waited)+16) * gate.Epsilon * (math.Abs(r.in.FirstArrival()) + math.Abs(start))
}

// below is the largest number that is no larger than x.
func below(x *big.Rat) float64 {
	y, _ := x.Float64()
	if exact(y).Cmp(x) > 0 {
		y = math.Nextafter(y, math.Inf(-1))
	}
	return y
}
