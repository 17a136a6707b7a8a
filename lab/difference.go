package lab

import (
	"math"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// Difference is how much the mean of a figure differs from that under the first policy of the group, over the jobs that both place.
type Difference struct {
	Jobs int     `json:"jobs"` // that both place
	Mean float64 `json:"mean"`
	// Low and High are the interval; absent: too few days for one. Where Ratio has an interval it is that one, in the unit of Mean: First × (RatioLow − 1) and
	// First × (RatioHigh − 1).
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Ratio is the mean divided by that under the first policy; absent: the latter is 0. The interval is absent where there are too few days, and where the
	// mean is 0.
	Ratio     *float64 `json:"ratio,omitempty"`
	RatioLow  *float64 `json:"ratio_low,omitempty"`
	RatioHigh *float64 `json:"ratio_high,omitempty"`
	P         *float64 `json:"p,omitempty"`      // of the interval
	Holm      *float64 `json:"p_holm,omitempty"` // adjusted for all tests of the family; absent: not tested
	Blocks    int      `json:"blocks"`           // blocks of days that have such jobs
	First     float64  `json:"first"`            // mean of the figure under the first policy
	Greater   int      `json:"greater"`          // jobs of which the figure is greater than under the first policy
	Less      int      `json:"less"`
}

// Sign is 1 or −1 where the whole interval lies above or below 0, else 0.
func (d *Difference) Sign() int {
	switch {
	case d == nil || d.Low == nil:
		return 0
	case *d.Low > 0:
		return 1
	case *d.High < 0:
		return -1
	}
	return 0
}

// Shown says whether the difference is shown at the confidence, also among the other tests of the family.
func (d *Difference) Shown(confidence float64) bool {
	return d.Sign() != 0 && d.Holm != nil && *d.Holm <= 1-confidence
}

// difference compares a figure of a class with that under the first policy; nil: no job is placed by both. A job counts on the day of its arrival, which is the same under both.
// Figures differ if they do by more than rounding makes of them.
func (s *study) difference(c *class, run, first *schedule, of func(*schedule, *model.Instance, int32) float64, equal func(a, b *schedule, job int32, figure float64) float64) (*Difference, error) {
	days := make([]statistics.Period, s.days)
	d := &Difference{}
	for _, j := range c.jobs {
		if !run.placed(j) || !first.placed(j) {
			continue
		}
		d.Jobs++
		figure := of(first, s.in, j)
		more := of(run, s.in, j) - figure
		if math.Abs(more) <= equal(run, first, j, figure) {
			more = 0
		}
		switch {
		case more > 0:
			d.Greater++
		case more < 0:
			d.Less++
		}
		day := &days[min(int((s.in.Jobs()[j].Arrival-s.from)/s.opt.Day), s.days-1)]
		day.N++
		day.First += figure
		day.Difference += more
	}
	if d.Jobs == 0 {
		return nil, nil
	}
	interval, err := s.blocks.Difference(days)
	if err != nil {
		return nil, err
	}
	before := 0.0
	for k := range days {
		before += days[k].First
	}
	d.Mean, d.Blocks, d.First = interval.Estimate, interval.Blocks, before/float64(d.Jobs)
	if !math.IsInf(interval.Low, 0) && !math.IsInf(interval.High, 0) {
		d.Low, d.High, d.P = &interval.Low, &interval.High, &interval.P
	}
	if !(d.First > 0) {
		return d, nil
	}
	ratio, err := s.blocks.Ratio(days)
	if err != nil {
		return nil, err
	}
	d.Ratio = &ratio.Estimate
	switch {
	case !math.IsInf(ratio.High, 1):
		d.RatioLow, d.RatioHigh, d.P = &ratio.Low, &ratio.High, &ratio.P
		d.Low, d.High = new(d.First*(ratio.Low-1)), new(d.First*(ratio.High-1))
	case ratio.Estimate > 0: // the waits fall into too few blocks
		d.Low, d.High, d.P = nil, nil, nil
	}
	return d, nil
}

// rounding is the relative difference up to which two times count as equal, because rounding can cause it; costRounding that of two costs, which are differences of sums over
// the whole time.
const rounding, costRounding = 1e-13, 1e-9

// sameTime is the difference up to which times count as equal.
func sameTime(a, b *schedule, job int32, _ float64) float64 {
	return rounding * max(math.Abs(a.end[job]), math.Abs(b.end[job]))
}

// sameCost is the difference up to which costs count as equal.
func sameCost(_, _ *schedule, _ int32, figure float64) float64 {
	return costRounding * math.Abs(figure)
}

// adjust adjusts P by Holm, in a family for each kind of class: the tests under all policies but the first.
func (g *Group) adjust() error {
	families := map[string][]*Difference{}
	for k := range g.Policies {
		for c := range g.Policies[k].Classes {
			class := &g.Policies[k].Classes[c]
			families[class.Kind] = append(families[class.Kind], class.WaitDifference)
			if class.Kind == kindAll { // the slowdown of a class is not tested
				families[kindAll] = append(families[kindAll], class.SlowdownDifference)
			}
		}
	}
	for k := range g.Policies {
		if b := g.Policies[k].Power; b != nil {
			families[kindPower] = append(families[kindPower], b.CostDifference, b.CarbonDifference)
		}
	}
	g.Tests = map[string]int{}
	for kind, family := range families {
		tests, err := holm(family)
		if err != nil {
			return err
		}
		if tests > 0 {
			g.Tests[kind] = tests
		}
	}
	return nil
}

// holm adjusts P of the differences that have one, and says how many these are.
func holm(family []*Difference) (tests int, err error) {
	var p []float64
	var tested []*Difference
	for _, d := range family {
		if d != nil && d.P != nil {
			p, tested = append(p, *d.P), append(tested, d)
		}
	}
	adjusted, err := statistics.Holm(p)
	if err != nil {
		return 0, err
	}
	for k, d := range tested {
		d.Holm = &adjusted[k]
	}
	return len(tested), nil
}
