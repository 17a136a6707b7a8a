package proof

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// goal is the value that an argument has to prove so that the stated bound follows from rounding up.
//
// Take a best schedule. Move its jobs to the left, one by one in order of start, as far as arrivals, precedence and what other jobs hold allow. No
// start and no end becomes later, so makespan, over_deadline, mean_response and mean_wait do not grow. Then every start is an arrival or the end of
// another job, or it is where a closed time begins or ends: it is one of these plus the times of at most n−1 jobs. If arrivals, execution times and, for over_deadline, deadlines are multiples of a
// step, so is the metric; a mean over n jobs is a multiple of step/n. This needs jobs whose times do not depend on how their tasks are shared out.
//
// Times that are off by at most d give an instance of whose multiples the optimum differs by at most e, as the same order of jobs costs at most e more
// or less: e is (n+1)·d for the makespan, (n+2)·d for a mean, and n·(n+2)·d for over_deadline. So from a bound v follows
// step·⌈(v − e)/step⌉ − e. To prove b take k = ⌈(b + e)/step⌉ − 1 and prove a bound above k·step + e.
func (f *facts) goal(p *Part, step string) (*big.Rat, error) {
	unit, deadlines := number(p.Step), false
	off := big.NewRat(int64(len(f.in.Jobs()))+1, 1)
	n := int64(len(f.in.Jobs()))
	switch p.Metric {
	case "missed":
		if p.Step != 1 {
			return nil, refute(step+".step", "numbers of jobs are whole: expected 1")
		}
		return leastRoundedUp(number(p.Bound), unit, new(big.Rat)), nil
	case "makespan":
	case "over_deadline":
		deadlines = true
		off.SetInt64(n * (n + 2))
	case "mean_response", "mean_wait":
		if !f.all {
			return nil, doubt(step+".step", "a mean over jobs of which some may be left out is not covered")
		}
		off.SetInt64(n + 2)
	default:
		return nil, refute(step+".step", "values of %s are not known to be multiples of a step", quoted(p.Metric))
	}
	if p.Step < 0 || n == 0 {
		return nil, refute(step+".step", "expected a step above 0 and a job")
	}
	if f.in.LaterMayBeBetter() {
		return nil, doubt(step+".step", "instances in which a job may have to start later than it could, because of power, are not rounded up")
	}
	if !f.areRectangles() {
		return nil, doubt(step+".step", "instances with jobs that may release processors early or choose their number are not rounded up")
	}
	distance := f.offStep(unit, deadlines)
	if distance.Sign() > 0 && f.in.Features()&model.ClosedTimes != 0 {
		return nil, doubt(step+".step", "times that are no multiples of the step are not covered beside closed times")
	}
	off.Mul(off, distance)
	if p.Metric == "mean_response" || p.Metric == "mean_wait" {
		unit.Quo(unit, big.NewRat(n, 1))
	}
	return leastRoundedUp(number(p.Bound), unit, off), nil
}

// leastRoundedUp is a little more than the largest multiple of the unit below bound + off, plus off: what is at least that is rounded up to the bound or
// higher.
func leastRoundedUp(bound, unit, off *big.Rat) *big.Rat {
	steps := new(big.Rat).Add(bound, off)
	steps.Quo(steps, unit)
	whole := new(big.Int).Sub(ceiling(steps), big.NewInt(1))
	value := new(big.Rat).Add(new(big.Rat).SetInt(whole), little)
	return value.Add(value.Mul(value, unit), off)
}

// little is a part of a step: what exceeds a multiple by less is not rounded up.
var little = big.NewRat(1, 10_000_000)

// ceiling is the least whole number that is not below x.
func ceiling(x *big.Rat) *big.Int {
	up := new(big.Int).Neg(x.Num())
	up.Div(up, x.Denom()) // Euclidean: rounds down, as the denominator is positive
	return up.Neg(up)
}

// offStep is how far times of the instance are at most from multiples of the unit.
func (f *facts) offStep(unit *big.Rat, deadlines bool) *big.Rat {
	most, half := new(big.Rat), big.NewRat(1, 2)
	look := func(t *big.Rat) {
		steps := new(big.Rat).Quo(t, unit)
		nearest := new(big.Rat).SetInt(ceiling(new(big.Rat).Sub(steps, half)))
		steps.Sub(steps, nearest)
		most = larger(most, steps.Mul(steps.Abs(steps), unit))
	}
	for c := range f.in.Clusters() {
		for g := range f.in.Clusters()[c].Machines {
			for _, x := range f.in.Clusters()[c].Machines[g].Closed() {
				if look(f.since(x.From)); x.To <= math.MaxFloat64 {
					look(f.since(x.To))
				}
			}
		}
	}
	for j := range f.in.Jobs() {
		look(f.released(j))
		if deadlines && f.in.Jobs()[j].HasDeadline() {
			look(f.due(j))
		}
		for c := range f.in.Clusters() {
			if f.alone[j][c] {
				size, _ := f.in.Width(j, c)
				look(number(f.in.DurationOn(j, c, size)))
			}
		}
	}
	return most
}
