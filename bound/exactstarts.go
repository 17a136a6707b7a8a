package bound

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/plan"
)

// mostExact is the most jobs of an instance whose starts are computed in exact numbers.
const mostExact = 1 << 16

// exactStarts are the earliest starts of the jobs in exact numbers, where rounding decides on which side of a step they lie. They are never later than they are;
// where other work or closed times delay a job, or there are many jobs, they are earlier by what rounding may make of it. A job without one has nil.
func (r *Relaxation) exactStarts() []*big.Rat {
	if r.exact != nil {
		return r.exact
	}
	in := r.in
	r.exact = make([]*big.Rat, len(in.Jobs()))
	first := exact(in.FirstArrival())
	for _, j := range plan.ArrivalOrder(in) {
		start := r.start[j]
		if !gate.Finite(start) {
			continue
		}
		x := exact(max(0, start-r.slack(start)))
		if len(in.Jobs()) <= mostExact {
			chain := exact(in.Jobs()[j].Arrival)
			chain.Sub(chain, first)
			for _, before := range in.Jobs()[j].After {
				if r.exact[before] != nil && gate.Finite(r.least[before]) {
					end := exact(r.least[before])
					if end.Add(end, r.exact[before]); end.Cmp(chain) > 0 {
						chain = end
					}
				}
			}
			if chain.Cmp(x) > 0 {
				x = chain
			}
		}
		r.exact[j] = x
	}
	return r.exact
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
