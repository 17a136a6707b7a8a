package proof

import (
	"math/big"

	"github.com/allot-opt/allot/model"
)

// eachAlone adds up the jobs that have to be placed, each at its earliest: no job ends before its head and its least time.
func (f *facts) eachAlone(metric, step string) (*big.Rat, error) {
	sum := new(big.Rat)
	switch metric {
	case "mean_response", "mean_wait":
		if !f.all || len(f.must) == 0 {
			return nil, doubt(step, "a mean over jobs of which some may be left out is not covered")
		}
		for _, j := range f.must {
			sum.Add(sum, f.head[j])
			sum.Sub(sum, f.released(j))
			if metric == "mean_response" {
				sum.Add(sum, f.least[j])
			}
		}
		return sum.Quo(sum, big.NewRat(int64(len(f.must)), 1)), nil
	case "over_deadline":
		for _, j := range f.must {
			if f.in.Jobs()[j].HasDeadline() {
				if late := f.end(j); late.Cmp(f.due(j)) > 0 {
					sum.Add(sum, late.Sub(late, f.due(j)))
				}
			}
		}
		return sum, nil
	case "missed":
		for _, j := range f.must {
			if f.in.Jobs()[j].HasDeadline() && f.surelyLate(j) {
				sum.Add(sum, big.NewRat(1, 1))
			}
		}
		return sum, nil
	}
	return nil, refute(step, "it does not bound %s", quoted(metric))
}

// released is the arrival of job j, counted from the earliest.
func (f *facts) released(j int) *big.Rat {
	return new(big.Rat).Sub(number(f.in.Jobs()[j].Arrival), f.first)
}

// due is the deadline of job j, which must have one, counted from the earliest arrival.
func (f *facts) due(j int) *big.Rat {
	return new(big.Rat).Sub(number(f.in.Jobs()[j].Deadline), f.first)
}

// surelyLate says that job j misses its deadline in every schedule by more than what the model tolerates. Durations may differ by [model.Tolerance],
// points in time by the rounding of their numbers: an end is late if it exceeds the deadline by more than twice the spacing of float64 numbers there, and
// each job of a chain may be shorter by one spacing.
func (f *facts) surelyLate(j int) bool {
	end, deadline := f.end(j), number(f.in.Jobs()[j].Deadline)
	size := new(big.Rat).Abs(f.due(j))
	allowed := size.Mul(size.Add(size, end), tolerated)
	clock := new(big.Rat).Abs(deadline)
	clock.Add(clock, new(big.Rat).Abs(f.first))
	clock.Mul(clock.Add(clock, end), big.NewRat(int64(3+f.chain[j]), 1<<52))
	return end.Cmp(allowed.Add(allowed, clock).Add(allowed, f.due(j))) > 0
}

// tolerated is a little less than twice the tolerance of the model, of which provers allow twice, in floating point.
var tolerated = number(1.9 * model.Tolerance)
