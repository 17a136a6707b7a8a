package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Power says when power counts, and how little was possible.
type Power struct {
	// From and To are the time in which power counts, under all policies alike: from the first arrival to the last end under any of them.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Unit string  `json:"unit,omitempty"` // of cost
	// Cost and Carbon are what no schedule of the jobs can go below, within the time in which power counts, even one that knows the future; absent: not known.
	Cost   *Possible `json:"cost,omitempty"`
	Carbon *Possible `json:"carbon,omitempty"`
}

// Possible is the least that was possible.
type Possible struct {
	Bound  float64 `json:"bound"`
	Method string  `json:"method"` // that proves it
}

// Bill is what a schedule takes of power, machines included.
type Bill struct {
	Energy float64  `json:"energy"`           // power × time
	Cost   *float64 `json:"cost,omitempty"`   // absent: there are no prices
	Carbon *float64 `json:"carbon,omitempty"` // absent: not stated
	Peak   float64  `json:"peak"`             // power
	// CostDifference and CarbonDifference are of what a job takes while it runs, without idle machines, from that under the first policy of the group; absent:
	// of that policy itself. They are paired by day, as waits are.
	CostDifference   *Difference `json:"cost_difference,omitempty"`
	CarbonDifference *Difference `json:"carbon_difference,omitempty"`
	// CostShare and CarbonShare are what is saved of the first policy's, as a share of what was possible; absent: not known.
	CostShare   *float64 `json:"cost_share,omitempty"`
	CarbonShare *float64 `json:"carbon_share,omitempty"`
}

// Bound finds what no schedule of an instance can go below by its objective, and the method; false: it does not know.
type Bound func(context.Context, *model.Instance) (Possible, bool)

// HasPower says whether the instance states power and what it costs or emits, so that schedules can be compared by it.
func HasPower(in *model.Instance) bool {
	prices, carbon := true, true
	for c := range in.Clusters() {
		t := in.Clusters()[c].Tariff
		prices, carbon = prices && t != nil && len(t.Price) > 0, carbon && t != nil && len(t.Carbon) > 0
	}
	return in.HasPower() && (prices || carbon)
}

// PowerByJob says whether the power of a schedule follows from starts and ends alone: machines are always on, and those of a cluster take the same for a busy
// processor.
func PowerByJob(in *model.Instance) bool {
	for c := range in.Clusters() {
		machines := in.Clusters()[c].Machines
		for g := range machines {
			if p := machines[g].Power; p.Sleeps() || p.OfBusy() != machines[0].Power.OfBusy() {
				return false
			}
		}
	}
	return true
}

// run is a job, or a part of one, that takes power.
type run struct {
	job        int32
	cluster    int32
	power      float64
	start, end float64
}

// meter measures what schedules take of power.
type meter struct {
	in        *model.Instance
	power     *Power
	tariffs   []tariffSums // by cluster
	prices    bool         // every cluster has prices
	carbon    bool
	asleep    bool            // machines have states that are off
	evaluated *model.Instance // with the time in which power counts; nil: nobody needed it
}

// tariffSums are the prices and the carbon of a cluster; nil: not stated.
type tariffSums struct {
	price, carbon *model.StepSums
	per           float64
}

// newMeter is the meter of an instance that has power, see [HasPower], for schedules that end by a time.
func newMeter(in *model.Instance, from, to float64) (*meter, error) {
	m := &meter{in: in, power: &Power{From: from, To: to, Unit: in.Units().Cost}, prices: true, carbon: true}
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		for g := range cluster.Machines {
			m.asleep = m.asleep || cluster.Machines[g].Power.Sleeps()
		}
		sums := tariffSums{per: 1}
		if t := cluster.Tariff; t != nil {
			sums.per = t.Per
			for _, list := range []struct {
				of []model.Step
				to **model.StepSums
			}{{t.Price, &sums.price}, {t.Carbon, &sums.carbon}} {
				if len(list.of) == 0 {
					continue
				}
				steps, few := model.StepsWithin(list.of, t.Period, from, math.Nextafter(to, math.Inf(1)))
				if !few {
					return nil, errors.New("expected a tariff with fewer steps while jobs run")
				}
				*list.to = model.SumSteps(steps)
			}
		}
		m.prices, m.carbon = m.prices && sums.price != nil, m.carbon && sums.carbon != nil
		m.tariffs = append(m.tariffs, sums)
	}
	return m, nil
}

// measured is what the jobs of a schedule take, by job, and all of it.
type measured struct {
	energy, cost, carbon []float64
	bill                 Bill
}

// cost is what a job costs while it runs.
func (s *schedule) cost(_ *model.Instance, job int32) float64 { return s.taken.cost[job] }

// emits is the carbon of a job while it runs.
func (s *schedule) emits(_ *model.Instance, job int32) float64 { return s.taken.carbon[job] }

// measure measures a schedule. The solution is needed where machines sleep.
func (m *meter) measure(s *schedule, sol *model.Solution) error {
	n := len(m.in.Jobs())
	t := &measured{energy: make([]float64, n), cost: make([]float64, n), carbon: make([]float64, n)}
	s.taken = t
	for k := range s.runs {
		r := &s.runs[k]
		m.add(int(r.cluster), r.power, r.start, r.end, &t.energy[r.job], &t.cost[r.job], &t.carbon[r.job])
	}
	if m.asleep && m.power.To > m.power.From {
		return m.evaluate(t, sol)
	}
	var energy, cost, carbon, idle float64
	for c := range m.in.Clusters() {
		power := 0.0
		for g := range m.in.Clusters()[c].Machines {
			if machine := &m.in.Clusters()[c].Machines[g]; machine.Power != nil {
				power += machine.Power.Idle * float64(machine.Count)
			}
		}
		idle += power
		m.add(c, power, m.power.From, m.power.To, &energy, &cost, &carbon)
	}
	for job := range n {
		energy, cost, carbon = energy+t.energy[job], cost+t.cost[job], carbon+t.carbon[job]
	}
	t.bill = Bill{Energy: energy, Peak: idle + peakOf(s.runs)}
	if m.prices {
		t.bill.Cost = &cost
	}
	if m.carbon {
		t.bill.Carbon = &carbon
	}
	return nil
}

// add adds what power takes over a time.
func (m *meter) add(cluster int, power, from, to float64, energy, cost, carbon *float64) {
	t := &m.tariffs[cluster]
	*energy += power * (to - from)
	if m.prices {
		*cost += power * t.price.Over(from, to) / t.per
	}
	if m.carbon {
		*carbon += power * t.carbon.Over(from, to) / t.per
	}
}

// peakOf is the highest power of all runs together.
func peakOf(runs []run) float64 {
	type change struct{ time, power float64 }
	changes := make([]change, 0, 2*len(runs))
	for k := range runs {
		if r := &runs[k]; r.end > r.start && r.power > 0 {
			changes = append(changes, change{r.start, r.power}, change{r.end, -r.power})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.power, b.power)) // ends come first
	})
	now, peak := 0.0, 0.0
	for _, c := range changes {
		now += c.power
		peak = max(peak, now)
	}
	return peak
}

// evaluate measures a schedule by the metrics of the model.
func (m *meter) evaluate(t *measured, sol *model.Solution) error {
	in, err := m.within("")
	if err != nil {
		return err
	}
	found, err := model.Evaluate(in, sol)
	if err != nil {
		return err
	}
	total := func(metric string) *float64 {
		if v, measured := found.Metrics[metric]; measured && !math.IsInf(v.Total, 0) {
			return new(v.Total)
		}
		return nil
	}
	energy, peak := total("energy"), total("peak_power")
	if energy == nil || peak == nil {
		return errors.New("the power of the schedule is not known: a machine cannot be in a state that it must be in")
	}
	t.bill = Bill{Energy: *energy, Peak: *peak, Cost: total("energy_cost"), Carbon: total("carbon")}
	return nil
}

// within is the instance with the time in which power counts, and the metric as its objective; empty: that of the instance.
func (m *meter) within(metric string) (*model.Instance, error) {
	if m.evaluated == nil {
		spec := m.in.Spec()
		spec.Horizon = &model.HorizonSpec{From: m.power.From, To: m.power.To}
		in, err := model.New(spec)
		if err != nil {
			return nil, err
		}
		m.evaluated = in
	}
	if metric == "" {
		return m.evaluated, nil
	}
	return m.evaluated.WithObjective(map[string]float64{metric: 1})
}

// bound finds what was possible.
func (m *meter) bound(ctx context.Context, find Bound) error {
	for _, quantity := range []struct {
		metric string
		stated bool
		to     **Possible
	}{{"energy_cost", m.prices, &m.power.Cost}, {"carbon", m.carbon, &m.power.Carbon}} {
		if !quantity.stated || find == nil || !(m.power.To > m.power.From) {
			continue
		}
		in, err := m.within(quantity.metric)
		if err != nil {
			return err
		}
		if found, known := find(ctx, in); known {
			*quantity.to = &found
		}
	}
	return nil
}

// bill is what a schedule takes, compared with that of the first policy; nil of that policy itself.
func (s *study) bill(run, first *schedule) (*Bill, error) {
	if run.taken == nil {
		return nil, nil
	}
	b := run.taken.bill
	if first == nil || first.taken == nil {
		return &b, nil
	}
	var err error
	all := &s.classes[0]
	if b.Cost != nil {
		if b.CostDifference, err = s.difference(all, run, first, (*schedule).cost, sameCost); err != nil {
			return nil, err
		}
	}
	if b.Carbon != nil {
		b.CarbonDifference, err = s.difference(all, run, first, (*schedule).emits, sameCost)
	}
	return &b, err
}

// shares fills in what is saved as a share of what was possible.
func (p *Power) shares(group *Group) {
	first := group.Policies[0].Power
	share := func(before, after *float64, possible *Possible) *float64 {
		if possible == nil || before == nil || after == nil || !(*before > possible.Bound) {
			return nil
		}
		return new((*before - *after) / (*before - possible.Bound))
	}
	for k := 1; k < len(group.Policies) && first != nil; k++ {
		if b := group.Policies[k].Power; b != nil {
			b.CostShare, b.CarbonShare = share(first.Cost, b.Cost, p.Cost), share(first.Carbon, b.Carbon, p.Carbon)
		}
	}
}

// metered measures all schedules of an instance that has power; nil: it has none.
func (s *study) metered(runs []Run, schedules []*schedule) (*meter, error) {
	if !HasPower(s.in) || s.opt.Elsewhere || len(runs) == 0 {
		return nil, nil
	}
	from, _ := span(s.in)
	to := from
	for _, of := range schedules {
		for k := range of.runs {
			to = max(to, of.runs[k].end)
		}
	}
	m, err := newMeter(s.in, from, to)
	if err != nil {
		return nil, err
	}
	for k := range runs {
		if err := m.measure(schedules[k], runs[k].Solution); err != nil {
			return nil, fmt.Errorf("%s: %w", runs[k].Policy, err)
		}
	}
	return m, m.bound(s.ctx, s.opt.Bound)
}
