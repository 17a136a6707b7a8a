package proof

import (
	"fmt"
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// This file verifies bounds of energy, energy_cost and carbon on one machine. Times are whole intervals and costs whole units. A programme over time and work
// done forgets which jobs there are: at each time the machine is on or in a state that saves power, and where it is on a job of any size may begin, which pays the
// price of its size. With what all jobs pay taken off, no schedule costs less.

// Limits of what is verified.
const (
	touIntervals = 1 << 20
	touCells     = 1 << 28 // of one programme
	touFar       = int64(1) << 60
)

// touState is a state that saves power.
type touState struct {
	power    []int64 // by interval
	down, up touWay
}

// touWay is a way between on and off.
type touWay struct {
	time int
	sums []int64 // of its power, to each time
}

// touMachine is the instance in whole numbers.
type touMachine struct {
	intervals, work int
	sizes, counts   []int
	busy            []int64 // sums, to each time
	idle            []int64
	states          []touState
	begin, end      int
}

// touSplit is what a node is split by: an interval, or what happens at its begin.
type touSplit struct {
	at    int
	limit bool
}

// timeOfUse verifies that the metric is at least the goal.
func (f *facts) timeOfUse(metric string, by *TimeOfUse, goal *big.Rat, step string) error {
	m, err := f.touMachine(metric, by, step)
	if err != nil {
		return err
	}
	if len(by.Nodes) == 0 {
		return refute(step+".nodes", "expected a root")
	}
	fixed := make([]map[touSplit]bool, len(by.Nodes)) // by node: whether it is in the high part of each split above it
	fixed[0] = map[touSplit]bool{}
	for k := range by.Nodes {
		n, at := &by.Nodes[k], fmt.Sprintf("%s.nodes[%d]", step, k)
		own := fixed[k]
		if own == nil {
			return refute(at, "no node before it has it as its child")
		}
		if fixed[k] = nil; n.Low == 0 && n.High == 0 {
			if err := m.leaf(f, n, by, own, goal, at); err != nil {
				return err
			}
			continue
		}
		if n.At >= m.intervals || n.Prices != nil {
			return refute(at, "expected an interval of the horizon and no prices")
		}
		for i, child := range []int{n.Low, n.High} {
			if child <= k || child >= len(by.Nodes) || fixed[child] != nil {
				return refute(at, "expected later nodes that have no parent yet, found %d", child)
			}
			part := make(map[touSplit]bool, len(own)+1)
			for s, high := range own {
				part[s] = high
			}
			split := touSplit{n.At, n.Limit}
			if _, known := own[split]; known {
				return refute(at+".at", "a node above has split by it")
			}
			part[split] = i == 1
			fixed[child] = part
		}
	}
	return nil
}

// leaf verifies one leaf: its programme, rounded up to whole units, is at least the goal.
func (m *touMachine) leaf(f *facts, n *TimeOfUseNode, by *TimeOfUse, fixed map[touSplit]bool, goal *big.Rat, step string) error {
	if len(n.Prices) != len(m.sizes) {
		return refute(step+".prices", "expected a price for each of the %d sizes of jobs, found %d", len(m.sizes), len(n.Prices))
	}
	prices, paid := make([]int64, len(n.Prices)), int64(0)
	for k, x := range n.Prices {
		if x != math.Trunc(x) || math.Abs(x)*float64(m.work+1) > float64(touFar)/4 {
			return refute(fmt.Sprintf("%s.prices[%d]", step, k), "expected a whole number that leaves room for sums, found %v", x)
		}
		prices[k] = int64(x)
		paid += prices[k] * int64(m.counts[k])
	}
	least, ok := m.programme(f, prices, int64(by.Fine), fixed)
	if !ok {
		return doubt(step, "the check was cut off")
	}
	if least >= touFar {
		return nil // no schedule is there
	}
	units := new(big.Int).Neg(new(big.Int).Div(big.NewInt(-(least - paid)), big.NewInt(int64(by.Fine)))) // rounded up
	found := new(big.Rat).SetInt(units)
	if found.Quo(found, number(by.Scale)); found.Cmp(goal) < 0 {
		return short(step, decimal(found), goal)
	}
	return nil
}

// touCovered says what of the instance is not covered.
func (f *facts) touCovered(step string) error {
	in := f.in
	const features = model.HorizonLimits | model.SleepingMachines | model.UnrelatedTimes | model.Arrivals
	from, _, stated := in.Horizon()
	switch more := in.Features() &^ features; {
	case more != 0:
		return doubt(step, "instances with %s are not covered", more)
	case !stated:
		return doubt(step, "instances without a horizon are not covered")
	case len(in.Clusters()) != 1 || in.Clusters()[0].Processors != 1:
		return doubt(step, "instances with several processors are not covered")
	case !f.all:
		return doubt(step, "instances with jobs that may be left out are not covered")
	}
	if p := in.Clusters()[0].Machines[0].Power; p != nil && p.Suspends() {
		return doubt(step, "machines that are suspended by a rule are not covered")
	}
	for j := range in.Jobs() {
		if in.Jobs()[j].Arrival > from {
			return doubt(step, "jobs that arrive after the horizon begins are not covered")
		}
	}
	return nil
}

// touMachine reads the instance.
func (f *facts) touMachine(metric string, by *TimeOfUse, step string) (*touMachine, error) {
	if metric != "energy" && metric != "energy_cost" && metric != "carbon" {
		return nil, refute(step, "it bounds energy, energy_cost and carbon, not %s", quoted(metric))
	}
	if err := f.touCovered(step); err != nil {
		return nil, err
	}
	switch {
	case !(by.Unit > 0):
		return nil, refute(step+".unit", "expected a time above 0")
	case !(by.Scale > 0):
		return nil, refute(step+".scale", "expected a number above 0")
	case by.Fine < 1 || by.Fine > 1<<20:
		return nil, refute(step+".fine", "expected a number from 1 to 2^20")
	}
	in := f.in
	from, to, _ := in.Horizon()
	m := &touMachine{begin: model.On, end: model.On}
	var err error
	whole := func(a, b float64) int { // (a − b)/unit
		x := new(big.Rat).Sub(number(a), number(b))
		if x.Quo(x, number(by.Unit)); !x.IsInt() && err == nil {
			err = refute(step+".unit", "the time %v is no multiple of it", a)
		}
		if x.Cmp(big.NewRat(touIntervals, 1)) > 0 || x.Sign() < 0 {
			if err == nil {
				err = doubt(step+".unit", "the horizon has too many intervals")
			}
			return 0
		}
		return int(new(big.Int).Div(x.Num(), x.Denom()).Int64())
	}
	m.intervals = whole(to, from)
	power := in.Clusters()[0].Machines[0].Power
	if power == nil {
		power = &model.MachinePower{Begin: model.On, End: model.On}
	}
	m.begin, m.end = power.Begin, power.End
	busy, problem := m.jobs(f, power.Busy, whole, step)
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		return nil, problem
	}
	rates, err := f.touRates(metric, by, m.intervals, whole, step)
	if err != nil {
		return nil, err
	}
	most := int64(0)
	row := func(watts ...float64) []int64 {
		sum := new(big.Rat)
		for _, x := range watts {
			sum.Add(sum, number(x))
		}
		list := make([]int64, m.intervals)
		for t, rate := range rates {
			if t > 0 && rate == rates[t-1] {
				list[t] = list[t-1]
				continue
			}
			x := new(big.Rat).Mul(rate, sum)
			floor := new(big.Int).Div(x.Num(), x.Denom())
			if floor.BitLen() > 60 {
				floor.SetInt64(touFar)
			}
			list[t] = floor.Int64()
		}
		for _, x := range list {
			most = max(most, x, -x)
		}
		return list
	}
	way := func(w model.Way) touWay { return touWay{whole(w.Time, 0), touSums(row(w.Power))} }
	m.idle, m.busy = row(power.Idle), touSums(row(power.Idle, busy))
	for _, off := range power.Off {
		m.states = append(m.states, touState{row(off.Power), way(off.Down), way(off.Up)})
	}
	if most > touFar/4/int64(by.Fine)/int64(m.intervals+1) {
		return nil, doubt(step+".scale", "costs are too large")
	}
	return m, err
}

// jobs counts the jobs by length and returns the power that each takes.
func (m *touMachine) jobs(f *facts, busy float64, whole func(a, b float64) int, step string) (float64, error) {
	each, stated := busy, false
	count := map[int]int{}
	for j := range f.in.Jobs() {
		n := whole(f.in.Duration(j, 0, model.Processors(0)), 0)
		if n == 0 {
			continue
		}
		own := busy
		if x, has := f.in.Jobs()[j].Power(); has {
			own = x
		}
		if stated && own != each {
			return 0, doubt(step, "jobs of different power are not covered")
		}
		each, stated = own, true
		count[n]++
		m.work += n
	}
	if m.work > m.intervals || (m.work+1)*(m.intervals+1) > touCells {
		return 0, doubt(step, "too much work")
	}
	for n := 1; n <= m.work; n++ {
		if count[n] > 0 {
			m.sizes, m.counts = append(m.sizes, n), append(m.counts, count[n])
		}
	}
	return each, nil
}

// touSums are the sums of a row to each time.
func touSums(row []int64) []int64 {
	sums := make([]int64, len(row)+1)
	for t, x := range row {
		sums[t+1] = sums[t] + x
	}
	return sums
}

// touRates are, by interval, what a unit of power costs in units. A step of the tariff within the horizon that is no multiple of the interval is refused.
func (f *facts) touRates(metric string, by *TimeOfUse, intervals int, whole func(a, b float64) int, step string) ([]*big.Rat, error) {
	rates := make([]*big.Rat, intervals)
	each := new(big.Rat).Mul(number(by.Unit), number(by.Scale))
	if metric == "energy" {
		for t := range rates {
			rates[t] = each
		}
		return rates, nil
	}
	tariff := f.in.Clusters()[0].Tariff
	steps := tariff.Price
	if metric == "carbon" {
		steps = tariff.Carbon
	}
	from, to, _ := f.in.Horizon()
	unit := number(by.Unit)
	at, values, few := stepsWithin(steps, tariff.Period, from, new(big.Rat).Sub(number(to), number(from)))
	if !few {
		return nil, doubt(step, "tariffs of more than %d steps are not covered", powerSteps)
	}
	each.Quo(each, number(tariff.Per))
	begins := make([]int64, len(at)) // by step: its first interval
	for k := range at {
		values[k].Mul(values[k], each)
		x := new(big.Rat).Quo(at[k], unit)
		if !x.IsInt() {
			return nil, refute(step+".unit", "the step of the tariff %v after the begin of the horizon is at no multiple of it", decimal(at[k]))
		}
		begins[k] = x.Num().Int64()
	}
	k := 0
	for t := range rates {
		if k+1 < len(at) && begins[k+1] == int64(t) {
			k++
		}
		rates[t] = values[k]
	}
	return rates, nil
}

// programme is the least cost, in parts of a unit, of what the machine may do at these prices; touFar: nothing is allowed.
func (m *touMachine) programme(f *facts, prices []int64, fine int64, fixed map[touSplit]bool) (int64, bool) {
	forced, barred := make([]int, m.intervals+1), make([]int, m.intervals+1)  // intervals before a time that must be busy, that must not
	crossed, begun := make([]int, m.intervals+1), make([]bool, m.intervals+1) // limits before a time that no job runs across; no job begins at the time
	for t := range m.intervals {
		forced[t+1], barred[t+1], crossed[t+1] = forced[t], barred[t], crossed[t]
		if busy, known := fixed[touSplit{t, false}]; known && busy {
			forced[t+1]++
		} else if known {
			barred[t+1]++
		}
		if high, known := fixed[touSplit{t, true}]; known && high {
			crossed[t+1]++
		} else if known {
			begun[t] = true
		}
	}
	back := 1 // how far a row looks back
	for _, n := range m.sizes {
		back = max(back, n)
	}
	for _, s := range m.states {
		back = max(back, s.down.time, s.up.time)
	}
	states := len(m.states) + 1 // on, and those that save power
	rows := make([][][]int64, back+1)
	for k := range rows {
		rows[k] = make([][]int64, states)
		for s := range rows[k] {
			rows[k][s] = make([]int64, m.work+1)
		}
	}
	at := func(t, state int) []int64 { return rows[t%(back+1)][state] }
	lower := func(row, from []int64, shift int, cost int64) {
		for u := shift; u <= m.work; u++ {
			if x := from[u-shift]; x < touFar && x+cost < row[u] {
				row[u] = x + cost
			}
		}
	}
	for t := 0; t <= m.intervals; t++ {
		if t%64 == 0 && f.ctx.Err() != nil {
			return 0, false
		}
		for s := range states {
			row := at(t, s)
			for u := range row {
				row[u] = touFar
			}
		}
		if t == 0 {
			at(0, m.begin+1)[0] = 0
		}
		rests := func(n int) bool { return t >= n && forced[t] == forced[t-n] }
		if t > 0 && rests(1) {
			lower(at(t, 0), at(t-1, 0), 0, fine*m.idle[t-1])
			for s := range m.states {
				lower(at(t, s+1), at(t-1, s+1), 0, fine*m.states[s].power[t-1])
			}
		}
		for k, n := range m.sizes {
			if t >= n && barred[t] == barred[t-n] && !begun[t-n] && crossed[t] == crossed[t-n+1] {
				lower(at(t, 0), at(t-n, 0), n, fine*(m.busy[t]-m.busy[t-n])+prices[k])
			}
		}
		for s := range m.states {
			if w := &m.states[s].down; w.time > 0 && rests(w.time) {
				lower(at(t, s+1), at(t-w.time, 0), 0, fine*(w.sums[t]-w.sums[t-w.time]))
			}
		}
		for s := range m.states {
			if w := &m.states[s].up; rests(w.time) {
				lower(at(t, 0), at(t-w.time, s+1), 0, fine*(w.sums[t]-w.sums[t-w.time]))
			}
		}
		for s := range m.states {
			if m.states[s].down.time == 0 {
				lower(at(t, s+1), at(t, 0), 0, 0)
			}
		}
	}
	return at(m.intervals, m.end+1)[m.work], true
}
