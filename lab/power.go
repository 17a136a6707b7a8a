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
	// LeftOut is how many jobs have no place. The bill is without them, and without what they took before they were killed.
	LeftOut int `json:"left_out,omitempty"`
	// OtherJobs says that the jobs that have a place are not those that the first policy of the group places, so that the two bills are not compared.
	OtherJobs bool `json:"other_jobs,omitempty"`
	// CostDifference and CarbonDifference are of what a job takes while it runs, without idle machines, from that under the first policy of the group; absent:
	// of that policy itself. They are paired by day, as waits are.
	CostDifference   *Difference `json:"cost_difference,omitempty"`
	CarbonDifference *Difference `json:"carbon_difference,omitempty"`
	// CostShare and CarbonShare are what is saved of the first policy's, as a share of what was possible; absent: not known, or one of the two leaves jobs out.
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
				sums, few := model.SumsWithin(list.of, t.Period, from, math.Nextafter(to, math.Inf(1)))
				if !few {
					return nil, errors.New("expected a tariff with fewer steps while jobs run")
				}
				*list.to = sums
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
	leftOut              int
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
	for job := range n {
		if !s.placed(int32(job)) {
			t.leftOut++
		}
	}
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
		in, err := m.framed(m.in.Spec())
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

// framed is an instance with the time in which power counts.
func (m *meter) framed(spec model.InstanceSpec) (*model.Instance, error) {
	spec.Horizon = &model.HorizonSpec{From: m.power.From, To: m.power.To}
	return model.New(spec)
}

// suspends says whether machines go to sleep by a rule.
func (m *meter) suspends() bool {
	return slices.ContainsFunc(m.in.Clusters(), func(c model.Cluster) bool {
		return slices.ContainsFunc(c.Machines, func(m model.Machine) bool { return m.Power != nil && m.Power.Suspends() })
	})
}

// knowing is the instance in which machines that sleep by a rule know the future: they go to the state of the rule and come back whenever that is cheapest, and
// at the end they turn to what is cheapest at no cost. Where no rate is negative, no schedule costs less there than by the rule. The metric is the objective.
func (m *meter) knowing(metric string) (*model.Instance, error) {
	spec := m.in.Spec()
	for c := range spec.Clusters {
		machines := slices.Clone(spec.Clusters[c].Machines)
		spec.Clusters[c].Machines = machines
		for g := range machines {
			if p := machines[g].Power; p != nil && p.SuspendAfter != nil {
				machines[g].Power = withoutRule(p, m.power.To-m.power.From)
			}
		}
	}
	spec.Objective = map[string]float64{metric: 1}
	return m.framed(spec)
}

// withoutRule is the power of a machine that may do all that it could by its rule, and more, for a time that is counted. It ends in a state that takes as little
// as any, to which there is a way of no time, and from which there is none that is short enough. Its time is a multiple of the other, as bounds look at times of
// which all ways are multiples.
func withoutRule(p *model.PowerSpec, length float64) *model.PowerSpec {
	free, off := *p, p.Off[0]
	free.SuspendAfter, free.Off = nil, []model.OffSpec{off}
	if free.End = off.Name; off.Down.Time > 0 {
		end := model.OffSpec{Name: off.Name + " at the end", Power: min(p.Idle, off.Power, off.Down.Power)}
		end.Up.Time = off.Down.Time * math.Ceil(1+length/off.Down.Time)
		free.Off, free.End = append(free.Off, end), end.Name
	}
	return &free
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
		of := m.within
		if m.suspends() {
			if of = m.knowing; m.in.MayBeNegative(quantity.metric) {
				continue
			}
		}
		in, err := of(quantity.metric)
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
	b.LeftOut = run.taken.leftOut
	if first == nil || first.taken == nil {
		return &b, nil
	}
	for job := range s.in.Jobs() {
		b.OtherJobs = b.OtherJobs || run.placed(int32(job)) != first.placed(int32(job))
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

// leastPossible is how much less than the first bill has to be possible, relative to it, for a share of it: below, it is rounding.
const leastPossible = 1e-9

// shares fills in what is saved as a share of what was possible, where both policies place all jobs.
func (p *Power) shares(group *Group) {
	first := group.Policies[0].Power
	share := func(before, after *float64, possible *Possible) *float64 {
		if possible == nil || before == nil || after == nil || !(*before-possible.Bound > leastPossible*max(math.Abs(*before), math.Abs(possible.Bound))) {
			return nil
		}
		return new((*before - *after) / (*before - possible.Bound))
	}
	for k := 1; k < len(group.Policies) && first != nil && first.LeftOut == 0; k++ {
		if b := group.Policies[k].Power; b != nil && b.LeftOut == 0 {
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
	if !slices.ContainsFunc(schedules, func(of *schedule) bool { return of.taken.leftOut == 0 }) {
		return m, nil // perhaps no schedule places all jobs in this time, and then anything is a bound
	}
	return m, m.bound(s.ctx, s.opt.Bound)
}
