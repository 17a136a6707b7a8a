// Package tou schedules the jobs of one machine under prices that change with time, where the machine has states that save power: O. Benedikt, I. Módos,
// Z. Hanzálek (2020), Power of pre-processing: production scheduling with variable energy pricing and power-saving states, CPAIOR 2020. It proves optima by a
// Lagrangian bound and a branch and bound of its own.
//
// Time is cut into intervals that divide all times of the instance, and costs are whole numbers. A schedule of least cost begins and ends all jobs and ways at
// limits of intervals: with the order of what the machine does given, the cost is linear in the times as long as each stays within its interval, and
// differences of the times are bounded by whole numbers.
package tou

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/exactsteps"
)

// Problem is a batch for one machine. Interval t is [t, t+1). Costs are in whole units, of which Scale make one of the objective.
type Problem struct {
	Intervals int
	Total     int   // intervals of all jobs together
	Sizes     []int // lengths of the jobs, ascending
	Counts    []int // by size: number of jobs
	Busy      []int64
	Idle      []int64
	Off       []State
	Begin     int // state at the begin; −1: on
	End       int
	Scale     float64
	Exact     bool // costs are exact, so that every schedule costs a whole number of units
	Unit      float64
	From      float64
	Weight    float64 // of the metric, if the objective has one alone: costs are of the metric; otherwise 1
	Metric    string  // it; empty: the objective has several

	jobs [][]int // by size: the jobs
	none []int   // jobs of no time
}

// State is a state that saves power.
type State struct {
	Power    []int64 // by interval
	Down, Up Way
}

// Way is a way between on and off.
type Way struct {
	Time int
	Cost []int64 // by the interval in which it begins; it ends within the horizon
}

// step is a value of a tariff from a time on, which counts from the begin of the horizon.
type step struct{ time, value float64 }

// mostCells is the largest product of intervals and their number of intervals of work that is covered.
const mostCells = 1 << 27

// Size limits.
const (
	mostIntervals = 1 << 20
	mostStates    = 7
)

// unsupported says what of an instance is not covered.
func unsupported(text string) error { return errors.New(text) }

// Supports says whether an instance is such a problem; the error says what is not.
func Supports(in *model.Instance) error {
	_, err := New(in)
	return err
}

// New reads the problem.
func New(in *model.Instance) (*Problem, error) {
	if err := covers(in); err != nil {
		return nil, err
	}
	machine := &in.Clusters()[0].Machines[0]
	from, to, _ := in.Horizon()
	p := &Problem{From: from, Begin: model.On, End: model.On}
	power := machine.Power
	if power == nil {
		power = &model.MachinePower{Begin: model.On, End: model.On}
	}
	p.Begin, p.End = power.Begin, power.End
	length := exactsteps.At(to, 0, 0, from)
	times, exact := []float64{length.Near}, length.Exact == nil
	for _, off := range power.Off {
		times = append(times, off.Down.Time, off.Up.Time)
	}
	tariff := in.Clusters()[0].Tariff
	var steps [2][]step
	if tariff != nil {
		for k, list := range [][]model.Step{tariff.Price, tariff.Carbon} {
			at, values, few := exactsteps.Within(list, tariff.Period, from, to, mostIntervals)
			if !few {
				return nil, unsupported("a tariff with too many steps")
			}
			for n := range at {
				steps[k] = append(steps[k], step{at[n].Near, values[n]})
				times, exact = append(times, at[n].Near), exact && at[n].Exact == nil
			}
		}
	}
	if !exact {
		return nil, unsupported("times whose differences are rounded")
	}
	lengths := make([]float64, len(in.Jobs()))
	busy, stated := power.Busy, false
	for j := range in.Jobs() {
		lengths[j] = in.Duration(j, 0, model.Processors(0))
		own := power.Busy
		if x, has := in.Jobs()[j].Power(); has {
			own = x
		}
		if lengths[j] > 0 && stated && own != busy {
			return nil, unsupported("jobs of different power")
		}
		if lengths[j] > 0 {
			busy, stated = own, true
		}
	}
	if p.Unit = kit.CommonUnit(append(times, lengths...)); p.Unit == 0 || (to-from)/p.Unit > mostIntervals {
		return nil, unsupported("times that are no multiples of an interval, of which the horizon has at most 2^20")
	}
	if finest := kit.CommonUnit([]float64{p.Unit, from}); !(to <= 0x1p52*finest) { // the limits of intervals have to be numbers
		return nil, unsupported("times whose sums are rounded")
	}
	p.Intervals = p.count(length.Near)
	p.group(lengths)
	if p.Total > p.Intervals {
		return nil, ErrInfeasible
	}
	if p.Intervals*(p.Total+1) > mostCells {
		return nil, unsupported("more intervals of work than can be counted")
	}
	p.Weight, p.Metric = alone(in)
	p.costs(in, power, busy, steps)
	return p, nil
}

// ErrInfeasible says that the jobs take longer than the horizon.
var ErrInfeasible = errors.New("the jobs take longer than the horizon")

// covers looks at what needs no numbers.
func covers(in *model.Instance) error {
	const features = model.HorizonLimits | model.SleepingMachines | model.UnrelatedTimes | model.Arrivals
	if more := in.Features() &^ features; more != 0 {
		return unsupported(more.String())
	}
	from, _, stated := in.Horizon()
	switch {
	case !stated:
		return unsupported("instances without a horizon")
	case len(in.Clusters()) != 1 || len(in.Clusters()[0].Machines) != 1 || in.Clusters()[0].Processors != 1:
		return unsupported("several processors")
	}
	machine := &in.Clusters()[0].Machines[0]
	switch {
	case machine.Power != nil && machine.Power.Suspends():
		return unsupported("machines that are suspended by a rule")
	case machine.Power != nil && len(machine.Power.Off) > mostStates:
		return unsupported("more than 7 states that save power")
	}
	for j := range in.Jobs() {
		job := &in.Jobs()[j]
		if job.Arrival > from {
			return unsupported("jobs that arrive after the horizon begins")
		}
		if !in.CanRun(j, 0) {
			return unsupported("jobs that can run nowhere")
		}
	}
	any := false
	for _, term := range in.ObjectiveTerms() {
		switch term.Metric {
		case "energy", "energy_cost", "carbon":
			any = any || term.Weight > 0
			if term.Weight < 0 {
				return unsupported("negative weights of the objective")
			}
		default:
			if term.Weight != 0 {
				return unsupported("an objective with " + term.Metric)
			}
		}
	}
	if !any {
		return unsupported("an objective without energy, energy_cost and carbon")
	}
	return nil
}

// alone is the metric that the objective has alone, with its weight; empty: it has several.
func alone(in *model.Instance) (weight float64, metric string) {
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight == 0:
		case metric != "":
			return 1, ""
		default:
			weight, metric = term.Weight, term.Metric
		}
	}
	return weight, metric
}

// count is a time in intervals.
func (p *Problem) count(time float64) int { return int(math.Round(time / p.Unit)) }

// group counts the jobs by size.
func (p *Problem) group(lengths []float64) {
	of := map[int][]int{}
	for j, length := range lengths {
		n := p.count(length)
		if p.Total += n; n == 0 {
			p.none = append(p.none, j)
			continue
		}
		if of[n] == nil {
			p.Sizes = append(p.Sizes, n)
		}
		of[n] = append(of[n], j)
	}
	slices.Sort(p.Sizes)
	for _, size := range p.Sizes {
		p.Counts, p.jobs = append(p.Counts, len(of[size])), append(p.jobs, of[size])
	}
}

// costs makes the whole numbers. The scale is the least power of two at which they are exact, or else one at which sums stay far below 2⁶²; then costs are
// rounded down.
func (p *Problem) costs(in *model.Instance, power *model.MachinePower, busy float64, steps [2][]step) {
	rates := p.rates(in, steps)
	most := new(big.Rat)
	for _, r := range rates {
		if x := new(big.Rat).Abs(r); x.Cmp(most) > 0 {
			most = x
		}
	}
	powers := []float64{power.Idle, busy}
	for _, off := range power.Off {
		powers = append(powers, off.Power, off.Down.Power, off.Up.Power)
	}
	sum := new(big.Rat)
	for _, x := range powers {
		sum.Add(sum, rat(x))
	}
	sum.Mul(sum, most).Mul(sum, big.NewRat(int64(p.Intervals)+1, 1))
	limit := big.NewRat(1<<46, 1) // prices of sizes are finer, and have room beside
	p.Scale, p.Exact = 1, false
	wanted := p.exactScale(rates, powers)
	for scale := 0x1p-200; scale < 0x1p200; scale *= 2 {
		if x := new(big.Rat).Mul(sum, rat(scale)); x.Cmp(limit) > 0 {
			break
		}
		p.Scale = scale
		if scale >= 1 && wanted != 0 && scale >= wanted {
			p.Exact = true
			break
		}
	}
	row := func(powers ...float64) []int64 {
		list := make([]int64, p.Intervals)
		factor := new(big.Rat)
		for _, x := range powers {
			factor.Add(factor, rat(x))
		}
		factor.Mul(factor, rat(p.Scale))
		for t, r := range rates {
			if t > 0 && r == rates[t-1] {
				list[t] = list[t-1]
				continue
			}
			list[t] = floor(new(big.Rat).Mul(factor, r))
		}
		return list
	}
	p.Idle = row(power.Idle)
	p.Busy = row(power.Idle, busy)
	for _, off := range power.Off {
		p.Off = append(p.Off, State{row(off.Power), p.way(off.Down, row), p.way(off.Up, row)})
	}
}

// way is a way with its costs by begin.
func (p *Problem) way(w model.Way, row func(...float64) []int64) Way {
	way := Way{Time: p.count(w.Time)}
	each := row(w.Power)
	sums := make([]int64, p.Intervals+1)
	for t, x := range each {
		sums[t+1] = sums[t] + x
	}
	for t := 0; t+way.Time <= p.Intervals; t++ {
		way.Cost = append(way.Cost, sums[t+way.Time]-sums[t])
	}
	return way
}

// rates are, by interval, what a unit of power costs.
func (p *Problem) rates(in *model.Instance, steps [2][]step) []*big.Rat {
	weight := map[string]*big.Rat{}
	for _, term := range in.ObjectiveTerms() {
		if weight[term.Metric] = rat(term.Weight); p.Metric == term.Metric {
			weight[term.Metric] = rat(1)
		}
	}
	per := big.NewRat(1, 1)
	if tariff := in.Clusters()[0].Tariff; tariff != nil {
		per = rat(tariff.Per)
	}
	rates := make([]*big.Rat, p.Intervals)
	var at [2]int
	for t := range rates {
		changed := t == 0
		for k, list := range steps {
			for at[k]+1 < len(list) && p.count(list[at[k]+1].time) <= t {
				at[k]++
				changed = true
			}
		}
		if !changed {
			rates[t] = rates[t-1]
			continue
		}
		rate := new(big.Rat)
		for k, metric := range []string{"energy_cost", "carbon"} {
			if w := weight[metric]; w != nil && len(steps[k]) > 0 {
				x := new(big.Rat).Mul(w, rat(steps[k][at[k]].value))
				rate.Add(rate, x.Quo(x, per))
			}
		}
		if w := weight["energy"]; w != nil {
			rate.Add(rate, w)
		}
		rates[t] = rate.Mul(rate, rat(p.Unit))
	}
	return rates
}

// exactScale is the least power of two, from 1 on, at which all products are whole; 0: none below 2⁶⁰.
func (p *Problem) exactScale(rates []*big.Rat, powers []float64) float64 {
	scale := 1.0
	for t, r := range rates {
		if t > 0 && r == rates[t-1] {
			continue
		}
		for _, x := range powers {
			product := new(big.Rat).Mul(r, rat(x))
			denominator := product.Denom()
			if denominator.BitLen() > 60 || new(big.Int).And(denominator, new(big.Int).Sub(denominator, big.NewInt(1))).Sign() != 0 {
				return 0
			}
			scale = max(scale, float64(denominator.Int64()))
		}
	}
	return scale
}

// rat is the exact value of a number.
func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// floor is the largest whole number that is not larger.
func floor(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64() // Euclidean, and the denominator is positive
}
