package sim

import (
	"errors"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// capsBusy is the power of each busy processor of a trace, where it is one; the second result says why there is none.
func capsBusy(in *model.Instance) (float64, error) {
	machines := in.Clusters()[0].Machines
	busy := machines[0].Power.OfBusy()
	each, stated := 0.0, 0
	for k := range in.Jobs() {
		if own, its := in.Jobs()[k].Power(); its {
			if stated++; stated > 1 && own != each {
				return 0, errUnequal
			}
			each = own
		}
	}
	for g := range machines {
		if stated < len(in.Jobs()) && machines[g].Power.OfBusy() != busy {
			return 0, errUnequal
		}
	}
	if stated == 0 {
		return busy, nil
	}
	if stated < len(in.Jobs()) && busy != each {
		return 0, errUnequal
	}
	return each, nil
}

// The reasons of a trace with a power cap that cannot run.
var (
	errUnequal = errors.New("a power cap on line needs processors that all take the same power")
	errAsleep  = errors.New("a power cap on line beside machines that sleep by a rule: nobody knows how long a job that has begun to wake them still takes no power")
	errOutlive = errors.New("a power cap that falls, and jobs that outlive their estimates: they would run on under the lower cap")
)

// CheckCaps says why a trace with a power cap cannot run; nil: it can, or has none. Jobs end at their estimates where kill is set.
func CheckCaps(in *model.Instance, kill bool) error {
	if !in.Features().Has(model.PowerCaps) {
		return nil
	}
	if in.Features().Has(model.SleepingMachines) {
		return errAsleep
	}
	limits, err := capLimits(in)
	if err != nil || kill {
		return err
	}
	before, falls := float64(in.Processors()), false
	if len(limits) > 0 && limits[0].Time <= in.FirstArrival() {
		before = limits[0].Value
	}
	for _, l := range limits {
		falls, before = falls || l.Value < before, l.Value
	}
	for k := range in.Jobs() {
		if estimate, runtime := Lengths(in, k); falls && runtime > estimate {
			return errOutlive
		}
	}
	return nil
}

// capLimits are how many processors of a trace may be busy at once, by time: as many as the power cap allows beside the idle power of all machines. Before the first time all may be.
func capLimits(in *model.Instance) ([]model.Step, error) {
	cluster := &in.Clusters()[0]
	each, err := capsBusy(in)
	if err != nil {
		return nil, err
	}
	idle := new(big.Rat)
	for g := range cluster.Machines {
		if p := cluster.Machines[g].Power; p != nil {
			idle.Add(idle, new(big.Rat).Mul(new(big.Rat).SetFloat64(p.Idle), big.NewRat(int64(cluster.Machines[g].Count), 1)))
		}
	}
	limits := make([]model.Step, 0, len(cluster.PowerCap))
	for _, c := range cluster.PowerCap {
		most := float64(cluster.Processors)
		if each > 0 {
			left := new(big.Rat).Sub(new(big.Rat).SetFloat64(c.Value), idle)
			left.Quo(left, new(big.Rat).SetFloat64(each))
			if whole := new(big.Int).Div(left.Num(), left.Denom()); whole.Cmp(big.NewInt(int64(cluster.Processors))) < 0 {
				most = max(0, float64(whole.Int64()))
			}
		}
		limits = append(limits, model.Step{Time: c.Time, Value: most})
	}
	return limits, nil
}
