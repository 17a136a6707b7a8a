package proof

import (
	"fmt"
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// This file verifies bounds of what power costs. At any time the jobs of a cluster hold no more processors than its machines have that are on. Let a processor
// have a price of at least 0 by time, which jobs pay and machines earn while they are on. Then for any prices
//
//	cost ≥ Σ over jobs of the least (power of its processors + what it pays) over clusters and starts
//	     + Σ over machines of the least (power of its states − what it earns) over ways through its states.
//
// Everything is exact: times, rates, powers and prices are whole numbers of units that are powers of two.

// Limits of what is verified.
const (
	powerSteps = 1 << 17 // of a tariff within the horizon, and of the prices
	powerWork  = 1 << 28 // starts looked at, and states by cell
	powerCells = 1 << 18
	powerBits  = 512 // of a number in units
	// powerStates is the most cells times states of a machine.
	powerStates = 1 << 20
)

// powerView is the instance in units. Times count from the begin of the horizon.
type powerView struct {
	*facts
	from, to float64
	weights  powerWeights
	scale    *big.Rat // what costs are multiplied by, so that denominators are powers of two: the product of all per, and the number of jobs
	clusters []powerCluster
	cells    int
	looks    int  // buckets in which starts of a job are looked at
	negative bool // a rate is negative somewhere
	shift    *big.Rat
	work     int
	runs     [][]powerRun // by job

	delay, ends, late *big.Rat // what a unit of time costs by which a job starts later, ends later, or ends after its deadline; scaled

	cached        *powerPrice
	cachedCluster int
	cachedPower   float64

	length              *big.Int // of the horizon
	times, rates, watts unit
}

// powerWeights are the weights of the metrics; nil: 0.
type powerWeights struct{ energy, cost, carbon, wait, response, over *big.Rat }

// newPowerWeights reads the weights of a part.
func newPowerWeights(p *Part) (w powerWeights, known bool) {
	sum := p.Sum
	if sum == nil {
		sum = map[string]float64{p.Metric: 1}
	}
	by := map[string]**big.Rat{"energy": &w.energy, "energy_cost": &w.cost, "carbon": &w.carbon, "mean_wait": &w.wait, "mean_response": &w.response, "over_deadline": &w.over}
	for metric, weight := range sum {
		if by[metric] == nil {
			return w, false
		}
		*by[metric] = number(weight)
	}
	return w, w.energy != nil || w.cost != nil || w.carbon != nil
}

// waits says whether starts and ends of jobs count.
func (w *powerWeights) waits() bool { return w.wait != nil || w.response != nil || w.over != nil }

// powerCluster is a cluster with its rates and prices.
type powerCluster struct {
	steps  []*big.Rat // at which rates change; the first is 0
	values []*big.Rat // the rates, scaled
	starts []*big.Rat // at which prices change; the first is 0
	prices []*big.Rat // scaled

	limits     []*big.Int // steps and starts together, and the end
	rate, paid []*big.Int // by limit, from it on: the rate; the price in units of rate · power
	areas      []*big.Int // by limit: the integral of the rate
	sums       []*big.Int // and of the price
}

// unit makes whole numbers of fractions whose denominators are powers of two.
type unit struct{ digits uint }

// fit makes the unit small enough for the numbers.
func (u *unit) fit(list ...*big.Rat) {
	for _, x := range list {
		u.digits = max(u.digits, uint(x.Denom().BitLen()-1))
	}
}

// of is a number in units.
func (u unit) of(x *big.Rat) *big.Int {
	return new(big.Int).Lsh(x.Num(), u.digits-uint(x.Denom().BitLen()-1))
}

// pricedPower verifies that the metric, or the sum, is at least the goal.
func (f *facts) pricedPower(p *Part, goal *big.Rat, step string) error {
	by := p.By.PowerPrices
	v := &powerView{facts: f, cells: max(1, by.Cells), looks: math.MaxInt32}
	if by.Looks > 0 {
		v.looks = by.Looks
	}
	known := false
	if v.weights, known = newPowerWeights(p); !known {
		return refute(step, "it bounds energy, energy_cost and carbon, not %s", quoted(p.Metric))
	}
	if err := v.covered(by, step); err != nil {
		return err
	}
	if err := v.read(by, step); err != nil {
		return err
	}
	total := new(big.Int)
	for j := range f.in.Jobs() {
		if j%16 == 0 && f.ctx.Err() != nil {
			return doubt(step, "the check was cut off")
		}
		least := v.job(j)
		if least == nil && f.has[j] {
			return doubt(step, "jobs that do not fit into the horizon are not covered")
		}
		if least != nil && (f.has[j] || least.Sign() < 0) {
			total.Add(total, least)
		}
	}
	total.Mul(total, big.NewInt(int64(v.cells)))
	for c := range v.clusters {
		for g := range f.in.Clusters()[c].Machines {
			cost, err := v.machines(c, &f.in.Clusters()[c].Machines[g], step)
			if err != nil {
				return err
			}
			total.Add(total, cost)
		}
	}
	found := new(big.Rat).SetInt(total)
	found.Quo(found, v.scale)
	found.Quo(found, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(int64(v.cells)), v.times.digits+v.rates.digits+v.watts.digits)))
	if found.Cmp(goal) < 0 {
		return short(step, decimal(found), goal)
	}
	return nil
}

// covered says what of the instance is not covered.
func (v *powerView) covered(by *PowerPrices, step string) error {
	if v.weights.waits() && !v.all {
		return doubt(step, "sums with jobs that may be left out are not covered")
	}
	from, to, stated := v.in.Horizon()
	if v.from, v.to = from, to; !stated || !(to > from) {
		return doubt(step, "instances without a horizon are not covered")
	}
	if v.in.Features()&model.BackgroundLoad != 0 {
		return doubt(step, "instances with background load are not covered")
	}
	states := false
	for c := range v.in.Clusters() {
		for g := range v.in.Clusters()[c].Machines {
			p := v.in.Clusters()[c].Machines[g].Power
			if p != nil && p.Suspends() {
				return doubt(step, "machines that are suspended by a rule are not covered")
			}
			states = states || p != nil && len(p.Off) > 0
		}
	}
	switch {
	case len(by.Clusters) != len(v.in.Clusters()):
		return refute(step+".clusters", "expected prices for each of %d clusters, found %d", len(v.in.Clusters()), len(by.Clusters))
	case len(by.Times) == 0 || by.Times[0] != 0:
		return refute(step+".times", "expected times from 0 on")
	case states && by.Cells < 1:
		return refute(step+".cells", "expected at least 1")
	case by.Cells > powerCells || len(by.Times) > powerSteps:
		return doubt(step, "more than %d cells or %d buckets are not covered", powerCells, powerSteps)
	}
	for k, t := range by.Times {
		if k > 0 && !(t > by.Times[k-1]) {
			return refute(fmt.Sprintf("%s.times[%d]", step, k), "expected ascending times")
		}
	}
	for c := range by.Clusters {
		if len(by.Clusters[c]) != len(by.Times) {
			return refute(fmt.Sprintf("%s.clusters[%d]", step, c), "expected %d prices, found %d", len(by.Times), len(by.Clusters[c]))
		}
		for k, x := range by.Clusters[c] {
			if !(x >= 0) {
				return refute(fmt.Sprintf("%s.clusters[%d][%d]", step, c, k), "expected a price of at least 0")
			}
		}
	}
	return nil
}

// read puts tariffs, prices and powers into units.
func (v *powerView) read(by *PowerPrices, step string) error {
	length := new(big.Rat).Sub(number(v.to), number(v.from))
	v.shift = new(big.Rat).Sub(v.first, number(v.from))
	v.times.fit(length, v.shift, number(v.from))
	v.scale = big.NewRat(int64(max(1, len(v.in.Jobs()))), 1)
	pers := map[float64]bool{}
	for c := range v.in.Clusters() {
		if t := v.in.Clusters()[c].Tariff; t != nil && !pers[t.Per] {
			pers[t.Per] = true
			v.scale.Mul(v.scale, number(t.Per))
		}
	}
	v.waits()
	v.clusters = make([]powerCluster, len(v.in.Clusters()))
	for c := range v.clusters {
		k := &v.clusters[c]
		if !v.tariff(k, v.in.Clusters()[c].Tariff, length) {
			return doubt(step, "tariffs of more than %d steps are not covered", powerSteps)
		}
		for n, t := range by.Times {
			if x := number(t); x.Cmp(length) < 0 {
				k.starts, k.prices = append(k.starts, x), append(k.prices, new(big.Rat).Mul(number(by.Clusters[c][n]), v.scale))
			}
		}
		for _, rate := range k.values {
			v.negative = v.negative || rate.Sign() < 0
		}
		v.times.fit(k.steps...)
		v.times.fit(k.starts...)
		v.rates.fit(k.values...)
		v.rates.fit(k.prices...)
		for g := range v.in.Clusters()[c].Machines {
			if p := v.in.Clusters()[c].Machines[g].Power; p != nil {
				v.watts.fit(number(p.Idle), number(p.Busy))
				for _, off := range p.Off {
					v.watts.fit(number(off.Power), number(off.Down.Power), number(off.Up.Power))
				}
			}
		}
	}
	for j := range v.in.Jobs() {
		if own, stated := v.in.Jobs()[j].Power(); stated {
			v.watts.fit(number(own))
		}
		if v.head[j] != nil {
			v.times.fit(v.head[j])
		}
		if v.plain[j] != nil {
			v.times.fit(v.plain[j])
		}
		if v.weights.waits() {
			v.times.fit(number(v.in.Jobs()[j].Arrival))
			if v.in.Jobs()[j].HasDeadline() {
				v.times.fit(number(v.in.Jobs()[j].Deadline))
			}
		}
	}
	if !v.listRuns() {
		return doubt(step, "jobs whose power is not known are not covered where a rate is negative")
	}
	for j := range v.runs {
		for _, run := range v.runs[j] {
			v.times.fit(run.length, run.late)
			v.work += 4 * min(v.looks, len(v.clusters[run.cluster].steps)+len(v.clusters[run.cluster].starts))
		}
	}
	if v.times.digits+v.rates.digits+v.watts.digits > powerBits {
		return doubt(step, "numbers of so many digits are not covered")
	}
	if v.work > powerWork {
		return doubt(step, "the instance is too large for prices over time")
	}
	v.length = v.times.of(length)
	for c := range v.clusters {
		v.clusters[c].add(v)
	}
	return nil
}

// waits finds what a later start and an end after the deadline cost.
func (v *powerView) waits() {
	times := func(list ...*big.Rat) *big.Rat {
		sum := new(big.Rat)
		for _, x := range list {
			if x != nil {
				sum.Add(sum, x)
			}
		}
		return sum.Mul(sum, v.scale)
	}
	n := new(big.Rat).SetInt64(int64(max(1, len(v.in.Jobs()))))
	v.delay, v.ends, v.late = times(v.weights.wait, v.weights.response), times(v.weights.response), times(v.weights.over)
	v.delay.Quo(v.delay, n)
	v.ends.Quo(v.ends, n)
	v.rates.fit(v.delay, v.ends, v.late)
}

// tariff lists what a unit of power costs on a cluster, as far as it changes within the horizon. It returns false if there are too many steps.
func (v *powerView) tariff(k *powerCluster, t *model.Tariff, length *big.Rat) bool {
	k.steps, k.values = []*big.Rat{new(big.Rat)}, []*big.Rat{new(big.Rat)}
	if v.weights.energy != nil {
		k.values[0].Mul(v.weights.energy, v.scale)
	}
	if t == nil {
		return true
	}
	for _, x := range []struct {
		list   []model.Step
		weight *big.Rat
	}{{t.Price, v.weights.cost}, {t.Carbon, v.weights.carbon}} {
		if x.weight == nil || len(x.list) == 0 {
			continue
		}
		at, values, few := stepsWithin(x.list, t.Period, v.from, length)
		if !few || len(at)+len(k.steps) > powerSteps {
			return false
		}
		factor := new(big.Rat).Quo(v.scale, number(t.Per))
		k.plus(at, values, factor.Mul(factor, x.weight))
	}
	return true
}

// plus adds a step function, times a factor, to the rates.
func (k *powerCluster) plus(at, values []*big.Rat, factor *big.Rat) {
	var steps, sums []*big.Rat
	for a, b := 0, 0; a < len(k.steps) || b < len(at); {
		var next *big.Rat
		if b == len(at) || a < len(k.steps) && k.steps[a].Cmp(at[b]) <= 0 {
			next = k.steps[a]
		} else {
			next = at[b]
		}
		for a < len(k.steps) && k.steps[a].Cmp(next) == 0 {
			a++
		}
		for b < len(at) && at[b].Cmp(next) == 0 {
			b++
		}
		sum := new(big.Rat).Mul(values[b-1], factor)
		steps, sums = append(steps, next), append(sums, sum.Add(sum, k.values[a-1]))
	}
	k.steps, k.values = steps, sums
}

// stepsWithin lists the steps of a list that lie within a horizon, after the value that holds at its begin. It returns false if there are too many.
func stepsWithin(list []model.Step, period, from float64, length *big.Rat) (at, values []*big.Rat, few bool) {
	at, values = []*big.Rat{new(big.Rat)}, []*big.Rat{number(list[0].Value)}
	add := func(time *big.Rat, value float64) {
		if time.Sign() <= 0 {
			values[0] = number(value)
		} else if time.Cmp(length) < 0 {
			at, values = append(at, time), append(values, number(value))
		}
	}
	begin := new(big.Rat).Sub(number(list[0].Time), number(from))
	if period == 0 {
		for _, s := range list {
			add(new(big.Rat).Sub(number(s.Time), number(from)), s.Value)
		}
		return at, values, len(at) <= powerSteps
	}
	each := number(period)
	rounds := new(big.Rat).Quo(length, each)
	if rounds.Cmp(big.NewRat(powerSteps, int64(len(list)))) > 0 {
		return nil, nil, false
	}
	ahead := new(big.Rat).Quo(begin, each) // to the last round that begins before the horizon
	whole := new(big.Int).Div(ahead.Num(), ahead.Denom())
	begin.Sub(begin, new(big.Rat).Mul(new(big.Rat).SetInt(whole.Add(whole, big.NewInt(1))), each))
	for ; begin.Cmp(length) < 0; begin = new(big.Rat).Add(begin, each) {
		for _, s := range list {
			time := new(big.Rat).Sub(number(s.Time), number(list[0].Time))
			add(time.Add(time, begin), s.Value)
		}
	}
	return at, values, true
}

// add puts the cluster into units.
func (k *powerCluster) add(v *powerView) {
	zero := new(big.Int)
	for a, b := 0, 0; a < len(k.steps) || b < len(k.starts); {
		var at *big.Rat
		if b == len(k.starts) || a < len(k.steps) && k.steps[a].Cmp(k.starts[b]) <= 0 {
			at = k.steps[a]
		} else {
			at = k.starts[b]
		}
		for a < len(k.steps) && k.steps[a].Cmp(at) == 0 {
			a++
		}
		for b < len(k.starts) && k.starts[b].Cmp(at) == 0 {
			b++
		}
		k.limits = append(k.limits, v.times.of(at))
		k.rate = append(k.rate, v.rates.of(k.values[a-1]))
		k.paid = append(k.paid, new(big.Int).Lsh(v.rates.of(k.prices[b-1]), v.watts.digits))
	}
	k.limits = append(k.limits, v.length)
	k.areas, k.sums = []*big.Int{zero}, []*big.Int{zero}
	for n := range k.rate {
		time := new(big.Int).Sub(k.limits[n+1], k.limits[n])
		area := new(big.Int).Mul(k.rate[n], time)
		k.areas = append(k.areas, area.Add(area, k.areas[n]))
		k.sums = append(k.sums, time.Add(time.Mul(k.paid[n], time), k.sums[n]))
	}
}

// machines is what the machines of a group cost at least, times the number of cells.
func (v *powerView) machines(c int, m *model.Machine, step string) (*big.Int, error) {
	k := &v.clusters[c]
	cost := new(big.Int)
	if m.Power != nil && len(m.Power.Off) > 0 {
		least, err := v.states(k, m, step)
		if err != nil {
			return nil, err
		}
		return least.Mul(least, big.NewInt(int64(m.Count))), nil
	}
	if m.Power != nil {
		cost.Mul(v.watts.of(number(m.Power.Idle)), k.areas[len(k.areas)-1])
	}
	earned := new(big.Int).Mul(k.sums[len(k.sums)-1], big.NewInt(int64(m.Units)))
	cost.Sub(cost, earned)
	return cost.Mul(cost, big.NewInt(int64(m.Count)*int64(v.cells))), nil
}
